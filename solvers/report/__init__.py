"""What leaves the program: models in other languages, and reports of models, with small counts hidden on request."""
