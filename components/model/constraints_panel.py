"""Which constraints a model satisfies, their slack and price, and the cost of other limits."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import streamlit as st

from components.messages.text import DASH, html, interval, percent, plain
from components.model import trade_off_panel
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.workers import inquiries
from solvers.constraints import Constraint
from solvers.diagram import Diagram
from solvers.errors import ConstraintError
from solvers.explain import Key, Price, Prices, RelaxableConstraint, by_subject, relaxables_of, words_of
from solvers.messages.confirmation import describe_confirmation
from solvers.messages.explanations import bounded_cost, describe_price, describe_split, whole_cost
from solvers.messages.results import Tone
from solvers.metrics import Achieved, Estimate, Rate, achieved, observed, on_new_rows
from solvers.problem import Dataset, Problem
from solvers.study.cross_validation import UnseenPredictions

_PRICE_HELP = "Price of a constraint: what the best {noun} without this one saves on the training data."
_NONE = "No constraints. Add some on the Design screen and solve again."


def relaxables(run: Run) -> tuple[RelaxableConstraint, ...]:
    """The constraints, then the size limits except depth."""
    return tuple(relaxable for relaxable in relaxables_of(run.problem) if not relaxable.lasting)


class _Line(NamedTuple):
    """A line of a table: order constraints with the same subject, or one constraint.

    `found` is what each of the compared models achieves.
    """

    keys: tuple[Key, ...]
    words: str
    constraint: Constraint
    found: tuple[Achieved, ...]


def show_table(run: Run, model: FinishedModel) -> None:
    """Draw the constraints of a run for one of its models; nothing if there are none."""
    if run.problem.constraints:
        st.html(_table(run, model, _lines(run, model)))


def show_compared(run: Run, compared: tuple[tuple[str, FinishedModel], ...]) -> None:
    """Draw the constraints of a run for several models, given with their titles, and the price of each."""
    if not relaxables(run):
        st.markdown(_NONE)
        return
    inquiries.watch(run, _compare, key=f"compared_constraints_{run.number}", args=(run, compared))


def _compare(run: Run, compared: tuple[tuple[str, FinishedModel], ...]) -> None:
    problem, noun = run.problem, run.problem.shape.kind.noun
    answer = inquiries.answer(run, inquiries.prices(run)) if run.best else None
    head: tuple[str, ...] = ("Training data", *(html(title) for title, _ in compared))
    lines = _lines(run, *(model for _, model in compared))
    body = [
        (
            html(line.words, 300),
            *(f"{html(describe_achieved(line.constraint, found))} {_verdict(found)}" for found in line.found),
        )
        for line in lines
    ]
    if answer is not None:
        head += ("Best without", "Price")
        body = [
            (*row, html(bounded_cost(price, problem)), _price(price, answer, problem))
            for row, price in zip(body, _prices(lines, answer), strict=True)
        ]
    st.html(style.table(head, body))
    for i, (title, _) in enumerate(compared):
        if broken := sum(not line.found[i].holds for line in lines):
            st.caption(plain(f"{title} {describe_violated(broken, len(lines))}.", 300))
    if answer is not None and answer.cost is not None:
        st.caption(plain(f"{whole_cost(answer, problem)} {_PRICE_HELP.format(noun=noun)}", 500))
    if run.best is not None:
        inquiries.offer(run, inquiries.prices(run), "Compute prices", _PRICE_HELP.format(noun=noun))


def show(run: Run, model: FinishedModel, unseen: Callable[[], UnseenPredictions | None]) -> None:
    """Draw the constraints with their prices, and the trade-off of one, for the run's own model.

    `unseen` returns the predictions of a cross-validation, if there is one.
    """
    if not relaxables(run):
        st.markdown(_NONE)
        return
    inquiries.watch(run, _panel, key=f"constraints_{run.number}_{model.key}", args=(run, model, unseen))


def _panel(run: Run, model: FinishedModel, unseen: Callable[[], UnseenPredictions | None]) -> None:
    own = run.best is not None and model.key == run.best.key
    left, right = st.columns([1.7, 1], gap="large")
    with left:
        _priced(run, model, own, unseen())
    with right:
        if own:
            trade_off_panel.show(run, relaxables(run))
        else:
            st.caption(
                f"Constraints that {plain(model.title)} does not support were left out. Prices are those of the run."
            )


def _priced(run: Run, model: FinishedModel, own: bool, unseen: UnseenPredictions | None) -> None:
    noun = run.problem.shape.kind.noun
    prices: tuple[str, ...] = ()
    answer = inquiries.answer(run, inquiries.prices(run)) if own else None
    lines = _lines(run, model)
    if answer is not None:
        prices = tuple(_price(price, answer, run.problem) for price in _prices(lines, answer))
    test = run.prepared.test
    if own and test is not None and (confirmation := describe_confirmation(run.problem, model.diagram, test)):
        st.markdown(plain(confirmation, 900))
    st.html(_table(run, model, lines, unseen, prices))
    if any(line.found[0].observed is not None for line in lines):
        more = "" if unseen else " Cross-validate on the Evidence tab to add its figures."
        st.caption(f"Shares with 95% intervals.{more}")
    if answer is not None:
        st.caption(_PRICE_HELP.format(noun=noun))
    if own:
        inquiries.offer(run, inquiries.prices(run), "Compute prices", _PRICE_HELP.format(noun=noun))


def _price(price: Price | None, answer: Prices, problem: Problem) -> str:
    """The price as HTML, with the errors that it consists of."""
    split = html(describe_split(price, answer, problem), 300)
    return html(describe_price(price, problem)) + (f"<br><small>{split}</small>" if split else "")


def _prices(lines: Sequence[_Line], answer: Prices) -> list[Price | None]:
    known = {price.relaxables[0].key: price for price in answer.prices}
    return [known.get(line.keys[0]) for line in lines]


def _lines(run: Run, *models: FinishedModel) -> list[_Line]:
    """The lines, with what each model achieves on the training rows; a group holds if all of its constraints hold."""
    train, lines = run.prepared.train, []
    for group in by_subject(relaxables(run)):
        constraint = group[0].constraint
        words = constraint.full_words(train) if len(group) == 1 else words_of(group, run.problem)
        found = []
        for model in models:
            each = [achieved(one.constraint, model.diagram, train) for one in group]
            # constraints that the training rows cannot satisfy are rejected before solving
            known = [one for one in each if one is not None]
            broken = tuple(reason for one in known for reason in one.broken)
            found.append(known[0]._replace(holds=all(one.holds for one in known), broken=broken))
        lines.append(_Line(tuple(one.key for one in group), words, constraint, tuple(found)))
    return lines


def _table(
    run: Run,
    model: FinishedModel,
    lines: Sequence[_Line],
    unseen: UnseenPredictions | None = None,
    prices: tuple[str, ...] = (),
) -> str:
    """What a model achieves for each constraint, as an HTML table; `prices` adds a column of HTML cells."""
    train, test = run.prepared.train, run.prepared.test
    validated = ["" if unseen is None else describe_validated(line.constraint, unseen, train) for line in lines]
    head = ["Constraint", "", "Training", "Slack", *["Cross-validated"] * any(validated)]
    head += [*["Held-out"] * (test is not None), *["Price"] * bool(prices)]
    body = []
    for i, (_, words, constraint, (found,)) in enumerate(lines):
        cells = [html(words, 300), _verdict(found)]
        cells += [html(describe_achieved(constraint, found)) or DASH, _room(constraint, found, model, train)]
        cells += [html(validated[i]) or DASH] * any(validated)
        if test is not None:
            cells.append(_on_test(constraint, model, test))
        body.append((*cells, *prices[i : i + 1]))
    return style.table(head, body)


def _room(constraint: Constraint, found: Achieved, model: FinishedModel, train: Dataset) -> str:
    """The slack of a constraint; a dash if it is violated or has no slack value."""
    room, binds = constraint.slack(model.diagram, train), constraint.binds(model.diagram, train)
    if binds is None or not found.holds:
        return DASH
    return "<b>binding</b>" if binds or room is None else html(constraint.show(max(room, -room)))


def _verdict(found: Achieved) -> str:
    held = f"holds: {found.idle}" if found.idle else "satisfied"
    # a constraint that holds only because a feature is not used may differ from the intention
    good = Tone.OPEN if found.idle else Tone.GOOD
    words, tone = (html(held), good) if found.holds else ("violated", Tone.BAD)
    shown = style.pill(words, tone)
    return style.hint(shown, "; ".join(found.broken)) if found.broken else shown


def _on_test(constraint: Constraint, model: FinishedModel, test: Dataset) -> str:
    judged = on_test(constraint, model.diagram, test)
    if judged is None:
        return DASH
    found, verdict = judged
    figure = html(describe_achieved(constraint.judged, found))
    if found.holds and verdict == "satisfied":
        return figure or "satisfied"
    words = html(verdict) if found.holds else f"<b>{html(verdict)}</b>"
    return style.hint(f"{figure}{', ' * bool(figure)}{words}", "; ".join(found.broken))


def describe_achieved(constraint: Constraint, found: Achieved) -> str:
    """What a model achieves for a constraint; a share of rows with its interval and, with confidence, its limit."""
    value = "" if found.value is None else constraint.show(found.value)
    if found.observed is None:
        return value
    limit = "" if constraint.without_confidence() is constraint else f", limit {value}"
    return describe_share(found.observed) + limit


def on_test(constraint: Constraint, diagram: Diagram, test: Dataset) -> tuple[Achieved, str] | None:
    """What a model achieves on held-out rows, and whether they satisfy the constraint.

    With confidence, a share may reach the limit without confirming it. `None` if the constraint says nothing about new
    rows, or applies to none of these.
    """
    judged = constraint.judged
    new, plain = on_new_rows(judged, diagram, test), judged.without_confidence()
    if new is None:
        return None
    shares = None if plain is judged else on_new_rows(plain, diagram, test)
    if shares is None:
        return new, "satisfied" if new.holds else "violated"
    return new, "confirmed" if new.holds else "not confirmed" if shares.holds else "violated"


def describe_validated(constraint: Constraint, unseen: UnseenPredictions, train: Dataset) -> str:
    """The share in cross-validation, with its interval; '' if the constraint is not about a share."""
    try:
        return describe_share(observed(constraint, unseen.predicted, train.take(unseen.rows)))
    except ConstraintError:  # folds without a model may leave out all rows that it applies to
        return ""


def describe_share(found: Rate | Estimate | None) -> str:
    """A share with its 95% interval; '' if there is none."""
    return "" if found is None else f"{percent(found.value)} ({interval(found)})"


def describe_violated(broken: int, of: int) -> str:
    """How many constraints a model violates, for instance 'violates 1 of 3 constraints'."""
    return "violates the constraint" if of == 1 else f"violates {broken} of {of} constraints"
