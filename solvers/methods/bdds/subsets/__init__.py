"""The exact search over sets of features."""
