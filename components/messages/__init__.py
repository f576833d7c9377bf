"""How things are said: names and numbers, shapes, costs, constraints and their prices. No Streamlit in this room."""
