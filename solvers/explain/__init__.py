"""Why constraints cannot hold together, what each of them costs, and what each of its limits would cost.

    from solvers.explain import conflict, find, price, solver, trade_off

    answer = conflict(problem, solver("contree"), Limits(seconds=10))
    print(answer.words())               # 'These 2 constraints cannot hold together: ...'
    for repair in answer.repairs:       # each was checked by a tree that exists
        print(repair.words(), repair.cost, repair.proved)
    problem = answer.repairs[0].apply(problem)

    price(problem, solution, solver("contree")).prices     # what is saved without each constraint, and whether it binds
    trade_off(problem, find(problem, 0), solver("contree")).points      # from no limit to the strictest possible one

All three take limits for the whole, `stop`, seconds for each question to the solver (`step`), `tell`, which is called
with what is known so far, and `known`: trees and bounds that others found on the same rows (`KnownResult`), such as the
`evidence` of an earlier answer, so that a second call continues from where the first one ended. What may be relaxed is
a constraint of the problem, or a limit of its shape: its key is its position in `problem.constraints`, or the name of a
field, such as 'max_depth'. The solver is any function with the signature of a method's `run`.

In a process of its own an explanation is a job, `WorkerPool.submit(problem, method, limits, task)`, whose task is
`ExplainConflict()`, `PriceConstraints(solution)` or `TradeConstraint(key)`, and `Snapshot.answer` is the answer so far.
"""

from .answers import (
    Change,
    Conflict,
    Part,
    Point,
    Price,
    Prices,
    Repair,
    TradeOff,
)
from .conflicts import conflict
from .cores import Extent
from .evidence import KnownResult, same_question
from .inquiry import Inquiry, Optimum, Solve, solver
from .nearest import Nearest, nearest
from .prices import price
from .relaxable import Key, RelaxableConstraint, find, relaxables_of, to_problem, weaker_forms
from .tasks import (
    ExplainConflict,
    PriceConstraints,
    Task,
    TradeConstraint,
)
from .trade_offs import trade_off
