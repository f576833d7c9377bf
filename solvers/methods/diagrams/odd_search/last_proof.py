"""Running CP-SAT on what the bounds leave open, with live incumbents and bounds and a soft stop."""

from solvers.methods import cp_sat
from solvers.methods.diagrams.draft import DiagramDraft, leaf_arc
from solvers.methods.diagrams.odd_search.grid import DiagramGrid
from solvers.methods.diagrams.odd_search.model import MOST_LITERALS, Model, n_literals
from solvers.methods.diagrams.odd_search.offers import GridOffers


def fits(grid: DiagramGrid) -> bool:
    """Whether a model of this size is built; it needs the whole skeleton in the frame of the search."""
    return n_literals(grid) <= MOST_LITERALS and len(grid.frame.layer) == sum(grid.widths)


def prove(offers: GridOffers) -> None:
    """Look for diagrams better than the incumbent until there are none, or it is time to end."""
    grid, context = offers.grid, offers.context
    model = Model(grid)
    if context.cost is not None:
        model.cp.add(model.objective <= context.cost - grid.constant - 1)
    model.cp.add(model.objective >= (context.bound or 0) - grid.constant)
    model.cp.minimize(model.objective)

    def raise_bound(bound: int) -> None:
        """A bound of what is better than the incumbent, which bounds everything up to the incumbent's cost."""
        bound += grid.constant
        context.raise_bound(bound if context.cost is None else min(bound, context.cost))

    def found(value: cp_sat.Values) -> None:
        solution = model.read(value)
        offers.offer(DiagramDraft([], leaf_arc(solution)) if isinstance(solution, int) else grid.draft(solution))

    def due() -> bool:
        context.progress(stats=dict(context.stats))
        return context.due()

    ended, _ = cp_sat.run(model.cp, context, found, raise_bound, due=due)
    context.detail(solver=cp_sat.TITLE)
    if ended is cp_sat.Ended.NOTHING:
        if context.cost is None:
            # what the model leaves out only forbids more
            context.refute(solver=cp_sat.TITLE)
        else:
            context.raise_bound(context.cost)
