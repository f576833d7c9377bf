"""Decision trees: optimal ones by branch and bound, SAT, constraint programming and linear programs; greedy ones."""
