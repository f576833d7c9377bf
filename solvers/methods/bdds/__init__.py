"""Binary decision diagrams: what their methods share, and a folder or file a method."""
