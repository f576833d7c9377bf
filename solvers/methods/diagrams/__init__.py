"""What the methods for decision diagrams share: skeletons and the price of a question, and drafts of diagrams."""
