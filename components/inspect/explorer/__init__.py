"""The diagram with the panel beside it: nodes, cases, changes of a case, one question at a time."""
