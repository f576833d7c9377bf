"""Check that no tree costs less: `python check.py certificate.zip [table.csv]`, with numpy and the standard library.

Reads a certificate, and the table if there is one; counts the cost of the tree; computes the bound; and compares the
texts with the claim. `check.py` consists of the bounds module, the words module, and this module.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .optimum_bounds import (
    EXACT,
    KNOWN,
    MISSING,
    Above,
    Cases,
    Prover,
    RejectedError,
    UndecidedError,
    whole,
)
from .optimum_words import (
    CASES,
    MAIN,
    README,
    WORDS,
    describe_smaller,
    in_words,
    n_rows_of,
    ranks_of,
    readme,
    rows_of,
    smaller_trees,
    splits,
    statement,
)

FORMAT, VERSION, DEEPEST, MOST_ROWS, MOST_CELLS, MOST_BYTES = "espalier-optimum", 10, 100, 10**6, 2**26, 2**27


class Verdict(NamedTuple):
    """The cost of the tree, the lower bound for all trees, and the number of rows and distinct cases.

    `smaller` names a kind of smaller trees that the claim excludes and the check does not; '' if there is none.
    """

    cost: int
    bound: int
    n_rows: int
    n_cases: int
    gap: int
    smaller: str = ""

    @property
    def proved(self) -> bool:
        """Whether no tree costs less than the certificate says, and, if claimed, no smaller tree costs the same."""
        return self.cost - self.gap <= self.bound and not self.smaller


def check(
    read: Callable[[str], bytes],
    due: Callable[[], bool] = lambda: False,
    table: str | None = None,
) -> Verdict:
    """Check a certificate, whose files `read` returns by name; the cases come from the CSV text `table`, if given."""
    try:
        claim, texts = json.loads(read(MAIN)), {name: read(name).decode() for name in (CASES, WORDS, README)}
        if (claim["format"], claim["version"]) != (FORMAT, VERSION) or not whole(claim["scale"]):
            raise RejectedError(
                f"This checker reads version {VERSION} of '{FORMAT}'. Use the check.py in the certificate."
            )
        check_forms(claim)
        cases, groups = cases_of_file(texts[CASES], claim) if table is None else cases_of_table(table, claim, due)
        if cases.counts[0].sum() != n_rows_of(claim):
            raise RejectedError(f"There are {cases.counts[0].sum()} rows, but the claim covers {n_rows_of(claim)}.")
        found = verdict(claim, cases, groups, due)
        for name, text in ((README, readme(claim, found.cost)), (WORDS, in_words(claim["tree"], claim))):
            if texts[name] != text:
                raise RejectedError(f"{name} does not match {MAIN}.")
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError, ArithmeticError, csv.Error) as error:
        read_as = "" if table is None else ", or the table is not a CSV file with commas and a header line"
        raise RejectedError(f"The certificate is damaged{read_as}: {error!r}.") from None
    return found


def verdict(
    claim: Any,
    cases: Cases,
    groups: np.ndarray,
    due: Callable[[], bool] = lambda: False,
) -> Verdict:
    """The cost of the claimed tree and the lower bound for all trees; `groups` are weights, (n_groups, n_cases)."""
    rows, weight, price, more, parts, gap = (
        whole(claim[name]) for name in ("least_rows", "least_weight", "price", "more", "parts", "gap")
    )
    if (claim["shallowest"] or claim["fewest"]) and (
        price or gap or claim["sums"] or claim["tree"].get("fixed") is True
    ):
        raise RejectedError(
            "Smaller trees are compared only without split penalty, gap, constraints and fixed questions."
        )
    most, depth, tree = claim["max_splits"], min(whole(claim["depth"]), cases.ranks.shape[1]), claim["tree"]
    if depth > DEEPEST or not parts or (more and most is None) or (most is not None and splits(tree) > whole(most)):
        raise RejectedError("The tree has more splits or levels than are allowed, or a limit is malformed.")
    columns = [str(one["column"]) for one in claim["orders"]] or [""]
    sums = [limit_rows(one, groups, len(cases.cost)) for one in claim["sums"]]
    # rule 6: `parts` times the cost, plus sums and splits by their multipliers, minus the limits
    mixed, added = cases.cost.astype(object) * parts, -more * (most or 0)
    for (amount, limit), times in zip(sums, claim["multipliers"], strict=True):
        mixed, added = mixed + whole(times) * amount, added - times * limit
    least = mixed.min(axis=0)
    added, mixed = added + sum(least.tolist()), mixed - least
    if max(mixed.max(), price * parts + more) > EXACT:
        raise RejectedError("Costs or multipliers are too large to be counted exactly.")
    weighted = Cases(cases.ranks.T, cases.counts.T, mixed.T.astype(np.int64))
    used = Prover(weighted, price * parts + more, (rows, weight), due, claim["rules"], columns)
    counted, *kept = count(cases, [cases.cost, *(one for one, _ in sums)], used, tree, depth)
    if any(value > limit for value, (_, limit) in zip(kept, sums, strict=True)):
        raise RejectedError("The tree violates a constraint.")
    cost = cases.base + price * splits(tree) + counted
    goal = min(max(0, (cost - gap - cases.base - 1) * parts + 1 - added), EXACT)
    bound = cases.base - -(added + used.below(tree, weighted.all(), depth, goal)) // parts
    smaller = ""
    for levels, at_most in smaller_trees(claim):
        # rule 8: if each error costs as much as at_most + 1 splits, fewer errors always cost less
        times, split = (1, 0) if at_most is None else (at_most + 1, 1)
        scaled = Cases(cases.ranks.T, cases.counts.T, cases.cost.T * times)
        enough = (cost - cases.base) * times + split * (at_most or 0) + 1
        size = min(levels, cases.ranks.shape[1])
        if (
            Prover(scaled, split, (rows, weight), due, claim["rules"], columns).below({}, scaled.all(), size, enough)
            < enough
        ):
            smaller = describe_smaller(levels, at_most)
            break
    return Verdict(cost, bound, int(cases.counts[0].sum()), cases.ranks.shape[1], gap, smaller)


def check_forms(claim: Any) -> None:
    """Raise `RejectedError` unless all values have types that the words and the check read alike."""

    def number(value: Any) -> bool:
        return type(value) in (int, float) and bool(abs(value) <= (MISSING if type(value) is float else EXACT))

    def texts(value: Any) -> bool:
        return type(value) is list and {*map(type, value)} <= {str}

    def decimal(value: Any) -> bool:
        return type(value) is str and bool(re.fullmatch(r"-?\d{1,40}([./]\d{1,40})?(e-?\d{1,3})?", value, re.ASCII))

    def wholes(values: Any) -> bool:
        return type(values) is list and all(type(one) is int and 0 <= one <= EXACT for one in values)

    def cells(one: Any) -> bool:
        """The column, its levels and whether it contains dates."""
        levels = {} if one["levels"] is None else one["levels"]
        places = type(levels) is dict and all(type(place) is int and number(place) for place in levels.values())
        return places and type(one["column"]) is str and type(one["dates"]) is bool

    def order(one: Any) -> bool:
        low, high, unit = one["within"] or (0, 0, None)
        # an end that is not shown must exclude nothing
        ends = number(low) and number(high) and low < MISSING and high > -MISSING and (unit is None or decimal(unit))
        return cells(one) and ends and (one["missing"] is None or number(one["missing"]))

    def rule(one: Any) -> bool:
        if "first" in one:
            return texts(one["first"]) and bool(one["first"])
        if "below" in one:
            return texts([one["column"], one["below"]]) and type(one["only"]) is bool
        return wholes([one["most"], *(cost for _, cost in one["costs"])]) and all(texts(who) for who, _ in one["costs"])

    def group(one: Any) -> bool:
        ends = all(number(w["low"]) and number(w["high"]) for w in one["where"])
        # an end that is not shown must exclude nothing
        open_ = ends and all(w["low"] < KNOWN and w["high"] > -KNOWN for w in one["where"])
        return wholes(one["classes"]) and open_ and all(map(cells, one["where"]))

    def limit(one: Any) -> bool:
        return decimal(one["most"]) and all(
            decimal(times) and wholes([of, *answers]) and (by is None or wholes([by]))
            for times, of, answers, by in one["terms"]
        )

    def node(one: Any) -> bool:
        if "class" in one:
            return bool(one.keys() == {"class"})
        plain = one.keys() - {"fixed"} == {"order", "last", "bound", "low", "high"} and one.get("fixed", True) is True
        return bool(plain and number(one["bound"]) and node(one["low"]) and node(one["high"]))

    about, classes = claim["table"], claim["classes"]
    costs = about["class_costs"]
    well = texts(classes) and len(set(classes)) == len(classes) == len(costs)
    well &= texts([about["outcome"]]) and texts(about["missing"]) and texts(claim["left_out"])
    well &= all(mark == mark.strip().lower() for mark in about["missing"]) and wholes(about["absent"])
    well &= len(set(map(meaning, classes))) == len(classes)
    well &= node(claim["tree"]) and all(wholes(line) and len(line) == len(classes) for line in costs)
    weights = [1] if about["weights"] is None else about["weights"]
    well &= all(map(wholes, about["rows"])) and wholes(weights) and min(weights, default=0) > 0
    well &= all(type(claim[name]) is bool for name in ("folded", "shallowest", "fewest"))
    for name, form in (("orders", order), ("rules", rule), ("groups", group), ("sums", limit)):
        well &= all(map(form, claim[name]))
    if not well:
        raise RejectedError("The claim is malformed.")


def limit_rows(one: Any, groups: np.ndarray, n_answers: int) -> tuple[np.ndarray, int]:
    """A constraint on predictions in integers: the amount per prediction and case, (n_answers, n_cases), and the limit.

    A term is a factor, a group, the predictions for which its weight counts, and the group whose weight is the divisor.
    """
    factors = [Fraction(times) / (1 if of is None else groups[whole(of)].sum()) for times, _, _, of in one["terms"]]
    scale = 1
    for factor in factors:
        if (scale := lcm(scale, factor.denominator)).bit_length() > 1000:
            raise RejectedError("The factors of a constraint are too fine to be counted exactly.")
    amount = np.zeros((n_answers, groups.shape[1]), dtype=object)
    for factor, (_, group, answers, _) in zip(factors, one["terms"], strict=True):
        for answer in set(answers):
            amount[whole(answer)] += int(factor * scale) * groups[whole(group)]
    return amount, Fraction(one["most"]) * scale // 1


def count(
    cases: Cases,
    sums: Sequence[np.ndarray],
    prover: Prover,
    tree: Any,
    depth: int,
    here: np.ndarray | None = None,
    above: Above = frozenset(),
) -> list[int]:
    """Count the sums of a tree over the cases at these positions; `RejectedError` if the tree is not allowed."""
    here = np.arange(cases.ranks.shape[1]) if here is None else here
    if "class" in tree:
        if (cases.counts[:, here].sum(axis=1) < prover.least).any() or not len(here):
            raise RejectedError("A leaf of the tree has too few rows, or too little weight.")
        return [int(one[whole(tree["class"]), here].sum()) for one in sums]
    order = whole(tree["order"])
    if depth == 0 or not prover.permitted(above, True)[order]:
        raise RejectedError("The tree is deeper than the certificate says, or violates a path rule.")
    low, above = cases.ranks[order, here] <= whole(tree["last"]), above | {prover.columns[order]}
    sides = (tree["low"], here[low]), (tree["high"], here[~low])
    both = [count(cases, sums, prover, side, depth - 1, inside, above) for side, inside in sides]
    return [low + high for low, high in zip(*both, strict=True)]


def cases_of_file(text: str, claim: Any) -> tuple[Cases, np.ndarray]:
    """The cases listed in a certificate, and the weight of each group in each, int (n_groups, n_cases).

    The cases must be possible for the claimed rows: their number, weights, classes and groups.
    """
    names, *lines = csv.reader(io.StringIO(text))
    n, k, g = (len(claim[kind]) for kind in ("orders", "classes", "groups"))
    kinds = ("rank", n), ("class", k), ("group", g)
    ranks, classes, groups = ([f"{kind}_{i}" for i in range(many)] for kind, many in kinds)
    if names != [*ranks, "rows", *classes, *groups]:
        raise RejectedError("The columns of the cases must be ranks, rows, classes and groups, in this order.")
    if any(len(line) != len(names) for line in lines):
        raise RejectedError("Each case needs a value in each column.")
    cells = np.array(lines, dtype=object).reshape(len(lines), len(names)).astype(np.int64).astype(object)
    rows, by_class, by_group = cells[:, n], cells[:, n + 1 : n + 1 + k], cells[:, n + 1 + k :]
    weight = by_class.sum(axis=1)
    check_rows(rows, by_class, weight, claim)
    for own, one in zip(by_group.T, claim["groups"], strict=True):
        most = by_class[:, sorted(set(one["classes"]))].sum(axis=1)
        if (own < 0).any() or (own > most).any() or (not one["where"] and (own != most).any()):
            raise RejectedError("A group weighs more or less than the rows of its classes.")
    cost = by_class @ np.array(claim["table"]["class_costs"], dtype=object).reshape(k, k)
    counts = np.column_stack((rows, weight))
    return Cases(*(part.astype(np.int64) for part in (cells[:, :n], counts, cost))), by_group.T


def check_rows(rows: np.ndarray, by_class: np.ndarray, weight: np.ndarray, claim: Any) -> None:
    """Raise `RejectedError` unless the claimed rows can form cases with these row counts and weights by class."""
    about, n_rows = claim["table"], n_rows_of(claim)
    if not len(rows) or (rows < 1).any() or rows.sum() != n_rows:
        raise RejectedError(f"Each case must have at least 1 row, and all of them {n_rows} rows.")
    if (by_class < 0).any():
        raise RejectedError("The weight of a class is at least 0.")
    if about["weights"] is None:
        least = most = rows
    else:
        if len(about["weights"]) != n_rows:
            raise RejectedError("There must be one weight for each row.")
        ascending = np.array(sorted(about["weights"]), dtype=object)
        least, most = (np.cumsum(one)[rows.astype(np.int64) - 1] for one in (ascending, ascending[::-1]))
        if weight.sum() != ascending.sum():
            raise RejectedError("The cases weigh more or less than the rows.")
    if (weight < least).any() or (weight > most).any():
        raise RejectedError("A case weighs more or less than its number of rows can.")
    if {k for k, own in enumerate(by_class.sum(axis=0)) if not own} != set(about["absent"]):
        raise RejectedError("The classes that no row has are not the claimed ones.")


def lines_of(text: str) -> list[list[str]]:
    """The non-empty lines of a CSV text."""
    return [line for line in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")) if line]


def cases_of_table(text: str, claim: Any, due: Callable[[], bool] = lambda: False) -> tuple[Cases, np.ndarray]:
    """The same computed from a table, by the columns, levels and rows that the certificate names."""
    header, *lines = lines_of(text)
    about, orders, names = claim["table"], claim["orders"], [" ".join(column.split()) for column in header]
    n_rows = n_rows_of(claim)
    if n_rows > max(MOST_ROWS, len(lines)) or n_rows * len(orders) > MOST_CELLS:
        raise RejectedError("There are too many rows, or rows are counted too often.")
    rows = [line for places in rows_of(claim) for line in lines[places]]

    def place(column: str) -> int:
        if names.count(column) != 1:
            raise RejectedError(f"The table has no column {column!r}, or several of this name.")
        return names.index(column)

    def cells_of(column: str, called: Collection[str]) -> tuple[dict[str, str], np.ndarray]:
        """The name of each distinct cell of a column, and the index of each row's cell."""
        if due():
            raise UndecidedError("The time is up.")
        at = place(column)
        different, which = np.unique(np.array([row[at].strip() for row in rows], object), return_inverse=True)
        known = {cell: cell for cell in different.tolist()}
        if called:
            # the first of several equivalent names
            names_of = {meaning(name): name for name in reversed(list(called))}
            known |= {cell: names_of.get(meaning(cell), cell) for cell in known if cell not in called}
        # two cells of the same name would be one level to the check, but two to a reader
        if any(n > 1 for text, n in Counter(known.values()).items() if text in called):
            raise RejectedError(f"A level of {column!r} is written in several ways.")
        return known, which.ravel()

    def keys_of(one: Any) -> np.ndarray:
        levels = one["levels"] or {}
        known, which = cells_of(one["column"], levels)
        # the name of a level without rows could be that of something else
        if levels.keys() - set(known.values()):
            raise RejectedError(f"A level of {one['column']!r} occurs in no row.")
        keys = np.array([key(text, one, about["missing"]) for text in known.values()])
        return np.asarray(keys[which])

    for rule in claim["rules"]:
        columns = [*rule.get("first", ()), *(rule[one] for one in ("column", "below") if one in rule)]
        for column in [*columns, *(column for group, _ in rule.get("costs", ()) for column in group)]:
            place(column)
    known, which = cells_of(about["outcome"], claim["classes"])
    label = np.array([claim["classes"].index(text) for text in known.values()])[which]
    if {*range(len(claim["classes"]))} - set(label.tolist()) != set(about["absent"]):
        raise RejectedError("The classes without rows differ from those in the certificate.")
    weight = np.array([1] * len(rows) if about["weights"] is None else [whole(one) for one in about["weights"]], object)
    keys = [keys_of(one) for one in orders]
    ranks = [ranks_of(*one) for one in zip(keys, orders, strict=True)]
    by_row = np.array(ranks, np.int64).reshape(len(keys), len(rows)).T
    check_bounds(claim["tree"], keys, by_row, np.arange(len(rows)))
    groups = [weight * np.isin(label, one["classes"]) for one in claim["groups"]]
    for group, claimed in zip(groups, claim["groups"], strict=True):
        for one in claimed["where"]:
            values = keys_of({**one, "missing": "nan"})
            group[~((one["low"] <= values) & (values <= one["high"]))] = 0
    different, case = np.unique(by_row, axis=0, return_inverse=True)
    costs = np.array(about["class_costs"], dtype=object)[label] * weight[:, None]
    each = np.column_stack((np.ones(len(rows), dtype=object), weight, costs, *groups))
    added = np.zeros((len(different), each.shape[1]), dtype=object)
    np.add.at(added, case.ravel(), each)
    end = 2 + costs.shape[1]
    return Cases(different, added[:, :2].astype(np.int64), added[:, 2:end].astype(np.int64)), added[:, end:].T


def meaning(text: str) -> object:
    """The same value for all spellings of a number, a Boolean or a time; other texts are unchanged."""
    if re.fullmatch(r"[+-]?\d+(\.\d*)?", text, re.ASCII):
        return Fraction(text)
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ][\d:.]+", text, re.ASCII):
        return text.replace("T", " ")
    return text.lower() if text.lower() in ("true", "false") else text


def key(cell: str, order: Any, marks: list[str]) -> float:
    """The number by which an order ranks a cell of its column."""
    levels = order["levels"] or {}
    if cell not in levels and cell.lower() in marks:
        return float(order["missing"])
    if order["dates"] and not levels and not re.fullmatch(r"\d{4}-\d\d-\d\d([T ].*)?", cell):
        raise RejectedError(f"{cell!r} is not a date in the form year-month-day.")
    if levels:
        return float(levels[cell])
    value = np.datetime64(cell, "us").astype(float) / 86400e6 if order["dates"] else float(cell)
    if not abs(value) < MISSING:
        raise RejectedError(f"{cell!r} is not a usable number.")
    return float(value)


def check_bounds(tree: Any, keys: list[np.ndarray], ranks: np.ndarray, here: np.ndarray) -> None:
    """Check that the thresholds in the words of a tree split these rows of the table as its ranks do."""
    if "class" not in tree:
        low = ranks[here, tree["order"]] <= tree["last"]
        if (low != (keys[tree["order"]][here] <= tree["bound"])).any():
            raise RejectedError("A threshold in the text of the tree divides the rows differently from its rank.")
        check_bounds(tree["low"], keys, ranks, here[low])
        check_bounds(tree["high"], keys, ranks, here[~low])


def files_of(place: Path) -> Callable[[str], bytes]:
    """Return a function that reads a folder or archive; `RejectedError` if it is too large, or names are repeated."""
    if place.is_dir():
        sizes = {file.name: file.stat().st_size for file in place.iterdir()}
        n_files, read = len(sizes), lambda name: (place / name).read_bytes()
    else:
        archive = zipfile.ZipFile(place)
        sizes = {file.filename: file.file_size for file in archive.infolist()}
        n_files, read = len(archive.infolist()), archive.read
    if len(sizes) < n_files or max(sizes.values(), default=0) > MOST_BYTES:
        raise RejectedError("The archive has two files of one name, or a file that is too large.")
    return read


def main(arguments: list[str]) -> int:
    """Check an archive or folder, with a table if given; 0 if no tree costs less."""
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if not 1 <= len(arguments) <= 2:
        print("Name the certificate: python check.py CERTIFICATE [TABLE.csv]")
        return 2
    try:
        table = Path(arguments[1]).read_bytes().decode() if len(arguments) > 1 else None
        read = files_of(Path(arguments[0]))
        found = check(read, table=table)
        words = statement(json.loads(read(MAIN)), found.cost)
        n_lines = 0 if table is None else len(lines_of(table)) - 1
    # unpacking a damaged file may raise any exception
    except Exception as error:
        print(f"REJECTED: {error}")
        return 1
    about = "the cases of the certificate"
    if table is not None:
        about = f"the {n_lines} of '{arguments[1]}'"
    print(f"{found.n_cases} cases of {found.n_rows} rows, from {about}. The bound on every tree is {found.bound}.")
    gap = f" UP TO A GAP OF {found.gap}" if found.gap else ""
    print(f"{'PROVED' if found.proved else 'NOT PROVED'}{gap}: {words}")
    return 0 if found.proved and not found.gap else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
