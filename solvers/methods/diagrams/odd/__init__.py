"""ODD: decision diagrams with a learned topology, as a mixed-integer linear program (Florio et al. 2023)."""
