"""Whether a model can be relied on: its figures on all rows there are, risks, stability, parts of the rows."""
