"""Which constraints a model keeps, how closely, what each of them costs, and what other limits would cost."""

from collections.abc import Callable

import streamlit as st

from components.model import trade_off_panel
from components.session.work import FinishedModel, Run
from components.widgets import style
from components.words.constraint_facts import AchievedWords, ConstraintRow, constraint_rows, kept_sentence
from components.words.explain_facts import cost_in_words, price_words, split_words, without_words
from components.words.text import DASH, html, plain
from components.words.tone import Tone
from components.workers import inquiries
from solvers.explain import Price, Prices, RelaxableConstraint, relaxables_of
from solvers.problem import Problem
from solvers.sweeps.cross_validation import UnseenPredictions
from solvers.words.confirmation import confirmation_words

_PRICE_HELP = (
    "For each constraint the best {noun} without it, and without it alone, is sought: its price is what "
    "that one saves on the training rows."
)


def relaxables(run: Run) -> tuple[RelaxableConstraint, ...]:
    """What was asked for besides the depth: the constraints, then the limits of the size."""
    return tuple(relaxable for relaxable in relaxables_of(run.problem) if not relaxable.lasting)


def show_table(run: Run, model: FinishedModel) -> None:
    """Draw the constraints of a run held against one of its models; nothing where there are none."""
    if run.problem.constraints:
        st.html(table(_rows(run, model), has_test=run.prepared.test is not None))


def show_compared(run: Run, compared: tuple[tuple[str, FinishedModel], ...]) -> None:
    """Draw the constraints of a run held against several models, given with their titles, and what each costs."""
    if not relaxables(run):
        st.markdown("This run has no constraints. Add some on the Design screen and solve again.")
        return
    inquiries.watch(run, _compared, key=f"compared_constraints_{run.number}", args=(run, compared))


def _compared(run: Run, compared: tuple[tuple[str, FinishedModel], ...]) -> None:
    problem, noun = run.problem, run.problem.shape.kind.noun
    answer = inquiries.answer(run, inquiries.prices(run)) if run.best else None
    head: tuple[str, ...] = ("Training rows", *(html(title) for title, _ in compared))
    columns = [_rows(run, model) for _, model in compared]
    body = [
        (html(rows[0].words, 300), *(f"{html(row.train.figure)} {_verdict(row.train)}" for row in rows))
        for rows in zip(*columns, strict=True)
    ]
    if answer is not None:
        head += (f"Best {noun} without it", "Price")
        body = [
            (*row, html(without_words(price, problem)), _price(price, answer, problem))
            for row, price in zip(body, _prices(run, answer), strict=True)
        ]
    st.html(style.table(head, body))
    for (title, _), rows in zip(compared, columns, strict=True):
        if any(not row.train.holds for row in rows):
            st.caption(plain(f"{title} {kept_sentence(rows)}.", 300))
    if answer is not None and answer.cost is not None:
        whole = cost_in_words(answer.cost, problem)
        proved = ", proved" if answer.cost == answer.bound else ""
        st.caption(
            plain(
                f"The best {noun} under all constraints has {whole}{proved}. The price of a constraint is what the "
                f"best {noun} without this one alone saves on the training rows; a range is as far as it was proved "
                "in time.",
                500,
            )
        )
    if run.best is not None:
        inquiries.offer(run, inquiries.prices(run), "What does each constraint cost?", _PRICE_HELP.format(noun=noun))


def show(run: Run, model: FinishedModel, unseen: Callable[[], UnseenPredictions | None]) -> None:
    """Draw the same with the price of each constraint, and the trade-off of one, for the model of the run itself.

    `unseen` tells what models of a cross-validation answered, where there was one.
    """
    if not relaxables(run):
        st.markdown("This run has no constraints. Add some on the Design screen and solve again.")
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
                f"{plain(model.title)} was not asked for constraints that it cannot take. Prices are those of the run."
            )


def _priced(run: Run, model: FinishedModel, own: bool, unseen: UnseenPredictions | None) -> None:
    noun = run.problem.shape.kind.noun
    prices: tuple[str, ...] = ()
    answer = inquiries.answer(run, inquiries.prices(run)) if own else None
    if answer is not None:
        prices = tuple(_price(price, answer, run.problem) for price in _prices(run, answer))
    rows = _rows(run, model, unseen)
    test = run.prepared.test
    if own and test is not None and (confirmation := confirmation_words(run.problem, model.diagram, test)):
        st.markdown(plain(confirmation, 900))
    st.html(table(rows, test is not None, prices))
    if any(row.train.observed for row in rows):
        judged = "" if unseen else " The Evidence tab cross-validates: then its figure stands here, too."
        st.caption(f"Shares with their 95 % intervals.{judged}")
    if answer is not None:
        st.caption(
            f"Price: what the best {noun} without this one constraint saves on the training rows, and below which "
            "mistakes it makes more or less often. A range is as far as it was proved in time."
        )
    if own:
        inquiries.offer(run, inquiries.prices(run), "What does each constraint cost?", _PRICE_HELP.format(noun=noun))


def _price(price: Price | None, answer: Prices, problem: Problem) -> str:
    """The price as HTML, with the mistakes that it is made of."""
    split = html(split_words(price, answer, problem), 300)
    return html(price_words(price, problem)) + (f"<br><small>{split}</small>" if split else "")


def _prices(run: Run, answer: Prices) -> list[Price | None]:
    known = {price.relaxable.key: price for price in answer.prices}
    return [known.get(relaxable.key) for relaxable in relaxables(run)]


def _rows(run: Run, model: FinishedModel, unseen: UnseenPredictions | None = None) -> tuple[ConstraintRow, ...]:
    constraints = tuple(relaxable.constraint for relaxable in relaxables(run))
    return constraint_rows(constraints, model.diagram, run.prepared.train, run.prepared.test, unseen)


def table(rows: tuple[ConstraintRow, ...], has_test: bool, prices: tuple[str, ...] = ()) -> str:
    """The constraints as an HTML table; `prices` adds a column, HTML for each."""
    validated = any(row.validated for row in rows)
    head = ["Constraint", "", "Training rows", "Room left", *["Cross-validated"] * validated]
    head += [*["Test rows"] * has_test, *["Price"] * bool(prices)]
    body = []
    for i, row in enumerate(rows):
        room = "<b>none: at its limit</b>" if row.binds else html(row.room)
        room = DASH if row.binds is None or not row.train.holds else room
        cells = [html(row.words, 300), _verdict(row.train), html(row.train.figure) or DASH, room]
        if validated:
            cells.append(html(row.validated) or DASH)
        if has_test:
            cells.append(_on_test(row.test))
        body.append((*cells, *([prices[i]] if prices else [])))
    return style.table(head, body)


def _verdict(found: AchievedWords) -> str:
    shown = style.pill(found.verdict, Tone.GOOD if found.holds else Tone.BAD)
    return style.hint(shown, "; ".join(found.broken)) if found.broken else shown


def _on_test(found: AchievedWords | None) -> str:
    if found is None:
        return DASH
    figure = html(found.figure)
    if found.holds and found.verdict == "kept":
        return figure or "kept"
    verdict = html(found.verdict) if found.holds else f"<b>{html(found.verdict)}</b>"
    return style.hint(f"{figure}{', ' * bool(figure)}{verdict}", "; ".join(found.broken))
