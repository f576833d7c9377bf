"""How results are told: the one place where what methods found becomes sentences."""

from solvers.words.cautions import caution_title, caution_words
from solvers.words.results import (
    proof_words,
    remarks,
    result_words,
    scope_words,
    why_ended,
)

__all__ = ["caution_title", "caution_words", "proof_words", "remarks", "result_words", "scope_words", "why_ended"]
