"""Limits hold: input that is too large, too deep or too densely compressed is refused before it fills the memory."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import numpy as np
import pytest

from solvers.constraints.files import constraints_of
from solvers.diagram import from_json, to_json
from solvers.errors import ConstraintError, DiagramError, RunError
from solvers.problem import Limits
from solvers.run import load_run, wire
from solvers.run.folder import RunFolder
from tests.diagram.models import tree
from tests.run.problems import mixed

ROOT = Path(__file__).resolve().parents[2]
ROOM_MB = 1500
"""Memory that a process may use in addition to its libraries to read a file of 50 MB: a few copies of its text."""


def within(memory_mb: int, code: str, *words: str) -> str:
    """The output of a program whose memory, in addition to its libraries, is limited."""
    start = textwrap.dedent(
        f"""
        import resource, sys
        import solvers.problem
        from pathlib import Path
        from solvers.errors import EspalierError
        from solvers.problem import infer_columns, read_table, build_dataset
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + {memory_mb} * 2**20,) * 2)
        """
    )
    program = [sys.executable, "-c", start + textwrap.dedent(code), *words]
    done = subprocess.run(program, capture_output=True, text=True, cwd=ROOT, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_compressed_bomb_is_not_decompressed(tmp_path):
    """210 MB of zeros or rows in two megabytes of gzip, in one member or many, are refused with little memory."""
    code = """
    for path in sys.argv[1:]:
        try:
            read_table(path)
        except EspalierError as error:
            print(error)
    """
    paths = [tmp_path / "zeros.csv.gz", tmp_path / "rows.csv.gz"]
    paths[0].write_bytes(gzip.compress(b"\0" * 210 * 2**20, 1))
    paths[1].write_bytes(gzip.compress(b"1,2,3\n" * 170_000) * 210)
    assert all(path.stat().st_size < 2e6 for path in paths)
    said = within(ROOM_MB, code, *map(str, paths)).splitlines()
    assert len(said) == 2 and all("unpacks to more than 200 MB" in line for line in said)


def test_a_cell_of_fifty_megabytes_is_read_or_refused(tmp_path):
    """One cell of 50 MB, quoted, unquoted or as the header, ends in a table or a sentence within the memory."""
    code = """
    for number, text in enumerate(('a,b\\n%s,1\\n2,3\\n', 'a,b\\n"%s",1\\n2,3\\n', '%s,b\\n1,2\\n3,4\\n', '%s')):
        try:
            table = read_table((text % ("x" * 50_000_000)).encode())
            reports = infer_columns(table)
            build_dataset(table, table.names[-1])
            print("read", number)
        except EspalierError as error:
            said = str(error)
            print("refused", number, len(said), said[:100])
    """
    lines = within(ROOM_MB, code).splitlines()
    assert [line.split()[1] for line in lines] == ["0", "1", "2", "3"]
    assert all(int(line.split()[2]) < 1000 for line in lines if line.startswith("refused")), lines


def test_ten_thousand_columns_are_read():
    """A wide table is read, typed and solved within the memory, and the model names a column."""
    code = """
    import numpy as np
    from solvers.problem import Limits, Problem, Shape
    from solvers.run import solve
    random = np.random.default_rng(0)
    numbers = random.integers(0, 9, (12, 10_000))
    head = ",".join([*(f"x{j}" for j in range(10_000)), "class"])
    rows = [",".join([*map(str, row), "yes" if row[7] > 4 else "no"]) for row in numbers]
    dataset = build_dataset(read_table("\\n".join([head, *rows]).encode()), "class")
    solution = solve(Problem(dataset, Shape(max_depth=1)), "cart", Limits(seconds=60.0))
    print(dataset.n_columns, solution.verified)
    """
    assert within(3 * ROOM_MB, code).split() == ["10000", "True"]


@pytest.mark.parametrize("depth", [150, 900, 100_000])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"kind": "fixed-top", "questions": ', '{"yes":'])
def test_deep_nesting_is_refused(depth, opening):
    """Nested lists and objects overflow no stack: constraints, models and runs refuse them in a sentence."""
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")
    text = opening * depth + "1" + closing * depth
    for read, error in ((constraints_of, ConstraintError), (from_json, DiagramError), (_loads, RunError)):
        with pytest.raises(error, match=r"nested|JSON"):
            read(text)


def _loads(text: str) -> object:
    return wire.document(text, "The file")


@pytest.mark.parametrize(
    "number", ["1e999999999", "1e-999999999", "9" * 100_000, "1/" + "9" * 100_000, "1_0e9_9999_999"]
)
def test_huge_numbers_are_refused(number):
    """A few characters that would expand to gigabytes of digits are not accepted as a number."""
    with pytest.raises(ConstraintError, match="number"):
        constraints_of(json.dumps([{"kind": "max-path-cost", "budget": number, "costs": {"age": number}}]))


def stored_run(folder: Path) -> Path:
    """The folder of an unsolved run."""
    return RunFolder.create(folder, mixed(), "contree", Limits(seconds=1.0)).path


def _array(head: str, content: bytes = b"") -> bytes:
    """A file of one array with this header."""
    line = head.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(line).to_bytes(2, "little") + line + content


class Touching:
    """An object whose pickle creates a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


@pytest.mark.parametrize("how", ["pickle", "objects", "huge", "negative", "packed", "code", "nested"])
def test_untrusted_arrays_are_refused(how, tmp_path):
    """Pickles, objects, headers that claim terabytes and compressed arrays are refused, and no code in them runs."""
    path, witness = stored_run(tmp_path / "runs"), tmp_path / "witness"
    with np.load(path / "data.npz") as stored:
        parts = {name: stored[name] for name in stored.files}
    out = io.BytesIO()
    if how in ("pickle", "objects"):
        objects = np.full(parts["0"].shape, Touching(witness) if how == "pickle" else 1.0, object)
        np.savez(out, **{**parts, "0": objects})
    elif how == "packed":
        np.savez_compressed(out, **{**parts, "0": np.zeros((1000, 1000))})
    else:
        head = {
            "huge": "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000, 5), }",
            "negative": "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 5), }",
            "code": f"__import__('pathlib').Path({str(witness)!r}).touch()",
            "nested": "[" * 5000,
        }[how]
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("0.npy", _array(head, b"\0" * 800))
            for name in parts.keys() - {"0"}:
                archive.writestr(f"{name}.npy", _bytes_of(parts[name]))
    (path / "data.npz").write_bytes(out.getvalue())
    with pytest.raises(RunError, match="damaged"):
        load_run(path)
    assert not witness.exists()


def _bytes_of(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def test_codes_out_of_range_are_refused(tmp_path):
    """Codes of no existing level or group never reach a compiled loop, even if everything else is valid."""
    problem = mixed()
    described = wire.problem_to_json(problem)
    X, codes = described["dataset"]["X"], described["dataset"]["groups"][0]["codes"]
    for name, place, value in ((X, (0, 1), 99.0), (X, (0, 1), -1.0), (X, (0, 2), 0.5), (codes, 0, 7)):
        with np.load(io.BytesIO(wire.arrays_to_bytes(problem.dataset))) as stored:
            parts = {key: stored[key].copy() for key in stored.files}
        parts[name][place] = value
        out = io.BytesIO()
        np.savez(out, **parts)
        with pytest.raises(RunError, match="a level that does not exist"):
            wire.problem_from_json(described, out.getvalue())


def test_an_untrusted_model_runs_no_code(tmp_path):
    """A model whose texts are programs is a model with strange names; one with cyclic nodes is refused."""
    model = json.loads(to_json(tree()))
    model["model"]["outcome"] = "__import__('os').abort()"
    assert from_json(json.dumps(model)).outcome == model["model"]["outcome"]
    model["model"]["nodes"] *= 2000
    with pytest.raises(DiagramError):
        from_json(json.dumps(model))
