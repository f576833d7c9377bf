"""Smallest trees without mistakes by satisfiability: a formula that grows by the rows that a tree got wrong."""
