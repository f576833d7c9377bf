"""The Design screen: shape and size, what mistakes cost, constraints, the method, and the limits of the search."""
