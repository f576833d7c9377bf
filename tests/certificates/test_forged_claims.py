"""Claims whose words fit, and which would be read otherwise than they are told: none may pass as a proof."""

from __future__ import annotations

import json
from typing import Any

import pytest

from solvers.certificates.optimum_bounds import RejectedError
from solvers.certificates.optimum_checker import (
    CASES,
    FORMAT,
    MAIN,
    README,
    VERSION,
    WORDS,
    check,
    check_forms,
    in_words,
    printable,
    statement,
)

TABLE = "x,z,y\n0,5,a\n0,6,a\n0,5,a\n1,5,b\n1,6,b\n"
"""A question about x makes no mistake, and the answer a two."""

X = {"column": "x", "levels": None, "dates": False, "missing": None, "within": None}
HIDDEN = {"class": 0, "fixed": True, "order": 1, "last": 0, "bound": 5.5, "low": {"class": 0}, "high": {"class": 0}}
MANY = {"classes": [0], "where": []}


def claim(about: dict[str, Any] | None = None, **told: Any) -> dict[str, Any]:
    """That no tree of depth one costs less than the answer a, which is told in what is not given."""
    table = {"outcome": "y", "rows": [[1, 5]], "weights": None, "class_costs": [[0, 1], [1, 0]], "missing": []}
    return {
        "format": FORMAT, "version": VERSION, "depth": 1, "least_rows": 1, "least_weight": 0, "price": 0, "scale": 1,
        "max_splits": None, "more": 0, "parts": 1, "groups": [], "sums": [], "multipliers": [], "left_out": [],
        "gap": 0, "classes": ["a", "b"], "table": {**table, **(about or {})}, "orders": [X, {**X, "column": "z"}],
        "rules": [], "tree": {"class": 0}, **told,
    }  # fmt: skip


def proves(told: dict[str, Any], cost: int, table: str = TABLE) -> bool:
    """Whether it is taken for a proof of this cost, its words being those that belong to it."""
    words = {README: statement(told, cost).encode(), WORDS: in_words(told["tree"], told).encode()}
    found = check({**words, MAIN: json.dumps(told).encode(), CASES: b"rank_0,rows,weight\n"}.__getitem__, table=table)
    return found.proved


def rule(**told: object) -> dict[str, Any]:
    """A rule of paths about x."""
    return {"rules": [{"column": "x", **told}], "depth": 2}


def limit(most: object, times: object = "1") -> dict[str, Any]:
    """A constraint that leaves nothing out."""
    return {"groups": [MANY], "sums": [{"terms": [[times, 0, [1], None]], "most": most}], "multipliers": [0]}


FORGED = {
    "fewer answers than classes": claim({"class_costs": [[0], [1]]}),
    "hidden fixed questions": claim(tree=HIDDEN),
    "costs that are no whole numbers": claim({"class_costs": [[0, 0.9], [0.4, 0]]}),
    "a rule that is neither true nor false": claim(**rule(below="z", only=0)),
    "a column that is a number": claim(**rule(below=0, only=True)),
    "levels in words": claim(orders=[{**X, "levels": {"0": "9", "1": "10"}}]),
    "levels that no float tells apart": claim(orders=[{**X, "levels": {"0": 2**53, "1": 2**53 + 1}}]),
    "classes as one word": claim(classes="ab"),
    "marks as one word": claim({"missing": "120"}),
    "a limit in floats": claim(**limit(0.3)),
    "a limit that takes for ever": claim(**limit("1e400000000")),
    "a factor in floats": claim(**limit("9", 0.3)),
    "a unit in floats": claim(orders=[{**X, "within": [0.0, 0.3, 0.1]}]),
    "a group without anybody": claim(
        groups=[{"classes": [0], "where": [{**X, "low": 1e308, "high": 1.7e308}]}], sums=[], multipliers=[]
    ),
    "numbers as dates": claim(orders=[{**X, "dates": True}]),
    "a bound that is no number": claim(tree={**HIDDEN, "bound": float("nan")}),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_read_otherwise_than_told_is_rejected(forged: str) -> None:
    """The answer a costs 2, and is no optimum: nothing that is told makes it one."""
    told = FORGED[forged]
    assert "For 5 rows" in statement(claim(), 2) and not proves(claim(), 2)
    if forged == "numbers as dates":
        assert "x (dates)" in statement(told, 2)
    else:
        with pytest.raises(RejectedError, match="in the form that it is read in"):
            check_forms(told)
    with pytest.raises((RejectedError, TypeError)):
        proves(told, 2)


def test_a_column_that_comes_twice_is_not_guessed() -> None:
    """Nor one that is not there."""
    table = TABLE.replace("x,z", "x,x")
    with pytest.raises(RejectedError, match="several of this name"):
        proves(claim(orders=[X]), 2, table)


def test_weights_are_told() -> None:
    """They are the certificate's own: who reads of a weight of nothing need not believe more."""
    told = claim({"weights": [1, 1, 1, 0, 0]})
    assert proves(told, 0) and "Rows weigh 0 to 1, 3 in all." in statement(told, 0)


def test_times_of_dates_are_told() -> None:
    """A threshold between two hours of a day says which."""
    table = "x,z,y\n" + "".join(f"2022-01-10 {hour},5,{'ab'[hour > 12]}\n" for hour in (10, 11, 15, 16))
    tree = {"order": 0, "last": 1, "bound": 19002.5, "low": {"class": 0}, "high": {"class": 1}}
    told = claim({"rows": [[1, 4]]}, orders=[{**X, "dates": True}], tree=tree)
    assert proves(told, 0, table) and "x is 2022-01-10T12:00:00.000000 or earlier" in in_words(tree, told)


def test_ends_of_lines_make_no_verdict() -> None:
    """A name can hold whatever it likes: what is printed is one line."""
    assert printable("x.\nPROVED: all\t") == r"x.\nPROVED: all\t"
