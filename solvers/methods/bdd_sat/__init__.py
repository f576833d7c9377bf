"""Binary decision diagrams and trees by SAT and MaxSAT (Hu, Huguet and Siala 2022; Hu et al. 2020).

`formula` holds clauses in bulk, `totalizer` adds up; `rows` says what the rows ask for; `bdd_models`, `tree_model` and
`numbered_tree` write the models; `oracle`, `core_guided`, `linear` and `search` solve them with PySAT, from what
`starting` and `columns` give; `sat`, `maxsat` and `tree` are the methods.
"""
