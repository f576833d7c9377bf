"""`verify`: recompute what a solution claims, from the model and the data alone."""

import argparse

from solvers.cli.solved import solved
from solvers.metrics import verify


def run(options: argparse.Namespace) -> int:
    """Carry out `verify`; 0 where every check holds, 1 where one fails."""
    problem, solution, *_ = solved(options.solution, options.data)
    verification = verify(problem, solution)
    for check in verification.checks:
        print(f"{'ok    ' if check.ok else 'FAILED'}  {check.name}: {check.detail}")
    claim = f"{solution.status}, cost {solution.cost}, bound {solution.bound}"
    print(f"{'Verified' if verification.ok else 'NOT VERIFIED'}: {claim}.")
    return 0 if verification.ok else 1
