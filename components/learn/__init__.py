"""The Learn screen: lessons to view, to build trees in, and to follow step by step."""
