"""A model as it leaves: rules, files of every format, and the report."""
