"""Claims with matching texts that could be read differently than they are checked: none may pass as a proof."""

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
"""A split on x has no errors; the constant prediction a has two."""

X = {"column": "x", "levels": None, "dates": False, "missing": None, "within": None}
HIDDEN = {"class": 0, "fixed": True, "order": 1, "last": 0, "bound": 5.5, "low": {"class": 0}, "high": {"class": 0}}
MANY = {"classes": [0], "where": []}


def claim(about: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A claim that no tree of depth one costs less than the constant prediction a, with other fields as given."""
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
    """Whether the claim, with the texts that belong to it, is accepted as a proof of this cost."""
    words = {README: readme(claimed, cost).encode(), WORDS: in_words(claimed["tree"], claimed).encode()}
    found = check({**words, MAIN: json.dumps(claimed).encode(), CASES: b"rank_0,rows,weight\n"}.__getitem__, due, table)
    return found.proved


def rule(**fields: object) -> dict[str, Any]:
    """A path rule about x."""
    return {"rules": [{"column": "x", **fields}], "depth": 2}


def limit(most: object, times: object = "1") -> dict[str, Any]:
    """A constraint on the predictions of class a that excludes nothing."""
    return {"groups": [MANY], "sums": [{"terms": [[times, 0, [1], None]], "most": most}], "multipliers": [0]}


FORGED = {
    "fewer predictions than classes": claim({"class_costs": [[0], [1]]}),
    "hidden fixed splits": claim(tree=HIDDEN),
    "costs that are not integers": claim({"class_costs": [[0, 0.9], [0.4, 0]]}),
    "a rule that is neither true nor false": claim(**rule(below="z", only=0)),
    "a column that is a number": claim(**rule(below=0, only=True)),
    "levels in words": claim(orders=[{**X, "levels": {"0": "9", "1": "10"}}]),
    "levels that floats do not distinguish": claim(orders=[{**X, "levels": {"0": 2**53, "1": 2**53 + 1}}]),
    "classes as one word": claim(classes="ab"),
    "marks as one word": claim({"missing": "120"}),
    "a limit in floats": claim(**limit(0.3)),
    "a limit with too many digits": claim(**limit("1e400000000")),
    "a factor in floats": claim(**limit("9", 0.3)),
    "a unit in floats": claim(orders=[{**X, "within": [0.0, 0.3, 0.1]}]),
    "a group without rows": claim(
        groups=[{"classes": [0], "where": [{**X, "low": MISSING, "high": MISSING}]}], sums=[], multipliers=[]
    ),
    "numbers as dates": claim(orders=[{**X, "dates": True}]),
    "a bound that is not a number": claim(tree={**HIDDEN, "bound": float("nan")}),
    "thresholds above all numbers": claim(orders=[{**X, "within": [MISSING, MISSING, None]}]),
    "thresholds below all numbers": claim(orders=[{**X, "within": [-MISSING, -MISSING, None]}]),
    "a first split on no column": claim(rules=[{"first": []}]),
    "a mark in capitals": claim({"missing": ["NA"]}),
    "classes that are the same number": claim(classes=["1", "1.0"]),
    "classes that are the same truth value": claim(classes=["true", "TRUE"]),
    "digits that look like others": claim(**limit("\u09ea")),
}


@pytest.mark.parametrize("forged", FORGED)
def test_ambiguous_claims_are_rejected(forged: str) -> None:
    """The constant prediction a costs 2 and is not optimal; no claim makes it so."""
    claimed = FORGED[forged]
    assert "For 5 rows" in statement(claim(), 2) and not proves(claim(), 2)
    if forged == "numbers as dates":
        assert "x (dates)" in statement(claimed, 2)
    else:
        with pytest.raises(RejectedError, match="malformed"):
            check_forms(claimed)
    with pytest.raises((RejectedError, TypeError)):
        proves(claimed, 2)


def test_a_repeated_column_is_rejected() -> None:
    """The checker does not guess which of two columns with the same name is meant."""
    table = TABLE.replace("x,z", "x,x")
    with pytest.raises(RejectedError, match="several of this name"):
        proves(claim(orders=[X]), 2, table)


def test_rows_without_weight_are_rejected() -> None:
    """Rows without weight would make nearly every tree optimal."""
    assert "Rows weigh 1 to 2, 6 in all." in statement(claim({"weights": [1, 1, 1, 1, 2]}), 3)
    with pytest.raises(RejectedError, match="malformed"):
        proves(claim({"weights": [1, 1, 1, 0, 0]}), 0)


def test_thresholds_of_dates_include_the_time() -> None:
    """A threshold between two hours of a day states the time."""
    table = "x,z,y\n" + "".join(f"2022-01-10 {hour},5,{'ab'[hour > 12]}\n" for hour in (10, 11, 15, 16))
    tree = {"order": 0, "last": 1, "bound": 19002.5, "low": {"class": 0}, "high": {"class": 1}}
    claimed = claim({"rows": [[1, 4]]}, orders=[{**X, "dates": True}], tree=tree)
    assert proves(claimed, 0, table) and "x is 2022-01-10T12:00 or earlier" in in_words(tree, claimed)


FICTIVE = {
    "columns of a first split": claim(rules=[{"first": ["x or z"]}]),
    "a column of a rule": claim(**rule(below="x\u034f", only=True)),
    "columns of costs": claim(rules=[{"costs": [[["x "], 9]], "most": 0}]),
    "levels of a split": claim(orders=[{**X, "levels": {"0": 0, "1": 0, "0 < 1), z (5": 1}}]),
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
"""Claims about columns, levels, classes, rows or factors that the table does not have, or has less often."""


@pytest.mark.parametrize("forged", FICTIVE)
def test_claims_beyond_the_table_are_rejected(forged: str) -> None:
    """A name that looks like several names, or like another one, is not a column or level; and every check ends."""
    with pytest.raises(RejectedError, match=r"no column|occurs in no row|too often|too fine|without rows"):
        proves(FICTIVE[forged], 2)


TOLD = {
    "levels with the same code": (claim(orders=[{**X, "levels": {"0": 0, "1": 0}}]), "x (0 or 1 (not distinguished))"),
    "levels that no threshold separates": (
        claim(orders=[{**X, "levels": {"0": 10, "1": 20}, "within": [0, 5, None]}]),
        "x (0 or 1 (not distinguished))",
    ),
    "an empty range of thresholds": (claim(orders=[{**X, "within": [9, 1, None]}]), "x (no thresholds)"),
    "a level called missing": (
        claim(orders=[{**X, "levels": {"0": 0, "(missing)": 1}, "missing": 0}]),
        "x ('(missing)' or not)",
    ),
    "a level that is a mark": (
        claim({"missing": ["none", "?"]}, orders=[{**X, "levels": {"0": 0, "none": 1}, "missing": 0}]),
        "Missing values are written as 'none', '?', but 'none' is a level of x.",
    ),
    "invisible characters": (claim(classes=["a\u3164", "b"]), r"predicted as 'a\u3164' or b."),
    "a class called nothing": (claim(classes=["nothing", "b"]), "predicted as 'nothing' or b."),
    "classes without rows": (claim({"absent": [1]}), "No row is b."),
    "a least weight": (claim(least_weight=2), "at least 2 units of weight in each leaf"),
    "the place of missing dates": (
        claim(orders=[{**X, "dates": True, "missing": 19002.5}]),
        "x (dates, missing: 2022-01-10T12:00)",
    ),
    "a class that reads like two": (claim(classes=["a or b", "b"]), "predicted as 'a or b' or b."),
    "a column like our own text": (claim(orders=[{**X, "column": "x. PROVED"}]), "Splits use 'x. PROVED'."),
    "line breaks": (claim(orders=[{**X, "column": "x\nPROVED"}]), r"Splits use 'x\nPROVED'."),
    "the outcome": (claim({"outcome": "z"}), "The outcome is z, predicted as a or b."),
    "omitted constraints": (claim(left_out=["much. All the rest was proved"]), "'much. All the rest was proved'."),
    "splits that separate nothing": (claim(rules=[{"first": ["z"]}]), "Both sides of each split have rows."),
    "a unit of costs": (claim({"class_costs": [[0, 1], [2, 0]]}, scale=1000), "A cost of 1000 is one unit."),
}


@pytest.mark.parametrize("told", TOLD)
def test_the_statement_says_what_is_checked(told: str) -> None:
    """Names of more than a word are quoted, and the statement lists what splits cannot distinguish."""
    claimed, words = TOLD[told]
    check_forms(claimed)
    assert words in statement(claimed, 2)


def test_names_cannot_imitate_a_tree() -> None:
    """A class name with a line break is quoted."""
    assert in_words({"class": 0}, claim(classes=["a\nelse:", "b"])) == "y = 'a\\nelse:'\n"


def test_a_very_large_number_is_a_threshold() -> None:
    """Only the largest float separates known from missing values."""
    tree = {"order": 0, "last": 0, "bound": 1e308, "low": {"class": 0}, "high": {"class": 1}}
    assert "x is at most 1e+308" in in_words(tree, claim())
    assert "x is known" in in_words({**tree, "bound": KNOWN}, claim())


def test_dates_are_exact_to_the_microsecond() -> None:
    """A whole day is shown as its first moment, and the upper end of a group as the intended moment, not the next
    one.
    """
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
def test_different_texts_are_different_levels(alike: str) -> None:
    """A reader of the table would distinguish them."""
    one, other, order = ALIKE[alike]
    table = f"x,y\n{one},a\n{other},b\n5,a\n"
    claimed = claim({"rows": [[1, 3]]}, orders=[{**X, **order}])
    with pytest.raises(RejectedError, match=r"several ways|damaged"):
        proves(claimed, 1, table)


def test_a_constraint_too_long_to_write_out_is_rejected() -> None:
    """Its text would take gigabytes."""
    levels = {f"level {i}": i for i in range(3000)}
    groups = [{"classes": [0], "where": [{**X, "levels": levels, "low": 0, "high": 3000}]}]
    claimed = claim(groups=groups, sums=[{"terms": [["1", 0, [0], None]] * 3000, "most": "9"}], multipliers=[0])
    with pytest.raises(RejectedError, match="too long to be written out"):
        statement(claimed, 2)


def test_time_limits_are_respected_with_many_rules() -> None:
    """The check of the rules for each pair of columns also observes the time limit."""
    orders = [{**X, "column": f"x{i}"} for i in range(300)]
    rules = [{"column": "x1", "below": f"x{i % 300}", "only": False} for i in range(500)]
    claimed = claim({"rows": [[1, 2]]}, depth=2, orders=orders, rules=rules)
    table = ",".join([*(f"x{i}" for i in range(300)), "y"]) + "\n" + "0," * 300 + "a\n" + "1," * 300 + "b\n"
    end = time.monotonic() + 0.5
    with pytest.raises(UndecidedError):
        proves(claimed, 1, table, lambda: time.monotonic() > end)
    assert time.monotonic() < end + 2


def test_an_archive_with_two_files_of_one_name_is_rejected(tmp_path: Path) -> None:
    """The checker does not guess which of the two is meant."""
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
    "truth values": TABLE.replace("a", "True").replace("b", "False"),
    "levels with a point": "x,z,y\n1.0,5,a\n2.0,6,a\n1.0,5,a\n2.0,5,b\n2.0,6,b\n",
    "times as levels": TABLE.replace("0,", "2022-01-10T12:00,").replace("1,", "2022-01-10T13:00,"),
    "blanks in names": TABLE.replace("x,z,y", "x,  long   name , y"),
    "line breaks in cells": 'x,z,y\n"l\r\n1",5,a\n"l\r\n1",6,a\n2,5,a\n2,5,b\n2,6,b\n',
    "huge numbers": TABLE.replace("0,", "1e308,").replace("1,", "1.7e308,"),
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_honest_certificate_fits_its_own_table(
    spelling: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Spellings that the program reads as equal are equal for the checker too."""
    table, archive = tmp_path / "table.csv", tmp_path / "certificate.zip"
    table.write_bytes(SPELLINGS[spelling].encode())
    assert call(capsys, "fit", table, "--target", "y", "--max-depth", 2, "--out", tmp_path / "fitted")[0] == 0
    assert call(capsys, "certify", tmp_path / "fitted", table, "--out", archive)[0] == 0
    status, output, _ = call(capsys, "check-certificate", archive, table)
    assert status == 0 and f"Rows from '{table}'" in output
