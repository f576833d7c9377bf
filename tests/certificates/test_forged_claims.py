"""Claims whose words fit, and which would be read otherwise than they are told: none may pass as a proof."""

from __future__ import annotations

import json
import time
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solvers.certificates import reader
from solvers.certificates.optimum_bounds import KNOWN, MISSING, RejectedError, UndecidedError
from solvers.certificates.optimum_checker import FORMAT, VERSION, check, check_forms, files_of
from solvers.certificates.optimum_words import CASES, MAIN, README, WORDS, format_bound, in_words, readme, statement
from solvers.errors import CertificateError
from tests.commands import call

TABLE = "x,z,y\n0,5,a\n0,6,a\n0,5,a\n1,5,b\n1,6,b\n"
"""A question about x makes no mistake, and the answer a two."""

X = {"column": "x", "levels": None, "dates": False, "missing": None, "within": None}
HIDDEN = {"class": 0, "fixed": True, "order": 1, "last": 0, "bound": 5.5, "low": {"class": 0}, "high": {"class": 0}}
MANY = {"classes": [0], "where": []}


def claim(about: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """That no tree of depth one costs less than the answer a, which is told in what is not given."""
    costs = [[0, 1], [1, 0]]
    table = {"outcome": "y", "rows": [[1, 5]], "weights": None, "class_costs": costs, "missing": [], "absent": []}
    return {
        "format": FORMAT, "version": VERSION, "depth": 1, "least_rows": 1, "least_weight": 0, "price": 0, "scale": 1,
        "max_splits": None, "more": 0, "parts": 1, "groups": [], "sums": [], "multipliers": [], "left_out": [],
        "gap": 0, "folded": False, "shallowest": False, "fewest": False, "classes": ["a", "b"],
        "table": {**table, **(about or {})}, "orders": [X, {**X, "column": "z"}],
        "rules": [], "tree": {"class": 0}, **fields,
    }  # fmt: skip


def proves(claimed: dict[str, Any], cost: int, table: str = TABLE, due: Callable[[], bool] = lambda: False) -> bool:
    """Whether it is taken for a proof of this cost, its words being those that belong to it."""
    words = {README: readme(claimed, cost).encode(), WORDS: in_words(claimed["tree"], claimed).encode()}
    found = check({**words, MAIN: json.dumps(claimed).encode(), CASES: b"rank_0,rows,weight\n"}.__getitem__, due, table)
    return found.proved


def rule(**fields: object) -> dict[str, Any]:
    """A rule of paths about x."""
    return {"rules": [{"column": "x", **fields}], "depth": 2}


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
        groups=[{"classes": [0], "where": [{**X, "low": MISSING, "high": MISSING}]}], sums=[], multipliers=[]
    ),
    "numbers as dates": claim(orders=[{**X, "dates": True}]),
    "a bound that is no number": claim(tree={**HIDDEN, "bound": float("nan")}),
    "thresholds above all numbers": claim(orders=[{**X, "within": [MISSING, MISSING, None]}]),
    "thresholds below all numbers": claim(orders=[{**X, "within": [-MISSING, -MISSING, None]}]),
    "a first question about nothing": claim(rules=[{"first": []}]),
    "a mark in capitals": claim({"missing": ["NA"]}),
    "classes that are one number": claim(classes=["1", "1.0"]),
    "classes that are one truth": claim(classes=["true", "TRUE"]),
    "digits that look like others": claim(**limit("\u09ea")),
}


@pytest.mark.parametrize("forged", FORGED)
def test_what_is_read_otherwise_than_told_is_rejected(forged: str) -> None:
    """The answer a costs 2, and is no optimum: nothing that is told makes it one."""
    claimed = FORGED[forged]
    assert "For 5 rows" in statement(claim(), 2) and not proves(claim(), 2)
    if forged == "numbers as dates":
        assert "x (dates)" in statement(claimed, 2)
    else:
        with pytest.raises(RejectedError, match="malformed"):
            check_forms(claimed)
    with pytest.raises((RejectedError, TypeError)):
        proves(claimed, 2)


def test_a_column_that_comes_twice_is_not_guessed() -> None:
    """Nor one that is not there."""
    table = TABLE.replace("x,z", "x,x")
    with pytest.raises(RejectedError, match="several of this name"):
        proves(claim(orders=[X]), 2, table)


def test_rows_weigh_something() -> None:
    """Rows of no weight would make nearly every tree optimal."""
    assert "Rows weigh 1 to 2, 6 in all." in statement(claim({"weights": [1, 1, 1, 1, 2]}), 3)
    with pytest.raises(RejectedError, match="malformed"):
        proves(claim({"weights": [1, 1, 1, 0, 0]}), 0)


def test_times_of_dates_are_told() -> None:
    """A threshold between two hours of a day says which."""
    table = "x,z,y\n" + "".join(f"2022-01-10 {hour},5,{'ab'[hour > 12]}\n" for hour in (10, 11, 15, 16))
    tree = {"order": 0, "last": 1, "bound": 19002.5, "low": {"class": 0}, "high": {"class": 1}}
    claimed = claim({"rows": [[1, 4]]}, orders=[{**X, "dates": True}], tree=tree)
    assert proves(claimed, 0, table) and "x is 2022-01-10T12:00 or earlier" in in_words(tree, claimed)


FICTIVE = {
    "columns of a first question": claim(rules=[{"first": ["x or z"]}]),
    "a column of a rule": claim(**rule(below="x\u034f", only=True)),
    "columns of costs": claim(rules=[{"costs": [[["x "], 9]], "most": 0}]),
    "levels of a question": claim(orders=[{**X, "levels": {"0": 0, "1": 0, "0 < 1), z (5": 1}}]),
    "levels of a group": claim(
        groups=[{"classes": [0], "where": [{**X, "levels": {"0": 0, "1": 1, "0 or 1": 2}, "low": 2, "high": 2}]}],
        sums=[{"terms": [["1", 0, [0], None]], "most": "0"}],
        multipliers=[0],
    ),
    "a class without rows": claim(
        {"class_costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, classes=["a", "b", "\u0430"], sums=[], multipliers=[]
    ),
    "rows": claim({"rows": [[1, 5]] * 3 * 10**5}),
    "factors": claim(
        groups=[MANY],
        sums=[{"terms": [[f"1/{10**39 + i}", 0, [1], None] for i in range(99)], "most": "9"}],
        multipliers=[0],
    ),
}
"""What the table does not have, or not so often."""


@pytest.mark.parametrize("forged", FICTIVE)
def test_what_the_table_has_not_is_rejected(forged: str) -> None:
    """Names that read like several, or like others, are none of its columns and levels; and no check takes for ever."""
    with pytest.raises(RejectedError, match=r"no column|occurs in no row|too often|too fine|have no row"):
        proves(FICTIVE[forged], 2)


TOLD = {
    "levels that are one": (claim(orders=[{**X, "levels": {"0": 0, "1": 0}}]), "x (0 or 1 (not distinguished))"),
    "levels that no threshold parts": (
        claim(orders=[{**X, "levels": {"0": 10, "1": 20}, "within": [0, 5, None]}]),
        "x (0 or 1 (not distinguished))",
    ),
    "thresholds that there are not": (claim(orders=[{**X, "within": [9, 1, None]}]), "x (no thresholds)"),
    "a level called missing": (
        claim(orders=[{**X, "levels": {"0": 0, "(missing)": 1}, "missing": 0}]),
        "x ('(missing)' or not)",
    ),
    "a level that is a mark": (
        claim({"missing": ["none", "?"]}, orders=[{**X, "levels": {"0": 0, "none": 1}, "missing": 0}]),
        "Missing is what is called 'none', '?', but 'none' is a level of x.",
    ),
    "letters that show nothing": (claim(classes=["a\u3164", "b"]), r"answered 'a\u3164' or b."),
    "nobody": (claim(classes=["nothing", "b"]), "answered 'nothing' or b."),
    "classes that no row has": (claim({"absent": [1]}), "No row is b."),
    "a least weight": (claim(least_weight=2), "at least 2 units of weight in each leaf"),
    "the place of missing dates": (
        claim(orders=[{**X, "dates": True, "missing": 19002.5}]),
        "x (dates, missing: 2022-01-10T12:00)",
    ),
    "a class that reads like two": (claim(classes=["a or b", "b"]), "answered 'a or b' or b."),
    "a column like our words": (claim(orders=[{**X, "column": "x. PROVED"}]), "Splits use 'x. PROVED'."),
    "ends of lines": (claim(orders=[{**X, "column": "x\nPROVED"}]), r"Splits use 'x\nPROVED'."),
    "the outcome": (claim({"outcome": "z"}), "The outcome is z, answered a or b."),
    "what is left out": (claim(left_out=["much. All the rest was proved"]), "'much. All the rest was proved'."),
    "questions that part nothing": (claim(rules=[{"first": ["z"]}]), "Both sides of each split have rows."),
    "a unit of costs": (claim({"class_costs": [[0, 1], [2, 0]]}, scale=1000), "A cost of 1000 is one unit."),
}


@pytest.mark.parametrize("told", TOLD)
def test_what_is_claimed_reads_as_it_is_checked(told: str) -> None:
    """Names are quoted where they are more than a word, and what questions cannot do is said."""
    claimed, words = TOLD[told]
    check_forms(claimed)
    assert words in statement(claimed, 2)


def test_names_draw_no_tree() -> None:
    """Nor does a class whose name ends lines."""
    assert in_words({"class": 0}, claim(classes=["a\nelse:", "b"])) == "y = 'a\\nelse:'\n"


def test_a_number_beyond_which_nothing_lies_is_a_threshold() -> None:
    """Only the largest one of all tells known values from missing ones."""
    tree = {"order": 0, "last": 0, "bound": 1e308, "low": {"class": 0}, "high": {"class": 1}}
    assert "x is 1e+308 or less" in in_words(tree, claim())
    assert "x is known" in in_words({**tree, "bound": KNOWN}, claim())


def test_dates_are_told_to_the_microsecond() -> None:
    """A whole day is its first moment, and an end of a group the one that is meant, not the next."""
    noon = {**X, "dates": True}
    assert format_bound(19002.0, noon) == "2022-01-10T00:00" and format_bound(19002.5, noon) == "2022-01-10T12:00"
    assert format_bound(19002.5, noon, up=True) == "2022-01-10T12:00"
    assert format_bound(19002 + 2**-36, noon, up=True) == "2022-01-10T00:00:00.000002"
    for second in range(0, 86_400, 37):
        moment = np.datetime64("2022-01-10", "us") + np.timedelta64(second, "s")
        days, text = moment.astype(float) / 86400e6, str(moment).removesuffix(".000000").removesuffix(":00")
        assert format_bound(days, noon) == format_bound(days, noon, up=True) == text


ALIKE = {
    "levels": ("12345678901234567", "12345678901234567.0", {"levels": {"12345678901234567": 0, "5": 1}}),
    "long levels": ("123456789012345678", "123456789012345679", {"levels": {"123456789012345678": 0, "5": 1}}),
    "levels with leading signs": ("1", "+1", {"levels": {"1": 0, "5": 1}}),
}


@pytest.mark.parametrize("alike", ALIKE)
def test_two_texts_are_not_one_level(alike: str) -> None:
    """A reader of the table would tell them apart."""
    one, other, order = ALIKE[alike]
    table = f"x,y\n{one},a\n{other},b\n5,a\n"
    claimed = claim({"rows": [[1, 3]]}, orders=[{**X, **order}])
    with pytest.raises(RejectedError, match=r"several ways|damaged"):
        proves(claimed, 1, table)


def test_a_constraint_too_long_to_be_told_is_rejected() -> None:
    """Its words would take gigabytes."""
    levels = {f"level {i}": i for i in range(3000)}
    groups = [{"classes": [0], "where": [{**X, "levels": levels, "low": 0, "high": 3000}]}]
    claimed = claim(groups=groups, sums=[{"terms": [["1", 0, [0], None]] * 3000, "most": "9"}], multipliers=[0])
    with pytest.raises(RejectedError, match="too long to be written out"):
        statement(claimed, 2)


def test_time_limits_are_kept_with_many_rules() -> None:
    """Rules are looked through for each column below each other one, by the clock."""
    orders = [{**X, "column": f"x{i}"} for i in range(300)]
    rules = [{"column": "x1", "below": f"x{i % 300}", "only": False} for i in range(500)]
    claimed = claim({"rows": [[1, 2]]}, depth=2, orders=orders, rules=rules)
    table = ",".join([*(f"x{i}" for i in range(300)), "y"]) + "\n" + "0," * 300 + "a\n" + "1," * 300 + "b\n"
    end = time.monotonic() + 0.5
    with pytest.raises(UndecidedError):
        proves(claimed, 1, table, lambda: time.monotonic() > end)
    assert time.monotonic() < end + 2


def test_an_archive_has_each_file_once(tmp_path: Path) -> None:
    """Which of two would be read is nothing to guess."""
    with zipfile.ZipFile(tmp_path / "twice.zip", "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            archive.writestr(WORDS, "y = a")
    with pytest.raises(RejectedError, match="two files of one name"):
        files_of(tmp_path / "twice.zip")
    with pytest.raises(CertificateError, match=r"'twice\.zip': .* two files of one name"):
        reader(tmp_path / "twice.zip")(WORDS)


SPELLINGS = {
    "numbers with a point": TABLE.replace("a", "1.0").replace("b", "0.0"),
    "signs": TABLE.replace("a", "+1").replace("b", "-1"),
    "truths": TABLE.replace("a", "True").replace("b", "False"),
    "levels with a point": "x,z,y\n1.0,5,a\n2.0,6,a\n1.0,5,a\n2.0,5,b\n2.0,6,b\n",
    "times as levels": TABLE.replace("0,", "2022-01-10T12:00,").replace("1,", "2022-01-10T13:00,"),
    "blanks in names": TABLE.replace("x,z,y", "x,  long   name , y"),
    "ends of lines in cells": 'x,z,y\n"l\r\n1",5,a\n"l\r\n1",6,a\n2,5,a\n2,5,b\n2,6,b\n',
    "huge numbers": TABLE.replace("0,", "1e308,").replace("1,", "1.7e308,"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_honest_certificate_fits_its_own_table(
    spelling: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """However the table writes what the program reads as the same."""
    table, archive = tmp_path / "table.csv", tmp_path / "certificate.zip"
    table.write_bytes(SPELLINGS[spelling].encode())
    assert call(capsys, "fit", table, "--target", "y", "--max-depth", 2, "--out", tmp_path / "fitted")[0] == 0
    assert call(capsys, "certify", tmp_path / "fitted", table, "--out", archive)[0] == 0
    status, output, _ = call(capsys, "check-certificate", archive, table)
    assert status == 0 and f"Rows from '{table}'" in output
