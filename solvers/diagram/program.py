"""Common parts of all code exports: the syntax of splits, their nesting, and the reading of texts.

A language is a `Language` (comparisons) and, if it has functions, a `Blocks` (branches) and a text that reads cells.
Preparation steps run there, before the first split, where cells are converted to the model's numbers.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from ..errors import DiagramError
from ..problem import Column, LinearPredicate, MissingPolicy, Op, Predicate, Schema, Step, Unknown
from .diagram import Diagram, Leaf, NodeId, Split
from .dot import summary
from .labels import comment, cut
from .spellings import NOTICE
from .words import plain

MOST_NESTED = 12
"""Maximum nesting of splits; deeper ones get their own function."""

LONGEST_NAME = 20
"""Maximum number of letters of a column in a variable name; a suffix makes the name unique."""

MOST_UNFOLDED = 2000
"""Maximum number of leaves if a format has to copy shared nodes."""


def exact(value: float) -> str:
    """A number with enough decimals to distinguish it from all others."""
    return repr(float(value))


@dataclass(frozen=True, kw_only=True)
class Language:
    """The syntax of splits in a language; by default as in C, with functions if C has no operator.

    Attributes
    ----------
    number, level : a threshold, and the position of a level.
    missing : whether a value is missing, as a template of it; the others are templates of two terms.
    equals : the comparison with a level, false for a missing value; thresholds are always compared by `<=`.
    either : one of two conditions, the second of which is that a value is missing.
    filled : a value, or its replacement if it is missing.
    has : 1 if a value is this level, 0 if it is another one, missing if it is missing.
    total : whether a sum is at most its threshold, by the result for a missing one; `None` to compare it like a value.
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
        """The condition of a split; `values` has the expression of each column."""
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
        """The sum in the order of its terms, which determines its rounding."""
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
    """The branches of a language: templates with the names 'node', 'condition', 'words' and 'leaf'.

    `start` and `end` enclose the function of a node, `branch`, `other` and `close` the two sides of a split; `answer`
    returns a leaf, and `call` the leaf of another function. `end` and `close`, by default braces, are empty if
    indentation suffices. `remark` makes a comment.
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
        self, diagram: Diagram, condition: Callable[[Split], str], stop: Callable[[Split], str]
    ) -> Iterator[str]:
        """One function for the root, for each split with several parents, and for each split nested too deeply.

        `stop` gives the line before a split that handles values no training row has, '' for none.
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
        self, diagram: Diagram, start: NodeId, condition: Callable[[Split], str], stop: Callable[[Split], str]
    ) -> tuple[list[str], list[NodeId]]:
        """The lines of a function, and the nodes that need their own functions."""
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
                if line := stop(node):
                    lines.append(indent + line)
                words = self.remark(node.predicate.words(diagram.schema))
                lines.append(indent + self.branch.format(condition=condition(node), words=words))
                stack += [(depth, self.close)] * bool(self.close)
                stack += [(depth + 1, node.no), (depth, self.other), (depth + 1, node.yes)]
        return [*lines, *[self.end] * bool(self.end)], left


def refusable(split: Split, schema: Schema, unknown: Unknown) -> tuple[Column, ...]:
    """The columns of a split for which a value that no training row has ends the path."""
    if unknown is Unknown.IGNORE:
        return ()
    columns = (schema[name] for name in dict.fromkeys(split.predicate.columns))
    return tuple(column for column in columns if column.unseen_levels or not column.has_missing)


def level_texts(column: Column) -> tuple[dict[str, int], dict[str, int]]:
    """The texts of levels that match exactly, and those that match in ASCII lower case, by position.

    For languages without Unicode case folding: other alphabets are matched in their usual cases only.
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
    """The number of leaves of the model if shared nodes are copied.

    Raises `DiagramError` if there are more than a format can hold.
    """
    n = [1] * diagram.n_nodes
    for i, split in reversed(diagram.splits):
        n[i] = n[split.yes] + n[split.no]
    if n[0] > MOST_UNFOLDED:
        raise DiagramError(
            f"{format_name} cannot represent shared nodes, and without sharing the model has {n[0]} leaves, more than "
            f"{MOST_UNFOLDED}. Choose JavaScript, Python or SQL, or train a tree."
        )
    return n[0]


def without_steps(diagram: Diagram, format_name: str, held: Callable[[Step], bool] = lambda step: False) -> None:
    """Raise `DiagramError` if a model needs preparation steps other than those that a format holds."""
    if steps := [step.words() for step in diagram.preparation.steps if not held(step)]:
        raise DiagramError(
            f"{format_name} cannot represent these preparation steps: {'; '.join(steps)}. Choose JavaScript, Python, "
            "or SQL for SQLite, PostgreSQL or DuckDB. Or prepare the table with the command 'prepare', and train the "
            "model on the result."
        )


def variable_names(diagram: Diagram, taken: Iterable[str] = ()) -> dict[str, str]:
    """A variable name for each column of the splits, of at most 26 lower-case letters, digits and underscores."""
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
    """Return the text; raises `DiagramError` if it has a null character or a lone surrogate."""
    if "\x00" in text or any(0xD800 <= ord(char) < 0xE000 for char in text):
        raise DiagramError(
            f"{format_name} cannot hold the name {text!a}. Rename the column, level or class, or choose JSON."
        )
    return text


def about(diagram: Diagram) -> tuple[str, ...]:
    """The header lines of a file about its model: title, description, and limits of use."""
    return (*(cut(plain(line), 300) for line in summary(diagram)), NOTICE, "Made with Espalier.")
