"""What all writers of code share: how a question is spelled, how questions stand inside each other, how texts are read.

A language is a `Language` (how it compares) and, where it has functions, a `Blocks` (how it branches) and a text that
reads cells. Preparation of cells belongs there: before the first question, where cells become the model's numbers.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..errors import DiagramError
from ..problem import Column, LinearPredicate, MissingPolicy, Op, Predicate, Schema, Unknown
from .diagram import Diagram, Leaf, NodeId, Split
from .dot import summary
from .labels import comment, cut
from .spellings import NOTICE
from .words import plain

MOST_NESTED = 12
"""Questions that stand inside each other; deeper ones get a function of their own."""

LONGEST_NAME = 20
"""Letters of a column in the name of a variable; what tells it from others comes behind."""

MOST_UNFOLDED = 2000
"""Leaves of a model whose joined ways a format must write apart."""


def exact(value: float) -> str:
    """A number in as many decimals as tell it from all others."""
    return repr(float(value))


@dataclass(frozen=True, kw_only=True)
class Language:
    """How a language spells questions; by default as C does, with functions where C has no operator.

    Attributes
    ----------
    number, level : a limit, and the position of a level.
    missing : whether a value is missing, as a template of it; the others are templates of two terms.
    equals : the comparison of a level, which is not true of a missing value; limits are compared by `<=` everywhere.
    either : one of two claims, the second of which is that a value is missing.
    filled : a value, or what stands for it where it is missing.
    has : 1 where a value is this level, 0 where it is another one, missing where it is missing.
    total : whether a sum is at most its limit, by what a missing one answers; `None` to compare it like a value.
    term : a weight times a value.
    """

    number: Callable[[float], str] = exact
    level: Callable[[int], str] = str
    missing: str
    equals: str = "{} == {}"
    either: str = "{} || {}"
    filled: str = "filled({}, {})"
    has: str = "has({}, {})"
    total: Callable[[str, str, bool], str] | None = None
    term: str = "{} * {}"

    def condition(self, predicate: Predicate | LinearPredicate, schema: Schema, values: Mapping[str, str]) -> str:
        """A question about values, spelled by column."""
        if isinstance(predicate, LinearPredicate):
            return self._sum(predicate, schema, values)
        value = values[predicate.column]
        if predicate.op is Op.MISSING:
            return self.missing.format(value)
        operand = predicate.operand
        of_level = schema[predicate.column].kind.has_levels and operand == int(operand)
        limit = self.level(int(operand)) if of_level else self.number(operand)
        claim = ("{} <= {}" if predicate.op is Op.LE else self.equals).format(value, limit)
        return self.either.format(claim, self.missing.format(value)) if predicate.missing else claim

    def _sum(self, predicate: LinearPredicate, schema: Schema, values: Mapping[str, str]) -> str:
        """The sum in the order of its terms, which decides how it is rounded."""
        terms = []
        for name, level, weight in predicate.terms:
            value, fill = values[name], schema[name].fill
            if schema.missing is MissingPolicy.IMPUTE and fill is not None:
                value = self.filled.format(value, self.number(fill))
            if level is not None:
                value = self.has.format(value, level)
            terms.append(self.term.format(self.number(weight), value))
        total, limit = " + ".join(terms), self.number(predicate.threshold)
        if self.total is not None:
            return self.total(total, limit, bool(predicate.missing))
        claim = f"{total} <= {limit}"
        return self.either.format(claim, self.missing.format(f"({total})")) if predicate.missing else claim


@dataclass(frozen=True, kw_only=True)
class Blocks:
    """How a language branches: templates with the names 'node', 'condition', 'words' and 'leaf'.

    `start` and `end` enclose a function of a node, `branch`, `other` and `close` the two sides of a question, `answer`
    gives a leaf and `call` the leaf of another function. `end` and `close`, by default braces, are empty where indents
    alone tell.
    `remark` makes a comment of words.
    """

    start: str
    branch: str
    other: str = "} else {"
    close: str = "}"
    end: str = "}\n"
    answer: str
    call: str
    indent: str = "    "
    remark: Callable[[str], str] = comment

    def functions(
        self, diagram: Diagram, condition: Callable[[Split], str], stop: Callable[[Split], str] | None = None
    ) -> Iterator[str]:
        """A function for the root, for each question with several parents, and for what lies too deep in another one.

        `stop` gives the line before a question that sees to values that no training row has, '' for none.
        """
        waiting, started = [0], {0}
        while waiting:
            start = waiting.pop()
            lines, below = self._function(diagram, start, condition, stop)
            yield "\n".join(lines)
            for node in below:
                if node not in started:
                    started.add(node)
                    waiting.append(node)

    def _function(
        self, diagram: Diagram, start: NodeId, condition: Callable[[Split], str], stop: Callable[[Split], str] | None
    ) -> tuple[list[str], list[NodeId]]:
        """The lines of a function, and the nodes that it leaves to others."""
        lines, left = [self.start.format(node=start)], []
        stack: list[tuple[int, NodeId | str]] = [(1, start)]
        while stack:
            depth, at = stack.pop()
            indent = self.indent * depth
            if isinstance(at, str):
                lines.append(f"{indent}{at}")
            elif isinstance(node := diagram.nodes[at], Leaf):
                lines.append(indent + self.answer.format(leaf=at, words=self.remark(diagram.classes[node.label])))
            elif at != start and (len(diagram.parents[at]) > 1 or depth > MOST_NESTED):
                lines.append(indent + self.call.format(node=at))
                left.append(at)
            else:
                if stop is not None and (line := stop(node)):
                    lines.append(indent + line)
                words = self.remark(node.predicate.words(diagram.schema))
                lines.append(indent + self.branch.format(condition=condition(node), words=words))
                stack += [(depth, self.close)] * bool(self.close)
                stack += [(depth + 1, node.no), (depth, self.other), (depth + 1, node.yes)]
        return [*lines, *[self.end] * bool(self.end)], left


def refusable(split: Split, schema: Schema, unknown: Unknown) -> tuple[Column, ...]:
    """The columns of a question in which a value that no training row has ends the way."""
    if unknown is Unknown.IGNORE:
        return ()
    columns = (schema[name] for name in dict.fromkeys(split.predicate.columns))
    return tuple(column for column in columns if column.unseen_levels or not column.has_missing)


def level_texts(column: Column) -> tuple[dict[str, int], dict[str, int]]:
    """The texts that are a level as they stand, and those that are one in small letters of ASCII, by position.

    For languages that cannot fold the capitals of all alphabets: of other letters the usual mixtures are told.
    """
    found = column.spellings()
    small = {text: i for text, i in found.letters.items() if text.isascii() and text != text.upper()}
    mixed = {
        text: i
        for folded, i in found.letters.items()
        for level in [column.levels[i]]
        for text in (level.lower(), level.upper(), level.capitalize())
        if not text.isascii() and text.casefold() == folded
    }
    return mixed | found.exact, small


def count_unfolded(diagram: Diagram, format_name: str) -> int:
    """The leaves of the model once joined ways are written apart.

    Raises `DiagramError` where they are more than a format can hold.
    """
    n = [1] * diagram.n_nodes
    for i, split in reversed(diagram.splits):
        n[i] = n[split.yes] + n[split.no]
    if n[0] > MOST_UNFOLDED:
        raise DiagramError(
            f"{format_name} knows no joined ways, and apart they would have {n[0]} leaves, more than {MOST_UNFOLDED}. "
            "Choose JavaScript, Python or SQL, or make a tree."
        )
    return n[0]


def without_steps(diagram: Diagram, format_name: str) -> None:
    """Raise `DiagramError` where a model needs steps of preparation, which a format cannot hold."""
    if steps := diagram.preparation:
        raise DiagramError(
            f"{format_name} cannot hold the steps that prepare the table ({'; '.join(steps.words)}). Choose "
            "JavaScript, Python, or SQL for SQLite, PostgreSQL or DuckDB. Or write the table after the steps with "
            "the command 'prepare', and make the model from that."
        )


def variable_names(diagram: Diagram, taken: Iterable[str] = ()) -> dict[str, str]:
    """A name of small letters, digits and underscores, 26 at most, for each column that is asked about, by column."""
    used, out = set(taken), {}
    for name in diagram.features:
        base = re.sub("[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST_NAME]
        base = base if base[:1].isalpha() else f"x_{base}".rstrip("_")
        found, k = base, 2
        while found in used:
            found, k = f"{base}_{k}", k + 1
        used.add(found)
        out[name] = found
    return out


def sound(text: str, format_name: str) -> str:
    """A text that has no null character and no half of a surrogate pair; raises `DiagramError` for others."""
    if "\x00" in text or any(0xD800 <= ord(char) < 0xE000 for char in text):
        raise DiagramError(
            f"{format_name} cannot hold the name {text!a}. Rename the column, level or class, or choose JSON."
        )
    return text


def about(diagram: Diagram) -> tuple[str, ...]:
    """What the head of a file says of its model: its title, what it predicts, and what it is not for; a line each."""
    return (*(cut(plain(line), 300) for line in summary(diagram)), NOTICE, "Made with Espalier.")
