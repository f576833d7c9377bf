"""The pieces that the screens are made of: facts and figures know no Streamlit, `state` alone keeps the session."""
