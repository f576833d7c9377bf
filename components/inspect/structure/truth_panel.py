"""The truth table of a BDD on demand, and what other policies for unseen combinations would do on the test rows."""

import streamlit as st

from components.inspect.structure.truth_facts import Policy, Seen, TruthTableFacts, policies, table
from components.session.work import FinishedModel, Run
from components.widgets import rows_file, segments, style
from components.words.text import count, html, plain
from solvers.errors import DiagramError

_HEIGHT = 330
KINDS = {"All": None, "With training rows": Seen.YES, "Without": Seen.NO}


def show(run: Run, model: FinishedModel) -> None:
    """Draw the policies, and the table once it is asked for."""
    key = f"{run.number}_{model.key}"
    try:
        facts = table(model.diagram, run.prepared)
        made = policies(model.diagram, model.problem, run.prepared)
    except DiagramError as error:
        st.info(plain(error, 400))
        return
    st.markdown(plain(facts.sentence, 400))
    if facts.of(Seen.NO):
        st.html(_policies_table(made, run.prepared.test is not None))
        st.caption("The three ways differ only in combinations without training rows; Design has the choice.")
    else:
        st.caption("Training rows fill every combination that can occur, so the three ways are the same.")
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = st.toggle("Show the truth table", key=f"truth_{key}")
        rows_file.offer(
            f"Download the truth table, {count(len(facts.cells), 'line')} (CSV)",
            facts.frame,
            (run.prepared.train.name, "truth-table", model.key),
            key=f"download_truth_{key}",
        )
    if shown:
        _draw(facts, key)


def _policies_table(made: tuple[Policy, ...], has_test: bool) -> str:
    head = ["Unseen combinations answer", "Questions", "Right in training"]
    head += ["Right in test (held out)", "Test rows that change"] * has_test
    rows = []
    for policy in made:
        name = style.hint(html(policy.name), policy.meaning)
        row = [name, count(policy.questions), style.rate_cell(policy.train)]
        rows.append(row + [style.rate_cell(policy.test), count(policy.changed or 0, "row")] * has_test)
    return style.table(head, rows)


def _draw(facts: TruthTableFacts, key: str) -> None:
    kind = segments.show("Combinations", list(KINDS), key=f"truth_kind_{key}")
    frame = facts.frame()
    if KINDS[kind] is not None:
        frame = frame[[cell.seen is KINDS[kind] for cell in facts.cells]]
    st.dataframe(frame, height=min(_HEIGHT, 36 * (len(frame) + 1) + 3), hide_index=True, key=f"truth_table_{key}")
