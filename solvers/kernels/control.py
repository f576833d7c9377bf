"""The fields of the control array, int64 (CONTROL_FIELDS,), that the search and its driver share.

The driver writes `STOP`, the search all other fields. They may be read at any time: reads and writes of a field are
atomic on the machines that numba supports.
"""

STOP = 0
"""Set to 1 to stop soon. A node that is interrupted records nothing."""
WORK = 1
"""Elements scanned so far: the measure of work."""
LEVEL = 2
"""The level of the current open node; -1 after the search has ended."""
COST = 3
"""The cost of the incumbent; the initial ceiling until a tree is found."""
BOUND = 4
"""A lower bound on the cost of every tree of the requested depth."""
FOUND = 5
"""The number of improvements of the incumbent."""
NODES = 6
"""The number of splits evaluated above depth two."""
PAIRS = 7
"""The number of calls of the depth-two solver."""
GAP = 8
"""The search ends if the incumbent minus the lower bound is at most this."""
SPLIT = 9
"""The split penalty in scaled units (see `UNIT`); 1 more if `UNIT` is more than 1."""
LEAST_ROWS = 10
"""The minimum number of rows of a leaf."""
LEAST_WEIGHT = 11
"""The minimum weight of a leaf."""
ALONE = 12
"""Set if one position of the root is evaluated for another search: the work ends after that position."""
RULED = 13
"""Set if path rules forbid some split, or if splits have test costs."""
PRICED = 14
"""The maximum test cost of a path per unit of `RankedRows.tested`; 0 without test costs."""
UNIT = 15
"""The scaled units in a unit of cost: 1, or more than the number of splits of any tree, so that each split adds 1.

The search then minimises the cost first and the number of splits second. Weights and the sums of the lane scans are in
plain units of cost.
"""
CHAIN = 16
"""Set if one side of every split must be a leaf."""
OPEN_SHARE = 17
"""A moving average, out of 1,024: how many orders a joint pass leaves open; see `joint_pass`."""
WAITED = 18
"""The number of sweeps since the last joint pass."""
CLIMB = 19
"""The minimum step by which the ceiling of the root grows; 0 if it is the cost to beat from the start."""
PUREST = 20
"""Set if large nodes evaluate the purest split of each order first, see `prepare.find_purest`."""
FREE = 21
"""What the first split of a tree costs less than every other one, in scaled units."""
