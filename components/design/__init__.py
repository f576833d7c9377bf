"""The Design screen: shape and size, misclassification costs, constraints, the method, and the search limits."""
