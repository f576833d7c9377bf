"""The documentation of the methods matches the registry."""

from __future__ import annotations

import pytest

from docs.methods.table import PAGE, with_table
from solvers.methods import names


def test_table_is_up_to_date() -> None:
    """docs/methods/README.md lists what the registry lists; if not, run `python -m docs.methods.table`."""
    text = PAGE.read_text("utf-8")
    assert text == with_table(text)


@pytest.mark.parametrize("name", names())
def test_every_method_has_a_page(name: str) -> None:
    """Each method has its own page, named as on the command line."""
    assert f"`{name}`" in PAGE.with_name(f"{name}.md").read_text("utf-8")
