"""Random constraints of each kind for a table."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from solvers.constraints import KINDS, Constraint, Field, FieldType, Who
from solvers.constraints.model_queries import weight
from solvers.constraints.values import grouping
from solvers.errors import ConstraintError
from solvers.problem import Dataset, Kind, Op, Predicate, binary_view
from solvers.problem.groups import CROSS

MOST_ROWS = 200
"""Maximum number of rows of a predictive value with confidence; the oracle tries all counts."""

Example = Callable[[type[Any], Dataset, np.random.Generator], Constraint | None]


def example(cls: type[Constraint], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """A random constraint of a kind; `None` if the table lacks what the kind needs."""
    return EXAMPLES.get(cls.kind, from_fields)(cls, dataset, rng)


def from_fields(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint:
    """Random values of all fields; optional ones are left out now and then, but not a class that has no default."""
    needed = FieldType.CLASS if dataset.positive is None else None
    fields = [field for field in cls.form() if not field.optional or field.type is needed or rng.random() < 0.5]
    return cls(**{field.name: FIELDS[field.type](field, dataset, rng) for field in fields})


def drawn_columns(dataset: Dataset, rng: np.random.Generator, n: int) -> tuple[str, ...] | None:
    """Random different columns; `None` if there are too few."""
    if dataset.n_columns < n:
        return None
    return tuple(dataset.schema.names[j] for j in rng.permutation(dataset.n_columns)[:n])


def drawn_class(dataset: Dataset, rng: np.random.Generator) -> str:
    """A random class."""
    return dataset.classes[int(rng.integers(dataset.n_classes))]


def some_columns(field: Field, dataset: Dataset, rng: np.random.Generator) -> tuple[str, ...]:
    """Some columns."""
    drawn = drawn_columns(dataset, rng, int(rng.integers(1, max(2, dataset.n_columns))))
    assert drawn is not None
    return in_families(drawn, dataset, rng)


FIELDS: dict[FieldType, Callable[[Field, Dataset, np.random.Generator], object]] = {
    FieldType.COUNT: lambda field, dataset, rng: int(rng.integers(int(field.low or 0), 5)),
    FieldType.SHARE: lambda field, dataset, rng: Fraction(int(rng.integers(10, 21)), 20),
    FieldType.COLUMN: lambda field, dataset, rng: str(rng.choice(dataset.schema.names)),
    FieldType.COLUMNS: some_columns,
    FieldType.CLASS: lambda field, dataset, rng: drawn_class(dataset, rng),
}
"""The generator of the values of a field, where its type is enough to choose one."""


def rows(share: Fraction) -> Example:
    """A number of rows, at most this share of them."""
    return lambda cls, dataset, rng: cls(int(rng.integers(1, max(2, int(dataset.n_samples * share) + 1))))


def leaf_weight(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint:
    """A weight of at most half of the total."""
    total = weight(dataset, np.arange(dataset.n_samples))
    return cls(round(total * int(rng.integers(0, 51)) / 100, 3))


def two_columns(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """Two columns or, now and then, families."""
    columns = drawn_columns(dataset, rng, 2)
    if columns is None:
        return None
    first, then = (dataset.schema[name].family or name for name in columns)
    if first == then or rng.random() < 0.6:
        return cls(*columns)
    return cls(columns[0] if cls.kind == "only-after" or rng.random() < 0.3 else first, then)


def in_families(names: tuple[str, ...], dataset: Dataset, rng: np.random.Generator) -> tuple[str, ...]:
    """The columns or, now and then, their families."""
    if rng.random() < 0.7:
        return names
    return tuple(dict.fromkeys(dataset.schema[name].family or name for name in names))


def exclusive_columns(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """Two or three columns."""
    columns = drawn_columns(dataset, rng, min(dataset.n_columns, int(rng.integers(2, 4))))
    if columns is None or len(columns) < 2:
        return None
    named = in_families(columns, dataset, rng)
    return cls(columns if len(dataset.schema.families.get(named[0], "two")) < 2 else named)


def fixed_top(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """One or two splits that separate rows."""
    predicates = binary_view(dataset).predicates
    if not predicates:
        return None
    first, second = rng.integers(len(predicates), size=2)
    below = {"yes": question(predicates[second], dataset)} if rng.random() < 0.4 else {}
    return cls({**question(predicates[first], dataset), **below})


def question(predicate: Predicate, dataset: Dataset) -> dict[str, Any]:
    """A predicate in the JSON notation of `Questions`."""
    column = dataset.schema[predicate.column]
    data: dict[str, Any] = {"column": predicate.column, "op": str(predicate.op)}
    data["missing"] = predicate.missing and predicate.op is not Op.MISSING
    if predicate.value is not None:
        data["value"] = column.format(predicate.value) if column.kind is not Kind.NUMERIC else predicate.value
    return data


def costs(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint:
    """Costs of some columns, sometimes a shared cost, and a budget within reach."""
    names = dataset.schema.names
    own = {name: float(rng.choice([0, 1, 2, 5, 0.5])) for name in names if rng.random() < 0.8}
    shared = []
    if len(names) > 1 and rng.random() < 0.5:
        pair = [names[j] for j in rng.permutation(len(names))[:2]]
        shared = [{"columns": in_families(tuple(pair), dataset, rng), "cost": int(rng.integers(1, 5))}]
    return cls(own, float(rng.choice([0, 1, 2.5, 3, 4, 6, 8])), shared)


def some_who(dataset: Dataset, rng: np.random.Generator) -> Who | None:
    """Everyone, the rows of a group, or the rows with a value in a range."""
    if rng.random() < 0.4:
        return None
    known = [c for c, x in zip(dataset.schema.columns, dataset.X.T, strict=True) if not np.isnan(x).all()]
    if not known:
        return None
    column = known[int(rng.integers(len(known)))]
    values = dataset.X[:, dataset.schema.index(column.name)]
    value = rng.choice(values[~np.isnan(values)])
    if column.kind.has_levels:
        return Who(column.name, column.format(value))
    end = column.format(value) if column.kind == "date" else float(value)
    return Who(column.name, high=end) if rng.random() < 0.5 else Who(column.name, low=end)


def share_of_rows(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint:
    """A share of some rows, sometimes with confidence."""
    return some_confidence(of_somebody(cls, dataset, rng, Fraction(int(rng.integers(0, 21)), 20)), dataset, rng)


def some_confidence(constraint: Any, dataset: Dataset, rng: np.random.Generator) -> Constraint:
    """The constraint itself or, if the weights are integers, with a confidence that few rows can satisfy."""
    if rng.random() < 0.6 or (dataset.weight is not None and (dataset.weight % 1).any()):
        return constraint
    if constraint.kind in ("min-ppv", "min-npv") and dataset.total_weight > MOST_ROWS:
        return constraint
    return constraint.changed(confidence=Fraction(int(rng.choice([50, 60, 80, 95])), 100))


def few_rows(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint:
    """A number of rows, at most half of them."""
    return of_somebody(cls, dataset, rng, int(rng.integers(0, dataset.n_samples // 2 + 1)))


def of_somebody(cls: type[Any], dataset: Dataset, rng: np.random.Generator, limit: int | Fraction) -> Constraint:
    """The limit for everyone or for some rows, and for some class if the kind has one."""
    named: dict[str, Any] = {"who": some_who(dataset, rng)}
    if "positive" in {field.name for field in cls.form()}:
        named["positive"] = drawn_class(dataset, rng)
    return cls(limit, **named)


def parity(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """A limit for the groups of some column."""
    names = []
    plain = dict.fromkeys([*(group.name for group in dataset.groups), *dataset.schema.names])
    for name in (*plain, *map(CROSS.join, combinations(plain, 2))):
        try:
            names += [name] if len(grouping(dataset, name).levels) > 1 else []
        except ConstraintError:
            continue
    if not names:
        return None
    positive = drawn_class(dataset, rng)
    limit = Fraction(int(rng.choice([0, 1, 5, 10, 20, 33, 50, 80, 100])), 100)
    drawn = cls(names[int(rng.integers(len(names)))], limit, positive, int(rng.choice([1, 1, 2])))
    return some_confidence(drawn, dataset, rng) if "confidence" in {f.name for f in drawn.form()} else drawn


def threshold_range(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """A range between two values of a column, or up to one."""
    fit = [c for c in dataset.schema.columns if c.kind not in (Kind.CATEGORICAL, Kind.BINARY)]
    if not fit:
        return None
    column = fit[int(rng.integers(len(fit)))]
    values = dataset.X[:, dataset.schema.index(column.name)]
    known = np.unique(values[~np.isnan(values)])
    if not len(known):
        return None
    ends = np.sort(rng.choice(known, 2))
    low, high = (float(end) if column.kind is Kind.NUMERIC else column.format(end) for end in ends)
    return cls(column.name, low, high) if rng.random() < 0.7 else cls(column.name, high=high)


def monotone(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """Some column with an order."""
    fit = [column.name for column in dataset.schema.columns if column.kind is not Kind.CATEGORICAL]
    if not fit:
        return None
    order = tuple(dataset.classes[k] for k in rng.permutation(dataset.n_classes)) if rng.random() < 0.5 else ()
    return cls(fit[int(rng.integers(len(fit)))], str(rng.choice(["rising", "falling"])), order)


def linked_rows(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """One set of two or three rows."""
    if dataset.n_samples < 2:
        return None
    chosen = rng.permutation(dataset.n_samples)[: 3 if rng.random() < 0.3 else 2]
    return cls([dataset.rows[chosen].tolist()])


def units(cls: type[Any], dataset: Dataset, rng: np.random.Generator) -> Constraint | None:
    """A unit for one numeric column or for all of them, similar to the steps between their values."""
    # a multiple with more than 15 digits is not an exact float, and is refused
    large = np.nanmax(np.abs(dataset.X), axis=0, initial=0) > 1e12
    fit = [
        c.name for c, beyond in zip(dataset.schema.columns, large, strict=True) if c.kind is Kind.NUMERIC and not beyond
    ]
    drawn = fit[: 1 if rng.random() < 0.5 else None]
    return cls({name: ("0.25", "0.5", 2, 3, 5, 20)[int(rng.integers(6))] for name in drawn}) if fit else None


EXAMPLES: dict[str, Example] = {
    "min-samples-split": rows(Fraction(1)),
    "min-samples-leaf": rows(Fraction(1, 2)),
    "min-weight-leaf": leaf_weight,
    **dict.fromkeys(("asked-before", "only-after"), two_columns),
    **dict.fromkeys(("never-both-on-path", "never-both-in-tree"), exclusive_columns),
    "fixed-top": fixed_top,
    **dict.fromkeys(("max-path-cost", "max-expected-cost"), costs),
    **dict.fromkeys(("min-sensitivity", "min-specificity", "min-accuracy"), share_of_rows),
    **dict.fromkeys(("max-missed", "max-false-alarms", "max-errors", "max-positive"), few_rows),
    **{kind: parity for kind, cls in KINDS.items() if cls.topic == "Fairness"},
    "thresholds-within": threshold_range,
    "round-thresholds": units,
    "monotone": monotone,
    **dict.fromkeys(("min-ppv", "min-npv"), share_of_rows),
    **dict.fromkeys(("must-link", "cannot-link"), linked_rows),
}
"""The generators of kinds whose fields depend on each other or on the rows."""
