"""What the shape of a model brings: thin leaves, rows a question, the skeleton, the truth table."""
