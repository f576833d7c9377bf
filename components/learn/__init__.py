"""The Learn screen: lessons to look at, to build in, and to go through step by step."""
