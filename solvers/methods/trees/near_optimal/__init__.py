"""All trees that are nearly as good as the best one: counted, summarised, and listed in order of cost.

`enumeration.near_trees` finds them. Its result types are here, so that they can be displayed without the compiled
search.
"""

from .near_set import LISTED, ColumnUse, NearSet, NearTree, SizeCount, TreeFilter
