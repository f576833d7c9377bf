"""The exact search for decision diagrams: local search for good ones, and bounds by what an optimum could look like."""
