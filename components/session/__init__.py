"""The state of a session and its owner: table, choices, design, runs. Only `state` uses Streamlit's session state."""
