"""Export a model as a SQL query that adds its prediction to every row of a table.

The query is divided into readable steps: `texts` trims the texts of levels, `coded` converts the columns of the splits
to the numbers of the model (NULL if missing, levels as positions), the next steps evaluate the splits, and the last one
looks up the class of the leaf and the proportion of the positive class. Trees are one nested CASE; for other models
each step evaluates one layer, so that a shared node is written once.

A row without a prediction (an unknown level, text among numbers, a missing value that is required, a split that needs a
value that no training row has) gets NULL. Numbers are compared as the same 64-bit floats.

The query is written once, in the SQL of DuckDB, and translated by `dialects.translate`.
"""

import math
from collections.abc import Iterable, Iterator

from ..errors import DiagramError
from ..problem import Column, Kind, MissingPolicy, ShapeKind, Unknown
from ..problem.tables import free_name
from ..problem.texts import format_number
from .diagram import Diagram, Leaf, NodeId, Split
from .dialects import (
    WITH_CAPITALS,
    WITH_INFINITY,
    WITH_STEPS,
    Dialect,
    exact_number,
    quoted_name,
    quoted_text,
    translate,
)
from .dot import summary
from .labels import comment, cut
from .program import Language, level_texts, refusable, without_steps
from .spellings import NOTICE, REFUSED, missing_marks
from .sql_preparation import SqlPreparation
from .words import plain


def to_sql(
    diagram: Diagram,
    *,
    table: str = "patients",
    dialect: Dialect = Dialect.SQLITE,
    unknown: Unknown = Unknown.ERROR,
) -> str:
    """The model as one SELECT that adds the columns 'prediction', 'risk' and 'leaf' to those of a table.

    The table is raw: its columns have the names that the first preparation step expects, or the model's if there are no
    steps. `unknown` is the rule for rows for which a split needs a value that no training row has. Raises
    `DiagramError` if a name has a character that SQL text cannot represent, if two columns differ only in case and the
    database does not distinguish them, or if the model needs preparation steps that the dialect does not support.
    """
    return _Query(diagram, table, Dialect(dialect), unknown).text()


_NESTED = 8
"""Maximum nesting of splits; SQL Server allows ten."""


class _Query:
    """A query under construction; column j of the splits is `espalier_c{j}`, its text `espalier_t{j}`."""

    def __init__(self, diagram: Diagram, table: str, dialect: Dialect, unknown: Unknown) -> None:
        self.diagram, self.table, self.dialect, self.unknown = diagram, table, dialect, unknown
        self.used = [diagram.schema[name] for name in diagram.features]
        if dialect not in WITH_STEPS:
            without_steps(diagram, f"SQL for {dialect.label}")
        self.steps = diagram.preparation
        raw = self.steps.raw(diagram.features)
        small = [name.lower() for name in raw]
        if len(set(small)) < len(small) and dialect not in WITH_CAPITALS:
            twice = next(name for name in raw if small.count(name.lower()) > 1)
            raise DiagramError(
                f"{dialect.label} ignores case in column names. Rename one of the columns called '{twice}'."
            )
        self.position = {column.name: j for j, column in enumerate(self.used)}
        prefix = free_name("espalier", [name.lower().partition("_")[0] for name in (*diagram.schema.names, *raw)])
        self.language = Language(
            number=lambda value: exact_number(value, dialect),
            missing="{} IS NULL",
            equals="{} = {}",
            either="({} OR {})",
            filled="COALESCE({}, CAST({} AS DOUBLE))",
            has="CASE WHEN {0} IS NULL THEN NULL WHEN {0} = {1} THEN CAST(1 AS DOUBLE) ELSE CAST(0 AS DOUBLE) END",
            term="CAST({} AS DOUBLE) * {}",
        )
        self.row, self.code, self.text_of = f"{prefix}_at", f"{prefix}_c", f"{prefix}_t"
        self.prepared = SqlPreparation(self.steps, dialect, f"{prefix}_p")

    def text(self) -> str:
        """The whole query."""
        notes = (
            *(cut(plain(line), 300) for line in summary(self.diagram)),
            *(f"First {cut(plain(words), 300)}." for words in self.diagram.preparation.words),
            NOTICE,
            f"Written for {self.dialect.label}.",
            f"prediction is NULL if the model makes no prediction; columns that begin with {self.row[:-2]} are steps.",
        )
        source, steps = quoted_name(self.table), []
        for number, made in enumerate(self.prepared.queries, start=1):
            steps.append((f"prepared{number}", f"SELECT {', '.join(('t.*', *made))} FROM {source} AS t"))
            source = f"prepared{number}"
        bare = [
            f"CELL_TEXT({self.prepared.cell(column.name)}) AS {self.text_of}{j}"
            for j, column in enumerate(self.used)
            if column.kind.has_levels
        ]
        if bare:
            steps.append(("texts", f"SELECT {', '.join(('t.*', *bare))} FROM {source} AS t"))
            source = "texts"
        columns = [f"{self._coding(j, column)} AS {self.code}{j}" for j, column in enumerate(self.used)]
        steps += [("coded", f"SELECT {', '.join(('t.*', *columns))} FROM {source} AS t"), *self._walk()]
        # a planner that inlines each step would double the text with each layer
        kept = "MATERIALIZED " if len(steps) > 2 + bool(bare) else ""
        blocks = ", ".join(f"{name} AS {kept}({body})" for name, body in steps)
        query = translate(f"WITH {blocks} {self._answer(steps[-1][0])}", self.dialect)
        return "\n".join((*(f"-- {note}" for note in notes), query)) + ";\n"

    def _coding(self, j: int, column: Column) -> str:
        """The value of a column as the model's number; an unknown text is below all levels."""
        if column.kind.has_levels:
            return self._level(column, f"t.{self.text_of}{j}")
        cell = self.prepared.cell(column.name)
        return f"{'CELL_DAYS' if column.kind is Kind.DATE else 'CELL_NUMBER'}({cell})"

    def _level(self, column: Column, bare: str) -> str:
        exact, small = level_texts(column)
        # levels with surrounding blanks never match, but would in databases that pad texts with blanks
        texts: list[list[str]] = [[] for _ in column.levels]
        for level, i in exact.items():
            texts[i] += [level] * (level == level.strip())
        for number, i in column.spellings().numbers.items():
            spelled = (format_number(number), repr(number)) if math.isfinite(number) else ()
            texts[i] += [text for text in dict.fromkeys(spelled) if text not in exact]
        marks = ", ".join(map(quoted_text, missing_marks()))
        cases = [
            f"WHEN {bare} IN ({', '.join(map(quoted_text, known))}) THEN {i}" for i, known in enumerate(texts) if known
        ]
        cases.append(f"WHEN {bare} IS NULL OR LOWER({bare}) IN ({marks}) THEN NULL")
        cases += [f"WHEN LOWER({bare}) = {quoted_text(folded)} THEN {i}" for folded, i in small.items()]
        return f"CASE {' '.join(cases)} ELSE {REFUSED} END"

    def _walk(self) -> Iterator[tuple[str, str]]:
        """The steps that compute the leaf, which the last one names 'espalier_leaf' (or similar)."""
        diagram = self.diagram
        start = self._refusal()
        if diagram.kind is ShapeKind.TREE and diagram.depth <= _NESTED:
            yield "walked", f"SELECT coded.*, {self._nested(start)} AS {self.row} FROM coded"
            return
        layers: dict[int, list[NodeId]] = {}
        for i, _ in diagram.splits:
            layers.setdefault(int(diagram.layer[i]), []).append(i)
        first = f"CASE {start}ELSE 0 END" if start else "0"
        yield "step0", f"SELECT coded.*, {first} AS {self.row}0 FROM coded"
        for k in range(len(layers)):
            cases = " ".join(self._case(i, f"{self.row}{k}") for i in layers[k])
            last = k == len(layers) - 1
            name, at = ("walked", self.row) if last else (f"step{k + 1}", f"{self.row}{k + 1}")
            yield name, f"SELECT step{k}.*, CASE {cases} ELSE {self.row}{k} END AS {at} FROM step{k}"
        if not layers:
            yield "walked", f"SELECT step0.*, {self.row}0 AS {self.row} FROM step0"

    def _refusal(self) -> str:
        """The first WHEN of a walk, for rows without a prediction; '' if there are none."""
        found = [f"{kept} = 0" for kept in self.prepared.kept]
        for j, column in enumerate(self.used):
            if column.kind.has_levels:
                found.append(f"{self.code}{j} = {REFUSED}")
            elif self.dialect in WITH_INFINITY:
                found.append(f"IS_INFINITE({self.code}{j})")
            if self.diagram.schema.missing is MissingPolicy.COMPLETE:
                found.append(f"{self.code}{j} IS NULL")
        return f"WHEN {' OR '.join(found)} THEN {REFUSED} " if found else ""

    def _case(self, i: NodeId, at: str) -> str:
        split = self.diagram.split(i)
        case = f"CASE {self._stop(split)}WHEN {self._condition(split)} THEN {split.yes} ELSE {split.no} END"
        return f"WHEN {at} = {i} THEN {case}"

    def _nested(self, start: str) -> str:
        """The tree as nested CASE expressions."""
        parts: list[str] = [f"CASE {start}ELSE"] if start else []
        stack: list[NodeId | str] = [*["END"] * bool(start), 0]
        while stack:
            at = stack.pop()
            if isinstance(at, str):
                parts.append(at)
            elif isinstance(node := self.diagram.nodes[at], Leaf):
                parts.append(f"{at} {_remark(self.diagram.classes[node.label])}")
            else:
                parts.append(f"CASE {self._stop(node)}WHEN {self._condition(node)} THEN")
                stack += ["END", node.no, "ELSE", node.yes]
        return " ".join(parts)

    def _stop(self, split: Split) -> str:
        """The WHEN of a split for values that no training row has; '' if there is none."""
        found = []
        for column in refusable(split, self.diagram.schema, self.unknown):
            value = f"{self.code}{self.position[column.name]}"
            found += [f"{value} IS NULL"] * (not column.has_missing)
            found += [f"{value} IN ({', '.join(map(str, column.unseen_levels))})"] * bool(column.unseen_levels)
        return f"WHEN {' OR '.join(found)} THEN {REFUSED} " if found else ""

    def _condition(self, split: Split) -> str:
        values = {name: f"{self.code}{self.position[name]}" for name in split.predicate.columns}
        words = split.predicate.words(self.diagram.schema)
        return f"{self.language.condition(split.predicate, self.diagram.schema, values)} {_remark(words + '?')}"

    def _answer(self, last: str) -> str:
        """The last step: the class and risk of the leaf."""
        diagram, leaves = self.diagram, [leaf for _, leaf in self.diagram.leaves]
        raw = self.steps.raw(diagram.features)
        taken = [name.lower() for name in (*diagram.schema.names, diagram.outcome, *raw)]
        prediction, risk, leaf = (free_name(name, taken) for name in ("prediction", "risk", "leaf"))
        columns = [f"{self._by_leaf(quoted_text(diagram.classes[one.label]) for one in leaves)} AS {prediction}"]
        if diagram.positive is not None:
            columns.append(f"{self._by_leaf(self._share(one, diagram.positive) for one in leaves)} AS {risk}")
        columns.append(f"CASE WHEN {self.row} = {REFUSED} THEN NULL ELSE {self.row} END AS {leaf}")
        return f"SELECT {', '.join((f'{last}.*', *columns))} FROM {last}"

    def _share(self, answer: Leaf, of_class: int) -> str:
        """The proportion of a class as the quotient of its counts, which every database divides alike."""
        total = sum(answer.counts)
        if not total > 0:
            return self._double(answer.shares[of_class])
        return f"{self._double(answer.counts[of_class])} / {self._double(total)}"

    def _double(self, value: float) -> str:
        return f"CAST({exact_number(value, self.dialect)} AS DOUBLE)"

    def _by_leaf(self, values: Iterable[str]) -> str:
        cases = " ".join(f"WHEN {i} THEN {value}" for (i, _), value in zip(self.diagram.leaves, values, strict=True))
        return f"CASE {self.row} {cases} END"


def _remark(text: str) -> str:
    """A comment that no name can end."""
    return f"/* {comment(text).replace('*', ' ').replace('/', ' ')} */"
