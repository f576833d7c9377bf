"""Binary decision diagrams: shared modules, and one folder or file per method."""
