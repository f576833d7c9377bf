"""Machine code is kept by source: what a kernel does not use may change without a new compilation."""

from __future__ import annotations

from pathlib import Path

import pytest

from solvers.kernels import code_cache


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four kernels: `top` imports `middle`, which imports `low`; `other` stands alone."""
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    (kernels / "__init__.py").write_text("")
    (kernels / "low.py").write_text("import numpy\nX = 1\n")
    (kernels / "middle.py").write_text("from solvers.kernels import (\n    low,\n)\n")
    (kernels / "top.py").write_text("from solvers.kernels.middle import (\n    f,\n)\n")
    (kernels / "other.py").write_text("from solvers.errors import DataError\n")
    monkeypatch.setattr(code_cache, "_HERE", kernels)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    return kernels


def stamps() -> dict[str, str]:
    """The stamps of all kernels, read anew."""
    for cached in (code_cache.stamp, code_cache._imports, code_cache.folder):
        cached.cache_clear()
    return {name: code_cache.stamp(name) for name in ("low", "middle", "top", "other")}


@pytest.mark.parametrize(
    ("changed", "outdated"),
    [
        ("low", {"low", "middle", "top"}),
        ("middle", {"middle", "top"}),
        ("other", {"other"}),
        ("__init__", set()),
    ],
)
def test_a_change_outdates_what_depends_on_it(sources: Path, changed: str, outdated: set[str]) -> None:
    """A kernel's stamp follows its own source and those that it imports, over any number of steps, and no others."""
    before = stamps()
    with (sources / f"{changed}.py").open("a") as file:
        file.write("\nY = 2\n")
    after = stamps()
    assert {name for name in before if before[name] != after[name]} == outdated


def test_old_versions_are_removed(sources: Path) -> None:
    """A few versions of each kernel are kept, so that two checkouts do not compile in turns."""
    for version in range(code_cache.KEPT_VERSIONS + 3):
        (sources / "low.py").write_text(f"X = {version}\n")
        stamps()
        here = code_cache.folder("low")
        code_cache.folder("middle")
        assert here.is_dir()
    assert len(list(here.parent.glob("low-*"))) == code_cache.KEPT_VERSIONS
    assert here in here.parent.glob("low-*")
