"""The techniques of the exact search of trees, all in use unless a measurement leaves some out.

They are constants of the compiled code, so that they cost nothing. `ESPALIER_WITHOUT` names those that code which is
compiled from then on does without, with commas between. Every result stays exact; see `benchmarks.reproduce`.
"""

import os

WITHOUT = os.environ.get("ESPALIER_WITHOUT", "")
"""Read when the kernels are imported; part of the name under which their machine code is kept."""

_out = WITHOUT.split(",")
ENDS = "ends" not in _out
"""Between two evaluated positions a split costs at least the first side at the left one and the second at the right."""
ROOTS = "roots" not in _out
"""What a side costs at least with each order at its root passes to neighbouring positions, and down."""
CEILINGS = "ceilings" not in _out
"""A side is solved as far as its cost, with the least of the other one, can be part of a better tree."""
LANES = "lanes" not in _out
"""One pass over the rows evaluates many positions at depth two, and not one."""
SHALLOW = 1 if "depth-two" in _out else 2
"""The depth that is solved in one call, without open nodes: two, or one threshold a node."""
