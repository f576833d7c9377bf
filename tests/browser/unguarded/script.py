"""A program with the settings that Streamlit has by itself, on which the attacks of the tests must succeed."""

import streamlit as st

st.title("Unguarded")
st.file_uploader("A table")
