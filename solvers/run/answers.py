"""The written form of what workers answer: an object with its kind under 'answer'."""

from importlib import import_module
from typing import Any

from solvers.explain import answer_json

ANSWERS: dict[str, str] = {
    "certificate": "solvers.certificates.reports:Report",
    "cross-validation": "solvers.sweeps.cross_validation:CrossValidation",
    "bootstrap": "solvers.sweeps.bootstrap:Bootstrap",
    "front": "solvers.sweeps.front:Filling",
    "sweep": "solvers.sweeps.tasks:Sweeping",
    "near-optimal": "solvers.methods.trees.near_optimal.near_set:NearSet",
    "lesson-optima": "solvers.teaching.optima:Optima",
    "recovery": "solvers.teaching.recovery:Recovery",
}
"""Where each kind of answer lives besides explanations ('module:Class'); adding one is one class and one line here.

The class has `to_json() -> dict` and the class method `from_json(data)`, which raises KeyError, TypeError or ValueError
for what is damaged.
"""


def answer_to_json(answer: Any) -> dict[str, Any]:
    """An answer as plain dicts, lists, texts and numbers."""
    kind = type(answer)
    path = f"{kind.__module__}:{kind.__qualname__}"
    names = [name for name, known in ANSWERS.items() if known == path]
    return {"answer": names[0], **answer.to_json()} if names else answer_json.answer_to_json(answer)


def answer_from_json(data: dict[str, Any]) -> Any:
    """The answer that `answer_to_json` wrote.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing or damaged.
    """
    if data["answer"] not in ANSWERS:
        return answer_json.answer_from_json(data)
    parts = {name: value for name, value in data.items() if name != "answer"}
    return class_at(ANSWERS[data["answer"]]).from_json(parts)


def class_at(path: str) -> Any:
    """The class of a path 'module:Class'."""
    module, name = path.split(":")
    return getattr(import_module(module), name)
