"""Text about names and numbers, shapes, costs, constraints and their prices. Does not import Streamlit."""
