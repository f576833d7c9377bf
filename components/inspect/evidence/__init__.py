"""Whether a model can be relied on: performance, risks, stability, subgroups."""
