"""Measured tables as scikit-learn carries them, with readable headers and class names."""

from __future__ import annotations

from collections.abc import Sequence

from puzzles import to_csv

IRIS = ("sepal_length_cm", "sepal_width_cm", "petal_length_cm", "petal_width_cm")
WINE = (
    "alcohol",
    "malic_acid",
    "ash",
    "ash_alkalinity",
    "magnesium",
    "total_phenols",
    "flavanoids",
    "nonflavanoid_phenols",
    "proanthocyanins",
    "color_intensity",
    "hue",
    "od280_od315",
    "proline",
)


def breast_cancer() -> str:
    """The Wisconsin diagnostic set: means, standard errors and worst values of ten measures of cell nuclei."""
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    return _table(bunch, list(bunch.feature_names), "diagnosis", list(bunch.target_names))


def iris() -> str:
    """Fisher's irises."""
    from sklearn.datasets import load_iris

    bunch = load_iris()
    return _table(bunch, IRIS, "species", list(bunch.target_names))


def wine() -> str:
    """Three cultivars from one region, by chemical analysis."""
    from sklearn.datasets import load_wine

    return _table(load_wine(), WINE, "cultivar", ("A", "B", "C"))


def _table(bunch, header: Sequence[str], outcome: str, classes: Sequence[str]) -> str:
    rows = ((*map(_plain, cells), classes[k]) for cells, k in zip(bunch.data.tolist(), bunch.target, strict=True))
    return to_csv([*header, outcome], rows)


def _plain(value: float) -> str:
    """The shortest text of a number, without '.0'."""
    return repr(value).removesuffix(".0")
