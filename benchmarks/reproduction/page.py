"""The page docs/reproduction.md, from what is known: the verdicts of all tables in short, then table by table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmarks.reproduction.data import FOLDERS
from benchmarks.reproduction.registry import Comparison, Extent, Paper, PaperTable, Results, Verdict
from benchmarks.tables import NOTHING, Table, machine

HEAD = """\
# The five papers, reproduced

Every table and figure of the five papers whose data are to be had: the paper's value, ours beside it, and what the
comparison says. This page is written by

```sh
python -m benchmarks.reproduce --list                             # what there is, and its hours
python -m benchmarks.reproduce DATA --state cases.jsonl --page docs/reproduction.md           # all of it, in full
python -m benchmarks.reproduce DATA --state cases.jsonl --page docs/reproduction.md --quick   # all of it, in short
python -m benchmarks.reproduce DATA --state cases.jsonl --table contree-3 --quick             # one table
```

Each case is written down in the file of `--state` once it is done, so that a run that is broken off goes on where it
ended. Where all cases of the full setting are there, the page shows these, else those of the quick one, and says which.

- **reproduced**: equal, or within the distance that the table allows for chance; **better**: ours is better than the
  paper's value; **differs**: it is not, with the cause; **ours only**: the paper has no such value; **not measured
  yet**: no case is in the file; **data not to be had**: nobody offers the data, or the program that is compared.
- **Seconds are processor seconds** of the method on one core, its code compiled before. Limits are wall seconds, on a
  machine that others used as well while this page was measured: a proof that is missing here may be had with more time.
- Every model of ours passes the independent verifier, or counts as failed.
"""

DATA_HEAD = """\
## The data

`DATA` is a folder that has these folders; a table that is not there is left out, and its lines say so.

| folder | what is in it |
|---|---|
"""


def extent_of(table: PaperTable, results: Results, quick: bool = False) -> tuple[Extent, str]:
    """The extent that is shown, and what it is called: in full where all is there and not only `quick` is asked for."""
    full = () if quick else table.cases(table.full)
    if full and all(results(case) is not None for case in full):
        return table.full, "in full"
    cases = table.cases(table.quick)
    done = sum(results(case) is not None for case in cases)
    if done == len(cases):
        return table.quick, "quick"
    return table.quick, f"quick, {done} of {len(cases)} cases" if done else "not measured yet"


def in_words(extent: Extent) -> str:
    """An extent in words."""
    words = [f"at most {extent.seconds:g} s a case", f"{extent.seeds} seed{'s' * (extent.seeds > 1)}"]
    if extent.depths:
        words.append(f"depth{'s' * (len(extent.depths) > 1)} {', '.join(map(str, extent.depths))}")
    if extent.parts is not None:
        words.append(f"the first {extent.parts} part{'s' * (extent.parts > 1)} of each division")
    if extent.sets is not None:
        words.append(f"only {', '.join(extent.sets)}")
    return ", ".join(words)


def markdown(table: PaperTable, results: Results, quick: bool = False) -> str:
    """The section of a table; `quick` shows that setting even where all is there in full."""
    extent, called = extent_of(table, results, quick)
    found = table.compare(extent, results)
    text = [f"### {table.place}: {table.shows}", ""]
    text += [
        f"`--table {table.key}`. In the paper: {table.setting}. Here ({called}): {in_words(extent)}. In full: "
        f"{in_words(table.full)}, at most {table.hours(table.full):,.1f} h; quick: at most "
        f"{table.hours(table.quick):,.1f} h.",
        "",
    ]
    if any(line.verdict is not Verdict.OPEN for line in found.lines):
        text.append(_as_table(found).markdown.lstrip())
    if table.causes:
        text += [table.causes, ""]
    text += [f"- {remark}" for remark in found.remarks]
    return "\n".join(text).rstrip() + "\n"


def _as_table(found: Comparison) -> Table:
    lines = [line for line in found.lines if line.verdict is not Verdict.OPEN]
    open_lines = len(found.lines) - len(lines)
    title = f"{open_lines} further lines are not measured yet." if open_lines else ""
    return Table(title, found.headers, tuple((*line.cells, line.told) for line in lines))


def summary(papers: Sequence[Paper], results: Results) -> str:
    """A line a table: how many of its lines have which verdict."""
    rows = []
    for paper in papers:
        for table in paper.tables:
            extent, called = extent_of(table, results)
            counted = Counter(line.verdict for line in table.compare(extent, results).lines)
            cells = [str(counted[verdict]) if counted[verdict] else NOTHING for verdict in Verdict]
            rows.append((f"`{table.key}`", table.place, called, *cells))
    headers = ("table", "in the paper", "measured", *map(str, Verdict))
    return Table("Lines of each table by verdict:", headers, tuple(rows)).markdown


def whole_page(papers: Sequence[Paper], results: Results) -> str:
    """The page."""
    text = [HEAD, summary(papers, results), f"Measured on {machine()}.\n", DATA_HEAD]
    text[-1] += "\n".join(f"| `{name}` | {what} |" for name, what in FOLDERS.items()) + "\n"
    for paper in papers:
        text.append(f"## {paper.citation}\n\nThe data: {paper.data}\n")
        text += [markdown(table, results) for table in paper.tables]
    return "\n".join(text)
