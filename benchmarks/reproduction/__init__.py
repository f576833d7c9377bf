"""The tables of the five papers: their values, our measurements and the comparison; one module per paper."""
