"""The report: its contents, its flags, and that nothing in it runs, loads or reveals single patients."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import numpy as np
import pytest

from solvers import solve
from solvers.constraints import MaxColumns
from solvers.diagram import Diagram, Leaf
from solvers.diagram.labels import LEFT_TO_RIGHT
from solvers.errors import DataError, DiagramError
from solvers.metrics import decision_curve, diagnose, leaf_calibration, node_counts, verified
from solvers.problem import (
    Column,
    Dataset,
    Division,
    Group,
    Kind,
    Limits,
    Objective,
    Problem,
    Request,
    Schema,
    Shape,
    ShapeKind,
    build,
    read_table,
)
from solvers.problem.groups import crossed_group, group_of
from solvers.problem.preparation import Preparation, Replace
from solvers.report import sections
from solvers.report.blocks import BLANK, Picture, Report, Section, TableBlock, Words
from solvers.report.checklist import checklist
from solvers.report.fonts import joined, visual
from solvers.report.html_page import to_html
from solvers.report.measures import _has_small, _outside, fairness_blocks
from solvers.report.pdf_pages import _Setter, _widths, to_pdf
from solvers.report.sections import can_be_certified, card, report
from solvers.report.subject import Author, Subject
from solvers.run.wire import arrays_to_bytes, problem_from_json, problem_to_json
from solvers.solution import Scope, Solution, Status
from solvers.study.cross_validation import cross_validate
from tests.diagram.models import HOSTILE, diamond, majority, tree

MADE = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def table(model: Diagram, n: int = 120, seed: int = 0) -> Dataset:
    """Random rows for a model, mostly of the predicted class, with a group column."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.integers(0, len(c.levels), n) if c.kind.has_levels else rng.integers(20, 90, n) + 0.5
        for c in model.schema.columns
    ]
    X = np.array(columns, float).T
    y = np.where(rng.random(n) < 0.9, model.predict(X), rng.integers(0, len(model.classes), n))
    group = Group("region", ("north", "south"), rng.integers(0, 2, n))
    return Dataset("patients", model.schema, X, y, model.classes, model.outcome, model.positive, groups=(group,))


def subject(model: Diagram, *, constraints: tuple = (), status: Status = Status.FEASIBLE, **more: object) -> Subject:
    """A model as the result of a run on rows made for it."""
    data = table(model)
    counts = node_counts(model, data)
    nodes = [Leaf(n.label, tuple(counts[i].tolist())) if isinstance(n, Leaf) else n for i, n in enumerate(model.nodes)]
    model = replace(model, nodes=tuple(nodes))
    kind = model.kind
    shape = Shape(kind, max_depth=model.depth) if kind is not ShapeKind.DIAGRAM else Shape(kind, widths=(1, 2))
    problem = Problem(data, shape, constraints=constraints)
    cost = problem.cost(model.predict(data), model.n_splits)
    bound = cost if status is Status.OPTIMAL else 0
    found = verified(problem, Solution(problem.id, "contree", status, model, cost, bound, 0.5, 0.5))
    return Subject(problem, found, "ConTree", "a paper", MADE, test=table(model, seed=1), test_seed=7, **more)


def page(made: Subject, author: Author | None = None) -> str:
    """The report as HTML text."""
    return to_html(report(made, author or Author())).decode()


def test_a_certificate_is_offered_for_proved_results() -> None:
    """No certificate is offered without a proof, for a proof over some models only, or for unsupported models."""
    proved = subject(tree(), status=Status.OPTIMAL)
    priced = replace(proved.problem, objective=Objective(free_root=True))
    scoped = replace(proved, solution=replace(proved.solution, scope=Scope.QUANTILES))
    assert can_be_certified(proved), proved.solution
    assert "python -m solvers certify" in page(proved) and "solvers certify" not in page(subject(tree()))
    for other in (subject(tree()), replace(proved, problem=priced), scoped):
        assert not can_be_certified(other)


@pytest.mark.parametrize("model", [tree(), majority(), diamond()], ids=["tree", "bdd", "diagram"])
def test_every_shape_has_all_sections(model):
    """Each shape has a page and a PDF, with and without small counts."""
    made = subject(model)
    for least in (None, 5):
        found = report(made, Author(least=least))
        assert [s.title for s in found.sections][:4] == ["Summary", "Model", "Leaves", "Performance"]
        text = to_html(found).decode()
        assert "not a medical device" in text and "<svg" in text and made.train.fingerprint in text
    assert to_pdf(found, MADE).startswith(b"%PDF")


def test_figures_are_those_of_the_metrics():
    """Accuracy of training and held-out rows is in the table with counts."""
    made = subject(tree())
    grid = next(b for s in report(made, Author()).sections if s.title == "Performance" for b in s.blocks)
    assert isinstance(grid, TableBlock) and grid.head == ("Metric", "Training", "Held-out")
    accuracy = next(row for row in grid.rows if row[0] == "Accuracy")
    for cell, data in zip(accuracy[1:], (made.train, made.test), strict=True):
        truth = diagnose(made.diagram, data, 1).accuracy
        assert f"{truth.k}/{truth.n}" in cell and f"{100 * truth.value:.1f}" in cell


def test_risks_and_subgroups_are_those_of_the_metrics():
    """They are computed on the held-out rows; nothing is shown if counts are hidden."""
    made = subject(tree())
    sections = {s.title: s.blocks for s in report(made, Author()).sections}
    leaves, benefit = sections["Risks"]
    calibration = leaf_calibration(made.diagram, made.test, 1)
    assert "held-out rows" in leaves.caption and len(leaves.rows) == len(calibration.points)
    for row, point in zip(leaves.rows, calibration.points, strict=True):
        assert row[-2].endswith(f"{point.observed.k}/{point.observed.n}") or not point.observed.n
        low, high = calibration.band.at(point.risk)
        assert row[-1] == f"{100 * low:.1f}\u2013{100 * high:.1f}%"
    risk = made.diagram.predict_proba(made.test)[:, 1]
    gain = decision_curve(risk, made.test.y == 1, np.array([0.2])).gain[0]
    cell = next(row for row in benefit.rows if row[0].startswith("20"))[-1].replace("\u2212", "-")
    assert cell == f"{100 * gain.value:.1f} ({100 * gain.low:.1f} to {100 * gain.high:.1f})"
    region = next(block for block in sections["Subgroups"] if block.caption.startswith("region"))
    assert [row[:2] for row in region.rows] == [
        (name, str((made.test.groups[0].codes == code).sum())) for code, name in enumerate(("north", "south"))
    ]
    hidden = {s.title: s.blocks for s in report(made, Author(least=5)).sections}
    for title in ("Risks", "Subgroups"):
        assert [type(block) for block in hidden[title]] == [Words] and "small counts" in hidden[title][0].text
    alone = report(replace(made, test=None), Author()).sections
    assert "No held-out rows" in next(s.blocks[0].text for s in alone if s.title == "Risks")


def test_tables_name_columns_by_their_labels():
    """The label of a column is in the summary, and in the tables of subgroups and groups, also if they are crossed."""
    base = subject(tree())
    columns = [replace(column, label=f"Label of {column.name}") for column in base.train.schema.columns]
    schema = replace(base.train.schema, columns=tuple(columns))
    sex, region = group_of(schema["sex"], base.train.X[:, schema.index("sex")]), base.train.groups[0]
    data = replace(base.train, schema=schema, groups=(sex, crossed_group((sex, region))))
    solution = replace(base.solution, diagram=replace(base.diagram, schema=schema))
    made = replace(base, problem=replace(base.problem, dataset=data), solution=solution, test=None)
    sections = {s.title: s.blocks for s in report(made, Author()).sections}
    assert ("Features", "Label of age, Label of sex") in sections["Summary"][-2].rows
    assert [block.caption for block in sections["Fairness"][::2]] == [
        "Label of sex, training rows",
        "Label of sex × region, training rows",
    ]
    assert {block.head[0] for block in sections["Subgroups"]} >= {"Label of sex", "Label of sex × region"}


def test_cautions_come_first():
    """A model that new rows contradict has a warning above everything else; hidden counts hide its figures."""
    made = subject(tree())
    other = replace(made.test, y=1 - made.diagram.predict(made.test))
    made = replace(made, test=other, rivals={"CART": made.diagram})
    first, *_ = report(made, Author()).sections[0].blocks
    assert isinstance(first, Words) and first.strong
    assert f"{made.test.n_samples} held-out rows" in first.text and "constant prediction" in first.text
    hidden = report(made, Author(least=5)).sections[0].blocks[0]
    assert "constant prediction" in hidden.text and not any(letter.isdigit() for letter in hidden.text)


def test_cross_validated_figures_have_their_column():
    """It has the mean of the repeats, and the plan below."""
    made = subject(tree())
    plan = cross_validate(made.problem, "cart", Limits(seconds=None, seed=3), n_folds=5, repeats=2)
    text = page(replace(made, cross_validation=plan))
    assert "<th>Cross-validated</th>" in text and "Cross-validated: 5 folds, 2 times." in text and "Seed 3." in text


def test_the_report_lists_all_preparation_steps_and_the_columns_left_out():
    """Steps on the outcome and on unused columns are listed, also in item 7, and after a run was stored and read."""
    lines = ["age,sex,postcode,admitted,died"]
    lines += [
        f"{20 + i},{'FM'[i % 2]},{1000 + i % 7},{i % 3},{'yes' if i > 20 else 'No' if i % 5 else 'no'}"
        for i in range(40)
    ]
    steps = Preparation((Replace("died", ("No",), "no"), Replace("sex", ("F",), "female")))
    choices = Request(target="died", prepare=tuple(steps.to_json()), features=("age", "sex"), positive="yes")
    posed = Problem(build(read_table("\n".join(lines).encode()), choices).dataset, Shape(max_depth=1))
    read = problem_from_json(problem_to_json(posed), arrays_to_bytes(posed.dataset))
    made = Subject(read, solve(read, "cart", Limits(seconds=None)), "CART", "a paper", MADE)
    assert made.diagram.features == ("age",)
    (known,) = [known for number, _, known in checklist(made, Author()).rows if number == "7"]
    text = unescape(page(made))
    for words in ("count 'No' of 'died' as 'no'", "count 'F' of 'sex' as 'female'", "postcode, admitted"):
        assert words in known and text.count(words) == 2, words
    bare = {number: known for number, _, known in checklist(subject(tree()), Author()).rows}
    assert bare["7"] == "No preparation steps after the table was read."


def test_the_checklist_says_how_rows_were_divided():
    """Items 12a, 12d and 23b of TRIPOD+AI are filled in; centres have figures and their heterogeneity."""
    made = subject(tree())
    n = made.train.n_samples
    division = Division(Group("patient", (), np.arange(n) // 2), Group("ward", ("A", "B"), np.arange(n) // 2 % 2))
    made = replace(made, problem=replace(made.problem, dataset=replace(made.train, division=division)))
    made = replace(made, cross_validation=cross_validate(made.problem, "cart", Limits(seconds=None), n_folds=2))
    parts = made.centres
    known = {number: known for number, _, known in checklist(made, Author()).rows}
    assert "whole centres of 'ward', chosen at random" in known["12a"] and "no 'patient' is in both" in known["12a"]
    assert "2 centres of 'ward', each left out once" in known["12a"]
    assert "Cochran's Q" in known["12d"] and known["23b"] != BLANK
    text = page(made)
    assert (
        "Each centre predicted by a model of the others" in text
        and f"{parts[1].figures.accuracy.k}/{parts[1].n})" in text
    )
    alone = {number: known for number, _, known in checklist(subject(tree()), Author()).rows}
    assert alone["12d"] == alone["23b"] == BLANK and "within each class" in alone["12a"]
    assert "Each centre predicted by" not in page(made, Author(least=5))


def test_missing_held_out_rows_are_reported():
    """Figures on the training rows alone come with a warning."""
    assert "performance on new data is unknown" in page(replace(subject(tree()), test=None))


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.FEASIBLE])
def test_only_proved_results_are_called_optimal(status):
    """A claim of optimality needs the status and the verification."""
    made = subject(tree(), status=status)
    assert ("Optimal on training data" in page(made)) == (status is Status.OPTIMAL)
    doubtful = replace(made, solution=replace(made.solution, verified=False))
    assert "Optimal on training data" not in page(doubtful) and "Not verified" in page(doubtful)


def test_constraints_are_listed_with_their_values():
    """Each constraint is listed with its value on the training rows."""
    text = page(subject(tree(), constraints=(MaxColumns(1),)))
    assert "VIOLATED" in text
    assert "satisfied" in page(subject(tree(), constraints=(MaxColumns(2),)))


def test_items_for_the_author_are_marked():
    """Every empty item of the checklist is marked; a given purpose fills one in."""
    made = subject(tree())
    few, more = page(made), page(made, Author("T", "A", "Whom to admit"))
    assert few.count(BLANK) > more.count(BLANK) > 20
    assert "Whom to admit" in more and "e078378" in more


def test_hidden_counts_appear_nowhere():
    """With a limit of 5 no table of counts shows 1 to 4, and the figures that would reveal them are hidden."""
    made = subject(tree())
    found = report(made, Author(least=5))
    grids = [b for s in found.sections if s.title in ("Leaves", "Data", "Performance") for b in s.blocks]
    cells = [cell for grid in grids if isinstance(grid, TableBlock) for row in grid.rows for cell in row[1:]]
    assert not [cell for cell in cells if re.fullmatch(r"[1-4]( \(.*\))?", cell)]
    assert "hidden" in cells or "<5" in cells
    with pytest.raises(DataError, match="3 or more"):
        report(made, Author(least=1))


def test_no_single_row_is_in_the_report():
    """A value of single rows that no split uses appears nowhere in the report."""
    made = subject(tree())
    X = made.train.X.copy()
    X[3, 0] = 77.12345
    marked = replace(made, problem=replace(made.problem, dataset=replace(made.train, X=X)))
    assert "77.12345" not in page(marked)


@pytest.mark.parametrize("name", [HOSTILE[9], HOSTILE[12], HOSTILE[13], HOSTILE[15], HOSTILE[21]], ids=range(5))
def test_names_of_any_script_are_written_to_a_pdf(name):
    """Characters missing in the fonts, control characters and very long words do not stop the PDF."""
    made = subject(tree((name, f"{name}2"), ("female", f"{name}3"), (name, f"{name}4"), f"{name}5"))
    assert to_pdf(report(made, Author(name, name, name)), MADE).startswith(b"%PDF")


@pytest.mark.parametrize("is_card", [False, True])
def test_unavailable_characters_are_listed(monkeypatch, is_card):
    """Greek and Cyrillic are written as they are; for Chinese the last line lists what is missing, also on a card."""
    written: list[str] = []
    write = _Setter._write

    def noted(setter: _Setter, text: str, *more: object, **looks: object) -> None:
        written.append(text)
        write(setter, text, *more, **looks)

    monkeypatch.setattr(_Setter, "_write", noted)
    for name, missing in (("Ηλικία Возраст", ()), ("Ηλικία 年齢", ("U+5E74", "U+9F62"))):
        made = subject(tree((name, "sex")))
        written.clear()
        pages = to_pdf((card if is_card else report)(made, Author()), MADE, card=is_card)
        assert not is_card or pages.count(b"/Type /Page\n") == 1
        notes = [text for text in written if text.startswith("The fonts of this document lack")]
        assert len(notes) == bool(missing) and all(sign in notes[0] for sign in missing)
        assert not missing or "greek" not in notes[0]
        # a picture keeps them as text
        assert name.split()[1] in made.material(None).picture("svg").decode()


def test_a_run_without_a_model_has_no_report():
    """Without a model the report is refused with a remedy."""
    made = subject(tree())
    with pytest.raises(DiagramError, match="found no model"):
        replace(made, solution=replace(made.solution, diagram=None, cost=None))


def test_a_model_without_splits_has_a_report():
    """A single leaf is also a model."""
    schema = Schema((Column("age", Kind.NUMERIC),))
    constant = Diagram(ShapeKind.TREE, schema, ("well", "ill"), "state", 1, (Leaf(0, (1.0, 0.0)),))
    assert "all rows" in page(subject(constant))


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("model", [tree(), majority(), diamond()], ids=["tree", "bdd", "diagram"])
def test_a_card_is_one_page_with_all_necessary_facts(model, paper):
    """Outcome, proof, source and date are above a picture of any shape, on one page of either size."""
    made = subject(model)
    found = card(made, Author())
    facts, *_, picture = found.sections[0].blocks
    assert {"Outcome", "Status", "Source"} <= {name for name, _ in facts.rows} and picture.svg.startswith(b"<svg")
    pages = to_pdf(found, MADE, paper, card=True)
    assert pages.count(b"/Type /Page\n") == 1


def test_words_of_headings_are_not_broken():
    """Columns are as wide as their longest usual word, beside a name that is longer than a page."""
    head = ("Part", "Sensitivity", "Specificity", "Characteristics", "Miscalibration")
    table = TableBlock("", head, (("x" * 300, "1", "2", "3", "4"),))
    setter = _Setter(Report("t", (), ()), MADE, "A4", False)
    setter.pdf.add_page()
    widths = setter._fitting((table.head, *table.rows), _widths(table))
    setter.pdf.set_font(style="B")
    assert sum(widths) == pytest.approx(setter.pdf.epw)
    assert all(setter.pdf.get_string_width(word) < width for word, width in zip(head, widths, strict=True))


def test_no_small_count_follows_from_crossed_groups():
    """A crossed table is omitted if few rows are missing from it: a column's table minus it would reveal them."""
    base = subject(tree())
    rng = np.random.default_rng(3)
    region = Group("region", ("north", "south"), rng.integers(0, 2, 2000))
    answers = np.tile([0, 0, 1, 1], 500)
    for n_outside in (0, 6):
        # three of each region have no ward: six are shown, three are not
        ward = Group("ward", ("a",), np.where(np.isin(np.arange(2000), _first(region, n_outside // 2)), -1, 0))
        made = table(tree(), 2000)
        data = replace(made, y=np.tile([0, 1], 1000), groups=(region, ward, crossed_group((region, ward))))
        small = [_has_small(one, 5) for one in _outside(data, answers, data.groups[2], data.groups)]
        assert small == ([True, True] if n_outside else [])
        problem = Problem(data, base.problem.shape)
        blocks = fairness_blocks(replace(base, problem=problem, test=None), 5)
        assert any("region × ward" in str(block) and "omitted" in str(block) for block in blocks) == bool(n_outside)


def _first(group, n):
    """The first rows of each group."""
    return np.concatenate([np.flatnonzero(group.codes == code)[:n] for code in range(len(group.levels))])


def skewed() -> Subject:
    """A model of a table whose only number equals its maximum in nine of ten rows; it also defines the groups."""
    rng = np.random.default_rng(0)
    values = np.where(rng.random(120) < 0.9, 15.0, rng.integers(3, 15, 120))
    column = Column("gcs", Kind.NUMERIC, fill=15.0)
    group = group_of(column, values)
    y = (values < 9).astype(int)
    data = Dataset("ward", Schema((column,)), values[:, None], y, ("no", "yes"), "died", 1, groups=(group,))
    problem = Problem(data, Shape(max_depth=1))
    leaf = Diagram(ShapeKind.TREE, data.schema, data.classes, "died", 1, (Leaf(0, tuple(np.bincount(y).tolist())),))
    found = verified(problem, Solution(problem.id, "contree", Status.FEASIBLE, leaf, int(y.sum()), 0, 0.5, 0.5))
    return Subject(problem, found, "ConTree", "a paper", MADE)


def test_a_number_that_mostly_equals_its_maximum_does_not_stop_a_report():
    """Subgroups and groups are in the page, the PDF and the card."""
    made = skewed()
    text = page(made)
    assert "up to 14" in text and "over 14" in text and "could not be written" not in text
    assert to_pdf(report(made, Author()), MADE).startswith(b"%PDF")
    assert to_pdf(card(made, Author()), MADE, card=True).startswith(b"%PDF")


@pytest.mark.parametrize(
    ("error", "words"), [(DataError("No row is left."), "No row is left."), (IndexError("row 7"), "IndexError")]
)
def test_a_failed_section_gives_its_reason_and_the_rest_is_written(monkeypatch, error, words):
    """The reason of an expected error is shown; an unexpected one may quote a row, so only its type is."""

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(sections, "part_blocks", fail)
    monkeypatch.setattr(sections, "_summary_facts", fail)
    made = subject(tree())
    text = page(made)
    assert text.count("This section could not be written") == 2 and words in text and "row 7" not in text
    assert "Versions" in text and made.train.fingerprint in text
    assert to_pdf(report(made, Author()), MADE).startswith(b"%PDF")
    assert [type(block) for block in card(made, Author()).sections[0].blocks] == [Words, Picture]


def test_a_failed_block_gives_its_reason_and_the_rest_is_written():
    """A table with more cells in a row than headers breaks its own section only."""
    broken = TableBlock("", ("Part", "n"), (("a", "1", "2"),))
    made = Report("t", (), (Section("First", (broken,)), Section("Second", (Words("still here"),))))
    assert "still here" in to_html(made).decode()
    setter = _Setter(made, MADE, "A4", False)
    written = []
    setter._write = lambda text, *_, **__: written.append(text)
    setter.set()
    assert any("could not be written" in text for text in written) and "still here" in written


PRESSURE = "\u0636\u063a\u0637 \u0627\u0644\u062f\u0645"
"""Blood pressure, in Arabic."""


def test_arabic_letters_take_their_contextual_forms():
    """In the word 'salam' the first letter joins the second, lam and alef form a ligature, the last is isolated."""
    assert joined("\u0633\u0644\u0627\u0645") == "\ufeb3\ufefc\ufee1"
    # a vowel sign between two letters does not separate them
    assert joined("\u0628\u064e\u062a") == "\ufe91\u064e\ufe96"
    assert joined("age is at most 62?") == "age is at most 62?"


def test_a_line_is_in_visual_order():
    """A right-to-left name is before the English words that follow it, and is itself reversed."""
    assert visual(f"{LEFT_TO_RIGHT}{PRESSURE} is at most 120?") == f"{joined(PRESSURE)[::-1]} is at most 120?"
    assert visual("\u05e9\u05dc\u05d5\u05dd is 3") == "\u05dd\u05d5\u05dc\u05e9 is 3"
    assert visual("\u0397\u03bb\u03b9\u03ba\u03af\u03b1") == "\u0397\u03bb\u03b9\u03ba\u03af\u03b1"


def test_lines_of_a_drawing_run_from_left_to_right():
    """If a line begins with an Arabic name, a direction mark is added, which no other line has."""
    dot = subject(tree((PRESSURE, "sex"))).material(None).drawing()
    lines = re.findall("[^<>]+(?=</FONT>|<BR/>)", dot)
    assert any(PRESSURE.split()[0] in line for line in lines)
    assert all((line[0] == LEFT_TO_RIGHT) == bool(set(line) & set(PRESSURE) - {" "}) for line in lines)
