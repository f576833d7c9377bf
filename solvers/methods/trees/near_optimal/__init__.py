"""All trees that are nearly as good as the best one: counted, summed up, and listed from the cheapest on.

`enumeration.near_trees` finds them; its results are here, so that they can be shown without the compiled search.
"""

from .near_set import LISTED, ColumnUse, NearSet, NearTree, SizeCount, TreeFilter
