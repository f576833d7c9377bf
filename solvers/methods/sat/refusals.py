"""The memory limits of the methods by SAT and MaxSAT."""

from ...errors import UnsupportedError
from ...problem import Limits

BYTES_A_LITERAL = 26
"""Bytes per literal, here and in the solver, including clause headers and watches (measured: 9 to 26)."""


def needed_mb(n_literals: int) -> float:
    """The memory for a formula with this many literals, in MiB."""
    return n_literals * BYTES_A_LITERAL / 2**20


def fits(n_literals: int, limits: Limits) -> bool:
    """Whether a formula fits within the memory limit."""
    return limits.memory_mb is None or needed_mb(n_literals) <= 0.8 * limits.memory_mb


def refuse_larger(n_literals: int, limits: Limits) -> None:
    """Refuse a formula that does not fit within the memory limit.

    Raises `UnsupportedError` if it has too many literals.
    """
    if not fits(n_literals, limits):
        raise UnsupportedError(
            f"The formula would have {n_literals:,} literals and need about {needed_mb(n_literals):,.0f} MiB; the "
            f"limit is {limits.memory_mb:,} MiB. Lower the depth, leave columns out, or raise the memory limit."
        )
