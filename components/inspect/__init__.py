"""The Inspect screen: the diagram as the hero, and a tab for each thing there is to know of a model."""
