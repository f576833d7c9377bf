"""Explain which constraints conflict, what each constraint costs, and what each of its limits would cost.

    from solvers.explain import conflict, find, price, solver, trade_off

    answer = conflict(problem, solver("contree"), Limits(seconds=10))
    print(answer.words())               # 'These 2 constraints cannot hold together: ...'
    for repair in answer.repairs:       # each repair was verified on an actual tree
        print(repair.words(), repair.cost, repair.proved)
    problem = answer.repairs[0].apply(problem)

    price(problem, solution, solver("contree")).prices     # savings without each constraint, and whether it is binding
    trade_off(problem, find(problem, 0), solver("contree")).points      # from no limit to the strictest possible limit

All three functions take limits for the whole explanation, `stop`, the seconds per solver call (`step`), and `tell`,
a callback that receives partial results. They also take `known`: trees and bounds from other runs on the same rows
(`KnownResult`). Pass the `evidence` of an earlier answer to continue from where it ended. A relaxable constraint is a
constraint of the problem or a limit of its shape. Its key is its position in `problem.constraints` or the name of a
shape field, such as 'max_depth'. The solver is any function with the signature of a method's `run`.

To explain in a worker process, call `WorkerPool.submit(problem, method, limits, task)` with the task
`ExplainConflict()`, `PriceConstraints(solution)` or `TradeConstraint(key)`. `Snapshot.answer` is the answer so far.
"""

from .answers import (
    Change,
    Conflict,
    Part,
    Point,
    Price,
    Prices,
    RateCurve,
    RatePoint,
    Repair,
    TradeOff,
)
from .conflicts import conflict
from .cores import CoreMinimality
from .evidence import KnownResult, same_question
from .inquiry import Inquiry, Optimum, Solve, solver
from .nearest import Nearest, nearest
from .prices import price
from .relaxable import Key, RelaxableConstraint, by_subject, find, relaxables_of, to_problem, weaker_forms, words_of
from .tasks import (
    ExplainConflict,
    PriceConstraints,
    Task,
    TradeConstraint,
)
from .trade_offs import trade_off
