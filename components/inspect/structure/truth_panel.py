"""The truth table of a BDD, and the effect of other policies for unseen combinations on held-out rows."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from components.model.facts import positive_first, share_right
from components.session.work import FinishedModel, Prepared, Run
from components.widgets import rows_file, segments, style
from components.words.text import count, distinguished, html, percent, plain
from solvers.diagram import Diagram
from solvers.errors import DiagramError
from solvers.methods.bdds.table import Unseen, bdd_of
from solvers.metrics import truth
from solvers.problem import Predicate, Problem

_HEIGHT = 330
SEEN, UNSEEN, NEVER = "seen", "unseen", "cannot occur"
"""Whether training rows have a combination of features."""
KINDS = {"All": None, "With training rows": SEEN, "Without": UNSEEN}

_POLICIES = {
    Unseen.PARENT: (
        "Parent's majority",
        "The majority of the rows that agree in as many of the first splits as possible.",
    ),
    Unseen.MERGE: ("Merge", "Whatever makes the BDD smaller."),
    Unseen.SOLVED: ("As solved", "The prediction of the solver."),
}


class TruthTable(NamedTuple):
    """All combinations with the prediction and rows of each; yes to the first split comes first.

    `seen` says for each line whether it has training rows; `tests` has the held-out rows, `None` if there are none.
    """

    frame: pd.DataFrame
    seen: np.ndarray
    tests: np.ndarray | None

    @property
    def sentence(self) -> str:
        """How much of the table the training rows fill."""
        n_seen, n_unseen, n_never = (int((self.seen == kind).sum()) for kind in (SEEN, UNSEEN, NEVER))
        sentence = (
            f"{count(len(self.frame), 'combination')}: {count(n_seen)} with training rows, "
            f"{count(n_unseen)} without" + (f", {count(n_never)} that cannot occur." if n_never else ".")
        )
        if self.tests is None:
            return sentence
        n, beside = int(self.tests.sum()), int(self.tests[self.seen != SEEN].sum())
        share = f" ({percent(beside / n)})" if n else ""
        return (
            f"{sentence} {count(beside)} of {count(n, 'held-out row')}{share} have a combination without training rows."
        )


def table(diagram: Diagram, prepared: Prepared) -> TruthTable:
    """The truth table of a BDD, with its training and held-out rows.

    Raises `DiagramError` if the model has no truth table, or one that is too large.
    """
    found, order = truth(diagram), positive_first(diagram)
    counts = found.counts(prepared.train)[::-1, order]
    tests = None if prepared.test is None else found.counts(prepared.test).sum(axis=1)[::-1]
    asked = enumerate(found.questions)
    seen = np.select([counts.any(axis=1), found.possible[::-1]], [SEEN, UNSEEN], NEVER)
    columns = [
        *((f"{q.words(diagram.schema)}?", np.where(found.answers[::-1, i], "yes", "no")) for i, q in asked),
        ("prediction", np.array(diagram.classes, object)[found.labels[::-1]]),
        ("training rows", seen),
        *((f"training: {diagram.classes[k]}", counts[:, i]) for i, k in enumerate(order)),
        *([] if tests is None else [("held-out rows", tests)]),
    ]
    names = distinguished([name for name, _ in columns])
    cells = (cells for _, cells in columns)
    return TruthTable(pd.DataFrame(dict(zip(names, cells, strict=True))), seen, tests)


def policies(diagram: Diagram, problem: Problem) -> dict[Unseen, Diagram]:
    """The BDD under each policy for unseen combinations, with the same splits in the same order.

    The table of the BDD itself stands for the solver's, so 'as solved' is the BDD as it is, but for predictions that no
    training row supports. Raises `DiagramError` if the model has no truth table, or one that is too large.
    """
    found = truth(diagram)
    questions = [question for question in found.questions if isinstance(question, Predicate)]
    return {unseen: bdd_of(problem, questions, unseen, found.labels) for unseen in _POLICIES}


def show(run: Run, model: FinishedModel) -> None:
    """Draw the policies, and the table once it is asked for."""
    key = f"{run.number}_{model.key}"
    try:
        found, made = table(model.diagram, run.prepared), policies(model.diagram, model.problem)
    except DiagramError as error:
        st.info(plain(error, 400))
        return
    st.markdown(plain(found.sentence, 400))
    if UNSEEN in found.seen:
        st.html(_policies_table(model.diagram, made, run.prepared))
        st.caption("Policies differ only in combinations without training rows. Choose one on Design.")
    else:
        st.caption("Every possible combination has training rows, so all policies agree.")
    with st.container(horizontal=True, vertical_alignment="center"):
        shown = st.toggle("Show truth table", key=f"truth_{key}")
        rows_file.offer(
            f"Download {count(len(found.frame), 'line')} (CSV)",
            lambda: found.frame,
            (run.prepared.train.name, "truth-table", model.key),
            key=f"download_truth_{key}",
        )
    if shown:
        kind = KINDS[segments.show("Combinations", list(KINDS), key=f"truth_kind_{key}")]
        frame = found.frame if kind is None else found.frame[found.seen == kind]
        st.dataframe(frame, height=min(_HEIGHT, 36 * (len(frame) + 1) + 3), hide_index=True, key=f"truth_table_{key}")


def _policies_table(diagram: Diagram, made: dict[Unseen, Diagram], prepared: Prepared) -> str:
    test = prepared.test
    head = ["Unseen combinations", "Splits", "Training accuracy"]
    head += [] if test is None else ["Held-out accuracy", "Changed predictions"]
    rows = []
    for unseen, other in made.items():
        name, meaning = _POLICIES[unseen]
        row = [style.hint(html(name), meaning), count(other.n_splits)]
        row.append(style.rate_cell(share_right(other, prepared.train)))
        if test is not None:
            changed = int((other.predict(test) != diagram.predict(test)).sum())
            row += [style.rate_cell(share_right(other, test)), count(changed, "row")]
        rows.append(row)
    return style.table(head, rows)
