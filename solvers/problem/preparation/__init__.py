"""Preparation of a table in steps, which are saved, applied to a second file, and exported with the model."""

from .kinds import (
    STEPS,
    Combine,
    Condition,
    Cut,
    Entry,
    EntryType,
    Form,
    JoinLevels,
    KeepRows,
    Operation,
    ReadAs,
    Reading,
    Rename,
    SetType,
    Step,
    TreatAsMissing,
    step_from_json,
    steps_that_read,
)
from .steps import Preparation, PreparedTable, preparation_of, read_preparation
