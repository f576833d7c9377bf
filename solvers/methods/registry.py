"""The list of methods. A new method is one file and one line here; listing the methods imports none of them."""

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pkgutil import resolve_name

from ..errors import MissingPackageError, OptionError, UnknownMethodError
from ..problem import ShapeKind
from .base import Method

FOREIGN = ("gurobipy", "highspy", "ortools", "pysat")
"""Third-party solver packages: their proofs are repeated with our own methods if possible."""


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """The location of a method and the packages it needs.

    The path is '.module:Class' in this package, or 'package.module:Class' elsewhere.
    """

    path: str
    requires: tuple[str, ...] = ()

    @property
    def cls(self) -> type[Method]:
        """The class of the method."""
        made: type[Method] = resolve_name(f"{__package__}{self.path}" if self.path.startswith(".") else self.path)
        return made

    @property
    def missing(self) -> tuple[str, ...]:
        """The required packages that are not installed."""
        return tuple(package for package in self.requires if find_spec(package) is None)

    @property
    def foreign(self) -> tuple[str, ...]:
        """The third-party solvers that its proofs may rely on."""
        return tuple(package for package in self.requires if package in FOREIGN)


REGISTRY: dict[str, RegistryEntry] = {
    "contree": RegistryEntry(".trees.contree:ConTree", ("numba",)),
    "smallest-tree": RegistryEntry(".trees.smallest.method:SmallestTree", ("numba", "sklearn")),
    "inferdt-depth": RegistryEntry(".trees.inferdt.method:InferDTDepth", ("numba", "pysat", "sklearn")),
    "inferdt-size": RegistryEntry(".trees.inferdt.method:InferDTSize", ("numba", "pysat", "sklearn")),
    "cart": RegistryEntry(".trees.cart:Cart", ("sklearn",)),
    "c45": RegistryEntry(".trees.c45:C45"),
    "cptree": RegistryEntry(".trees.cptree.method:CPTree", ("numba", "ortools", "scipy", "sklearn")),
    "cptree-mip": RegistryEntry(".trees.cptree_mip.method:CPTreeMip", ("highspy", "numba", "scipy", "sklearn")),
    "odd-search": RegistryEntry(".diagrams.odd_search.method:OddSearch", ("highspy", "numba", "ortools", "scipy")),
    "odd": RegistryEntry(".diagrams.odd.method:Odd", ("highspy", "numba", "scipy")),
    "odd-greedy": RegistryEntry(".diagrams.greedy:OddGreedy"),
    "bdd-sat": RegistryEntry(".bdds.sat.method:BddSat", ("pysat",)),
    "bdd-maxsat": RegistryEntry(".bdds.sat.method:BddMaxSat", ("pysat", "sklearn")),
    "bdd-search": RegistryEntry(".bdds.subsets.method:BddSearch", ("numba",)),
    "oodg": RegistryEntry(".bdds.oodg:Oodg"),
}


FIRST: dict[ShapeKind, str] = {
    ShapeKind.TREE: "contree",
    ShapeKind.BDD: "bdd-search",
    ShapeKind.DIAGRAM: "odd-search",
}
"""The default method of each shape."""


def names() -> tuple[str, ...]:
    """All method names, in display order."""
    return tuple(REGISTRY)


def greedy_methods(shape: ShapeKind) -> tuple[str, ...]:
    """The methods without proof that make models of a shape or, for comparison with any shape, trees."""
    found = {name: entry.cls for name, entry in REGISTRY.items()}
    return tuple(name for name, cls in found.items() if not cls.exact and {shape, ShapeKind.TREE} & {*cls.kinds})


@cache
def get(name: str, **options: str) -> Method:
    """The method of this name, with the given options.

    Parameters
    ----------
    name : as in `REGISTRY`.
    options : values of the method's `options`, by name; the others take their defaults.

    Raises
    ------
    UnknownMethodError
        There is no such method.
    OptionError
        The method has no such option, or the option does not permit the value.
    MissingPackageError
        A required package is not installed.
    """
    entry = REGISTRY.get(name)
    if entry is None:
        raise UnknownMethodError(f"There is no method '{name}'. Methods: {', '.join(REGISTRY)}.")
    if entry.missing:
        raise MissingPackageError(
            f"The method '{name}' needs the package {', '.join(entry.missing)}. Install it with pip and start again."
        )
    offered = {option.name: option for option in entry.cls.options}
    for option, value in options.items():
        if option not in offered:
            known = f"Its options: {', '.join(offered)}." if offered else "This method has no options."
            raise OptionError(f"The method '{name}' has no option '{option}'. {known}")
        offered[option].checked(value)
    return entry.cls(**options)
