"""Binary decision diagrams and trees by SAT and MaxSAT (Hu, Huguet and Siala 2022; Hu et al. 2020).

`formula` holds clauses in bulk; `rows` says what the rows ask for; `bdd_models` and `tree_model` write the models;
`oracle`, `core_guided`, `linear` and `search` solve them with PySAT; `sat`, `maxsat` and `tree` are the methods.
"""
