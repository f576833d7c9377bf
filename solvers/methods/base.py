"""The base class of all methods: name, model shapes, support check and run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module

from ..constraints import Constraint, Severity, impossibility
from ..constraints.rules import Rules
from ..diagram import Diagram
from ..errors import OptionError
from ..problem import Limits, Problem, ShapeKind
from ..solution import Emit, Event, Incumbent, Solution, Started, Stop
from .search.context import SearchContext

DEFAULT_DEPTH = 3
"""Default depth of a tree, or number of levels of a BDD: small enough to read at a glance."""

TAKES_ALL: dict[ShapeKind, str] = {
    ShapeKind.TREE: "cptree",
    ShapeKind.BDD: "bdd-search",
    ShapeKind.DIAGRAM: "odd-search",
}
"""For each shape, the method that supports every kind of constraint."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Why a method does not support a problem, and what to do about it, each in one sentence."""

    what: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason} {self.remedy}"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a method, in addition to the problem.

    Attributes
    ----------
    name : the keyword of the method's class and the name on the command line.
    label : the name on the screen.
    help : what it changes, in one or two sentences for users.
    values : the permitted values; empty if any whole number of at least 0 is permitted.
    default : the default value.
    titles : the display names of the values, in the same order; empty if the values are self-explanatory.
    """

    name: str
    label: str
    help: str
    values: tuple[str, ...]
    default: str
    titles: tuple[str, ...] = ()

    @classmethod
    def among(cls, name: str, label: str, help: str, titles: Mapping[str, str]) -> Option:
        """An option with a fixed list of values and their titles; the first is the default."""
        values = tuple(map(str, titles))
        return cls(name, label, help, values, values[0], tuple(titles.values()))

    def checked(self, value: str) -> str:
        """Return the value if it is permitted.

        Raises
        ------
        OptionError
            The value is not permitted.
        """
        if self.values and value not in self.values:
            raise OptionError(f"The option '{self.name}' must be one of {', '.join(self.values)}, but is '{value}'.")
        if not self.values and not (value.isascii() and value.isdecimal()):
            raise OptionError(f"The option '{self.name}' must be a whole number of at least 0, but is '{value}'.")
        return value


class Method:
    """A method searches for a model; what all searches share is implemented here.

    `capabilities` lists the optional capabilities of a method.

    Attributes
    ----------
    name : its name in the registry.
    title : the name on the screen.
    kinds : the shapes of its models.
    exact : whether it proves optimality.
    summary : what it does, in one or two sentences for users.
    source : the paper, with year and DOI or venue.
    options : its options; the class takes their values as keywords, all strings.
    default_depth : the default depth; the maximum for methods that minimise the size.
    takes_min_samples_leaf : whether it supports a minimum number of rows per leaf above one.
    priced_depth : whether it needs no depth limit if there is a split penalty.
    imports, uses : modules and methods that the first run needs, for `warm` to load in advance.
    """

    name: str
    title: str
    kinds: tuple[ShapeKind, ...]
    exact: bool
    summary: str
    source: str
    options: tuple[Option, ...] = ()
    default_depth: int = DEFAULT_DEPTH
    takes_min_samples_leaf: bool = True
    priced_depth: bool = False
    imports: tuple[str, ...] = ()
    uses: tuple[type[Method], ...] = ()

    def refusals(self, problem: Problem) -> Iterable[Unsupported]:
        """Why the method does not support this problem; nothing if it does."""
        raise NotImplementedError

    def search(self, context: SearchContext) -> None:
        """Offer models and bounds until everything is proved or the context ends the search.

        Raises `UnsupportedError` if the search needs more memory than the limit, or a solver that is missing.
        """
        raise NotImplementedError

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Why the method does not support this problem; empty if it does."""
        return tuple(self.refusals(problem))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Search until incumbent and bound meet, the gap is reached, the time limit is reached, or `stop` is set.

        Incumbents and bounds are reported through `emit`. The status is OPTIMAL, FEASIBLE, INFEASIBLE, NO_SOLUTION or,
        if `stop` ended the search, CANCELLED.
        """
        return self._run_search(SearchContext(self.name, problem, limits, emit, stop, exact=self.exact))

    def _run_search(self, context: SearchContext, diagram: Diagram | None = None, bound: int | None = None) -> Solution:
        """Search from a model and a bound, if given."""
        context.emit(Started(self.name))
        if impossibility(context.problem):
            context.refute()
        else:
            if diagram is not None:
                context.offer(diagram)
                context.raise_bound(bound or 0)
            self.search(context)
        return context.solution()

    def precompile(self, constraints: bool = False) -> None:
        """Import and compile what the method needs, so that the first run starts at once.

        With `constraints`, also prepare what only constraints need, if that takes long.
        """
        for module in self.imports:
            import_module(module)
        for method in self.uses:
            method().precompile(constraints)


def only_trees(title: str, problem: Problem, posts: Collection[type] = ()) -> Iterator[Unsupported]:
    """Why a method for trees, of this title, does not support this problem.

    `posts` are the rule classes that the method posts, see `solvers.constraints.rules`. Constraints that only limit the
    size need no rule, because every method respects `Problem.size`.
    """
    yield from only_kind(ShapeKind.TREE, title, problem)
    if problem.objective.free_root and problem.split_penalty:
        yield Unsupported(
            "A first split without penalty",
            f"{title} applies the split penalty to every split.",
            "Apply the split penalty to the first split as well, or choose a method for decision diagrams.",
        )
    yield from unposted(title, problem, posts)


def only_kind(kind: ShapeKind, title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """Why a method for one shape does not support this problem; empty if it does."""
    if problem.shape.kind is kind:
        return ()
    made = {ShapeKind.TREE: "trees", ShapeKind.BDD: "BDDs", ShapeKind.DIAGRAM: "decision diagrams"}[kind]
    return (
        Unsupported(
            f"The shape '{problem.shape.kind}'",
            f"{title} makes {made} only.",
            f"Choose the shape '{kind}', or a method that makes this shape.",
        ),
    )


def unposted(title: str, problem: Problem, posts: Collection[type]) -> Iterator[Unsupported]:
    """The constraints that need a rule the method does not post, or that do not fit the table."""
    instead = TAKES_ALL[problem.shape.kind]
    for constraint in problem.constraints:
        if not isinstance(constraint, Constraint):
            yield Unsupported(str(constraint), "The kind of this constraint is unknown.", "Remove it.")
            continue
        what = f"'{constraint.words(problem.dataset)}'"
        errors = [f.text for f in constraint.check(problem) if f.severity is Severity.ERROR]
        if errors:
            yield Unsupported(what, errors[0], "Correct the constraint, or remove it.")
        elif {type(rule) for rule in constraint.rules(problem)} - set(posts):
            reason = f"{title} does not support this kind of constraint."
            yield Unsupported(what, reason, f"Remove the constraint, or choose the method '{instead}'.")


def uncounted(title: str, problem: Problem, rules: Rules, most: int) -> Iterator[Unsupported]:
    """The constraints whose sums exceed the range in which a method counts exactly."""
    for rule in rules.sums:
        reached = rule.most(2**problem.size.max_depth)
        if reached > most:
            yield Unsupported(
                f"'{problem.constraints[rule.source].words(problem.dataset)}'",
                f"Its sum reaches {float(reached):.3g} in the smallest unit; {title} counts exactly up to {most:.3g}.",
                "Use weights, costs or limits with fewer decimals.",
            )


class StopAtIncumbent:
    """A stop signal that is also set once there is a model: `incumbent`, `None` before."""

    def __init__(self, outer: Stop) -> None:
        self._outer = outer
        self.incumbent: Incumbent | None = None

    def on_event(self, event: Event) -> None:
        """Process an event of the search."""
        if isinstance(event, Incumbent):
            self.incumbent = event

    def is_set(self) -> bool:
        """Whether to stop."""
        return self.incumbent is not None or self._outer.is_set()
