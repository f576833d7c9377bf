"""The tables of the five papers: their values, how ours are measured, and what comes of it; a module a paper."""
