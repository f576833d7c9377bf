"""ODD: decision diagrams whose topology is learned, as a mixed-integer linear program (Florio et al. 2023)."""
