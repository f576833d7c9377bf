"""The cost of the tests that the splits need.

A test is paid once per path, however often it is used. Columns that come from one test (a blood sample) may share a
cost that is paid once for all of them. All thresholds of a column are one test.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Annotated

import numpy as np

from ..diagram import Diagram, NodeId
from ..problem import Dataset, Problem
from .base import ConstraintRecord, Finding, Topic, parameter, steps
from .fields import ByColumn, FieldType, SharedCost
from .model_queries import columns_above, ways_taken
from .rules import PathCost, Rule, Sum, TestCosts
from .values import Number, column_position, columns_named, exact, shown, weights_of

_COSTS = "Cost of measuring each variable, paid once per row. Variables that are not listed are free."
_SHARED = "Variables or families that share a cost, such as drawing blood. The cost is paid once if any is used."


class _Costs(ConstraintRecord, frozen=True):
    topic = Topic.COSTS
    limited_by = "budget"

    costs: Annotated[ByColumn, parameter(FieldType.COSTS, "Test costs", _COSTS)]
    budget: Annotated[Number, parameter(FieldType.NUMBER, low=0)]
    shared: Annotated[tuple[SharedCost, ...], parameter(FieldType.SHARED_COSTS, "Shared costs", _SHARED)] = ()

    def price(self, columns: frozenset[str], dataset: Dataset) -> Number:
        """The cost of a path that uses these columns."""
        own = sum(cost for column, cost in self.costs.items() if column in columns)
        return exact(own + sum(one.cost for one in self.shared if columns & {*columns_named(dataset, *one.columns)}))

    @property
    def _prices(self) -> list[Number]:
        return [*self.costs.values(), *(one.cost for one in self.shared)]

    @property
    def _cheapest(self) -> Number:
        """The smallest cost above 0; 0 if all tests are free."""
        return min((cost for cost in self._prices if cost), default=0)

    @property
    def _scale(self) -> int:
        """The factor that makes all costs integers."""
        return math.lcm(*(Fraction(cost).denominator for cost in self._prices))

    @property
    def _total(self) -> Number:
        """The cost of all tests together."""
        return exact(sum(self._prices))

    def _test_costs(self, dataset: Dataset) -> TestCosts:
        """The costs in the form that methods use."""
        scale = self._scale
        for name in self.costs:
            column_position(dataset, name)
        groups = tuple(
            (frozenset(map(dataset.schema.index, columns_named(dataset, *one.columns))), int(one.cost * scale))
            for one in self.shared
        )
        return TestCosts(tuple(int(self.costs.get(name, 0) * scale) for name in dataset.schema.names), groups, scale)

    def findings(self, problem: Problem) -> Iterator[Finding]:
        """A note that lists the free columns."""
        named = {*self.costs, *(name for one in self.shared for name in columns_named(problem.dataset, *one.columns))}
        free = [name for name in problem.dataset.schema.names if name not in named]
        if free:
            more = f" and {len(free) - 8} more" if len(free) > 8 else ""
            text = f"No cost is given for {', '.join(free[:8])}{more}. They are free."
            yield Finding.note(text, "costs")


class MaxPathCost(_Costs, frozen=True):
    """Maximum cost of the tests for any one row. Each test is paid once."""

    title = "Maximum test cost"
    wording = "tests for any one row cost at most {budget}"
    formula = r"\sum_{c \in C(P)} \mathrm{cost}(c) + \sum_{g:\, g \cap C(P) \ne \emptyset} \mathrm{cost}(g) \le \tau"
    source = "Nanfack, Temple and Frénay (2023), section 4.2, each test paid once"

    def _dearest(self, diagram: Diagram, dataset: Dataset) -> dict[NodeId, Number]:
        """The cost of the most expensive path to each leaf."""
        before = columns_above(diagram)
        return {i: max(self.price(columns, dataset) for columns in before[i]) for i, _ in diagram.leaves}

    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """The cost of the most expensive path."""
        return max(self._dearest(diagram, dataset).values())

    def step(self, dataset: Dataset) -> Number:
        """The cost of the cheapest test that is not free."""
        return self._cheapest

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The leaves whose paths cost too much."""
        return tuple(
            f"the tests on the path to leaf {i} cost {shown(cost)}; the limit is {shown(self.budget)}"
            for i, cost in self._dearest(diagram, dataset).items()
            if cost > self.budget
        )

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """A limit for each path."""
        costs = self._test_costs(problem.dataset)
        return (PathCost(costs, math.floor(min(self.budget, self._total) * costs.scale)),)

    def limits(self, problem: Problem) -> Sequence[Number]:
        """Up to the cost of all tests."""
        scale = self._scale
        return steps(Fraction(math.floor(self.budget * scale) + 1, scale), self._total, Fraction(1, scale))


class MaxExpectedCost(_Costs, frozen=True):
    """Maximum average cost of the tests over the training rows. Each test is paid once per row."""

    title = "Maximum expected test cost"
    formula = r"\frac{1}{\sum_i w_i} \sum_i w_i \, \mathrm{cost}(P(i)) \le \tau"
    source = "Nanfack, Temple and Frénay (2023), section 4.3, each test paid once"

    def words(self, dataset: Dataset | None = None) -> str:
        """The limit in words: 'tests cost at most 8 on average'."""
        return f"tests cost at most {shown(self.budget)} on average"

    def value(self, diagram: Diagram, dataset: Dataset) -> Number:
        """The weighted average cost."""
        weights = weights_of(dataset)[0]
        ways = ways_taken(diagram, dataset)
        paid = sum(self.price(columns, dataset) * int(weights[rows].sum()) for columns, rows in ways)
        return exact(Fraction(paid) / int(weights.sum()))

    def show(self, value: Number) -> str:
        """With two decimals."""
        return f"{float(value):.2f}".rstrip("0").rstrip(".")

    def step(self, dataset: Dataset) -> Number:
        """The cost of the cheapest test for the row of least weight."""
        weights = weights_of(dataset)[0]
        return Fraction(self._cheapest) * int(weights.min()) / int(weights.sum())

    def violations(self, diagram: Diagram, dataset: Dataset) -> tuple[str, ...]:
        """The average, if it is too high."""
        value = self.value(diagram, dataset)
        if value <= self.budget:
            return ()
        return (f"the tests cost {float(value):.4g} on average; the limit is {shown(self.budget)}",)

    def rules(self, problem: Problem) -> tuple[Rule, ...]:
        """A sum over all rows."""
        dataset = problem.dataset
        costs, weights = self._test_costs(dataset), weights_of(dataset)[0]
        total = int(weights.sum()) * costs.scale
        nothing = np.zeros((dataset.n_samples, dataset.n_classes), np.int64)
        limit = math.floor(min(self.budget, self._total) * total)
        return (Sum(nothing, limit, tests=costs, test_weight=weights, scale=total),)

    def limits(self, problem: Problem) -> Sequence[Number]:
        """Up to the cost of all tests for every row."""
        unit = int(weights_of(problem.dataset)[0].sum()) * self._scale
        return steps(Fraction(math.floor(self.budget * unit) + 1, unit), self._total, Fraction(1, unit))
