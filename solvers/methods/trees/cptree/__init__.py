"""CPTree: optimal trees under domain constraints, as a constraint model for CP-SAT.

Nanfack, Temple and Frénay (2023), 'Learning Customised Decision Trees for Domain-knowledge Constraints', formulate the
optimal tree as 0/1 matrices Q, Z, S, H and R over the branches of the tree, with the constraints (1) to (20), and
domain knowledge as further constraints (section 4). `formulation` describes how the matrices are represented here, and
`cp_rules` how each constraint is. Lower bounds come from the exact search (`coupled`) over the same splits.

Example
-------
>>> from solvers.problem import Limits, Problem, Shape
>>> problem = Problem(dataset, Shape(max_depth=3, max_leaf_nodes=6), constraints=(AskedBefore("age", "bilirubin"),))
>>> CPTree().run(problem, Limits(), print, threading.Event()).status  # doctest: +SKIP
<Status.OPTIMAL: 'optimal'>
"""

from .method import CPTree
