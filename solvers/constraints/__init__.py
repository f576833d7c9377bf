"""What must hold: domain constraints.

    from solvers.constraints import AskedBefore, MaxLeaves, rules_of

    problem = Problem(dataset, Shape(max_depth=3), constraints=(AskedBefore("age", "bilirubin"), MaxLeaves(6)))

A constraint says what a user wants (`base`); `rules_of` says what all of them come down to for the methods (`rules`).
"""

from solvers.constraints.accuracy import (
    MaxErrors,
    MaxFalseAlarms,
    MaxMissed,
    MinAccuracy,
    MinSensitivity,
    MinSpecificity,
)
from solvers.constraints.appearance import BestColumns, MaxColumns, MustAppear, NeverBothInTree
from solvers.constraints.base import Constraint, Finding, Severity, Topic
from solvers.constraints.costs import MaxExpectedCost, MaxPathCost
from solvers.constraints.exits import FastAndFrugal
from solvers.constraints.fairness import (
    DemographicParity,
    DemographicParityRatio,
    EqualisedOdds,
    EqualisedOddsRatio,
    EqualOpportunity,
    EqualOpportunityRatio,
    PredictiveEquality,
    PredictiveEqualityRatio,
)
from solvers.constraints.fields import Field, FieldType
from solvers.constraints.files import constraints_of, constraints_text, listed
from solvers.constraints.kinds import KINDS, from_json, kind_of
from solvers.constraints.leaves import MinPPV, MinPurity
from solvers.constraints.links import Apart, Together
from solvers.constraints.monotone import MonotoneIn
from solvers.constraints.paths import (
    AskedBefore,
    FirstQuestion,
    FixedTop,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
)
from solvers.constraints.precision import MinPrecision
from solvers.constraints.problem_rules import findings, impossibility, rules_of
from solvers.constraints.questions import Questions
from solvers.constraints.sizes import MaxDepth, MaxLeaves, MaxQuestions, MinLeafRows, MinLeafWeight, MinQuestionRows
from solvers.constraints.thresholds import RoundThresholds, ThresholdsWithin, round_thresholds
from solvers.constraints.values import Who
