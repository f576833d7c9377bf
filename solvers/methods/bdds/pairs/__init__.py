"""Binary decision diagrams by the pairs of rows that must be told apart, as MaxSAT and as a linear program."""
