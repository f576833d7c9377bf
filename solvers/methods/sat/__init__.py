"""What methods by SAT and MaxSAT share.

`formula` holds clauses in bulk, `totalizer` adds up, and `demands` says what the rows demand of a model. `oracle`,
`core_guided`, `linear` and `search` solve formulas with PySAT.
"""
