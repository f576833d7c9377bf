"""The Sweep screen: many models on the rows of a run."""
