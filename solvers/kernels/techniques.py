"""The techniques of the exact tree search. All are on, unless a measurement turns some off.

They are constants of the compiled code, so they cost nothing at run time. `ESPALIER_WITHOUT` is a comma-separated list
of techniques to turn off in newly compiled code. All results stay exact; see `benchmarks.reproduce`.
"""

import os

WITHOUT = os.environ.get("ESPALIER_WITHOUT", "")
"""Read when the kernels are imported; part of the key of their cached machine code."""

_out = WITHOUT.split(",")
ENDS = "ends" not in _out
"""Monotone bound: for evaluated positions a < b, a split between them costs at least L(a) + R(b)."""
ROOTS = "roots" not in _out
"""Lower bounds of a side by its root order pass to neighbouring positions and to the level below."""
CEILINGS = "ceilings" not in _out
"""A side is solved only below its ceiling: the cost to beat less the lower bound of the other side."""
LANES = "lanes" not in _out
"""One pass over the rows evaluates many positions at depth two, instead of one."""
SHALLOW = 1 if "depth-two" in _out else 2
"""The depth that one call solves without open nodes: 2, or 1 (one threshold per node)."""
