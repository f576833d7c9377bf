"""Espalier: optimal, constrainable, explainable classifiers."""
