"""Decision diagrams: shared drafts, construction and weighted sums, and one folder or file per method."""
