"""The Compare screen: models side by side on the same rows, and error against size and fairness."""
