"""`solvers` as another name of `espalier`, for the dashboard of the installed package.

In a clone the library is the folder `solvers`, and the dashboard imports it by this name. The wheel holds the library
as `espalier`, and this file in the folder of the dashboard, which Streamlit puts on the path. Both names lead to the
same modules, which keep the names of `espalier`: so classes are the same, and pickles and workers need no alias.
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

INSTALLED = "espalier"


class Alias(MetaPathFinder, Loader):
    """Finds `solvers.x` as the module `espalier.x`."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> ModuleSpec | None:
        """The spec of a module below `solvers`; `None` for others."""
        return ModuleSpec(fullname, self) if fullname.startswith(f"{__name__}.") else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module of the library, with its own spec kept for `exec_module`."""
        module = import_module(INSTALLED + spec.name.removeprefix(__name__))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give the module its own spec back: it has been executed already."""
        assert module.__spec__ is not None
        module.__spec__ = module.__spec__.loader_state


sys.meta_path.insert(0, Alias())
sys.modules[__name__] = import_module(INSTALLED)
