"""The exact search for BDDs under constraints: bound by multipliers, then all sets of questions within the slack."""
