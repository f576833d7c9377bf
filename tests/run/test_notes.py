"""Marked models with comments, in the folder of their run."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from solvers.errors import RunError
from solvers.methods.trees.tree_of_splits import assemble, leaf_of
from solvers.problem import Kind, Problem
from solvers.run.notes import FILE, LONGEST, add_note, keep_note, list_notes, remove_note
from tests.strategies import make_dataset


def leaf():
    """A model: a single leaf."""
    problem = Problem(make_dataset({"x": (Kind.NUMERIC, [0.0, 1.0, 2.0])}, [0, 1, 1]))
    return assemble(problem, (leaf_of(problem, np.arange(3)),))


def test_notes_are_kept_in_their_order(tmp_path: Path) -> None:
    """What was added is read again, with the model, oldest first; another run has none."""
    first = add_note(tmp_path, "a", "Tree *A*", leaf(), 3, "why not | 'this'")
    second = add_note(tmp_path, "b", "Tree B", leaf(), 4)
    assert list_notes(tmp_path) == (first, second)
    assert first.diagram == leaf() and first.comment == "why not | 'this'" and second.comment == ""
    assert not [path for path in tmp_path.iterdir() if path.name != FILE], "something is left over"
    (tmp_path / "other").mkdir()
    assert list_notes(tmp_path / "other") == ()


def test_a_model_has_one_note(tmp_path: Path) -> None:
    """A second comment takes the place of the first; id, time and place stay."""
    first = add_note(tmp_path, "a", "Tree A", leaf(), 3, "one")
    add_note(tmp_path, "b", "Tree B", leaf(), 4)
    again = add_note(tmp_path, "a", "Tree A", leaf(), 3, "two" * LONGEST)
    assert (again.id, again.created, len(again.comment)) == (first.id, first.created, LONGEST)
    assert [note.model for note in list_notes(tmp_path)] == ["a", "b"]


def test_removal_is_undone(tmp_path: Path) -> None:
    """What was removed comes back to its place, and takes that of another note of its model."""
    first, second = (add_note(tmp_path, key, key, leaf(), 3) for key in "ab")
    remove_note(tmp_path, first.id)
    remove_note(tmp_path, "no such note")
    assert list_notes(tmp_path) == (second,)
    add_note(tmp_path, "a", "a", leaf(), 3, "newer")
    keep_note(tmp_path, first)
    assert list_notes(tmp_path) == (first, second)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"version": 2}', '{"version": 1, "notes": [{}]}'])
def test_a_damaged_file_is_told(tmp_path: Path, content: str) -> None:
    """Nothing is overwritten: the user hears that the file is damaged."""
    (tmp_path / FILE).write_text(content, "utf-8")
    for act in (list_notes, lambda folder: add_note(folder, "a", "a", leaf(), 1)):
        with pytest.raises(RunError):
            act(tmp_path)
    assert (tmp_path / FILE).read_text("utf-8") == content


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    """A comment that cannot be kept is an error in words."""
    with pytest.raises(RunError, match="cannot be written"):
        add_note(tmp_path / "gone", "a", "a", leaf(), 1)
