"""How a table is prepared: steps in words, which are saved, applied to a second file, and leave with the model."""

from solvers.problem.preparation.base import Entry, EntryType, Reading, Step
from solvers.problem.preparation.columns import Rename, SetOrder, SetType, SetUnit
from solvers.problem.preparation.kinds import STEPS, step_from_json
from solvers.problem.preparation.pairs import Combination, DaysBetween, Difference, Ratio
from solvers.problem.preparation.rows import Condition, KeepRows
from solvers.problem.preparation.spellings import (
    DAY_FIRST,
    DAY_SECOND,
    HALF,
    MONTH_FIRST,
    THE_LIMIT,
    ReadDates,
    ReadLimits,
    steps_that_read,
)
from solvers.problem.preparation.steps import Preparation, PreparedTable, preparation_of, read_preparation
from solvers.problem.preparation.values import Cut, JoinLevels, Replacement, TreatAsMissing
