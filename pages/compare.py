"""The fifth screen: models of the session side by side, on the same rows."""

from functools import partial

import streamlit as st

from components import comparer, comparison_picker, empty, footer, pareto_panel, state, tabs, wishes_panel

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
    tabs.show(
        {
            "Side by side": partial(comparer.show_side_by_side, choice),
            "Figures": partial(comparer.show_figures, choice),
            "Rows that change": partial(comparer.show_changes, choice),
            "Error, size, fairness": partial(pareto_panel.show, choice),
            "Constraints and prices": partial(wishes_panel.show_compared, choice.run, choice.titled),
        },
        key="compare",
    )
    if footer.show(comparer.sentence(choice), "Change the size and solve again", key="next")[0]:
        st.switch_page("pages/design.py")
