"""How a call of a kernel ended. A kernel that returns a number of items returns minus the status if it has none."""

DONE = 0
"""The work has ended."""
RUNNING = 1
"""The work of this call is used up; the next call continues."""
STOPPED = 2
"""Stopped from outside."""
FULL = 3
"""More memory is needed: the driver enlarges the arrays and calls again."""
FOUND = 4
"""An answer was found; the next call looks for another one."""
