"""Oblivious read-once decision graphs and oblivious decision trees: the greedy way to a diagram."""
