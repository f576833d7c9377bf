"""How things are said: names and numbers, shapes, costs, wishes and their prices. No Streamlit in this room."""
