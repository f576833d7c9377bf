"""Cards and notebooks of lessons: every row on a card, every notebook runs from top to bottom."""

from __future__ import annotations

import json
import re

import pytest

from solvers.problem import Problem, Shape
from solvers.teaching import MOST_CARDS, LessonPart, Recipe, Rule, Setting, data_cards, lesson, lessons, make, notebook
from solvers.teaching.handouts import carded
from tests.teaching.lessons import errors, solved

KEYS = [one.key for one in lessons()]


@pytest.mark.parametrize("key", KEYS)
def test_cards_hold_the_rows_and_what_to_beat(key: str) -> None:
    """A card a row with its values, the class at the foot; the errors are those of the greedy tree on these cards."""
    setting = Setting.of(lesson(key))
    page = data_cards(setting)
    train = make(setting.recipe).train
    data = carded(train)
    assert len(set(data.rows)) == data.n_samples == min(train.n_samples, MOST_CARDS)
    cards = re.findall(r"<article>.*?</article>", page)
    assert len(cards) == data.n_samples
    for card, y, x in zip(cards, data.y, data.X, strict=True):
        assert f"<footer>{data.outcome}: {data.classes[y]}</footer>" in card
        found = re.findall(r"<td>([^<]*)</td>", card)
        words = [c.format(v) if c.kind.has_levels else f"{v:g}" for c, v in zip(data.schema.columns, x, strict=True)]
        assert found == words
    greedy = solved(setting.method, Problem(data, Shape(max_depth=setting.depth))).diagram
    wrong = errors(greedy, data)
    assert re.search(rf"gets {wrong} cards? of {len(cards)} wrong" if wrong else "gets every card right", page)


@pytest.mark.parametrize("key", KEYS)
def test_a_notebook_of_every_lesson_runs(key: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Cell by cell in one place, as in Jupyter; it has a heading for each part but the tree by hand."""
    setting = Setting.of(lesson(key))
    cells = json.loads(notebook(setting))["cells"]
    headings = [cell["source"] for cell in cells if cell["source"].startswith("## ")]
    assert headings == [f"## {part.label}" for part in setting.lesson.parts if part is not LessonPart.BUILD]
    place: dict[str, object] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(cell["source"], place)
    assert place["recipe"] == setting.recipe
    assert capsys.readouterr().out.strip()


def test_a_notebook_has_the_form_of_jupyter() -> None:
    """The format of notebooks takes it."""
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    nbformat.validate(nbformat.reads(notebook(Setting.of(lesson("xor"))), as_version=4))


def test_a_notebook_has_the_table_that_was_set() -> None:
    """Noise, seed and rule of the screen stand in its first cell."""
    chosen = lesson("free")
    setting = Setting(chosen, Recipe(Rule.PARITY, size=5, rows=96, seed=7), 2, chosen.parts[0], chosen.method)
    assert "Recipe(Rule.PARITY, rows=96, noise=0.0, distractors=0, size=5, seed=7)" in notebook(setting)
