"""Decision trees: optimal ones by branch and bound, satisfiability, constraints and linear programs; greedy ones."""
