"""The exact search for BDDs under constraints: bound by multipliers, then all sets of splits within the slack."""
