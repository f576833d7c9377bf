"""Proved optima under constraints that couple the leaves of a tree: a Lagrangian bound, and all trees within its slack.

1. `rule_arrays`: the rules of a problem as arrays.
2. `dual`: multipliers by cutting planes; each step is one run of the exact search and gives a valid lower bound.
3. `search`: for the lowest total cost K that the bound permits, enumerate all trees whose weighted sums are within the
budgets of K, one front at a time; the first K with a tree that satisfies all limits is the optimum.
4. Limits that no tree found so far violates are inactive; they become active when a tree violates them.
"""
