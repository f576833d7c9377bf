"""The base class of domain constraints: wording, meaning, formula, form and rules.

A kind of constraint is a frozen `ConstraintRecord`. `parameter(...)` describes each field once; validation, form, JSON
and the check against a table all derive from it. `violations(diagram, dataset)` is the meaning, written from the
definition alone; `rules(problem)` is its translation for the methods. Tests compare the two.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, ABCMeta, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import msgspec
import numpy as np

from ..diagram import Diagram
from ..errors import ConstraintError
from ..problem import Dataset, Problem, Shape
from ..problem.texts import format_list
from .fields import Field, FieldType
from .rules import Rule
from .values import Number, percent, plain, shown

_PLACE, _NUMBER = re.compile(r"\{(\w+)\}"), re.compile(r"\[([^|]*)\|([^]]*)\]")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")

_Item = TypeVar("_Item")
_Made = TypeVar("_Made")


class Topic(StrEnum):
    """The subject of a constraint; the groups of the picker."""

    SIZE = "Size"
    ORDER = "Order of questions"
    COSTS = "Test costs"
    FEATURES = "Features"
    FOUND = "Diagnostic accuracy"
    FAIRNESS = "Fairness"
    LEAVES = "Leaves"
    ROWS = "Linked rows"


class Severity(StrEnum):
    """How serious a finding is before solving."""

    ERROR = "error"
    """The constraint does not fit this table and must be corrected."""
    IMPOSSIBLE = "impossible"
    """No model can satisfy it."""
    NOTE = "note"
    """Useful information."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A fact about a constraint known before solving, in a sentence; `field` names the form field that shows it."""

    severity: Severity
    text: str
    field: str | None = None

    @classmethod
    def impossible(cls, text: str, field: str | None = None) -> Finding:
        """A finding that no model can satisfy the constraint."""
        return cls(Severity.IMPOSSIBLE, text, field)

    @classmethod
    def note(cls, text: str, field: str | None = None) -> Finding:
        """A finding that is useful information."""
        return cls(Severity.NOTE, text, field)


class Proportion(NamedTuple):
    """Rows with a property (`hits`) among the rows that count (`among`), both bool (n_samples,)."""

    hits: np.ndarray
    among: np.ndarray


def parameter(type: FieldType, label: str = "", help: str = "", **more: Any) -> Field:
    """Describe a field of a constraint, in its annotation; `more` goes to `Field`.

    Without a label, the field has the title of its constraint. A field with a default may be omitted.
    """
    share = {"unit": "%", "low": 0, "high": 1} if type is FieldType.SHARE else {}
    return Field("", type, label, help, **{**share, **more})


PositiveClass = Annotated[
    str | None, parameter(FieldType.CLASS, "Positive class", "Leave empty for the positive class of the data.")
]
"""The class that counts as positive; `None` for that of the data."""


class Constraint(ABC):
    """A domain constraint.

    Attributes
    ----------
    kind : its name in JSON, by default that of the class: 'max-depth' for `MaxDepth`.
    title : its name on the screen.
    summary : the requirement, in a sentence for a user, by default the first paragraph of the docstring.
    wording : the sentence with fields in braces, and '[many|one]' for words that depend on the number in the first
        field; if this is not enough, override `words`.
    formula : LaTeX.
    source : paper with section and equation, or the origin of the definition.
    topic : its subject.
    limited_by : the field with the limit that can be tightened or relaxed; `None` if the constraint is yes or no.
    rising_eases : whether a larger limit is a weaker constraint.
    sees_answers : whether it depends on the predictions of leaves, and not only on splits and on the rows of leaves.
    confirms : the constraint with confidence that validation rows are to confirm, for which this is a stricter limit,
        see `solvers.study.confirmation`; `None` for most.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    summary: ClassVar[str]
    wording: ClassVar[str]
    formula: ClassVar[str]
    source: ClassVar[str]
    topic: ClassVar[Topic]
    limited_by: ClassVar[str | None] = None
    rising_eases: ClassVar[bool] = True
    sees_answers: ClassVar[bool] = False

    confirms: Constraint | None

    def __init_subclass__(cls) -> None:
        own = vars(cls)
        cls.kind = own.get("kind", _kind(cls.__name__))
        cls.summary = own.get("summary", " ".join((cls.__doc__ or "").partition("\n\n")[0].split()))

    def _misfit(self) -> str:
        """Why this is no stricter limit of the constraint in `confirms`; '' if it is, or if `confirms` is `None`."""
        if self.confirms is None:
            return ""
        plain = self.confirms.without_confidence()
        if plain is self.confirms or self.limit is None or plain.limit is None:
            return f"'{self}' can only confirm a limit with a confidence, not '{self.confirms}'."
        eased = self.limit > plain.limit if self.rising_eases else self.limit < plain.limit
        twin = self.without_confidence()
        same = type(plain) is type(twin) and plain.with_limit(self.limit) == twin.with_limit(self.limit)
        if same and not eased:
            return ""
        return f"'{self}' is not stricter than the limit that it confirms: '{self.confirms}'."

    @abstractmethod
    def changed(self, **fields: Any) -> Self:
        """The same constraint with other values of some fields."""

    @classmethod
    def form(cls) -> tuple[Field, ...]:
        """The fields to fill in, in their order."""
        return _form(cls)

    def fault(self) -> str:
        """Why the fields are inconsistent, in a sentence; '' if they are consistent."""
        return ""

    def words(self, dataset: Dataset | None = None) -> str:
        """The sentence, such as 'age is asked before bilirubin'; with a table, it names outcome and classes."""
        held = {f.name: getattr(self, f.name) for f in self.form()}
        texts = {
            f.name: format_list(titles(held[f.name] if f.type is FieldType.COLUMNS else [held[f.name]], dataset), "and")
            for f in self.form()
            if f.type in (FieldType.COLUMN, FieldType.FAMILY, FieldType.COLUMNS)
        }
        if self.limited_by is not None:
            texts[self.limited_by] = self.show(held[self.limited_by])
        first = next((held[name] for name in _PLACE.findall(self.wording)), None)
        one = first == 1 or (isinstance(first, tuple) and len(first) == 1)
        return _NUMBER.sub(r"\2" if one else r"\1", self.wording).format(**held | texts)

    def full_words(self, dataset: Dataset | None = None) -> str:
        """The same, with the constraint in `confirms`."""
        words = self.words(dataset)
        return words if self.confirms is None else f"{words} (to confirm: {self.confirms.words(dataset)})"

    def words_in_rows(self, dataset: Dataset) -> str:
        """The same as `words`, with a limit on a share rounded and given in rows, too, if that is possible."""
        return self.words(dataset)

    def __str__(self) -> str:
        return self.words()

    # Meaning

    @abstractmethod
    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The violations of a model, in sentences with figures; empty if the constraint is satisfied."""

    def value(self, diagram: Diagram, dataset: Dataset) -> Number | None:
        """The exact value of a model, in the unit of the limit; `None` if there is none."""
        return None

    def show(self, value: Number) -> str:
        """A value or limit as text, such as '93%'."""
        return percent(value) if self.limited_in_shares() else shown(value)

    @classmethod
    def limited_in_shares(cls) -> bool:
        """Whether limits are proportions between 0 and 1."""
        return any(field.name == cls.limited_by and field.type is FieldType.SHARE for field in cls.form())

    def idle(self, diagram: Diagram, dataset: Dataset) -> str:
        """Why a model satisfies the constraint only by not using a column: 'lactate is not used'; '' if otherwise."""
        return ""

    def slack(self, diagram: Diagram, dataset: Dataset) -> Number | None:
        """The distance of a model to the limit, 0 or more if the constraint is satisfied; `None` if it has no value."""
        value = self.value(diagram, dataset)
        if value is None or self.limit is None:
            return None
        return self.limit - value if self.rising_eases else value - self.limit

    def step(self, dataset: Dataset) -> Number:
        """The smallest change of the value that a change of the model can cause; 0 if unknown."""
        return 1

    def spacing(self, dataset: Dataset) -> Number:
        """The smallest distance between the values of two models; 0 if unknown."""
        return 1 if type(self).step is Constraint.step else 0

    def binds(self, diagram: Diagram, dataset: Dataset) -> bool | None:
        """Whether the constraint is binding: one step further would violate it; `None` if it has no value."""
        slack = self.slack(diagram, dataset)
        return None if slack is None else slack < self.step(dataset) or slack <= 0

    def proportions(self, predicted: np.ndarray, dataset: Dataset) -> tuple[Proportion, ...]:
        """The proportions of rows that make up `value`: one, or two if it is their difference; else none.

        Parameters
        ----------
        predicted : int64 (n_samples,), the predicted class of each row.
        """
        return ()

    def left_out(self, dataset: Dataset) -> frozenset[str]:
        """The groups that are not compared because they have too few rows; empty if there are no groups."""
        return frozenset()

    @property
    def confidence(self) -> Fraction | None:
        """The confidence with which it must hold on other rows; `None` if it applies to the training rows."""
        return None

    def without_confidence(self) -> Constraint:
        """The same constraint, applied to the training rows."""
        return self if self.confidence is None else self.changed(confidence=None)

    def tightened(self, done: Fraction) -> Constraint:
        """The constraint at a point of its confirmation sequence, from 0 (strictest) to 1 (the requested limit).

        It applies to the rows themselves; see `solvers.study.confirmation`.
        """
        plain = self.without_confidence()
        return self if plain is self else plain._at(done, self)

    def _at(self, done: Fraction, confirms: Constraint) -> Constraint:
        if self.limit is None:
            return confirms
        strictest = 0 if self.rising_eases else 1
        return self.with_limit(strictest + (Fraction(self.limit) - strictest) * done).changed(confirms=confirms)

    @property
    def judged(self) -> Constraint:
        """The constraint that rows outside the search are judged by: the one in `confirms`, or this one."""
        return self.confirms or self

    # Limit

    @property
    def limit(self) -> Number | None:
        """The limit, in the unit of `value`; `None` if the constraint has none."""
        return None if self.limited_by is None else getattr(self, self.limited_by)

    def with_limit(self, value: Number) -> Self:
        """The same constraint with another limit and `confirms` set to `None`.

        Raises
        ------
        ConstraintError
            The constraint has no limit, or the value is out of range.
        """
        if self.limited_by is None:
            raise ConstraintError(f"'{self}' has no limit that could be changed.")
        return self.changed(**{self.limited_by: value}, confirms=None)

    def limits(self, problem: Problem) -> Sequence[Number]:
        """All relevant limits weaker than the present one, from the next to the weakest.

        The last one always holds if any limit does. The sequence may be very long and is then lazy: search it by
        bisection. Empty if the constraint has no limit; a minimum share decreases to 0 in thousandths.
        """
        limit = self.limit
        if not isinstance(limit, Fraction) or self.rising_eases:
            return ()
        return steps(Fraction(math.ceil(limit * 1000) - 1, 1000), Fraction(0), Fraction(-1, 1000))

    def strictest(self, problem: Problem) -> Number | None:
        """The strictest relevant limit if it differs from the end of the form's range; else `None`."""
        return None

    def weaker(self, problem: Problem) -> Sequence[Constraint]:
        """The constraint with each of `limits`, from nearly as strong to the weakest."""
        return LazySequence(self.limits(problem), self.with_limit)

    # Checks before solving

    def check(self, problem: Problem) -> tuple[Finding, ...]:
        """Findings before solving: errors (unknown names), impossibilities and notes; fast, and never raises."""
        errors = [
            Finding(Severity.ERROR, fault, entry.name)
            for entry in self.form()
            if (held := getattr(self, entry.name)) is not None and (fault := entry.fault(held, problem.dataset))
        ]
        if errors:
            return tuple(errors)
        try:
            return tuple(self.findings(problem))
        except ConstraintError as error:
            return (Finding(Severity.ERROR, str(error)),)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """The findings of `check` other than unknown names; by default, an error if its rules do not fit the table."""
        self.rules(problem)
        return iter(())

    # Translation

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """The rules that methods post; empty if the constraint only limits the size of the model, see `tighten`.

        Raises
        ------
        ConstraintError
            The table lacks something that the constraint names.
        """
        return ()

    def tighten(self, shape: Shape) -> Shape:
        """The shape, tightened by this constraint."""
        return shape

    # JSON

    def to_json(self) -> dict[str, Any]:
        """The JSON object that `solvers.constraints.from_json` reads, without default values."""
        # with lists instead of tuples, as if it had been read
        data: dict[str, Any] = json.loads(json.dumps(msgspec.to_builtins(self, enc_hook=plain)))
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read the fields of this kind.

        Raises
        ------
        ConstraintError
            A field is unknown, missing or invalid.
        """
        form = cls.form()
        known = [entry.name for entry in form]
        for name in data:
            if name not in (*known, "kind", "confirms"):
                raise ConstraintError(f"'{cls.kind}' has no field '{name}'. Its fields: {', '.join(known)}.")
        for entry in form:
            if not entry.optional and data.get(entry.name) is None:
                raise ConstraintError(f"'{cls.kind}' needs the field '{entry.name}' ({entry.label.lower()}).")
        confirms = data.get("confirms")
        if confirms is not None and not (isinstance(confirms, Mapping) and confirms.get("kind") == cls.kind):
            raise ConstraintError(f"A '{cls.kind}' can only confirm another '{cls.kind}', not {confirms!r}.")
        goal = None if confirms is None else cls.from_json(dict(confirms))
        made = cls(**{name: data[name] for name in known if name in data})
        return made if goal is None else made.changed(confirms=goal)


class _Meta(msgspec.StructMeta, ABCMeta):
    """The type of structs with abstract methods."""


def _kind(name: str) -> str:
    """The name in JSON of a class: 'max-depth' for 'MaxDepth'."""
    return _CAPITAL.sub("-", name).lower()


class ConstraintRecord(
    Constraint,
    msgspec.Struct,
    metaclass=_Meta,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    tag=_kind,
    tag_field="kind",
):
    """The base class of the kinds: a constraint as its fields."""

    confirms: Constraint | None = None

    def __post_init__(self) -> None:
        for entry in self.form():
            msgspec.structs.force_setattr(self, entry.name, entry.clean(getattr(self, entry.name)))
        if fault := self.fault() or self._misfit():
            raise ConstraintError(fault)

    def __hash__(self) -> int:
        # a dict has no hash; equal constraints have the same without it
        held = (getattr(self, name) for name in self.__struct_fields__)
        return hash((self.kind, *(value for value in held if not isinstance(value, dict))))

    def changed(self, **fields: Any) -> Self:
        """The same constraint with other values of some fields."""
        return msgspec.structs.replace(self, **fields)


class ConfidenceRecord(ConstraintRecord, frozen=True, kw_only=True):
    """A constraint with a limit on a share, which may have to hold with confidence.

    Attributes
    ----------
    confidence : the confidence with which the limit must hold on new rows; `None` if it applies to the training rows.
    """

    confidence: Annotated[
        Fraction | None,
        parameter(
            FieldType.SHARE,
            "Confidence",
            "Leave empty: must hold on the training data. 95%: stricter limit, so that a model fixed in advance would "
            "hold on new rows with 95% confidence.",
            low=Fraction(1, 2),
            high=Fraction(9999, 10000),
        ),
    ] = None


@cache
def _form(cls: Any) -> tuple[Field, ...]:
    """The fields that `parameter` describes, with what their declarations add."""
    form = []
    for declared in msgspec.structs.fields(cls):
        entries = [one for one in getattr(declared.type, "__metadata__", ()) if isinstance(one, Field)]
        for entry in entries:
            optional, label = not declared.required, entry.label or cls.title
            default = declared.default if optional else None
            form.append(replace(entry, name=declared.name, label=label, optional=optional, default=default))
    return tuple(form)


def titles(names: Iterable[str], dataset: Dataset | None) -> tuple[str, ...]:
    """The labels of columns if the table is known; names of families are unchanged."""
    return tuple(names) if dataset is None else dataset.schema.titles(names)


@dataclass(frozen=True)
class LazySequence(Sequence[_Made], Generic[_Item, _Made]):
    """The results of a function for the items of a sequence, computed on access; no slices."""

    items: Sequence[_Item]
    make: Callable[[_Item], _Made]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, i: Any) -> Any:
        return self.make(self.items[i])


def steps(first: Number, last: Number, step: Number) -> Sequence[Number]:
    """first, first + step, ... up to `last`, always ending with `last`; lazy, ascending or descending.

    Parameters
    ----------
    first, last : the ends; the result is empty if `first` is beyond `last`.
    step : not 0; negative to descend.
    """
    n = int(Fraction(last - first) / Fraction(step)) + 1 if (last - first) * step >= 0 else 0
    whole = n > 0 and first + (n - 1) * step == last
    return LazySequence(range(n if whole or not n else n + 1), lambda i: first + i * step if i < n else last)
