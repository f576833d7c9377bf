"""The shared parts of the methods by SAT and MaxSAT.

`formula` holds clauses in bulk, `totalizer` encodes sums, and `demands` has the classes that rows demand of a model.
`oracle`, `core_guided`, `linear` and `search` solve formulas with PySAT.
"""
