"""Exports: rules, files of every format, and the report."""
