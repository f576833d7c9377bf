"""The findings of a raw table in one list, each with its proposed change and a tick, and one button."""

import streamlit as st

from components.messages.text import capitalise, count, plain
from components.session import steps
from components.session.work import Prepared, Source
from solvers.problem.quality import Issue

_MANY, _HEIGHT = 10, 420
"""With more findings, the list has this height in pixels."""


def show(source: Source, prepared: Prepared | None) -> None:
    """Draw the findings about the rows in use, and the button that undoes the last cleaning."""
    found = _findings(prepared) if prepared else []
    if found:
        with st.container(border=True):
            st.markdown(f"**Check this table: {count(len(found), 'finding')}**")
            with st.container(height=_HEIGHT if len(found) > _MANY else "content", border=False, gap="xsmall"):
                chosen = [one for one in found if _tick(source.number, one)]
            n = len(chosen)
            with st.container(horizontal=True, vertical_alignment="center"):
                st.button(
                    "Apply all" if n == len(found) else f"Apply {n} of {len(found)}",
                    key="apply_findings",
                    type="primary",
                    icon=":material/cleaning_services:",
                    disabled=not n,
                    on_click=steps.clean,
                    args=(source, chosen),
                )
                _offer_undo(source)
                st.caption("You can undo this. The model applies the same steps to new data.")
    elif steps.can_undo_cleaning(source):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(":material/check_circle: The findings are applied.", width="content")
            _offer_undo(source)


def _findings(prepared: Prepared) -> list[Issue]:
    """The findings that can be applied; the only feature is not left out."""
    only = len(prepared.whole.schema.names) == 1
    return [one for one in prepared.rows.issues if one.remedies or not only]


def _tick(number: int, issue: Issue) -> bool:
    """Draw a finding with its tick."""
    key = f"finding_{number}_{issue.kind}_{issue.column}"
    return st.checkbox(
        f"**{plain(capitalise(issue.remedy), 200)}.** {plain(issue.found, 400)}",
        value=issue.likely,
        key=key,
        help=plain(issue.advice, 300),
    )


def _offer_undo(source: Source) -> None:
    if steps.can_undo_cleaning(source):
        undo = steps.undo_cleaning
        st.button("Undo findings", key="undo_findings", icon=":material/undo:", on_click=undo, args=(source,))
