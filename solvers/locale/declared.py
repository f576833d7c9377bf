"""Texts that stand in declarations: names and explanations of constraints, methods, steps and lessons."""

from collections.abc import Iterable, Iterator

from solvers.constraints import Topic
from solvers.constraints.kinds import KINDS
from solvers.constraints.presets import presets
from solvers.methods import registry
from solvers.problem import STEPS, Kind, MissingPolicy, ShapeKind, Unknown
from solvers.problem.samples import samples
from solvers.report.exports import EXPORTS
from solvers.solution import Status
from solvers.teaching.greedy import Greedy
from solvers.teaching.lessons import LessonPart, lessons
from solvers.teaching.recipes import TRAITS


def declared_texts() -> set[str]:
    """All of them, without the empty ones."""
    parts: tuple[Iterable[str | None], ...] = (_constraints(), _methods(), _data(), _teaching(), _exports())
    return {text for part in parts for text in part if text}


def _constraints() -> Iterator[str | None]:
    yield from (topic.value for topic in Topic)
    for kind in KINDS.values():
        yield from (kind.title, kind.summary, getattr(kind, "wording", None))
        criterion = getattr(kind, "criterion", None)
        yield from (getattr(criterion, "words", None), getattr(kind, "right", None), getattr(kind, "wrong", None))
        for field in kind.form():
            yield from (field.label, field.help, field.unit, *(words for _, words in field.choices))


def _methods() -> Iterator[str | None]:
    for name in registry.names():
        method = registry.get(name)
        yield from (method.title, method.summary)
        for option in method.options:
            yield from (option.label, option.help, *(option.titles or ()))


def _data() -> Iterator[str | None]:
    yield from (kind.english for kind in ShapeKind)
    yield from (policy.words for policy in MissingPolicy)
    yield from (one.value for some in (Kind, ShapeKind, Status) for one in some)
    for step in STEPS.values():
        yield from (step.title, step.summary)
        for entry in step.form():
            yield from (entry.label, entry.help, *entry.choices)
    yield from (unknown.words for unknown in Unknown)
    for sample in samples():
        yield from (sample.title, sample.story)
        for preset in presets(sample.key):
            yield from (preset.title, preset.story)


def _teaching() -> Iterator[str | None]:
    for one in lessons():
        yield from (one.title, *one.paragraphs)
    yield from (part.label for part in LessonPart)
    yield from (method.label for method in Greedy)
    yield from (words for one in TRAITS.values() for words in (one.title, one.story, (one.size or [""])[0]))


def _exports() -> Iterator[str | None]:
    for form in EXPORTS:
        yield from (form.label, form.purpose, form.note)
