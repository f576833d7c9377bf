"""Write results/reproduction.md: a summary of the verdicts, then each table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from benchmarks.reproduction.data import FOLDERS
from benchmarks.reproduction.registry import Comparison, Extent, Paper, PaperTable, Results, Verdict
from benchmarks.tables import NOTHING, Table, machine

HEAD = """\
# The five papers, reproduced

Every table and figure of the five papers: the paper's value, ours beside it, and what the comparison says. This page is
written by

```sh
python -m benchmarks.reproduce --list --state cases.jsonl         # the tables, their hours and verdicts
python -m benchmarks.reproduce DATA --state cases.jsonl --page reproduction.md           # all of it, in full
python -m benchmarks.reproduce DATA --state cases.jsonl --page reproduction.md --medium  # fewer and shorter cases
python -m benchmarks.reproduce DATA --state cases.jsonl --table contree-3 --medium       # one table
```

Each case is written down in the file of `--state` once it is done, so that a run that is broken off goes on where it
ended; `open_cases.jsonl`, beside this page, has the cases of tables that are not complete, to go on from. The page
shows the largest of the settings full and medium of which all cases are there, and says which; a table without any
keeps the section that the page has.

- **reproduced**: equal, or within the distance that the table allows for chance; **better**: ours is better than the
  paper's value; **differs**: it is not, with the cause; **ours only**: the paper has no such value; **not measured
  yet**: no case is in the file; **cited only**: a program that is not run here.
- **Seconds are processor seconds** of the method on one core, its code compiled before. So are limits, with ten times
  as many by the clock; those of MaxSAT-BDD, and of all sections that are called 'quick' here, were by the clock, on a
  machine that others used as well: a proof that is missing there may be had with more time.
- Every model of ours passes the independent verifier, or counts as failed.
"""

NOT_MEASURED, COMPLETE = "not measured yet", ("in full", "medium")
"""The name of an extent without results, and the names of fully measured ones."""

DATA_HEAD = """\
## The data

`DATA` is a folder that has these folders; a table that is not there is left out, and its lines say so.

| folder | what is in it |
|---|---|
"""


def extent_of(table: PaperTable, results: Results, most: str = "full") -> tuple[Extent, str]:
    """The extent that is shown, and its name: the largest up to `most` whose cases are all measured."""
    settings = list(table.settings.items())
    names = [name for name, _ in settings]
    for name, extent in settings[names.index(most) if most in names else -1 :]:
        cases = table.cases(extent)
        if cases and all(results(case) is not None for case in cases):
            return extent, "in full" if name == "full" else name
    done = sum(results(case) is not None for case in cases)
    return table.medium, f"medium, {done} of {len(cases)} cases" if done else NOT_MEASURED


def in_words(extent: Extent) -> str:
    """An extent as text."""
    words = [f"at most {extent.seconds:g} s a case", f"{extent.seeds} seed{'s' * (extent.seeds > 1)}"]
    if extent.depths:
        words.append(f"depth{'s' * (len(extent.depths) > 1)} {', '.join(map(str, extent.depths))}")
    if extent.parts is not None:
        words.append(f"the first {extent.parts} part{'s' * (extent.parts > 1)} of each division")
    if extent.sets is not None:
        words.append(f"only {', '.join(extent.sets)}")
    return ", ".join(words)


def markdown(table: PaperTable, results: Results, most: str = "full") -> str:
    """The section of a table, of the largest complete setting up to `most`."""
    extent, called = extent_of(table, results, most)
    found = table.compare(extent, results)
    hours = {name: f"{table.hours(known):,.1f} h" for name, known in table.settings.items()}
    text = [f"### {table.place}: {table.shows}", ""]
    text += [
        f"`--table {table.key}`. In the paper: {table.setting}. Here ({called}): {in_words(extent)}. In full: "
        f"{in_words(table.full)}. At most {', '.join(f'{name} {time}' for name, time in hours.items())}.",
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


def summary(papers: Sequence[Paper], results: Results, before: str = "") -> str:
    """A line per table: the number of lines with each verdict; `before` is the page that has the others."""
    rows = []
    for paper in papers:
        for table in paper.tables:
            extent, called = extent_of(table, results)
            old = re.search(rf"^\| `{table.key}` \|.*\|$", before, re.MULTILINE)
            if called not in COMPLETE and old:
                rows.append(tuple(cell.strip() for cell in old[0].strip("|").split("|")))
                continue
            counted = Counter(line.verdict for line in table.compare(extent, results).lines)
            cells = [str(counted[verdict]) if counted[verdict] else NOTHING for verdict in Verdict]
            rows.append((f"`{table.key}`", table.place, called, *cells))
    headers = ("table", "in the paper", "measured", *map(str, Verdict))
    return Table("Lines of each table by verdict:", headers, tuple(rows)).markdown


def _section(table: PaperTable, results: Results, before: str) -> str:
    """The section of a table: the one of the existing page if no setting is complete."""
    if extent_of(table, results)[1] not in COMPLETE:
        for old in re.split(r"^(?=##+ )", before, flags=re.MULTILINE):
            if f"\n`--table {table.key}`." in old:
                return old.rstrip() + "\n"
    return markdown(table, results)


def whole_page(papers: Sequence[Paper], results: Results, before: str = "") -> str:
    """The page; `before` is the existing one, from which sections are kept if no setting is complete."""
    # kept sections were measured on the machines that the page named
    old = re.search(r"^Measured on (.*)\.$", before, re.MULTILINE)
    machines = dict.fromkeys([*(old[1].split("; or ") if old else ()), machine()])
    text = [HEAD, summary(papers, results, before), f"Measured on {'; or '.join(machines)}.\n", DATA_HEAD]
    text[-1] += "\n".join(f"| `{name}` | {what} |" for name, what in FOLDERS.items()) + "\n"
    for paper in papers:
        text.append(f"## {paper.citation}\n\nThe data: {paper.data}\n")
        text += [_section(table, results, before) for table in paper.tables]
    return "\n".join(text)
