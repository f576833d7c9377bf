"""A lesson as URL parameters, so that a teacher can link to it: `?lesson=xor&noise=0.1&seed=3`.

Only differences from the lesson itself are written, and no user data: recipes hold only rules and numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..errors import DataError, EspalierError
from ..problem import Kind, Op, Predicate, Problem
from .greedy import Greedy
from .lessons import Lesson, LessonPart, lesson, lessons
from .recipes import Recipe, Rule
from .sketches import Sketch

_LONGEST_TREE = 2000

DEPTHS = (1, 4)
"""The minimum and maximum depth of a class's trees."""


@dataclass(frozen=True)
class Setting:
    """The settings of a lesson: its table, the depth of all trees, the current activity, and the greedy method."""

    lesson: Lesson
    recipe: Recipe
    depth: int
    part: LessonPart
    method: Greedy

    @classmethod
    def of(cls, chosen: Lesson) -> Setting:
        """The initial settings of a lesson."""
        return cls(chosen, chosen.recipe, chosen.depth, chosen.parts[0], chosen.method)


class Understood(NamedTuple):
    """The settings in a URL, and what could not be read, as sentences."""

    setting: Setting
    notes: tuple[str, ...]


def params_of(setting: Setting) -> dict[str, str]:
    """The URL parameters that lead to a setting."""
    plain = Setting.of(setting.lesson)
    base = plain.recipe if setting.recipe.rule is plain.recipe.rule else Recipe(setting.recipe.rule)
    params = {"lesson": setting.lesson.key}
    if base is not plain.recipe:
        params["table"] = setting.recipe.rule.value
    for name in ("rows", "noise", "distractors", "size", "seed"):
        value = getattr(setting.recipe, name)
        if value != getattr(base, name):
            params[name] = f"{value:g}"
    for name in ("depth", "part", "method"):
        value = getattr(setting, name)
        if value != getattr(plain, name):
            params[name] = str(value)
    return params


def tree_param(sketch: Sketch) -> str:
    """The splits of a tree built by hand as a URL parameter, such as `0:x:0.5;1:y:0.25`; '' without splits.

    Each split has its position (see `sketches`), its feature, and its threshold or the number of its level.
    """
    return ";".join(f"{slot}:{one.column}:{one.value:.10g}" for slot, one in sorted(sketch.questions.items()))


def tree_of(text: str, problem: Problem) -> Sketch:
    """The tree in a URL parameter, for the table and the depth of a problem.

    Raises
    ------
    DataError
        The parameter is damaged, or its tree does not fit the table.
    """
    sketch = Sketch()
    for part in text[:_LONGEST_TREE].split(";"):
        try:
            place, name, value = part.split(":")
            slot, column = int(place), problem.dataset.schema[name]
            op = Op.LE if column.kind is Kind.NUMERIC else Op.IS
            if slot in sketch.questions or (slot and (slot - 1) // 2 not in sketch.questions):
                raise ValueError(place)
            if op is Op.IS and value not in map(str, range(len(column.levels))):
                raise ValueError(value)
            sketch = sketch.asking(problem, slot, Predicate(name, op, float(value), False))
        except (EspalierError, ValueError, KeyError, OverflowError):
            raise DataError(
                f"The tree in this link is damaged at '{part[:40]}' or belongs to another table. Copy the link again."
            ) from None
    return sketch


def setting_of(params: Mapping[str, str]) -> Understood:
    """The setting in URL parameters; invalid ones keep the lesson's values and are reported."""
    notes: list[str] = []

    def read(name: str, how: Any, otherwise: Any) -> Any:
        if name not in params:
            return otherwise
        try:
            return how(params[name])
        except (EspalierError, ValueError):
            notes.append(f"The address has {name}={params[name]}, which is not possible here and is ignored.")
            return otherwise

    plain = Setting.of(read("lesson", lesson, lessons()[0]))
    rules = plain.lesson.rules
    rule = read("table", lambda text: rules[rules.index(Rule(text))], rules[0])
    recipe = plain.recipe if rule is plain.recipe.rule else Recipe(rule)
    for name, how in (("rows", int), ("noise", float), ("distractors", int), ("size", int), ("seed", int)):
        # one at a time, so that an invalid one leaves the others unchanged
        recipe = read(name, lambda text, name=name, how=how, now=recipe: _changed(now, name, how(text)), recipe)
    part = read("part", lambda text: plain.lesson.parts[plain.lesson.parts.index(LessonPart(text))], plain.part)
    return Understood(
        Setting(plain.lesson, recipe, read("depth", _depth, plain.depth), part, read("method", Greedy, plain.method)),
        tuple(notes),
    )


def _changed(recipe: Recipe, name: str, value: float) -> Recipe:
    return Recipe(**{**vars(recipe), name: value})


def _depth(text: str) -> int:
    if not DEPTHS[0] <= int(text) <= DEPTHS[1]:
        raise ValueError(text)
    return int(text)
