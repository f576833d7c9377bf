"""What methods found, in sentences."""

from .cautions import caution_title, caution_words, chance_words
from .mistakes import changed_mistakes
from .results import (
    bound_words,
    proof_words,
    remarks,
    result_words,
    scope_words,
    why_ended,
)
