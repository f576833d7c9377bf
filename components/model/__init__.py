"""What several screens show of a run and its model: facts, figures, the drawing, constraints."""
