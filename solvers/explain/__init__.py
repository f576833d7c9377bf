"""Explain which constraints conflict, what each constraint costs, and what each of its limits would cost.

    from solvers.explain import ExplainConflict, PriceConstraints, TradeConstraint, solver

    answer = ExplainConflict().answer(problem, solver("contree"), Limits(seconds=10))
    print(answer.words())               # 'These 2 constraints cannot hold together: ...'
    for repair in answer.repairs:       # each repair was verified on an actual tree
        print(repair.words(), repair.cost, repair.proved)
    problem = answer.repairs[0].apply(problem)

    PriceConstraints(solution).answer(problem, solver("contree")).prices    # savings without each, and whether it binds
    TradeConstraint(0).answer(problem, solver("contree")).points    # from no limit to the strictest possible limit

A task has `step`, the seconds per solver call, and `known`, trees and bounds from other runs on the same rows
(`KnownResult`); with the `evidence` of an earlier answer it continues from where that ended. A constraint's key is its
position in `problem.constraints` or the name of a shape field, such as 'max_depth'. The solver is any function with the
signature of a method's `run`. `WorkerPool.submit(problem, method, limits, task)` explains in a worker process.
"""

from .answers import (
    Change,
    Compromise,
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
from .conflicts import ExplainConflict
from .cores import CoreMinimality
from .evidence import KnownResult, same_question
from .inquiry import Inquiry, Optimum, Solve, solver
from .prices import PriceConstraints
from .relaxable import Key, RelaxableConstraint, by_subject, find, relaxables_of, to_problem, weaker_forms, words_of
from .tasks import Explanation, Task, TaskRecord
from .trade_offs import TradeConstraint
