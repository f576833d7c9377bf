"""The one oracle of meaning: what problems, constraints and models mean, by trying everything in exact fractions.

It is slow and obvious, and knows the types in which problems and models are written and nothing else of the program.
`table` reads the rows and lists the questions, `facts` takes a tree apart, `meaning` says when a constraint holds,
`trees`, `diagrams`, `near` and `consistent` enumerate models.
"""
