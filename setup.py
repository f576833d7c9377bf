"""Builds the wheel: what stands side by side in a clone becomes one package, `espalier`, that collides with nothing.

The library is `espalier`, the dashboard `espalier.dashboard`. Imports are rewritten on the way, in statements and where
a module is named in a text (`"solvers.run.worker"`), so that nothing has to be put on the path to import, or to open
what was pickled.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent
PLACES = {
    "solvers": "espalier",
    "sample_data": "espalier/sample_data",
    "components": "espalier/dashboard/components",
    "pages": "espalier/dashboard/pages",
    # the folder also holds the secrets of whoever builds
    ".streamlit/config.toml": "espalier/dashboard/.streamlit/config.toml",
    "app.py": "espalier/dashboard/app.py",
}
"""Where each folder and file of the clone lies in the wheel."""

PACKAGES = {
    name: place.replace("/", ".") for name, place in PLACES.items() if name in ("solvers", "components", "pages")
}
NAMES = "|".join(PACKAGES)
STATEMENT = re.compile(rf"^(\s*(?:>>> )?(?:from|import) )({NAMES})(?=[ .\n])", re.MULTILINE)
IN_TEXT = re.compile(rf"""(["'`]|-m )({NAMES})(?=\.[a-z_])""")
COMMAND = re.compile(r"python -m solvers\b(?!\.)")


def rewritten(source: str) -> str:
    """A source file with the names of the wheel."""
    for pattern in (STATEMENT, IN_TEXT):
        source = pattern.sub(lambda found: found[1] + PACKAGES[found[2]], source)
    return COMMAND.sub("espalier", source)


class BuildPackage(build_py):
    """Copies and rewrites; there is nothing else to build."""

    def run(self) -> None:
        """Write all files into the build folder, in which an earlier build may have left others."""
        shutil.rmtree(Path(self.build_lib) / "espalier", ignore_errors=True)
        for source, target in self._files():
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.suffix == ".py":
                target.write_text(rewritten(source.read_text("utf-8")), "utf-8")
            else:
                target.write_bytes(source.read_bytes())

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """The files that are written."""
        return [str(target) for _, target in self._files()]

    def get_source_files(self) -> list[str]:
        """The files that are read."""
        return [str(source.relative_to(ROOT)) for source, _ in self._files()]

    def _files(self) -> list[tuple[Path, Path]]:
        """Each file of the clone and its place in the build folder."""
        found = []
        for name, place in PLACES.items():
            source, target = ROOT / name, Path(self.build_lib) / place
            files = sorted(source.rglob("*")) if source.is_dir() else [source]
            kept = (file for file in files if file.is_file() and "__pycache__" not in file.parts)
            found += [(file, target / file.relative_to(source) if source.is_dir() else target) for file in kept]
        return found


setup(cmdclass={"build_py": BuildPackage}, packages=["espalier"], package_dir={"espalier": "solvers"})
