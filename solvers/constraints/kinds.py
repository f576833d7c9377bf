"""The list of constraints: a new constraint needs one class and one line here."""

from collections.abc import Mapping
from typing import Any

from ..errors import ConstraintError
from ..problem.texts import suggestion
from . import (
    accuracy,
    appearance,
    costs,
    fairness,
    leaves,
    links,
    monotone,
    paths,
    precision,
    sizes,
    thresholds,
)
from .base import Constraint

_CLASSES: tuple[type[Constraint], ...] = (
    sizes.MaxDepth,
    sizes.MaxLeaves,
    sizes.MaxQuestions,
    sizes.MinSamplesSplit,
    sizes.MinSamplesLeaf,
    sizes.MinWeightLeaf,
    sizes.FastAndFrugal,
    paths.AskedBefore,
    paths.OnlyAfter,
    paths.NeverBothOnPath,
    paths.FixedTop,
    costs.MaxPathCost,
    costs.MaxExpectedCost,
    accuracy.MinSensitivity,
    accuracy.MaxMissed,
    accuracy.MinSpecificity,
    accuracy.MaxFalseAlarms,
    precision.MinPPV,
    precision.MinNPV,
    accuracy.MinAccuracy,
    accuracy.MaxErrors,
    accuracy.MaxPositive,
    fairness.DemographicParity,
    fairness.DemographicParityRatio,
    fairness.EqualOpportunity,
    fairness.EqualOpportunityRatio,
    fairness.PredictiveEquality,
    fairness.PredictiveEqualityRatio,
    fairness.EqualisedOdds,
    fairness.EqualisedOddsRatio,
    appearance.MustAppear,
    appearance.NeverBothInTree,
    appearance.MaxColumns,
    appearance.ScreenedFeatures,
    paths.OnlyColumns,
    paths.NeverColumns,
    paths.FirstQuestion,
    thresholds.ThresholdsWithin,
    thresholds.RoundThresholds,
    monotone.MonotoneIn,
    leaves.MinPurity,
    leaves.MinLeafPrecision,
    links.MustLink,
    links.CannotLink,
)

KINDS: dict[str, type[Constraint]] = {cls.kind: cls for cls in _CLASSES}
"""The classes by their name in JSON, in the order of the picker."""


def kind_of(name: str) -> type[Constraint]:
    """The class of this name.

    Raises
    ------
    ConstraintError
        There is no such class.
    """
    if not isinstance(name, str) or name not in KINDS:
        raise ConstraintError(f"There is no constraint of the kind '{name}'. {suggestion(name, KINDS)}")
    return KINDS[name]


def from_json(data: Any) -> Constraint:
    """A constraint from its JSON object.

    Raises
    ------
    ConstraintError
        The kind or a field is unknown, or a value is invalid.
    """
    if not isinstance(data, Mapping) or "kind" not in data:
        raise ConstraintError(f'A constraint must be an object with a "kind", but is {data!r}.')
    return kind_of(data["kind"]).from_json(dict(data))
