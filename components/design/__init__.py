"""The Design screen: the shape and its size, what mistakes cost, constraints, the method, and the limits of the search."""
