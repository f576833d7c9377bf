"""The reliability of a model: performance, risks, stability, subgroups."""
