"""The Data screen: where a table comes from, its columns, the outcome, and how the rows are used."""
