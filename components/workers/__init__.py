"""What worker processes do for a screen: runs, inquiries, tables that are read."""
