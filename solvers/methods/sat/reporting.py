"""What the methods of this package refuse, and what they say of their results."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from solvers.diagram import Diagram
from solvers.errors import UnsupportedError
from solvers.methods.base import Unsupported
from solvers.methods.features import note_on
from solvers.methods.sat.live import EndedError, Live, ProvedError
from solvers.problem import Limits, Problem

BYTES_A_LITERAL = 26
"""What a literal takes here and in the solver, with its share of clause heads and watches (measured: 9 to 26)."""


def too_deep(title: str, problem: Problem, most: int) -> Iterator[Unsupported]:
    """Why a formula with 2^depth answers cannot be written."""
    if problem.size.max_depth > most:
        yield Unsupported(
            f"Depth {problem.size.max_depth}",
            f"{title} takes at most {most}, because the formula doubles with every level.",
            "Lower the depth, or choose the method 'bdd-search' or 'contree'.",
        )


def needed_mb(n_literals: int) -> float:
    """What a formula of so many literals takes, in MiB."""
    return n_literals * BYTES_A_LITERAL / 2**20


def fits(n_literals: int, limits: Limits) -> bool:
    """Whether the memory limit has room for a formula."""
    return limits.memory_mb is None or needed_mb(n_literals) <= 0.8 * limits.memory_mb


def refuse_larger(n_literals: int, limits: Limits) -> None:
    """Refuse a formula that the memory limit has no room for.

    Raises
    ------
    UnsupportedError
        It has more literals than fit.
    """
    if not fits(n_literals, limits):
        raise UnsupportedError(
            f"The formula would have {n_literals:,} literals and need about {needed_mb(n_literals):,.0f} MiB; the "
            f"limit is {limits.memory_mb:,} MiB. Lower the depth, leave columns out, or raise the memory limit."
        )


def carry_out(live: Live, constant: Diagram, work: Callable[[], None]) -> None:
    """Start from a single answer and work until everything is proved, time is up, or there is nothing left to do."""
    try:
        live.begin(constant)
        work()
    except (ProvedError, EndedError):
        pass


def message(live: Live, what: str) -> str:
    """What the user should know of the result.

    Parameters
    ----------
    what : the models that were searched, such as 'BDD of at most 3 different questions'.
    """
    said = _proof(live, what) if live.rows.complete else _heuristic(live, what)
    note = note_on(live.rows.features)
    return f"{said} {note}" if note else said


def _proof(live: Live, what: str) -> str:
    least = f"no {what} can cost less than {live.bound}."
    if live.proved:
        return f"No {what} costs less: proved."
    if live.cost - live.bound <= live.limits.gap_cost(live.problem):
        return f"Within the gap that was asked for: {least}"
    return f"{why_ended(live)}; {least}"


def _heuristic(live: Live, what: str) -> str:
    n, left_out = len(live.rows.columns), len(live.rows.features) - len(live.rows.columns)
    asked = f"{n} question{'s' * (n != 1)} of a CART tree"
    found = f"no {what} that asks only the {asked} costs less" if live.proved else f"only the {asked} were considered"
    why = "A heuristic" if live.proved else why_ended(live)
    return f"{why}: {found}; nothing is proved about the other {left_out}."


def why_ended(live: Live) -> str:
    """Why a run ended without a proof."""
    if live.stop.is_set():
        return "Stopped"
    if live.due():
        return f"The time limit of {live.limits.seconds:g} s was reached"
    return live.gave_up


def asked(n: int) -> str:
    """So many questions, in words."""
    return f"{n} different question{'s' * (n != 1)}"
