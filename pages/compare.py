"""The Compare screen: models of the session side by side, on the same rows."""

from functools import partial

import streamlit as st

from components.compare import comparer, picker
from components.model import cautions_panel, constraints_panel
from components.session import run_actions, state
from components.widgets import footer, segments
from solvers.posing import kind_of

choice = picker.show()
if choice is None:
    footer.nothing(
        "Compare",
        f"No {kind_of(state.asked()).noun} to compare yet.",
        "Go to Solve" if state.runs() else "Choose a table",
        "pages/solve.py" if state.runs() else "pages/data.py",
    )
else:
    if choice.first is not None:
        cautions_panel.show(choice.first.run, choice.first.model, choice.first.title)
    comparer.show_verdict(choice)
    segments.show_tabs(
        {
            "Side by side": partial(comparer.show_side_by_side, choice),
            "Metrics": partial(comparer.show_figures, choice),
            "Changed predictions": partial(comparer.show_changes, choice),
            "Constraints": partial(constraints_panel.show_compared, choice.run, choice.titled),
        },
        key="compare",
    )
    report, again = footer.show(comparer.sentence(choice), "Write the report", key="next", aside="Change size")
    if again:
        st.switch_page("pages/design.py")
    if report:
        run_actions.open_report(choice.run)
        st.switch_page("pages/inspect.py")
