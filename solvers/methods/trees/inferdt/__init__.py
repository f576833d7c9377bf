"""Smallest trees without errors, by SAT: a formula that grows by the rows that a tree misclassifies."""
