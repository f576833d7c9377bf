"""The finished cases in a file of JSON lines, from which an interrupted run resumes."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.reproduction.registry import Case, Result
from solvers.errors import DataError


class State:
    """Results by case; in memory only if there is no file.

    Raises
    ------
    DataError
        A line of the file is not a result.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._done: dict[str, Result] = {}
        lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else []
        for i, line in enumerate(lines, start=1):
            try:
                entry = json.loads(line)
                self._done[entry["case"]] = entry["result"]
            except (ValueError, KeyError, TypeError):
                raise DataError(f"Line {i} of '{path}' is no case. Remove it, or begin with another file.") from None

    def find(self, case: Case) -> Result | None:
        """The result of a case, if it is finished."""
        return self._done.get(case.key)

    def add(self, case: Case, result: Result) -> None:
        """Add a result, and write it to the file."""
        self._done[case.key] = result
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"case": case.key, "result": result}) + "\n")
