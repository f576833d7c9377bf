"""Running CP-SAT on the model: live incumbents and bounds, and an end soon after it is asked for."""

from solvers.methods import cp_sat
from solvers.methods.cp_sat import Ended, Values
from solvers.methods.trees.cptree.among import AmongQuestions
from solvers.methods.trees.cptree.model import CpTreeModel

EFFORT_FOR_FEWER_SPLITS = 2.0
"""How long a smaller tree of the same cost is looked for, in CP-SAT's deterministic time (about seconds), so that the
result is the same on every machine."""


def search(model: CpTreeModel, among: AmongQuestions) -> Ended:
    """Look for trees that cost less than the incumbent, until there are none, the gap is reached or the time is up.

    Returns PROVED where the search came to its end with a tree, NOTHING where it proved that there is no tree better
    than the incumbent (or none at all, if there is no incumbent), EARLY elsewhere.
    """
    context = among.context
    model.bound_objective(among.bound, None if context.cost is None else context.cost - 1)
    model.cp.minimize(model.objective)

    def found(value: Values) -> None:
        among.offer(model.read(value))

    def due() -> bool:
        among.progress()
        return context.due()

    ended, figures = cp_sat.run(model.cp, context, found, among.raise_bound, due=due, gap=context.gap)
    context.stats |= figures
    context.detail(solver=cp_sat.TITLE)
    return ended


def fewest_splits(model: CpTreeModel, among: AmongQuestions) -> bool:
    """Look for a tree of the incumbent's cost with fewer splits; whether it is proved that none has fewer."""
    context = among.context
    assert context.cost is not None and context.diagram is not None
    context.report("Proved; looking for a smaller tree of the same cost.")
    model.bound_objective(context.cost, context.cost)
    model.cp.add(model.n_splits <= context.diagram.n_splits - 1)
    model.cp.minimize(model.n_splits)

    def found(value: Values) -> None:
        among.offer(model.read(value))

    return cp_sat.run(model.cp, context, found, effort=EFFORT_FOR_FEWER_SPLITS)[0] is not Ended.EARLY
