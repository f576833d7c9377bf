"""What the methods of this package refuse."""

from ...errors import UnsupportedError
from ...problem import Limits

BYTES_A_LITERAL = 26
"""What a literal takes here and in the solver, with its share of clause heads and watches (measured: 9 to 26)."""


def needed_mb(n_literals: int) -> float:
    """What a formula of so many literals takes, in MiB."""
    return n_literals * BYTES_A_LITERAL / 2**20


def fits(n_literals: int, limits: Limits) -> bool:
    """Whether the memory limit has room for a formula."""
    return limits.memory_mb is None or needed_mb(n_literals) <= 0.8 * limits.memory_mb


def refuse_larger(n_literals: int, limits: Limits) -> None:
    """Refuse a formula that the memory limit has no room for.

    Raises `UnsupportedError` where it has more literals than fit.
    """
    if not fits(n_literals, limits):
        raise UnsupportedError(
            f"The formula would have {n_literals:,} literals and need about {needed_mb(n_literals):,.0f} MiB; the "
            f"limit is {limits.memory_mb:,} MiB. Lower the depth, leave columns out, or raise the memory limit."
        )
