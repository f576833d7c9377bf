"""Content about a run and its model shared by several screens: facts, figures, the drawing, constraints."""
