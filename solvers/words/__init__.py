"""How results are told: the one place where what methods found becomes sentences."""

from solvers.words.results import (
    no_model_words,
    proof_words,
    remarks,
    result_words,
    scope_words,
    why_ended,
)

__all__ = ["no_model_words", "proof_words", "remarks", "result_words", "scope_words", "why_ended"]
