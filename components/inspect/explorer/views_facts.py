"""The same model told in other ways: its leaves as rules by risk, who gets which answer, and its rows as areas."""

from typing import NamedTuple

import numpy as np

from components.words.text import count
from solvers.diagram import Diagram, NodeId, Split, class_colours
from solvers.diagram.dot import leaf_fill
from solvers.diagram.labels import answer, question, spoken, wrapped
from solvers.diagram.palette import theme_named
from solvers.diagram.words import MAX_TRIED, MAX_WAYS, describe, merged_by_subject, ways
from solvers.metrics import Rate, labels_of, leaf_risks, risks
from solvers.problem import Dataset
from solvers.report.drawing import short_rate


class RiskRule(NamedTuple):
    """A leaf as a rule: who comes to it, its answer with its colour, and its risk, which is of few rows where small."""

    node: NodeId
    who: str
    answer: str
    colour: str
    risk: Rate
    small: bool


class WhoGetsWhat(NamedTuple):
    """A line a way to an answer: the answer, what it asks of each column ('' where anything), and the rows of its leaf.

    `complete` says whether these are all ways.
    """

    columns: tuple[str, ...]
    lines: tuple[tuple[str, tuple[str, ...], Rate], ...]
    complete: bool


class Area(NamedTuple):
    """A node as one way reaches it: its name and that of the one before it, its lines, its hint, colour, weight."""

    name: str
    before: str
    text: tuple[str, ...]
    hint: str
    colour: str
    weight: float


def risk_rules(diagram: Diagram, data: Dataset) -> tuple[RiskRule, ...]:
    """The leaves as rules, the highest risk first and those without rows last."""
    colours = class_colours(len(diagram.classes), diagram.positive)
    found = (
        RiskRule(
            one.node,
            describe(diagram, one.node),
            answer(diagram, one.label),
            colours[one.label],
            one.risk,
            one.risk.n < risks.SMALL,
        )
        for one in leaf_risks(diagram, data)
    )
    return tuple(sorted(found, key=lambda rule: -1.0 if rule.risk.value is None else rule.risk.value, reverse=True))


def who_gets_what(diagram: Diagram, rules: tuple[RiskRule, ...]) -> WhoGetsWhat:
    """What each answer asks of each column, the answers in the order of the rules."""
    found: list[tuple[str, dict[str, str], Rate]] = []
    complete = True
    for rule in rules:
        for tried, way in enumerate(ways(diagram, rule.node)):
            if tried == MAX_TRIED or len(found) >= MAX_WAYS * len(rules):
                complete = False
                break
            if (conditions := merged_by_subject(diagram, way)) is not None:
                found.append((rule.answer, conditions, rule.risk))
    columns = tuple(dict.fromkeys(name for _, conditions, _ in found for name in conditions))
    lines = (
        (
            group,
            tuple(conditions.get(name, "").removeprefix("is ") for name in columns),
            risk,
        )
        for group, conditions, risk in found
    )
    return WhoGetsWhat(columns, tuple(lines), complete)


def areas(diagram: Diagram, data: Dataset, dark: bool) -> tuple[Area, ...]:
    """The nodes as the rows come to them, each after the one before it; without ways that no row goes."""
    X, labels = diagram.encode(data), labels_of(diagram, data)
    weight = data.row_weights
    colours, theme = class_colours(len(diagram.classes), diagram.positive), theme_named("dark" if dark else "light")
    leaves = {one.node: one for one in leaf_risks(diagram, data)}
    out: list[Area] = []
    waiting: list[tuple[NodeId, np.ndarray, str, str, tuple[str, ...]]] = [
        (0, np.arange(data.n_samples), "", "all rows", ())
    ]
    while waiting:
        number, here, before, came, side = waiting.pop(0)
        if not len(here):
            continue
        node, name, n = diagram.nodes[number], str(len(out)), float(weight[here].sum())
        if isinstance(node, Split):
            text = wrapped(question(node.predicate, diagram.schema))
            colour = theme.background
            holds = node.predicate.holds(diagram.schema, X[here])
            for child, yes in ((node.yes, True), (node.no, False)):
                condition = spoken(node.predicate, diagram.schema, yes)
                waiting.append((child, here[holds == yes], name, condition, ("yes" if yes else "no",)))
        else:
            share = float(weight[here[labels[here] == node.label]].sum()) / n if n else 0.0
            text = [*wrapped(answer(diagram, node.label)), short_rate(leaves[number].risk)]
            colour = leaf_fill(theme, colours[node.label], share, len(diagram.classes))
        out.append(Area(name, before, (*side, *text), f"{came}: {count(n, 'row')}", colour, n))
    return tuple(out)
