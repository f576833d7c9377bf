"""Formatting of names, numbers and times on the screens. Does not import Streamlit."""
