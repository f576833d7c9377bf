"""The words of the control array that the search and its driver share.

The driver writes `STOP`; everything else is written by the search and may be read at any time: a word is read and
written whole on the machines that numba supports.
"""

STOP = 0
"""Set to 1 to end soon: an aborted part records nothing."""
WORK = 1
"""Elements scanned so far, a measure of time."""
LEVEL = 2
"""The open node that works; -1 when the search has ended."""
COST = 3
"""The cost of the incumbent: the ceiling at first, then that of the best tree found."""
BOUND = 4
"""A lower bound on the cost of every tree of the asked depth."""
FOUND = 5
"""How often the incumbent was improved."""
NODES = 6
"""Splits evaluated above depth two."""
PAIRS = 7
"""Calls of the depth-two solver."""
GAP = 8
"""The search ends when incumbent and bound are no further apart."""
SPLIT = 9
"""The cost of a split, in the unit of the costs; one more where `UNIT` is more than 1."""
LEAST_ROWS = 10
"""The least number of rows of a leaf."""
LEAST_WEIGHT = 11
"""The least weight of a leaf."""
ALONE = 12
"""Set where one position of the root is evaluated for another search: the work ends when it is."""
RULED = 13
"""Set where path rules forbid a question somewhere, or questions have prices."""
PRICED = 14
"""What a row can pay for the questions on a path at most, a unit of `Rows.tested`; 0 without prices."""
UNIT = 15
"""What a unit of cost counts: 1, or more than any tree has splits, each of which then counts 1 besides its cost.

So the least cost goes before the fewest splits. Weights, and what the lane scans count, stay in units of cost.
"""
CHAIN = 16
"""Set where one side of every split must be a leaf."""
OPEN_SHARE = 17
"""Of 1,024 orders how many a joint pass leaves open, by those of late; see `joint_pass`."""
WAITED = 18
"""How many sweeps were begun without a joint pass since the last one."""
CLIMB = 19
"""The least by which the ceiling of the root grows; 0 where it is the cost to beat from the start."""
