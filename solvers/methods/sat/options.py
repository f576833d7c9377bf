"""The choices of the methods of this package."""

from solvers.methods.base import Option
from solvers.methods.bdds.sat.models import BddEncoding, OrderPolicy
from solvers.methods.sat.search import SearchStrategy
from solvers.methods.sat.start import Columns, Start
from solvers.methods.trees.maxsat.model import TreeEncoding

ENCODING = Option(
    name="encoding",
    label="Encoding",
    help="How the formula ties the rows to the diagram. BDD2 is much smaller; the answer is the same.",
    values=(BddEncoding.BDD2.value, BddEncoding.BDD1.value),
    default=BddEncoding.BDD2.value,
    titles=("BDD2, through the answers of each row", "BDD1, directly"),
)

TREE_ENCODING = Option(
    name="encoding",
    label="Encoding",
    help="Whether the places of the questions are fixed, as in the complete tree, or found by the solver, as in the "
    "paper. The answer is the same; fixed places are proved much faster.",
    values=(TreeEncoding.COMPLETE.value, TreeEncoding.NUMBERED.value),
    default=TreeEncoding.COMPLETE.value,
    titles=("the complete tree", "numbered nodes, as in the paper"),
)

ORDER = Option(
    name="order",
    label="Order of the questions",
    help="In the paper any order of the chosen questions is a model of its own, so that everything is refuted many "
    "times over. One order for each choice makes proofs faster; the least cost is the same.",
    values=(OrderPolicy.TABLE.value, OrderPolicy.ANY.value),
    default=OrderPolicy.TABLE.value,
    titles=("that of the table", "any, as in the paper"),
)

SEARCH = Option(
    name="search",
    label="Search",
    help="RC2 raises the lower bound and meets better models by chance only. The linear search lowers the incumbent "
    "until nothing cheaper is left, which proves it. The core-boosted search does both, in turns.",
    values=(SearchStrategy.CORE_BOOSTED.value, SearchStrategy.LINEAR.value, SearchStrategy.RC2.value),
    default=SearchStrategy.CORE_BOOSTED.value,
    titles=("from both sides, in turns", "from above alone", "RC2, from below alone"),
)

START = Option(
    name="start",
    label="Start",
    help="A greedy diagram or tree that the search has to beat, or nothing but the best single answer, as in the "
    "papers.",
    values=(Start.GREEDY.value, Start.NOTHING.value),
    default=Start.GREEDY.value,
    titles=("a greedy one", "nothing"),
)

COLUMNS = Option(
    name="columns",
    label="Questions to choose from",
    help="All of them, or only those that a CART tree of the same depth asks: much faster on many columns, but then "
    "nothing is proved about the others.",
    values=(Columns.ALL.value, Columns.CART.value),
    default=Columns.ALL.value,
    titles=("all", "those of a CART tree (heuristic)"),
)
