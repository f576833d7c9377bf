"""What must hold: domain constraints.

    from solvers.constraints import AskedBefore, MaxLeaves, rules_of

    problem = Problem(dataset, Shape(depth=3), constraints=(AskedBefore("age", "bilirubin"), MaxLeaves(6)))

A constraint says what a user wants (`base`); `rules_of` says what all of them come down to for the methods (`rules`).
"""

from solvers.constraints.base import Constraint, Finding, Severity, Topic
from solvers.constraints.collecting import Found, findings, impossibility, rules_of
from solvers.constraints.fields import Field, FieldType
from solvers.constraints.files import constraints_of, constraints_text, read_constraints
from solvers.constraints.kinds import KINDS, from_json, kind_of, to_json
from solvers.constraints.paths import (
    AskedBefore,
    FirstQuestion,
    FixedTop,
    NeverBothOnPath,
    NeverColumns,
    OnlyAfter,
    OnlyColumns,
    ThresholdsWithin,
)
from solvers.constraints.questions import Questions
from solvers.constraints.sizes import MaxDepth, MaxLeaves, MinLeafRows, MinLeafWeight
from solvers.constraints.values import Who

__all__ = [
    "KINDS",
    "AskedBefore",
    "Constraint",
    "Field",
    "FieldType",
    "Finding",
    "FirstQuestion",
    "FixedTop",
    "Found",
    "MaxDepth",
    "MaxLeaves",
    "MinLeafRows",
    "MinLeafWeight",
    "NeverBothOnPath",
    "NeverColumns",
    "OnlyAfter",
    "OnlyColumns",
    "Questions",
    "Severity",
    "ThresholdsWithin",
    "Topic",
    "Who",
    "constraints_of",
    "constraints_text",
    "findings",
    "from_json",
    "impossibility",
    "kind_of",
    "read_constraints",
    "rules_of",
    "to_json",
]
