"""Sentences about the results of methods."""

from .cautions import caution_title, describe_caution, describe_chance
from .costs import changed_mistakes
from .results import (
    describe_bound,
    describe_proof,
    describe_result,
    describe_scope,
    remarks,
    why_ended,
)
