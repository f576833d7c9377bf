"""Decision trees by MaxSAT (Hu, Siala, Hebrard and Huguet 2020)."""
