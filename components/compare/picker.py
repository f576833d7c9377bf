"""The choice of models to compare, of the rows, and of the two models drawn side by side."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from components.compare.facts import Predictions, SessionModel, difference_of_rows, entries, judge
from components.messages.text import label_with, plain
from components.model.once import once
from components.session import state
from components.session.work import FinishedModel, Run
from components.widgets import run_picker, segments, shown_rows
from solvers.diagram import Diagram
from solvers.errors import EspalierError
from solvers.problem import Dataset


class Comparison(NamedTuple):
    """The models to compare on the rows of a run, two of which are drawn side by side.

    `second` is `None` if fewer than two models are chosen; `rows` is the name of the rows for the metrics.
    """

    run: Run
    offered: tuple[SessionModel, ...]
    chosen: tuple[SessionModel, ...]
    first: SessionModel | None
    second: SessionModel | None
    rows: str

    @property
    def pair(self) -> tuple[Predictions, ...]:
        """The predictions of the two models side by side; fewer if one is not chosen or does not support these rows."""
        return self.answers([entry for entry in (self.first, self.second) if entry is not None])

    @property
    def titled(self) -> tuple[tuple[str, FinishedModel], ...]:
        """The compared models with their titles."""
        return tuple((entry.title, entry.model) for entry in self.chosen)

    def answers(self, which: Sequence[SessionModel], rows: str | None = None) -> tuple[Predictions, ...]:
        """Predictions of models on the rows, by default the chosen ones; models that fail on them are left out."""
        given = []
        for entry in which:
            data = shown_rows.rows_of(entry.run).get(rows or self.rows)
            if data is not None:
                try:
                    given.append(_answers(self.run, entry, data))
                except EspalierError:
                    # another file may lack a feature of this model alone
                    continue
        return tuple(given)


def violated(run: Run, entry: SessionModel) -> tuple[str, ...]:
    """The constraints of the run that a model violates on the training rows, in words."""
    return _judged(run, entry)[0]


def _judged(run: Run, entry: SessionModel) -> tuple[tuple[str, ...], Diagram | None]:
    return once(run, ("judged", entry.key), (entry.model.diagram,), lambda: judge(run.problem, entry))


def _answers(run: Run, entry: SessionModel, data: Dataset) -> Predictions:
    """The predictions of a model on some rows, computed once: thirty models on 10,000 rows take half a second."""
    diagram = entry.model.diagram
    predicted = once(entry.run, ("answers", entry.key, id(data)), (data, diagram), lambda: diagram.predict(data))
    return Predictions(entry, data, predicted, *_judged(run, entry))


def show() -> Comparison | None:
    """Draw the choices; `None` if no run has a model yet."""
    finished = [run for run in state.runs() if run.best is not None]
    if not finished:
        return None
    run = _run(finished)
    same = [other for other in finished if difference_of_rows(run.prepared, other.prepared) is None]
    # the selected run comes first, with its own model first
    same.sort(key=lambda other: other is not run)
    offered = entries((other, other.models()) for other in same)
    chosen, rows = _chosen(run, offered)
    _tell_apart(run, finished)
    first = chosen[0] if chosen else None
    return Comparison(run, offered, chosen, first, _second(run, chosen), rows)


def _run(finished: list[Run]) -> Run:
    """The selected run; if tables differ, one run of each can be chosen."""
    current = state.current_run()
    run = current if current in finished else finished[-1]
    apart: list[Run] = []
    for other in [run, *finished]:
        if all(difference_of_rows(known.prepared, other.prepared) for known in apart):
            apart.append(other)
    apart.sort(key=lambda other: other.number)
    return run_picker.show(
        "Rows of",
        apart,
        run,
        lambda other: f"{other.prepared.source.title} (from run {other.number} on)",
        width=420,
        help="Models can be compared only on the same rows.",
    )


def _tell_apart(run: Run, finished: list[Run]) -> None:
    """Show which runs cannot be compared with this one, and why."""
    for other in finished:
        if why := difference_of_rows(run.prepared, other.prepared):
            title = f"Run {other.number} ({other.prepared.source.title})"
            st.caption(plain(f"{title} cannot be compared with run {run.number}: {why}.", 300))


def _chosen(run: Run, offered: tuple[SessionModel, ...]) -> tuple[tuple[SessionModel, ...], str]:
    by_key = {entry.key: entry for entry in offered}
    key = state.first(f"compared_{run.number}", _start(run, offered))
    if any(name not in by_key for name in state.get(key) or ()):
        state.put(key, [name for name in state.get(key) if name in by_key])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = st.multiselect(
            "Models to compare",
            list(by_key),
            key=key,
            format_func=label_with(by_key, lambda name: by_key[name].title),
            help="Differences are to the first model.",
            placeholder="Choose two or more",
            persist_state="session",
        )
        rows = shown_rows.show(run).name
    return tuple(by_key[name] for name in names if name in by_key), rows


def _start(run: Run, offered: tuple[SessionModel, ...]) -> list[str]:
    """The model of the run, and the one that Inspect shows.

    If that is the same, the second is the cheapest greedy one that satisfies the constraints, or else violates some.
    """
    first, *others = [entry for entry in offered if entry.run is run]
    seen = [entry for entry in others if entry.model.key == state.get(state.model_key(run))]
    others.sort(key=lambda entry: (bool(violated(run, entry)), run.problem.cost_of(entry.model.diagram)))
    return [entry.key for entry in (first, *(seen or others)[:1])]


def _second(run: Run, chosen: tuple[SessionModel, ...]) -> SessionModel | None:
    """The model drawn next to the first one; the user chooses if there are several."""
    others = {entry.key: entry for entry in chosen[1:]}
    if len(others) < 2:
        return next(iter(others.values()), None)
    name = segments.show(
        f"{plain(chosen[0].title)} against",
        list(others),
        key=f"against_{run.number}",
        words=lambda name: plain(others[name].title),
        shown=True,
    )
    return others[name]
