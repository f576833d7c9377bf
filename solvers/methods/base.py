"""What every method offers: a name, the shapes it makes, a check, and a run."""

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
"""The depth of a tree, or the levels of a BDD, where none is asked for: one that a reader takes in at a glance."""

TAKES_ALL: dict[ShapeKind, str] = {
    ShapeKind.TREE: "cptree",
    ShapeKind.BDD: "bdd-search",
    ShapeKind.DIAGRAM: "odd-search",
}
"""The method of each shape that takes every kind of constraint."""


@dataclass(frozen=True, slots=True)
class Unsupported:
    """Why a method cannot take a problem, and what to do about it, each in a sentence."""

    what: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason} {self.remedy}"


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that a method offers besides the problem.

    Attributes
    ----------
    name : as a keyword of the method's class, and on the command line.
    label : the name on the screen.
    help : what it changes, in a sentence or two for a user.
    values : what may be chosen; empty where any whole number of at least 0 may.
    default : what is chosen where nothing is said.
    titles : the values in words, in the same order; empty where they speak for themselves.
    """

    name: str
    label: str
    help: str
    values: tuple[str, ...]
    default: str
    titles: tuple[str, ...] = ()

    @classmethod
    def among(cls, name: str, label: str, help: str, titles: Mapping[str, str]) -> Option:
        """A choice among some values, each with its title; the first is the default."""
        values = tuple(map(str, titles))
        return cls(name, label, help, values, values[0], tuple(titles.values()))

    def checked(self, value: str) -> str:
        """The value, if it may be chosen.

        Raises
        ------
        OptionError
            It may not.
        """
        if self.values and value not in self.values:
            raise OptionError(f"The option '{self.name}' must be one of {', '.join(self.values)}. Got '{value}'.")
        if not self.values and not (value.isascii() and value.isdecimal()):
            raise OptionError(f"The option '{self.name}' must be a whole number of at least 0. Got '{value}'.")
        return value


class Method:
    """One way to solve a problem: a method searches, and what all searches have in common is done here.

    `capabilities` has what a method may support beyond this.

    Attributes
    ----------
    name : as in the registry.
    title : the name on the screen.
    kinds : the shapes it makes.
    exact : whether it proves optimality.
    summary : what it does, in one or two sentences for a user.
    source : the paper, with year and DOI or venue.
    options : the choices that it offers; the class takes their values as keywords, all of them texts.
    default_depth : the depth where none is asked for; the largest there is for methods whose question is the size.
    takes_min_samples_leaf : whether it can be asked for leaves of more than one row.
    priced_depth : whether it needs no limit of depth where splits have a price.
    imports, uses : modules and methods that its first run would wait for.
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
        """Why this problem cannot be taken; none where it can."""
        raise NotImplementedError

    def search(self, context: SearchContext) -> None:
        """Offer models and bounds until everything is proved, or the context says that it is time to end.

        Raises `UnsupportedError` where the search would need more memory than the limit allows, or a solver that is not
        there.
        """
        raise NotImplementedError

    def check(self, problem: Problem) -> tuple[Unsupported, ...]:
        """Why this problem cannot be taken; empty where it can."""
        return tuple(self.refusals(problem))

    def run(self, problem: Problem, limits: Limits, emit: Emit, stop: Stop) -> Solution:
        """Search until incumbent and bound meet, the gap is reached, time is up, or `stop` is set.

        Incumbents and bounds are reported through `emit`. The returned status is OPTIMAL, FEASIBLE, INFEASIBLE,
        NO_SOLUTION or, where `stop` ended it, CANCELLED.
        """
        return self._run_search(SearchContext(self.name, problem, limits, emit, stop, exact=self.exact))

    def _run_search(self, context: SearchContext, diagram: Diagram | None = None, bound: int | None = None) -> Solution:
        """Search from a model and a bound, if there are any."""
        context.emit(Started(self.name))
        if impossibility(context.problem):
            context.refute()
        else:
            if diagram is not None:
                context.offer(diagram)
                context.raise_bound(bound or 0)
            self.search(context)
        return context.solution()

    def warm(self, constraints: bool = False) -> None:
        """Import and compile what the method needs, so that the first run does not wait for it.

        With `constraints` also what it needs only under constraints, where that takes long.
        """
        for module in self.imports:
            import_module(module)
        for method in self.uses:
            method().warm(constraints)


def only_trees(title: str, problem: Problem, posts: Collection[type] = ()) -> Iterator[Unsupported]:
    """What keeps a method that makes trees from taking this problem, with the title of the method.

    `posts` are the classes of rule that it posts, see `solvers.constraints.rules`; constraints that only limit the size
    need none of them, because every method keeps `Problem.size`.
    """
    yield from only_kind(ShapeKind.TREE, title, problem)
    if problem.objective.free_root and problem.split_cost:
        yield Unsupported(
            "A first question that costs nothing",
            f"{title} charges for every question.",
            "Charge for the first question, too, or choose a method for decision diagrams.",
        )
    yield from unposted(title, problem, posts)


def only_kind(kind: ShapeKind, title: str, problem: Problem) -> tuple[Unsupported, ...]:
    """What keeps a method that makes one shape from taking another."""
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
    """The constraints that need a rule which a method does not post, or that do not fit the table."""
    instead = TAKES_ALL[problem.shape.kind]
    for constraint in problem.constraints:
        if not isinstance(constraint, Constraint):
            yield Unsupported(str(constraint), "This is no constraint of a known kind.", "Remove it.")
            continue
        what = f"'{constraint.words(problem.dataset)}'"
        errors = [f.text for f in constraint.check(problem) if f.severity is Severity.ERROR]
        if errors:
            yield Unsupported(what, errors[0], "Correct the constraint, or remove it.")
        elif {type(rule) for rule in constraint.rules(problem)} - set(posts):
            reason = f"{title} does not take this kind of constraint into account."
            yield Unsupported(what, reason, f"Remove the constraint, or choose the method '{instead}'.")


def uncounted(title: str, problem: Problem, rules: Rules, most: int) -> Iterator[Unsupported]:
    """The constraints whose sums exceed what a method counts exactly."""
    for rule in rules.sums:
        reached = rule.most(2**problem.size.max_depth)
        if reached > most:
            yield Unsupported(
                f"'{problem.constraints[rule.source].words(problem.dataset)}'",
                f"Its sum reaches {float(reached):.3g} in the smallest unit; {title} counts exactly up to {most:.3g}.",
                "Use weights, costs or limits with fewer decimals.",
            )


class StopAtIncumbent:
    """A stop signal that is also given once a model is found: `incumbent`, `None` before."""

    def __init__(self, outer: Stop) -> None:
        self._outer = outer
        self.incumbent: Incumbent | None = None

    def on_event(self, event: Event) -> None:
        """Take in an event of the search."""
        if isinstance(event, Incumbent):
            self.incumbent = event

    def is_set(self) -> bool:
        """Whether to stop."""
        return self.incumbent is not None or self._outer.is_set()
