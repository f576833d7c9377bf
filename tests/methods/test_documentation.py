"""Every method is documented."""

from __future__ import annotations

import pytest

from docs.tables import DOCS
from solvers.methods import names


@pytest.mark.parametrize("name", names())
def test_every_method_has_a_page(name: str) -> None:
    """Each method has its own page, named as on the command line."""
    assert f"`{name}`" in (DOCS / "methods" / f"{name}.md").read_text("utf-8")
