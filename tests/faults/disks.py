"""Real disks that are small, full or read-only."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """A separate disk of 400 kB, mounted at a new folder."""
    place.mkdir()
    _mount("-t", "tmpfs", "-o", "size=400k,mode=0700", "tmpfs", str(place))
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Make a folder read-only for everyone, including root; open files stay as they are."""
    _mount("--bind", str(folder), str(folder))
    try:
        _mount("-o", "remount,bind,ro", str(folder))
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """Fill the disk; returns the file that takes the space."""
    rest = disk / "rest"
    with rest.open("wb", buffering=0) as out:
        for size in (4096, 1):
            try:
                while out.write(b"x" * size):
                    pass
            except OSError:
                continue
    return rest


def _mount(*words: str) -> None:
    if subprocess.run(["mount", *words], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
