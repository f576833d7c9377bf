"""Binary decision diagrams: what their methods share, and the exact search over sets of features."""
