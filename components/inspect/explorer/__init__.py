"""The diagram with the panel beside it: nodes, the path of a row, what-if changes, the bedside page."""
