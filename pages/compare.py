"""The fifth screen: models of the session side by side, on the same rows."""

import streamlit as st

from components import comparer, comparison_picker, empty, footer, pareto_panel, state, wishes_panel
from components.text import plain

choice = comparison_picker.show()
if choice is None:
    empty.show(
        "Compare",
        f"There is no {state.design().kind.noun} to compare yet.",
        "Back to Solve" if state.runs() else "Choose a table",
        "pages/solve.py" if state.runs() else "pages/data.py",
    )
else:
    comparer.show_verdict(choice)
    names = ("Side by side", "Figures", "Rows that change", "Error, size, fairness", "Wishes and prices")
    drawn, figures, rows, front, wishes = st.tabs(names)
    with drawn:
        comparer.show_side_by_side(choice)
    with figures:
        comparer.show_figures(choice)
        for reason in choice.run.refusals():
            st.caption(plain(reason, 300))
    with rows:
        comparer.show_changes(choice)
    with front:
        pareto_panel.show(choice)
    with wishes:
        wishes_panel.show_compared(choice.run, tuple((entry.title, entry.model) for entry in choice.chosen))
    if footer.show(comparer.sentence(choice), "Change the size and solve again", key="next")[0]:
        st.switch_page("pages/design.py")
