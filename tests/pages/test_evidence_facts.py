"""Evidence facts equal the metrics, with figures that a reader can check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import auc, confusion_matrix, roc_auc_score

from components.inspect.evidence.figures import calibration_figure, decision_figure, split_figure
from components.inspect.evidence.risk_facts import (
    calibration,
    decision,
    describe_acting,
    describe_calibration,
    describe_decision,
    point_name,
    ranges_of,
    scored,
    scored_by_folds,
)
from components.inspect.evidence.stability_panel import agreement, changing_rows, columns_used
from components.inspect.evidence.subgroup_panel import notes, parts_of
from components.inspect.frequency_panel import apportion, frequencies
from components.widgets import style
from solvers.diagram import Diagram, Leaf, Split
from solvers.errors import DataError
from solvers.methods import get
from solvers.metrics import Estimate, Rate, diagnose, node_bars, rate, subgroup_columns, wilson
from solvers.metrics.catalogue import METRICS, Metric, Unit, describe_counts, format_interval, format_metric
from solvers.problem import Kind, Limits, Op, Predicate, Problem, Shape, ShapeKind, holdout, sample_dataset
from solvers.report.blocks import points_cell, rate_cell
from solvers.report.measures import Sources, evidence, metric_table
from solvers.report.risks import treatment_table
from solvers.study.bootstrap import Bootstrap, BootstrapFit
from solvers.study.cross_validation import cross_validate
from solvers.study.folder import Results
from solvers.study.references import TrainReferences, roc
from solvers.study.study import Study
from tests.explain.worlds import never

FREE = Limits(seconds=None)


@pytest.fixture(scope="module")
def world():
    """A greedy tree, its training and test rows, and both kinds of resampling."""
    train, test = holdout(sample_dataset("triage"), 0.4, 0)
    problem = Problem(train, Shape(max_depth=2))
    tree = get("cart").run(problem, Limits(), lambda event: None, never).diagram
    validation = cross_validate(problem, "cart", FREE, n_folds=3, repeats=2)
    found = Bootstrap(problem, tree).of(Study(("cart",), own=True, samples=6).results(problem))
    return tree, Sources(train, test, None, validation, found)


def cells(found, name: str) -> dict[str, object]:
    """A line of the table, by the titles of the columns."""
    metrics, columns = found
    (metric,) = [metric for metric in metrics if metric.label == name]
    return {column.title: column.figures.get(metric.key) for column in columns}


def test_every_kind_of_rows_has_its_column(world):
    """Training, corrected, cross-validated, test and external; without such rows there is no column."""
    tree, sources = world
    of_class = sources.train.positive
    titles = [column.title for column in evidence(tree, replace_external(sources), of_class, 0.1)[1]]
    assert titles == ["Training", "Optimism-corrected", "Cross-validated", "Held-out", "External"]
    metrics, (alone,) = evidence(tree, Sources(sources.train), of_class, 0.1)
    assert alone.title == "Training" and len(metrics) == len(alone.figures) == len(METRICS)


def replace_external(sources: Sources) -> Sources:
    """The test rows are also the external data."""
    return sources._replace(external=sources.test)


def test_cross_validated_figures_are_means_over_repeats(world):
    """Shares use the arithmetic mean, likelihood ratios the geometric one."""
    tree, sources = world
    of_class = sources.train.positive
    found = evidence(tree, sources, of_class, 0.1)
    each = sources.validation.validated(of_class)
    accuracy = cells(found, "Accuracy")["Cross-validated"]
    assert accuracy.value == pytest.approx(np.mean([one.accuracy.value for one in each]))
    assert accuracy.low == pytest.approx(np.mean([one.accuracy.low for one in each]))
    ratio = cells(found, "Likelihood ratio \u2212")["Cross-validated"]
    assert ratio.value == pytest.approx(np.exp(np.mean(np.log([one.negative_ratio.value for one in each]))))


def test_corrected_figures_subtract_the_optimism(world):
    """Apparent minus optimism; a share has Wilson's interval there. A class without resampling has no figure."""
    tree, sources = world
    of_class = sources.train.positive
    apparent = diagnose(tree, sources.train, of_class)
    found = evidence(tree, sources, of_class, 0.1)
    accuracy = cells(found, "Accuracy")["Optimism-corrected"]
    assert accuracy.value == pytest.approx(apparent.accuracy.value - sources.bootstrap.optimism("accuracy"))
    assert (accuracy.low, accuracy.high) == pytest.approx(wilson(accuracy.value, sources.train.n_samples))
    brier = cells(found, "Brier score")["Optimism-corrected"]
    assert brier.value == pytest.approx(apparent.brier.score.value - sources.bootstrap.optimism("brier"))
    other = evidence(tree, sources, 1 - of_class, 0.1)
    assert cells(other, "Sensitivity")["Optimism-corrected"] is None
    assert cells(other, "Accuracy")["Optimism-corrected"] is not None


def test_three_classes_have_one_recall_each():
    """Figures of one class are omitted until one is selected."""
    dataset = sample_dataset("iris")
    tree = get("cart").run(Problem(dataset, Shape(max_depth=2)), Limits(), lambda event: None, never).diagram
    names = [metric.label for metric in evidence(tree, Sources(dataset), None, 0.5)[0]]
    assert names == [metric.label for metric in METRICS if not metric.of_class] + [
        f"Recall of {name}" for name in dataset.classes
    ]
    chosen = [metric.label for metric in evidence(tree, Sources(dataset), 1, 0.5)[0]]
    assert "Sensitivity" in chosen and not any(name.startswith("Recall of") for name in chosen)


@pytest.mark.parametrize(
    ("found", "unit", "value", "interval"),
    [
        (Rate(1.0, 0.9, 1.0, 30, 30, 30), Unit.SHARE, "100.0%", "90.0\u2013100.0%"),
        (Estimate(None, 12.34, None), Unit.RATIO, "above 12.3", ""),
        (Estimate(0.0, 0.0, 0.456), Unit.RATIO, "0.00", "0.00\u20130.46"),
        (Estimate(123.4, 56.7, 1234.5), Unit.RATIO, "123", "56.7\u20131,234"),
        (Estimate(0.8, None, None), Unit.SCORE, "0.800", ""),
        (Estimate(None, None, None), Unit.SHARE, "\u2013", ""),
        (None, Unit.RATIO, "\u2013", ""),
    ],
)
def test_figures_have_significant_digits(found, unit, value, interval):
    """A dash for missing values, and 'above' if only a lower end is known."""
    assert (format_metric(found, unit), format_interval(found, unit)) == (value, interval)
    assert describe_counts(found) == ("30/30" if isinstance(found, Rate) else "")


def test_calibration_has_one_point_per_leaf_and_compares_the_mean(world):
    """On training rows calibration is perfect; if risks are raised, the text says that fewer events occurred."""
    tree, sources = world
    of_class = sources.train.positive
    found = scored("training rows", tree, sources.train)
    of = calibration(found, of_class)
    sentence = describe_calibration(found, of)
    assert len(of.points) == tree.n_leaves and all(point.observed.n for point in of.points)
    assert "Difference: 0.0 points" in sentence
    assert "All predicted risks are within the 95% band" in sentence
    found = scored("held-out rows", tree, sources.test)
    high = found._replace(shares=np.full_like(found.shares, 0.9), diagram=None)
    of = calibration(high, of_class)
    sentence = describe_calibration(high, of)
    assert "Mean predicted risk: 90.0%" in sentence
    assert "1 of 1 predicted risk outside the 95% band of the observed shares: more than chance" in sentence
    assert [point_name(high, point) for point in of.points] == ["risk about 90%"]


def test_folds_use_their_own_models(world):
    """Each training row has one risk, of a model that was not trained on it, and similar risks are grouped."""
    _, sources = world
    found = scored_by_folds("cross-validated rows", sources.validation, sources.train)
    assert found.data.n_samples == sources.train.n_samples and found.diagram is None
    of = calibration(found, sources.train.positive)
    assert sum(point.observed.n for point in of.points) == sources.train.n_samples
    assert scored_by_folds("", sources.validation._replace(results=Results()), sources.train) is None


def test_the_decision_curve_shows_where_the_model_is_useful(world):
    """A perfect model is useful everywhere, a constant prediction nowhere."""
    tree, sources = world
    of_class = sources.train.positive
    found = scored("held-out rows", tree, sources.test)
    truth = found._replace(shares=np.eye(2)[sources.test.y])
    curve = decision(truth, of_class, 0.05, 0.4)
    sentence = describe_decision(truth, curve, of_class, "tree")
    assert ranges_of(curve.thresholds, curve.useful()) == ((0.05, 0.4),)
    assert "from 5% to 40%, the tree has a higher net benefit" in sentence
    assert curve.thresholds[0] == 0.05 and curve.thresholds[-1] == 0.4 and len(curve.model) == 36
    same = found._replace(shares=np.full((sources.test.n_samples, 2), 0.5))
    useless = decision(same, of_class, 0.2, 0.4)
    assert "no higher net benefit" in describe_decision(same, useless, of_class, "tree")
    assert "interval of the gain is above 0 from 5% to 40%" in sentence


def test_a_treatment_threshold_has_the_figures_of_treated_rows(world):
    """They equal the rates of the predictions at the threshold, and at the model's own threshold its diagnosis."""
    tree, sources = world
    of_class, test = sources.train.positive, sources.test
    found = scored("held-out rows", tree, test)
    ill, thresholds = test.y == of_class, (0.03, 0.5, 0.97)
    for threshold in thresholds:
        at = decision(found, of_class, threshold, threshold)
        acted = found.shares[:, of_class] >= threshold
        table = treatment_table(found.shares[:, of_class], ill, None, "", [threshold]).transposed
        cells = dict(table.rows)
        assert all(name in table.meanings for name in cells)
        assert cells["Treated"] == rate_cell(rate(acted)) and cells["PPV"] == rate_cell(rate(ill, None, acted))
        assert cells["Sensitivity"] == rate_cell(rate(acted, None, ill))
        assert cells["Specificity"] == rate_cell(rate(~acted, None, ~ill))
        assert cells["NPV"] == rate_cell(rate(~ill, None, ~acted))
        assert cells["Net benefit per 100"] == points_cell(at.model[0]) and cells["Gain"] == points_cell(at.gain[0])
        odds = threshold / (1 - threshold)
        net = ((acted & ill).sum() - odds * (acted & ~ill).sum()) / len(ill)
        everyone = (ill.sum() - odds * (~ill).sum()) / len(ill)
        assert at.model[0].value == pytest.approx(net)
        assert at.gain[0].value == pytest.approx(net - max(everyone, 0))
        if threshold == 0.5:
            assert cells["Sensitivity"] == rate_cell(diagnose(tree, test, of_class).sensitivity)
    assert "as bad as 9 false alarms" in describe_acting(found, of_class, 0.1)
    assert "as bad as 1 false alarm." in describe_acting(found, of_class, 0.5)
    assert "as bad as 0.11 false alarms" in describe_acting(found, of_class, 0.9)


def test_stability_by_hand():
    """Two of four models have the same root split, three the same column; one row of three changes in half of them."""
    dataset = sample_dataset("iris").take(np.array([0, 60, 120]))
    first, second = dataset.schema.names[:2]

    def asks(at: float, *features: str) -> Diagram:
        """A path of splits on these features, all at one threshold."""
        n = len(features)
        splits = [Split(Predicate(name, Op.LE, at, False), i + 1, n + 1 + i) for i, name in enumerate(features)]
        nodes = (*splits, *[Leaf(0, (1.0, 0.0, 0.0))] * (n + 1))
        return Diagram(ShapeKind.TREE, dataset.schema, dataset.classes, dataset.outcome, None, nodes)

    found = Bootstrap(Problem(dataset), asks(1.0, first))
    models = asks(1.0, first), asks(1.0, first, second), asks(2.0, first), asks(2.0, second)
    found.fits = tuple(BootstrapFit(diagram, (), (), True) for diagram in models)
    found.changed, found.gaps = np.array((0, 2, 0)), np.array((0.0, 1.0, 0.2))
    assert [share.k for share in agreement(found).values()] == [2, 3, 1]
    used = columns_used(found, dataset)
    assert [(use.name, use.used.k, use.own) for use in used.itertuples()] == [(first, 3, True), (second, 2, False)]
    changing = [(one.Index, one.changed.k, one.difference) for one in changing_rows(found, dataset).itertuples()]
    assert changing == [(int(dataset.rows[1]), 2, 0.25)]


def test_subgroups_that_are_small_or_off_their_risk_are_marked(world):
    """A subgroup with few rows is marked, and so is one with clearly more events than the risks predict."""
    tree, sources = world
    train = sources.train
    found = scored("training rows", tree, train)
    parts = parts_of(found, train, "sex", train.positive)
    assert [part.name for part in parts] == ["female", "male"] and notes(parts, train, "sex", train.positive) == []
    few = train.take(
        np.concatenate((np.flatnonzero(train.groups[1].codes == 0), [int(np.argmax(train.groups[1].codes))]))
    )
    parts = parts_of(scored("", tree, few), train, "sex", train.positive)
    said = notes(parts, few, "sex", train.positive)
    assert parts[1].n < 20 and "Fewer than 20 rows, uncertain: male." in said[0]
    low = found._replace(shares=np.column_stack((np.ones(train.n_samples), np.zeros(train.n_samples))))
    said = notes(parts_of(low, train, "sex", train.positive), train, "sex", train.positive)
    assert "critical = yes observed clearly more often than predicted in: female, male." in said
    with pytest.raises(DataError, match="do not have the column 'shoe'"):
        parts_of(found, train, "shoe", train.positive)
    assert subgroup_columns(train)[:2] == ("language", "sex") and "age" in subgroup_columns(train)


def test_natural_frequencies_add_up_to_the_confusion_matrix(world):
    """Flagged, found, missed and false alarms of 1,000 are those of scikit-learn's confusion matrix, rounded."""
    tree, sources = world
    test = sources.test
    n = confusion_matrix(test.y, tree.predict(test))
    yes, no = test.positive, 1 - test.positive
    found, missed, alarms, cleared = (part.n for part in frequencies(tree, test, "rows")[1])
    assert found + missed + alarms + cleared == 1000
    for shown, true in ((found, n[yes, yes]), (missed, n[yes, no]), (alarms, n[no, yes]), (cleared, n[no, no])):
        assert abs(shown - 1000 * true / n.sum()) < 1
    words = " ".join(text for text, _ in frequencies(tree, test, "patients")[0])
    assert f"Of 1,000 patients like these, {found + alarms} are flagged as critical = yes." in words
    assert f"of the {found + missed} with critical = yes" in words and f"{missed} are missed" in words


@given(st.lists(st.integers(0, 5000), min_size=1, max_size=9).filter(any))
def test_apportioned_weights_add_up_and_hide_no_row(weights):
    """The parts add up to a power of ten, are rounded by less than one, and only parts without rows are 0."""
    per, n = apportion(np.array(weights, float))
    assert n.sum() == per and str(per).strip("0") == "1"
    assert (np.abs(n - per * np.array(weights) / sum(weights)) < 1).all()
    assert ((n == 0) == (np.array(weights) == 0)).all()


def test_the_roc_curve_is_that_of_scikit_learn(world):
    """Points and area agree with an independent recomputation, and references see no held-out row."""
    tree, sources = world
    train, test = sources.train, sources.test
    of_class = train.positive
    positive, risk = test.y == of_class, tree.predict_proba(test)[:, of_class]
    of = roc("tree", risk, positive, None)
    assert of.area.value == pytest.approx(roc_auc_score(positive, risk))
    assert set(zip(of.false_alarms, of.sensitivity, strict=True)) == {
        (np.mean(risk[~positive] >= limit), np.mean(risk[positive] >= limit)) for limit in (np.inf, *risk)
    }
    whole = sample_dataset("triage")
    both = whole.take(np.concatenate((train.rows, test.rows)) - 1)
    task = TrainReferences(train.n_samples, of_class)
    answer = task.answer(Problem(both, Shape()), None, FREE, never, lambda found: None)
    frames = [pd.DataFrame(data.X, columns=data.schema.names) for data in (train, test)]
    named = [column.name for column in whole.schema.columns if column.kind is Kind.CATEGORICAL]
    encoded = pd.get_dummies(pd.concat(frames, keys=[0, 1]).fillna(-1), columns=named).astype(float)
    model = RandomForestClassifier(300, random_state=1).fit(encoded.loc[0], train.y == of_class)
    regression, forest = answer.curves
    again = roc_auc_score(positive, model.predict_proba(encoded.loc[1])[:, 1])
    assert forest.area.value == pytest.approx(again, abs=0.03)
    for curve in (regression, forest):
        assert auc(curve.false_alarms, curve.sensitivity) == pytest.approx(curve.area.value, abs=0.005)
    swapped = replace(both, y=np.where(np.arange(len(both.y)) < train.n_samples, both.y, 1 - both.y))
    other = task.answer(Problem(swapped, Shape()), None, FREE, never, lambda found: None)
    assert [one.area.value for one in other.curves] == pytest.approx([1 - one.area.value for one in answer.curves])


@pytest.mark.parametrize("dark", [False, True])
def test_figures_are_drawn_from_facts(world, dark):
    """Every point, line and bar is drawn in both themes; names from the data are escaped."""
    tree, sources = world
    of_class = sources.train.positive
    found = scored("held-out rows", tree, sources.test)
    of = calibration(found, of_class)
    names = ["leaf"] * len(of.points)
    band, _, dots = calibration_figure(of.points, names, of.band, dark).data
    assert len(dots.x) == len(of.points) and max(dots.x) <= 102.5
    assert max(band.y) == 100 and len(band.x) == len(band.y) == 4 * len(of.band.risks) + 4
    half = len(band.y) // 2
    assert all(list(side) == sorted(side) for side in (band.y[half:][::-1], band.y[:half]))
    curve = decision(found, of_class, 0.0, 0.5)
    prevalence = float((found.data.y == of_class).mean())
    assert (curve.everyone[0], curve.model[0].value) == pytest.approx((prevalence, prevalence))
    assert curve.gain[0].value == pytest.approx(0) and not curve.useful()[0]
    lines = decision_figure(curve, "tree", dark, 20).data
    assert list(lines[1].y) == pytest.approx([100 * one.value for one in curve.model])
    assert list(lines[2].y) == pytest.approx([100 * value for value in curve.everyone])
    assert any("treat all: %{y:.1f} at %{x:.0f}" in str(line.hovertemplate) for line in lines)


def test_long_metric_names_keep_their_meanings(world):
    """A name is cut after 60 letters on the screen, and names that differ later each have their meaning."""
    of = Metric("ppv", f"PPV of {'a' * 60}", "First."), Metric("npv", f"PPV of {'a' * 60}b", "Second.")
    shown = style.block(metric_table(of, evidence(*world, None)[1][:1]))
    cut = f"PPV of {'a' * 52}\u2026"
    assert f'<span title="First.">{cut}</span>' in shown and f'<span title="Second.">{cut}</span>' in shown


def test_the_axis_of_a_split_has_the_labels_of_its_columns(world):
    """Readers know the label of a column, not its name in the file."""
    tree, sources = world
    name = tree.splits[0][1].predicate.columns[0]
    columns = tuple(replace(one, label=f"Label of {one.name}") for one in tree.schema.columns)
    labelled = replace(tree, schema=replace(tree.schema, columns=columns))
    bars = node_bars(tree, sources.train, 0)[0]
    title = split_figure(bars, labelled, tree.splits[0][1].predicate, "rows", False).layout.xaxis.title.text
    assert title == f"Label of {name}"
