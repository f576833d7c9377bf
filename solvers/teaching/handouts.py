"""What a lesson gives to take along: cards to print for a class without computers, and a notebook."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np

from solvers.problem import Dataset, Problem, Shape
from solvers.teaching.addresses import Setting
from solvers.teaching.generators import make
from solvers.teaching.greedy import greedy_replay
from solvers.teaching.lessons import LessonPart
from solvers.teaching.recipes import Recipe

MOST_CARDS = 64
"""A class sorts no more; of a larger table rows from all over it are printed."""

_STYLE = """
body { font: 10.5pt sans-serif; margin: 5mm; color: #111 }
main { display: grid; grid-template-columns: repeat(3, 1fr) }
article { border: 1px dashed #888; padding: 3mm 4mm; break-inside: avoid }
article p, article h2 { margin: 0 }
h2 { font-size: 9pt; color: #555 }
th { text-align: left; font-weight: normal; padding-right: 4mm }
footer { border-top: 1px dotted #888; margin-top: 2mm; padding-top: 1mm; transform: rotate(180deg); text-align: center }
"""


def carded(rows: Dataset) -> Dataset:
    """The rows that are printed."""
    return rows.take(np.linspace(0, rows.n_samples - 1, min(rows.n_samples, MOST_CARDS)).round().astype(int))


def data_cards(setting: Setting) -> str:
    """The rows of a lesson as an HTML page to print and cut: a card a row, its class upside down at the foot."""
    data = carded(make(setting.recipe).train)
    greedy = greedy_replay(Problem(data, Shape(max_depth=setting.depth)), setting.method)
    wrong = int((greedy.result.predict(data) != data.y).sum())
    # the worst question gives nothing away
    example = greedy.steps[0].table[-1].predicate.words(data.schema) if greedy.steps else "?"
    steps = (
        "Cut the cards out and fold the foot of each back, so that nobody sees the class.",
        f"Ask one question about a column, such as '{example}', and part the cards into two piles.",
        f"You may part each pile again, with {setting.depth} question at most on the way of a card."
        if setting.depth == 1
        else f"You may part each pile again, with {setting.depth} questions at most on the way of a card.",
        "Turn the feet over. Each pile answers its most frequent class; count the cards of other classes.",
        f"{setting.method.label} gets every card right. Can you, too?"
        if not wrong
        else (
            f"{setting.method.label} gets {wrong} card of {data.n_samples} wrong. Can you do better?"
            if wrong == 1
            else f"{setting.method.label} gets {wrong} cards of {data.n_samples} wrong. Can you do better?"
        ),
    )
    cards = []
    for number, (_, row) in enumerate(data.frame().iterrows(), 1):
        cells = "".join(
            f"<tr><th>{escape(column.name)}</th><td>{escape(_cell(row[column.name]))}</td></tr>"
            for column in data.schema.columns
        )
        cards.append(
            f"<article><h2>{number}</h2><table>{cells}</table>"
            f"<footer>{escape(data.outcome)}: {escape(str(row[data.outcome]))}</footer></article>"
        )
    title = escape(setting.lesson.title)
    listed = "".join(f"<li>{escape(step)}</li>" for step in steps)
    return (
        f'<!doctype html>\n<html><head><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style></head>'
        f"<body><h1>{title}</h1><ol>{listed}</ol>\n<main>\n" + "\n".join(cards) + "\n</main></body></html>\n"
    )


def _cell(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def notebook(setting: Setting) -> str:
    """A lesson as a Jupyter notebook: its text, its table, and what can be done with it, as code to change."""
    cells = [("markdown", f"# {setting.lesson.title}\n\n" + "\n\n".join(setting.lesson.paragraphs))]
    cells.append(("code", _TABLE.format(recipe=_written(setting.recipe), depth=setting.depth)))
    for part in setting.lesson.parts:
        if part in _CODE:
            cells += [("markdown", f"## {part.label}"), ("code", _CODE[part].format(method=setting.method.name))]
    written: list[dict[str, Any]] = [
        {"cell_type": kind, "id": f"cell-{i}", "metadata": {}, "source": text}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for i, (kind, text) in enumerate(cells)
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": written, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _written(recipe: Recipe) -> str:
    """A recipe as Python."""
    others = {name: value for name, value in vars(recipe).items() if name != "rule" and value is not None}
    return f"Recipe(Rule.{recipe.rule.name}, {', '.join(f'{name}={value!r}' for name, value in others.items())})"


_TABLE = """\
from solvers import Limits, Problem, Shape, solve
from solvers.diagram import to_rules
from solvers.teaching import Greedy, Recipe, RecoverGenerators, Rule
from solvers.teaching import greedy_replay, grow_fully, make, pruning_path, record_search, recover

recipe = {recipe}
made = make(recipe)
problem = Problem(made.train, Shape(max_depth={depth}))


def wrong(tree, rows):
    return int((tree.predict(rows) != rows.y).sum())


made.train.frame().head()"""

_CODE = {
    LessonPart.GREEDY: """\
replay = greedy_replay(problem, Greedy.{method})
for step in replay.steps:
    chosen = "stops" if step.chosen is None else step.chosen.predicate.words(made.train.schema)
    print(len(step.rows), "rows:", chosen)
print(to_rules(replay.result))""",
    LessonPart.COMPARE: """\
best = solve(problem, "contree", Limits(seconds=30))
for name, tree in (("greedy", greedy_replay(problem, Greedy.{method}).result), ("optimal", best.diagram)):
    print(name, wrong(tree, made.train), "training errors")
    print(wrong(tree, made.test), "errors on", made.test.n_samples, "new rows")
print(best.status, to_rules(best.diagram), sep="\\n")""",
    LessonPart.SEARCH: """\
recording = record_search(problem)
for event in recording.events[:20]:
    print(event.incumbent, event.bound, event.words)""",
    LessonPart.CHECK: """\
from solvers.certificates import check_optimum, make_optimum_certificate
from solvers.teaching import replay_check

best = solve(problem, "contree", Limits(seconds=30)).diagram
for step in replay_check(problem, best).steps:
    print(step.words)
files = make_optimum_certificate(problem, best)
print(check_optimum(files.__getitem__))
# now change something: the checker finds it
print(check_optimum({{**files, "tree.txt": b"class = yes"}}.__getitem__).fault)""",
    LessonPart.DEPTHS: """\
for depth in (1, 2, 3, 4):
    tree = solve(Problem(made.train, Shape(max_depth=depth)), "contree", Limits(seconds=30)).diagram
    print(depth, wrong(tree, made.train) / made.train.n_samples, wrong(tree, made.test) / made.test.n_samples)""",
    LessonPart.PRUNING: """\
grown = greedy_replay(Problem(made.train, Shape(max_depth=16)), Greedy.CART).result
for step in pruning_path(grown):
    print(step.price, step.diagram.n_leaves, step.errors, wrong(step.diagram, made.test))""",
    LessonPart.SHARING: """\
from solvers.problem import ShapeKind

bdd = Problem(made.train, Shape(ShapeKind.BDD, max_depth=recipe.size))
for method, posed in (("contree", Problem(made.train, Shape(max_depth=recipe.size))), ("bdd-search", bdd)):
    print(method, solve(posed, method, Limits(seconds=30)).diagram.n_splits, "questions")""",
    LessonPart.SMALLEST: """\
large = Problem(made.train, Shape(max_depth=16))
smallest = solve(large, "smallest-tree", Limits(seconds=30)).diagram
for name, tree in (("C4.5", grow_fully(large)), ("smallest", smallest)):
    print(name, tree.depth, "levels,", tree.n_splits, "questions")""",
    LessonPart.EXAMPLES: """\
task = RecoverGenerators(generators=2, depth=3, features=6, sizes=(20, 40))
*_, last = recover(task)
for point in last.points:
    print(point)""",
}
"""What a notebook has of a part of a lesson; a tree by hand needs the screen."""
