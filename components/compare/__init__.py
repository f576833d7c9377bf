"""The Compare screen: models side by side on the same rows."""
