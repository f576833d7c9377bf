"""`verify`: recompute the claims of a solution, from the model and the data alone."""

from ..metrics import verify
from .app import Verify
from .inputs import solved


def run(asked: Verify) -> int:
    """Run `verify`; returns 0 if every check passes, 1 if one fails."""
    problem, found, *_ = solved(asked.solution, asked.data)
    verification = verify(problem, found)
    for check in verification.checks:
        print(f"{'ok    ' if check.ok else 'FAILED'}  {check.name}: {check.detail}")
    claim = f"{found.status}, cost {found.cost}, bound {found.bound}"
    print(f"{'Verified' if verification.ok else 'NOT VERIFIED'}: {claim}.")
    return 0 if verification.ok else 1
