"""What a claim is about: labelled cases, told by their answers to the questions and by nothing else.

A *case* is a row, or several that answer all questions alike. An *order* is a list of questions about one column in
which a case that says yes to one says yes to all later ones: 'age <= 30', 'age <= 41', ... So the number of questions
that it says no to, its *rank*, tells all its answers. Values are not told.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from solvers.errors import CertificateError
from solvers.methods.trees.smallest.cases import DistinctCases
from solvers.spreadsheet import safe_cell


@dataclass(frozen=True)
class QuestionOrder:
    """Questions about one column that follow each other, in words; these may be left out.

    `column` is its number; orders of one column may depend on each other. A case of rank r says no to the first r of
    the `n_questions` and yes to the others.
    """

    column: int
    n_questions: int
    words: tuple[str, ...] = ()

    def to_json(self) -> dict[str, int]:
        """As plain values, without the words."""
        return {"column": self.column, "questions": self.n_questions}

    @classmethod
    def from_json(cls, data: Any) -> QuestionOrder:
        """Read what `to_json` wrote; KeyError, TypeError or ValueError where it is damaged."""
        return cls(whole(data["column"]), whole(data["questions"]))


def whole(value: Any) -> int:
    """A whole number that was read from JSON; TypeError where it is anything else, such as 1.5 or true."""
    if type(value) is not int:
        raise TypeError(f"{value!r} is no whole number")
    return value


@dataclass(frozen=True)
class Cases:
    """Labelled cases and the questions that tell them apart.

    A case has its rank in each order, its class, a position in `classes`, and the number in the file of its first row;
    `rows` is `None` where these are left out.
    """

    orders: tuple[QuestionOrder, ...]
    classes: tuple[str, ...]
    ranks: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]
    rows: tuple[int, ...] | None

    def __post_init__(self) -> None:
        counts = {len(self.ranks), len(self.labels), *([] if self.rows is None else [len(self.rows)])}
        if len(counts) > 1 or len(set(self.ranks)) < len(self.ranks):
            raise CertificateError("Each case must have ranks of its own, and a class. Make the certificate again.")
        most = [order.n_questions for order in self.orders]
        # each rank is that of some case, so there are fewer questions than cases; more would never end
        if any(not 0 <= m < len(self.ranks) for m in most):
            raise CertificateError("An order has more questions than the cases tell apart. Make the certificate again.")
        for ranks, label in zip(self.ranks, self.labels, strict=True):
            if len(ranks) != len(most) or not all(0 <= r <= m for r, m in zip(ranks, most, strict=True)):
                raise CertificateError("A case must have a rank in each order. Make the certificate again.")
            if not 0 <= label < len(self.classes):
                raise CertificateError(f"There is no class {label}. Make the certificate again.")

    @classmethod
    def of(cls, distinct: DistinctCases, rows: bool = True, in_words: bool = True) -> Cases:
        """The cases of a problem; `rows` says whether the numbers of the rows are told.

        `in_words` says whether the questions are told in words, which name columns and values between which they cut.
        """
        orders = []
        for order, ranks in zip(distinct.kept.tolist(), distinct.rank, strict=True):
            words = tuple(_words(distinct, order, r) for r in range(int(ranks.max())))
            orders.append(QuestionOrder(int(distinct.orders.column[order]), len(words), words if in_words else ()))
        dataset = distinct.problem.dataset
        return cls(
            orders=tuple(orders),
            classes=tuple(dataset.classes),
            ranks=tuple(map(tuple, distinct.rank.T.tolist())),
            labels=tuple(distinct.label.tolist()),
            rows=tuple(dataset.rows[distinct.first].tolist()) if rows else None,
        )

    def to_csv(self) -> str:
        """A line a case: its number, the row, the class as a number, and the ranks."""
        out = io.StringIO()
        write = csv.writer(out, lineterminator="\n").writerow
        write(["case", *(["row"] if self.rows else []), "class", *(f"rank_{o}" for o in range(len(self.orders)))])
        for i, (ranks, label) in enumerate(zip(self.ranks, self.labels, strict=True)):
            write([i, *([self.rows[i]] if self.rows else []), label, *ranks])
        return out.getvalue()

    @classmethod
    def from_csv(cls, text: str, orders: Sequence[QuestionOrder], classes: Sequence[str]) -> Cases:
        """Read what `to_csv` wrote; `CertificateError` where it is damaged, or does not fit the questions."""
        lines = list(csv.reader(io.StringIO(text)))
        named = ["case", "row", "class", *(f"rank_{o}" for o in range(len(orders)))]
        with_rows = bool(lines) and lines[0][1:2] == ["row"]
        if not with_rows:
            named.remove("row")
        if not lines or lines[0] != named:
            raise CertificateError(f"The table of cases must have the columns {', '.join(named[:4])}, ...")
        try:
            numbers = [list(map(int, line)) for line in lines[1:]]
        except ValueError:
            raise CertificateError(
                "The table of cases must hold whole numbers only. Make the certificate again."
            ) from None
        if any(line[:1] != [i] or len(line) != len(named) for i, line in enumerate(numbers)):
            raise CertificateError("The table of cases must number them from 0 on. Make the certificate again.")
        at = 2 if with_rows else 1
        return cls(
            tuple(orders),
            tuple(classes),
            tuple(tuple(line[at + 1 :]) for line in numbers),
            tuple(line[at] for line in numbers),
            tuple(line[1] for line in numbers) if with_rows else None,
        )


def questions_to_csv(orders: Sequence[QuestionOrder]) -> str:
    """A line a question: its order, its place there, and its words."""
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write(["order", "column", "question", "words"])
    for o, order in enumerate(orders):
        for r, words in enumerate(order.words):
            write([o, order.column, r, safe_cell(words)])
    return out.getvalue()


def _words(distinct: DistinctCases, order: int, low: int) -> str:
    """A question in the user's words, turned so that the low ranks say yes."""
    schema = distinct.problem.dataset.schema
    predicate, yes_is_low = distinct.orders.question(order, low, low + 1, True)
    words = predicate.words(schema)
    return words if yes_is_low else f"not ({words})"
