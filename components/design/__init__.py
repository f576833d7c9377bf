"""The Design screen: the shape and its size, what mistakes cost, wishes, the method, and the limits of the search."""
