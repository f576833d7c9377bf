"""The Data screen: the source of a table, its columns, the outcome, and how the rows are used."""
