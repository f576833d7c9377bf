"""The choices of the methods of this package."""

from ..base import Option
from ..bdds.sat.models import BddEncoding, OrderPolicy
from .search import SearchStrategy
from .start import Columns, Start

ENCODING = Option.among(
    "encoding",
    "Encoding",
    "How the formula ties the rows to the diagram. BDD2 is much smaller; the answer is the same.",
    {BddEncoding.BDD2: "BDD2, through the answers of each row", BddEncoding.BDD1: "BDD1, directly"},
)

ORDER = Option.among(
    "order",
    "Order of the questions",
    "In the paper any order of the chosen questions is a model of its own, so that everything is refuted many "
    "times over. One order for each choice makes proofs faster; the least cost is the same.",
    {OrderPolicy.TABLE: "that of the table", OrderPolicy.ANY: "any, as in the paper"},
)

SEARCH = Option.among(
    "search",
    "Search",
    "RC2 raises the lower bound and meets better models by chance only. The linear search lowers the incumbent "
    "until nothing cheaper is left, which proves it. The core-boosted search does both, in turns.",
    {
        SearchStrategy.CORE_BOOSTED: "from both sides, in turns",
        SearchStrategy.LINEAR: "from above alone",
        SearchStrategy.RC2: "RC2, from below alone",
    },
)

START = Option.among(
    "start",
    "Start",
    "A greedy diagram that the search has to beat, or nothing but the best single answer, as in the paper.",
    {Start.GREEDY: "a greedy one", Start.NOTHING: "nothing"},
)

COLUMNS = Option.among(
    "columns",
    "Questions to choose from",
    "All of them, or only those that a CART tree of the same depth asks: much faster on many columns, but then "
    "nothing is proved about the others.",
    {Columns.ALL: "all", Columns.CART: "those of a CART tree (heuristic)"},
)
