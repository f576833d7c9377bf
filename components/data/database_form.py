"""A table from a database: one that the administrator has listed, or a PostgreSQL server whose address is typed."""

import streamlit as st

from components.session import ownership
from components.words.text import plain
from solvers.errors import EspalierError
from solvers.problem import ReadingOptions
from solvers.problem.sources import MAX_ROWS, Address, parse_address, typed_address
from solvers.run import QueriedTable
from solvers.settings import Settings, settings

_TYPED = "another one, by its address"


def show() -> QueriedTable | None:
    """Draw the form, where there is a database to ask; what is asked for, once it is."""
    chosen = settings()
    names = [*chosen.sources, *([_TYPED] if may_type(chosen) else [])]
    if not names:
        return None
    with st.expander("Or query a database"):
        name = st.selectbox("Database", names, key="database") if len(names) > 1 else names[0]
        with st.form("query", border=False):
            address = password = ""
            if name == _TYPED:
                address = st.text_input("Address", placeholder="postgresql://user@host:5432/database", key="address")
                password = st.text_input("Password", type="password", key="database_password")
            query = st.text_area("Query", placeholder="SELECT * FROM patients", key="database_query")
            rows = st.number_input("At most rows", 1, value=MAX_ROWS, step=1000, key="database_rows")
            st.caption("The database is only read. Address and password are forgotten with this session.")
            if not st.form_submit_button("Load the rows"):
                return None
        try:
            place = _address(chosen, name, address, password)
        except EspalierError as error:
            st.error(plain(error, 600), icon=":material/error:")
            return None
        options = ReadingOptions(query=query.strip() or None, max_rows=int(rows), seconds=chosen.max_reading_seconds)
        return QueriedTable(place, place.name if name == _TYPED else name, options)


def may_type(chosen: Settings) -> bool:
    """Whether users may type an address: as the administrator says, and else where one person uses this machine."""
    return ownership.owner() == ownership.LOCAL if chosen.typed_addresses is None else chosen.typed_addresses


def _address(chosen: Settings, name: str, address: str, password: str) -> Address:
    if name != _TYPED:
        return parse_address(chosen.sources[name])
    return typed_address(address, password, own_machine=ownership.owner() == ownership.LOCAL)
