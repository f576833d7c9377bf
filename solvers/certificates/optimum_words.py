"""The claim of a certificate in words: all that a reader has to agree with.

A name that is not a single word is quoted, so that no two names look alike. Splits and constraints are described by
their effect on the table, not by internal numbers.
"""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np

from .optimum_bounds import KNOWN, MISSING, RejectedError, whole

MAIN, CASES, WORDS, README = "optimum.json", "cases.csv", "tree.txt", "README.md"
"""The files of a certificate: the claim, the cases, the tree in words, and the text to read first."""

_WORD = re.compile(r"(?!(?:and|answered|earlier|is|known|less|missing|not|nothing|or)$)[\w.]+")
_UNSEEN = set("\u115f\u1160\u3164\uffa0")
"""Letters without a visible glyph."""

_MOST_LETTERS, _FARTHEST = 10**7, 4e6
"""The maximum length of a constraint in words, and the largest distance of dates from 1970 in days."""


def name(text: str) -> str:
    """A column, level or class: unchanged if it is one word and not a keyword here, otherwise quoted."""
    if _UNSEEN & set(text):
        return ascii(text)
    return text if _WORD.fullmatch(text) and unicodedata.normalize("NFKC", text) == text else repr(text)


def either(texts: Any) -> str:
    """Join names with 'or'."""
    return " or ".join(map(name, texts)) or "nothing"


def rows_of(claim: Any) -> list[slice]:
    """The rows of the table that the certificate covers."""
    rows = [slice(whole(first) - 1, whole(last)) for first, last in claim["table"]["rows"]]
    if any(not 0 <= one.start <= one.stop for one in rows):
        raise RejectedError("Rows are counted from 1, and the first comes before the last.")
    return rows


def n_rows_of(claim: Any) -> int:
    """The number of these rows."""
    return sum(one.stop - one.start for one in rows_of(claim))


def splits(tree: Any) -> int:
    """The number of splits of a tree."""
    return 0 if "class" in tree else 1 + splits(tree["low"]) + splits(tree["high"])


def depth_of(tree: Any) -> int:
    """The depth of a tree."""
    return 0 if "class" in tree else 1 + max(depth_of(tree["low"]), depth_of(tree["high"]))


def smaller_trees(claim: Any) -> list[tuple[int, int | None]]:
    """The kinds of trees claimed to cost more: their maximum depth and, if limited, maximum number of splits."""
    depth, n = depth_of(claim["tree"]), splits(claim["tree"])
    found = [(depth - 1, claim["max_splits"])] if claim["shallowest"] and depth else []
    return found + ([(depth if claim["shallowest"] else claim["depth"], n - 1)] if claim["fewest"] and n else [])


def describe_smaller(depth: int, most: int | None) -> str:
    """Describe these trees."""
    return f"tree of depth at most {depth}" + ("" if most is None else f" with at most {most} splits")


def ranks_of(keys: np.ndarray, order: Any) -> np.ndarray:
    """Ranks of numbers, equal if no allowed threshold separates them; missing values are always separate."""
    values, place = np.unique(keys, return_inverse=True)
    if order["within"] is None:
        return place.ravel()
    low, high, unit = order["within"]
    apart = [0]
    for value, following in zip(values[:-1].tolist(), values[1:].tolist(), strict=True):
        least = Fraction(repr(max(value, low)))
        least = least if unit is None else -(-least // Fraction(unit)) * Fraction(unit)
        missing = value == -MISSING or following == MISSING
        apart.append(missing or (least < Fraction(repr(following)) and least <= Fraction(repr(high))))
    return np.cumsum(apart)[place.ravel()]


def in_words(tree: Any, claim: Any, indent: str = "") -> str:
    """The text of a tree in `tree.txt`; `RejectedError` if a threshold is not allowed."""
    if "class" in tree:
        return f"{indent}{name(claim['table']['outcome'])} = {name(claim['classes'][tree['class']])}\n"
    order, bound = claim["orders"][tree["order"]], float(tree["bound"])
    missing, valued = order["missing"] is not None and order["missing"] <= bound, -MISSING < bound < KNOWN
    if not valued:
        test = "is missing" if missing else "is known"
    elif order["levels"]:
        test = f"is {either(level for level, place in order['levels'].items() if place <= bound)}"
    else:
        limit = format_bound(bound, order)
        test = f"is {limit} or earlier" if order["dates"] else f"is at most {limit}"
    if order["within"] is not None and valued:
        low, high, unit = order["within"]
        if not low <= bound <= high or (unit is not None and Fraction(repr(bound)) % Fraction(unit)):
            raise RejectedError("A threshold of the tree is not allowed.")
    test += ", or missing" if missing and valued else ""
    low, high = (in_words(tree[side], claim, indent + "    ") for side in ("low", "high"))
    fixed = " (fixed)" if tree.get("fixed") is True else ""
    return f"{indent}if {name(order['column'])} {test}:{fixed}\n{low}{indent}else:\n{high}"


def format_bound(value: float, order: Any, up: bool = False) -> str:
    """A value of an order in words; dates with time, rounded down to the microsecond, or up if `up`.

    A time is read as a float number of days, so moments are compared after this conversion.
    """
    if not order["dates"]:
        return repr(value)
    if not abs(value) < _FARTHEST:
        raise RejectedError(f"{value!r} days from 1970 is not a date.")
    # start beyond all moments with the same float, which are fewer than a hundred for the farthest dates
    moment = round(Fraction(value) * 86_400_000_000) + (-500 if up else 500)
    while moment / 86400e6 < value if up else moment / 86400e6 > value:
        moment += 1 if up else -1
    return str(np.datetime64(moment, "us")).removesuffix(".000000").removesuffix(":00")


def describe_order(order: Any) -> str:
    """Describe what the splits of an order distinguish."""
    missing, about = order["missing"], ["dates"] * order["dates"]
    if order["levels"]:
        levels = [(name(level), place) for level, place in order["levels"].items()]
        levels += [] if missing is None else [("(missing)", missing)]
        ranks = ranks_of(np.array([place for _, place in levels], float), order)
        groups = [[level for (level, _), own in zip(levels, ranks, strict=True) if own == r] for r in np.unique(ranks)]
        each = [*min(groups, key=len), "not"] if len(groups) == 2 else [" < ".join(map(" or ".join, groups))]
        about.append(" or ".join(each) + " (not distinguished)" * (len(groups) == 1))
    else:
        if missing is not None:
            place = {-MISSING: "first", MISSING: "last"}.get(missing)
            about.append(f"missing: {place or format_bound(missing, order)}")
        low, high, unit = order["within"] or (-MISSING, MISSING, None)
        limits = [f"at least {format_bound(low, order, True)}"] if low > -MISSING else []
        limits += [f"at most {format_bound(high, order)}"] if high < MISSING else []
        about += ["no thresholds"] if low > high else limits
        about += [] if unit is None else [f"multiples of {unit}"]
    return f"{name(order['column'])} ({', '.join(about)})" if about else name(order["column"])


_README = f"""\
# A certificate of optimality

{{statement}}
{{folded}}
Costs are whole numbers. Check the certificate with Python and numpy:

    python check.py THIS_FILE_OR_FOLDER
    python check.py THIS_FILE_OR_FOLDER TABLE.csv

The second command computes the cases from the table itself. `check.py` explains how it computes its bound. It shares no
code with the search that found the tree.

- `{MAIN}`: the claim, and the tree over the orders of questions.
- `{CASES}`: the distinct cases of the table, without values. `rank_o` is the number of questions of order o that a case
  answers with no. `rows` is the number of its rows, `class_k` the weight of its rows of class k, and `group_g` the
  weight of its rows in group g, which constraints use.
- `{WORDS}`: the tree in words. `tree.json`: a model file for programs, which is not checked.
"""

_FOLDED = """
The tree is a BDD or a decision diagram, unfolded: nodes that several paths share are repeated on each path. A BDD or
diagram of this depth unfolds to a tree of this depth with the same predictions, so the bound on trees holds for it.
"""


def readme(claim: Any, cost: int) -> str:
    """The whole text of `README.md`, which follows from the claim."""
    return _README.format(statement=statement(claim, cost), folded=_FOLDED if claim["folded"] else "")


def statement(claim: Any, cost: int) -> str:
    """The claim on one line."""
    rows, about, named = rows_of(claim), claim["table"], list(map(name, claim["classes"]))
    again = any(one.stop > following.start for one, following in pairwise(rows))
    which = f"{n_rows_of(claim)} rows{', some of them counted several times,' * again}"
    allowed = f"of depth at most {claim['depth']}"
    for limit, unit in (("least_rows", "rows"), ("least_weight", "units of weight")):
        allowed += f" with at least {claim[limit]} {unit} in each leaf" if claim[limit] > 1 else ""
    allowed += "" if claim["max_splits"] is None else f" and at most {claim['max_splits']} splits"
    allowed += " that satisfies the constraints" if claim["sums"] else ""
    than = f" than {cost - claim['gap']}, so it is optimal up to a gap of {claim['gap']}" if claim["gap"] else ""
    paid = {(i, j): cost for i, row in enumerate(about["class_costs"]) for j, cost in enumerate(row) if cost or i != j}
    alike = all(i != j and cost == claim["scale"] for (i, j), cost in paid.items())
    dear = [f"one of {named[i]} predicted as {named[j]} costs {cost}" for (i, j), cost in paid.items()]
    words = [f"For {which} the tree costs {cost}, and no tree {allowed} costs less{than}."]
    words += [f"No {describe_smaller(*one)} has a cost as low." for one in smaller_trees(claim)]
    words += [f"The outcome is {name(about['outcome'])}, predicted as {' or '.join(named)}."]
    words += [f"No row is {' or '.join(named[k] for k in about['absent'])}."] if about["absent"] else []
    words += [f"An error costs {claim['scale']}." if alike else f"Of the rows, {', '.join(dear)}."]
    words += [f"A cost of {claim['scale']} is one unit."] if not alike and claim["scale"] > 1 else []
    if (weights := about["weights"]) is not None:
        words += ["The cost of a row is multiplied by its weight."]
        words += [f"Rows weigh {min(weights)} to {max(weights)}, {sum(weights)} in all."]
    words += [f"A split costs {claim['price']}."] if claim["price"] else []
    words += [f"Splits use {', '.join(dict.fromkeys(map(describe_order, claim['orders'])))}."]
    if any(one["missing"] is not None for one in claim["orders"]) or any(one["where"] for one in claim["groups"]):
        places = [*claim["orders"], *(where for one in claim["groups"] for where in one["where"])]
        levels = [(level, one["column"]) for one in places for level in one["levels"] or ()]
        levels = [(level, column) for level, column in dict.fromkeys(levels) if level.lower() in about["missing"]]
        unless = "".join(f", but {level!r} is a level of {name(column)}" for level, column in levels)
        words += [f"Missing values are written as {', '.join(map(repr, about['missing']))}{unless}."]
    words += ["Every tree begins with the splits marked as fixed."] if claim["tree"].get("fixed") is True else []
    # otherwise a split with an empty side could satisfy a path rule without any effect
    words += ["Both sides of each split have rows."] if claim["rules"] else []
    for rule in claim["rules"]:
        if "first" in rule:
            words.append(f"The first split is on {either(rule['first'])}.")
        elif "below" in rule:
            where = "only below" if rule["only"] else "never below"
            words.append(f"Splits on {name(rule['column'])} are {where} a split on {name(rule['below'])}.")
        else:
            each = "; ".join(f"{either(group)} {paid}" for group, paid in rule["costs"])
            words.append(f"The splits on a path cost at most {rule['most']}: {each}.")
    words += [f"Constraint: {describe_constraint_in(one, claim)}." for one in claim["sums"]]
    words += [f"Not checked: whether the tree satisfies {one!r}." for one in claim["left_out"]]
    return " ".join(words)


def describe_constraint_in(one: Any, claim: Any) -> str:
    """A constraint on predictions as a formula over weights of rows."""

    @cache
    def group(number: int) -> str:
        of = claim["groups"][number]
        words = [f"{name(claim['table']['outcome'])} = {either(claim['classes'][whole(k)] for k in of['classes'])}"]
        for where in of["where"]:
            low, high, text = where["low"], where["high"], name(where["column"])
            if where["levels"]:
                levels = either(level for level, place in where["levels"].items() if low <= place <= high)
                words.append(f"{text} = {levels}")
            else:
                text += f" from {format_bound(low, where, True)}" if low > -KNOWN else ""
                words.append(text + (f" to {format_bound(high, where)}" if high < KNOWN else ""))
        return " and ".join(words)

    terms = []
    for times, rows, answers, of in one["terms"]:
        who = f"{group(rows)}; predicted {either(claim['classes'][answer] for answer in answers)}"
        terms.append(f"{times} x weight({who})" + ("" if of is None else f" / weight({group(of)})"))
        if len(terms) * len(terms[-1]) > _MOST_LETTERS:
            raise RejectedError("A constraint is too long to be written out.")
    return f"{' + '.join(terms)} <= {one['most']}"
