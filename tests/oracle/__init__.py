"""The oracle: the meaning of problems, constraints and models, by exhaustive search in exact fractions.

It is slow and obvious, and uses nothing of the program except the types of problems and models. `table` reads the rows
and lists the splits, `facts` analyses a tree, `meaning` decides whether a constraint is satisfied, `trees`, `diagrams`,
`near` and `consistent` enumerate models.
"""
