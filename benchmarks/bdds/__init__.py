"""Measurements of binary decision diagrams: binary tables, runs that can be killed, one module per part."""
