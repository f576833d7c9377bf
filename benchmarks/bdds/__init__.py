"""Measurements of binary decision diagrams: tables of binary columns, runs that can be killed, one module per part."""
