"""The diagram with the panel next to it: nodes, the path of a row, what-if changes, the bedside page."""
