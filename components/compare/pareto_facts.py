"""Error against size against fairness: which models of the session are worth a look, and what the plot shows."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from components.compare.facts import Predictions, wrong_words
from components.model.run_facts import pill
from components.words.text import count
from solvers.errors import DataError
from solvers.metrics import Estimate, Rate, fairness, pareto_front, rate
from solvers.problem import ShapeKind
from solvers.solution import Status


class FairnessMeasure(StrEnum):
    """What groups are compared by; the values are fields of `Fairness`."""

    PARITY = "demographic_parity"
    OPPORTUNITY = "equal_opportunity"
    EQUALITY = "predictive_equality"
    ODDS = "equalized_odds"
    ACCURACY = "accuracy"

    @property
    def words(self) -> str:
        """Its name on the screen."""
        return _MEASURES[self][0]

    @property
    def meaning(self) -> str:
        """What it compares, in a sentence."""
        return _MEASURES[self][1]


_MEASURES = {
    FairnessMeasure.PARITY: ("Demographic parity", "How often the positive class is predicted."),
    FairnessMeasure.OPPORTUNITY: (
        "Equal opportunity",
        "Of the rows with the positive class, the share predicted so.",
    ),
    FairnessMeasure.EQUALITY: (
        "Predictive equality",
        "Of the rows without the positive class, the share predicted so.",
    ),
    FairnessMeasure.ODDS: (
        "Equalised odds",
        "The larger one of the gaps of equal opportunity and predictive equality.",
    ),
    FairnessMeasure.ACCURACY: ("Equal accuracy", "The share predicted right."),
}


class Spot(NamedTuple):
    """A model in the plot.

    Attributes
    ----------
    wrong, share : the share of the rows that it gets wrong, with its interval and without it.
    counts, train, test : how many rows it gets wrong, for instance '23 of 426', of these rows, the training rows and
        the held-out ones; `None` where none are held out.
    gap : the difference between the groups with the highest and the lowest rate; `None` where none is measured.
    proof, proved : what is proved, in a few words, and whether it is the best of its size.
    on_front : whether no other model is as good in all that is shown and better in some of it.
    chosen : whether it is among those that are compared.
    """

    key: str
    title: str
    kind: ShapeKind
    wrong: Rate
    share: float
    counts: str
    train: str
    test: str | None
    questions: int
    gap: Estimate | None
    proof: str
    proved: bool
    on_front: bool
    chosen: bool

    def x(self, over_gap: bool) -> float | None:
        """Where it stands across: its questions, or its gap, `None` where none is measured."""
        if not over_gap:
            return float(self.questions)
        return None if self.gap is None else self.gap.value


class ParetoFront(NamedTuple):
    """All models of the session: a spot for each, the rows that errors are counted on, and how many they are.

    `measure` and `group` say what the gap compares between the groups of which column; `None` where no gap is shown.
    """

    spots: tuple[Spot, ...]
    rows: str
    n: int
    measure: FairnessMeasure | None
    group: str | None

    @property
    def sentence(self) -> str:
        """What the front says, in a sentence."""
        best = [spot for spot in self.spots if spot.on_front]
        what = "wrong rows and questions" if self.measure is None else "wrong rows, questions and the gap"
        if len(self.spots) == 1:
            return "There is one model so far."
        return (
            (
                f"{count(len(best))} of {count(len(self.spots), 'model')} is worth a look: no other one is at "
                f"least as good in {what}, and better in one of them."
            )
            if len(best) == 1
            else (
                f"{count(len(best))} of {count(len(self.spots), 'model')} are worth a look: no other one is at "
                f"least as good in {what}, and better in one of them."
            )
        )

    def steps(self, over_gap: bool) -> tuple[tuple[float, float], ...]:
        """The front of errors against questions, or against the gap, as corners (x, share wrong), x growing.

        From one corner to the next the share wrong falls; models beaten in these two figures alone have no corner.
        """
        pairs = {(x, spot.share) for spot in self.spots if (x := spot.x(over_gap)) is not None}
        if not pairs:
            return ()
        best = pareto_front(np.array(sorted(pairs)))
        return tuple(pair for pair, is_best in zip(sorted(pairs), best, strict=True) if is_best)


def front(
    models: Sequence[Predictions],
    rows: str,
    *,
    train: Sequence[Predictions],
    test: Sequence[Predictions] | None,
    chosen: Sequence[str] = (),
    group: str | None = None,
    measure: FairnessMeasure = FairnessMeasure.PARITY,
) -> ParetoFront:
    """The models of the session by errors, size and, with a group column, fairness.

    `models` are what each says of the rows called `rows`, where errors are counted, `train` and `test` what it says of
    the training rows and the held-out ones; `chosen` are the keys of the models that are compared.
    """
    gaps = [_gap(one, group, measure) for one in models]
    shown = [[one.wrong, one.diagram.n_splits] for one in models]
    if None in gaps:
        # too few rows speak for the groups, whatever a model says of them
        gaps, group = [None] * len(models), None
    elif group is not None:
        shown = [[*pair, gap.value] for pair, gap in zip(shown, gaps, strict=True) if gap and gap.value is not None]
    best = pareto_front(np.array(shown, np.float64))
    spots = tuple(
        Spot(
            one.entry.key,
            one.title,
            one.diagram.kind,
            rate(~one.right, one.data.weight),
            one.wrong,
            wrong_words(one),
            wrong_words(train[i]),
            None if test is None else wrong_words(test[i]),
            one.diagram.n_splits,
            gaps[i],
            pill(one.entry.model.solution, one.entry.model.exact, one.entry.model.problem).words,
            one.entry.model.solution.status is Status.OPTIMAL and one.entry.model.solution.verified is True,
            bool(best[i]),
            one.entry.key in chosen,
        )
        for i, one in enumerate(models)
    )
    return ParetoFront(spots, rows, models[0].data.n_samples, None if group is None else measure, group)


def _gap(one: Predictions, group: str | None, measure: FairnessMeasure) -> Estimate | None:
    """The gap between groups; `None` where too few rows speak for it."""
    if group is None:
        return None
    try:
        gap = getattr(fairness(one.data, one.predicted, group), measure.value).difference
    except DataError:
        return None
    return None if gap.value is None else gap
