"""How results are told: the one place where what methods found becomes sentences."""

from solvers.words.results import counts_errors, result_words, why_ended

__all__ = ["counts_errors", "result_words", "why_ended"]
