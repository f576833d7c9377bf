"""The Sweep screen: many models of a run's rows at once."""
