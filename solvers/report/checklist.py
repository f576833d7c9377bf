"""What a report of a prediction model should contain, item by item, with blanks for the author's statements.

The items follow TRIPOD+AI: Collins et al. (2024), 'TRIPOD+AI statement: updated guidance for reporting clinical
prediction models that use regression or machine learning methods', BMJ 385, e078378, doi:10.1136/bmj-2023-078378. Their
wording here is short and our own; the statement and its explanations are authoritative.
"""

from ..constraints import Topic
from ..diagram import plain
from ..messages.division import describe_centre, describe_fold, describe_held_out
from ..metrics.words import count, percent
from ..problem import ShapeKind
from ..problem.texts import abbreviate
from ..solution import Status
from .blocks import BLANK, TableBlock
from .subject import Author, Subject
from .suppression import shown

REFERENCE = "TRIPOD+AI: Collins et al., BMJ 2024;385:e078378, doi:10.1136/bmj-2023-078378. Items abridged."

_BLANKS: tuple[tuple[str, str], ...] = (
    ("1", "Title: development or evaluation of a prediction model, the patients and the outcome"),
    ("2", "Abstract"),
    ("3a", "Background: the health problem, why a model is needed, which models exist"),
    ("3b", "Intended patients, purpose, place in care, intended users"),
    ("3c", "Known inequalities between groups of people"),
    ("4", "Aims: development, evaluation, or both"),
    ("5a", "Sources of the data, and why they represent the target population"),
    ("5b", "Dates of the data"),
    ("6a", "Setting: places, number of centres"),
    ("6b", "Who was eligible"),
    ("6c", "Treatments received, and how they were handled"),
    ("7", "How data were prepared and checked, and whether equally in all groups"),
    ("8a", "The outcome: definition, time, how it was measured"),
    ("8b", "Who assessed the outcome, and their training"),
    ("8c", "Whether the outcome was assessed blind to the predictors"),
    ("9a", "How predictors were chosen before modelling"),
    ("9b", "The predictors: definition, time, how they were measured"),
    ("9c", "Who assessed predictors that need judgement"),
    ("10", "How the sample size was determined"),
    ("11", "How missing data were handled"),
    ("12a", "Which rows were used for what, and how they were divided"),
    ("12b", "How predictors entered the analysis: types, scales, transformations"),
    ("12c", "The kind of model, how it was built, tuned and validated internally"),
    ("12d", "Differences between places or clusters"),
    ("12e", "Which measures of performance were used, and why"),
    ("12f", "Whether the model was updated after evaluation"),
    ("12g", "In an evaluation, how predictions were computed"),
    ("13", "How rare outcomes were handled, and any recalibration after that"),
    ("14", "How fairness was addressed, and why"),
    ("15", "The output of the model, and how classes and thresholds were chosen"),
    ("16", "How development and evaluation data differ"),
    ("17", "Ethical approval and consent"),
    ("18a", "Funding"),
    ("18b", "Conflicts of interest"),
    ("18c", "Where the protocol can be read"),
    ("18d", "Registration"),
    ("18e", "Availability of the data"),
    ("18f", "Availability of the code"),
    ("19", "How patients and the public were involved"),
    ("20a", "The flow of participants through the study, with and without the outcome"),
    ("20b", "Characteristics of participants, with missing values, by group"),
    ("20c", "In an evaluation, how its participants differ from those in the development"),
    ("21", "Numbers of participants and outcomes in each analysis"),
    ("22", "The full model, so that others can use it"),
    ("23a", "Performance with intervals, also in subgroups"),
    ("23b", "Performance in each place or cluster"),
    ("24", "Results of updating the model"),
    ("25", "Interpretation of the results, including fairness"),
    ("26", "Limitations: who is not represented, size, overfitting, missing data"),
    ("27a", "How poor or missing input is handled in use"),
    ("27b", "Whether users must handle the model's input, and what they must know"),
    ("27c", "Next steps: what must be studied before use"),
)


def checklist(subject: Subject, author: Author) -> TableBlock:
    """The items, each with the known facts, or a blank that the author must fill."""
    known = _known(subject, author)
    rows = tuple((number, words, known.get(number, BLANK)) for number, words in _BLANKS)
    return TableBlock("", ("Item", "What to report", "Known here"), rows, wide=(1, 2))


def _known(subject: Subject, author: Author) -> dict[str, str]:
    train, diagram, solution = subject.train, subject.diagram, subject.solution
    proved = solution.status is Status.OPTIMAL and solution.verified is True
    fair = [c.words(train) for c in subject.problem.constraints if c.topic is Topic.FAIRNESS]
    kinds = sorted({column.kind.value for column in train.schema.columns})
    found = {
        "1": author.title,
        "3b": author.purpose,
        "7": _preparation(subject),
        "11": train.schema.missing.words,
        "12a": _division(subject),
        "12b": f"{count(len(kinds), 'type')} of columns ({', '.join(kinds)}); see 'Data'. Splits use "
        f"thresholds that the method chose.",
        "12c": f"A {diagram.kind.noun} by {subject.method} ({subject.source}); size, constraints and limits under "
        "'Search'." + (" Optimal on the training data." if proved else ""),
        "12d": _places(subject, author.least),
        "12e": "Discrimination, calibration and predictive values with 95% intervals: see 'Performance'.",
        "14": f"Constraints: {plain('; '.join(fair))}." if fair else "",
        "15": "A class and its predicted risk: the share among the training rows of the same leaf. "
        + (
            "Misclassification costs differ by class."
            if subject.problem.objective.class_costs
            else "All errors cost the same."
        ),
        "18f": "The full model is in this report; it was trained with Espalier.",
        "20b": "Missing values by column: see 'Data'.",
        "21": _numbers(subject, author.least),
        "22": "Drawing and rules: see 'Model'.",
        "23a": "See 'Performance' and 'Fairness'.",
        "27a": _poor_input(subject),
    }
    if subject.centres and author.least is None:
        found["23b"] = "See 'Each centre predicted by a model of the others' in 'Performance'."
    if subject.external is not None:
        found["12g"] = "The external rows were predicted with the same model and the same policy for missing values."
    return {number: text for number, text in found.items() if text}


def _preparation(subject: Subject) -> str:
    steps, left_out = "; ".join(subject.steps), subject.train.schema.left_out
    done = f"The same steps for all rows: {steps}." if steps else "No preparation steps after the table was read."
    return plain(f"{done} Left out as features: {abbreviate(left_out)}; see 'Data'." if left_out else done)


def _division(subject: Subject) -> str:
    parts = [f"{name.lower()}: {data.n_samples:,} rows" for name, data in subject.samples]
    how = ""
    if subject.test is not None:
        share = "" if subject.test_share is None else f" ({percent(subject.test_share, 0)})"
        how = f" Held out{share}: {describe_held_out(subject.train.division, subject.test_seed)}."
    elif subject.train.division:
        how = f" Rows are divided by '{subject.train.division.column}'."
    if (plan := subject.cross_validation) is not None:
        how += f" Cross-validated in {describe_fold(subject.train.division, plan.n_folds, plan.repeats)}."
    return plain(f"{'; '.join(parts).capitalize()}.{how}")


def _places(subject: Subject, least: int | None) -> str:
    centres = subject.train.division.centres
    if centres is None:
        return ""
    centres_words = f"{count(len(centres.present), 'centre')} of '{centres.name}' among the training rows."
    figures = [part.figures for part in subject.centres if part.figures is not None and least is None]
    return plain(" ".join((centres_words, *describe_centre(figures))))


def _numbers(subject: Subject, least: int | None) -> str:
    out = []
    for (name, data), hidden in zip(subject.samples, subject.suppressed(least), strict=True):
        visible = [True] * data.n_classes if hidden is None else hidden.classes
        k = 0 if hidden is None else hidden.k
        counts = zip(data.classes, data.class_counts.tolist(), visible, strict=True)
        words = [f"{plain(c)} {shown(n, k, one)}" for c, n, one in counts]
        out.append(f"{name}: {data.n_samples:,} rows ({', '.join(words)})")
    return "; ".join(out) + "."


def _poor_input(subject: Subject) -> str:
    tail = " Unknown levels get no prediction."
    nothing = subject.diagram.kind is ShapeKind.TREE and not subject.diagram.features
    return "" if nothing else subject.train.schema.missing.words + tail
