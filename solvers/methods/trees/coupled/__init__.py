"""Proved optima under constraints that couple the leaves of a tree: a Lagrangian bound, and all trees within its slack.

1. `rule_arrays`: the rules of a problem as arrays.
2. `dual`: multipliers by cutting planes; each step is one run of the exact search and gives a valid lower bound.
3. `search`: for the least whole cost K that the bound allows, all trees whose weighted sums stay within the budgets of
   K are enumerated, a front at a time; the first K with a tree that satisfies all limits is the optimum.
4. Limits that no tree found so far breaks take no part; they come in when one does.
"""
