"""The fifth screen: the optimal model against greedy ones of the same size."""

import streamlit as st

from components import comparer, empty, footer, model_picker, state, wishes_panel
from components.text import plain

pair = model_picker.show_pair()
if pair is None:
    empty.show(
        "Compare",
        f"There is no {state.design().kind.noun} to compare yet.",
        "Back to Solve" if state.runs() else "Choose a table",
        "pages/solve.py" if state.runs() else "pages/data.py",
    )
else:
    run, first, second, rows = pair
    comparer.show_models(run, (first, second), rows)
    wishes_panel.show_pair(run, (first, second))
    st.subheader("Structure")
    comparer.show_structure((first, second), rows)
    st.subheader("Rows that change")
    comparer.show_changes((first, second), rows)
    st.subheader("Metrics")
    comparer.show_metrics(run, (first, second))
    for reason in run.refusals():
        st.caption(plain(reason, 300))
    sentence = comparer.pair_sentence(run, first, second)
    if footer.show(sentence, "Change the size and solve again", key="next")[0]:
        st.switch_page("pages/design.py")
