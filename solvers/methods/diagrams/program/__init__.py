"""Decision diagrams as a mixed-integer linear program (Florio et al. 2023, sections 3.1 to 3.4)."""
