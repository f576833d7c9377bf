"""Small pieces that any screen may use: choices, tabs, tables, the look, the line at the foot."""
