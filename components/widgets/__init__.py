"""Small widgets that any screen may use: choices, tabs, tables, styles, the footer."""
