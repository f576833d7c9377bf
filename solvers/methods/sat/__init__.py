"""What methods by SAT and MaxSAT share.

`formula` holds clauses in bulk, `totalizer` adds up; `rows` says what the rows ask for; `oracle`,
`core_guided`, `linear` and `search` solve formulas with PySAT, from what `start` gives.
"""
