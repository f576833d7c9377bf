"""The exact search for decision diagrams: a local search, and lower bounds over all possible optima."""
