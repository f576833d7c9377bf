"""The written form of what workers answer: an object with its kind under 'answer'."""

from typing import Any

from solvers.run.json_types import kind_from_json, kind_to_json

ANSWERS: dict[str, str] = {
    "conflict": "solvers.explain.answers:Conflict",
    "prices": "solvers.explain.answers:Prices",
    "trade-off": "solvers.explain.answers:TradeOff",
    "tree-match": "solvers.explain.answers:TreeMatch",
    "growth": "solvers.explain.answers:Growth",
    "calibration": "solvers.explain.answers:Calibration",
    "certificate": "solvers.certificates.optimum:OptimumReport",
    "cross-validation": "solvers.sweeps.cross_validation:CrossValidation",
    "bootstrap": "solvers.sweeps.bootstrap:Bootstrap",
    "front": "solvers.sweeps.front:Filling",
    "sweep": "solvers.sweeps.folder:SweepProgress",
    "recommended-size": "solvers.metrics.recommended_size:Recommendation",
    "confirmation": "solvers.sweeps.confirmation:Confirmation",
    "near-optimal": "solvers.methods.trees.near_optimal.near_set:NearSet",
    "lesson-optima": "solvers.teaching.optima:Optima",
}
"""Where each kind of answer lives ('module:Class'); adding one is one frozen dataclass and one line here.

It is written by its fields, see `solvers.run.json_types`.
"""


def answer_to_json(answer: Any) -> dict[str, Any]:
    """An answer as plain dicts, lists, texts and numbers."""
    return kind_to_json(ANSWERS, "answer", answer)


def answer_from_json(data: dict[str, Any]) -> Any:
    """The answer that `answer_to_json` wrote; raises as `json_types.from_json`."""
    return kind_from_json(ANSWERS, "answer", data)
