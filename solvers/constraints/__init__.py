"""Domain constraints on models.

    from solvers.constraints import AskedBefore, MaxLeaves, rules_of

    problem = Problem(dataset, Shape(max_depth=3), constraints=(AskedBefore("age", "bilirubin"), MaxLeaves(6)))

A constraint states a user's requirement (`base`); `rules_of` translates all of them to rules for the methods (`rules`).
"""

from .accuracy import (
    MaxErrors,
    MaxFalseAlarms,
    MaxMissed,
    MaxPositive,
    MinAccuracy,
    MinSensitivity,
    MinSpecificity,
)
from .appearance import MaxColumns, MustAppear, NeverBothInTree, ScreenedFeatures
from .base import Constraint, Finding, Severity, Topic
from .costs import MaxExpectedCost, MaxPathCost
from .fairness import (
    DemographicParity,
    DemographicParityRatio,
    EqualisedOdds,
    EqualisedOddsRatio,
    EqualOpportunity,
    EqualOpportunityRatio,
    PredictiveEquality,
    PredictiveEqualityRatio,
)
from .fields import Field, FieldType, SharedCost
from .files import constraints_of, constraints_text, listed
from .kinds import KINDS, from_json, kind_of
from .leaves import MinLeafPrecision, MinPurity
from .links import CannotLink, MustLink, check_rows
from .monotone import MonotoneIn
from .paths import (
    AskedBefore,
    AskedOnce,
    FirstQuestion,
    FixedTop,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
)
from .precision import MinNPV, MinPPV
from .problem_rules import findings, impossibility, rules_of
from .questions import Questions
from .sizes import FastAndFrugal, MaxDepth, MaxLeaves, MaxQuestions, MinSamplesLeaf, MinSamplesSplit, MinWeightLeaf
from .thresholds import RoundThresholds, ThresholdsWithin, round_thresholds
from .values import Who
