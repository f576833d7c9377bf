"""Why a problem has no solution: a smallest set of wishes in conflict, what each would have to give, and repairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from solvers.explain.answers import Change, Conflict, Part, Repair
from solvers.explain.cores import Core, find_core, smallest_hitting_set
from solvers.explain.inquiry import STEP, Inquiry, Solve
from solvers.explain.nearest import Nearest, nearest
from solvers.explain.wishes import MORE_LEVELS, Wish, wishes_of
from solvers.problem import Limits, Problem
from solvers.solution import Status, Stop

MOST_CONFLICTS = 8
"""So many conflicts of one problem are looked for."""


def conflict(
    problem: Problem,
    solve: Solve,
    limits: Limits | None = None,
    stop: Stop | None = None,
    tell: Callable[[Conflict], None] | None = None,
    step: float = STEP,
) -> Conflict:
    """Explain why a problem has no solution.

    Parameters
    ----------
    problem : what is asked.
    solve : a solver that proves infeasibility, such as `solver("contree")`.
    limits : for the explanation as a whole.
    stop : ends it; what is known by then is the answer.
    tell : is called with what is known so far.
    step : seconds for each question to the solver.

    Returns
    -------
    Conflict, of which every repair was checked by a tree that exists.

    Raises
    ------
    UnsupportedError
        The solver cannot take this problem.
    """
    return _Explaining(Inquiry(problem, solve, limits, stop, step), tell or (lambda answer: None)).run()


class _Explaining:
    """One explanation on its way."""

    def __init__(self, inquiry: Inquiry, tell: Callable[[Conflict], None]) -> None:
        self.inquiry, self.tell = inquiry, tell
        every = wishes_of(inquiry.problem)
        self.lasting = tuple(wish for wish in every if wish.lasting)
        self.wishes = tuple(wish for wish in every if not wish.lasting)
        self.answer = Conflict(Status.NO_SOLUTION, complete=False)

    def run(self) -> Conflict:
        """Find the conflict, then its parts, then repairs, telling each."""
        search = find_core(self.inquiry, self.wishes, self.lasting)
        if search.core is None:
            self._say(status=Status.NO_SOLUTION if search.diagram is None else Status.FEASIBLE, complete=True)
            return self.answer
        core = search.core
        self._say(status=Status.INFEASIBLE, parts=tuple(Part(wish) for wish in core.wishes), extent=core.extent)
        for wish in core.wishes:
            self._weigh(wish, core)
        for wish in core.wishes:
            self._offer(self._changes((wish,)))
        self._deepen(core)
        if not self.answer.repairs:
            self._offer(self._changes(self._fewest(core)))
        self._say(complete=True)
        return self.answer

    def _weigh(self, wish: Wish, core: Core) -> None:
        """Find what a wish would have to give for the others of the conflict."""
        others = [other for other in core.wishes if other is not wish]
        found = nearest(self.inquiry, wish, [*others, *self.lasting])
        parts = tuple(Part(wish, found.wish, found.proved) if p.wish is wish else p for p in self.answer.parts)
        self._say(parts=parts)

    def _deepen(self, core: Core) -> None:
        """Find whether a deeper model would do; the layers of a skeleton are as many as they are."""
        shape = self.inquiry.problem.shape
        for wish in self.lasting if shape.widths is None else ():
            found = nearest(self.inquiry, wish, core.wishes)
            if found.wish is not None:
                self._say(parts=(*self.answer.parts, Part(wish, found.wish, found.proved)))
                self._offer(self._with(self.wishes, (Change(wish, found.wish),), found.proved))
            elif found.proved:
                self._note(f"Nor would a {shape.kind.noun} that is {MORE_LEVELS} levels deeper do.")
            else:
                self._note(f"Whether a deeper {shape.kind.noun} would do was not decided in time.")

    def _offer(self, repairs: Iterator[Repair]) -> None:
        """Add repairs as they are found; those that were told keep their places, so that a click cannot miss."""
        for repair in repairs:
            self._say(repairs=(*self.answer.repairs, repair))

    def _fewest(self, core: Core) -> tuple[Wish, ...]:
        """The fewest wishes without which no conflict is left; none where that was not decided.

        Whatever is dropped must break each conflict: either a smallest such choice does, or it leaves another conflict.
        """
        conflicts = [core.wishes]
        for _ in range(MOST_CONFLICTS):
            sets = [frozenset(self.wishes.index(wish) for wish in one) for one in conflicts]
            dropped = tuple(self.wishes[i] for i in smallest_hitting_set(sets, len(self.wishes)))
            search = find_core(self.inquiry, [w for w in self.wishes if w not in dropped], self.lasting)
            if search.diagram is not None:
                return dropped
            if search.core is None:
                break
            conflicts.append(search.core.wishes)
            self._say(further=tuple(conflicts[1:]))
        self._note("Which wishes have to give way together was not decided in time.")
        return ()

    def _changes(self, given: tuple[Wish, ...]) -> Iterator[Repair]:
        """The repairs in which these wishes give way: to weaker ones, and altogether."""
        kept = tuple(wish for wish in self.wishes if wish not in given)
        possible = self.inquiry.possible([*kept, *self.lasting]) if given else False
        if possible is None:
            words = "', '".join(wish.words for wish in given)
            self._note(f"Whether it is enough that '{words}' gives way was not decided in time.")
        if not possible:
            return
        changes: list[Change] = []
        founds: list[Nearest] = []
        for wish in given:
            rest = [change.weaker for change in changes if change.weaker is not None]
            # those that come later are left out for now, so that the first gives least
            found = nearest(self.inquiry, wish, [*kept, *rest, *self.lasting])
            founds.append(found)
            changes.append(Change(wish, None if found.vacuous else found.wish))
        if any(change.weaker is not None for change in changes):
            yield from self._with(kept, tuple(changes), all(found.proved for found in founds))
        yield from self._with(kept, tuple(Change(wish) for wish in given), True)

    def _with(self, kept: Sequence[Wish], changes: tuple[Change, ...], proved: bool) -> Iterator[Repair]:
        """The repair with these changes, if the solver finds a tree for it in time."""
        changed = {change.wish.key for change in changes}
        lasting = [wish for wish in self.lasting if wish.key not in changed]
        weaker = [change.weaker for change in changes if change.weaker is not None]
        wishes = [*kept, *weaker, *lasting]
        optimum = self.inquiry.optimum(wishes)
        if optimum.cost is not None:
            yield Repair(changes, optimum.cost, optimum.bound, proved)

    def _note(self, text: str) -> None:
        self._say(notes=(*self.answer.notes, text))

    def _say(self, **more: object) -> None:
        self.answer = replace(self.answer, **more, seconds=self.inquiry.clock.elapsed)
        self.tell(self.answer)
