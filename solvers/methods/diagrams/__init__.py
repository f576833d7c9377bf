"""Decision diagrams: drafts, construction and weighted sums, which the methods share, and a folder or file a method."""
