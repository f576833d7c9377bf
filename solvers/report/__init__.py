"""Exports of models, and reports of models, with small counts hidden on request."""
