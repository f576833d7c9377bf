"""The results of a sweep: one line per method, size and constraints, and the best of them in a sentence."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from ..methods import registry
from ..metrics.intervals import wilson
from ..metrics.words import count, percent

_PROVED = ("optimal", "infeasible")


def method_title(name: str) -> str:
    """The title of a method, or its name if the method no longer exists."""
    return registry.get(name).title if name in registry.names() else name


def describe_size(row: Mapping[str, Any]) -> str:
    """The size in a line of the table, as text."""
    if row["shape"] == "diagram":
        return f"layers {row['widths']}, alpha {row['alpha']:g}"
    if row["shape"] == "bdd":
        return count(int(row["depth"]), "level")
    if row["max_leaf_nodes"] is not None and not pd.isna(row["max_leaf_nodes"]):
        return f"{int(row['max_leaf_nodes'])} leaves, depth {int(row['depth'])}"
    return f"depth {int(row['depth'])}"


def summary(table: pd.DataFrame, constraints: int) -> pd.DataFrame:
    """One row per method, size and constraints, in job order; `constraints` is the number of the run's constraints.

    `held_out` and `training` are mean errors in per cent over the subsets of the rows. `deviation` is the standard
    deviation over the subsets, `low` and `high` are the minimum and maximum; for a single subset its 95% interval
    (Wilson). `splits` is the mean over the models, `seconds` the sum.
    """
    return pd.DataFrame([_line(cell, part, constraints) for cell, part in table.groupby("cell", sort=False)])


def _line(cell: object, part: pd.DataFrame, constraints: int) -> dict[str, object]:
    first, made = part.iloc[0], part[part["train_errors"].notna()]
    judged = made[made["test_errors"].notna()]
    held_out = (judged["test_errors"] / judged["test_rows"]).astype(float)
    low, high = held_out.min(), held_out.max()
    if len(judged) == 1:
        low, high = wilson(float(held_out.iloc[0]), float(judged["test_rows"].iloc[0]))
    return {
        "cell": cell,
        "method": method_title(str(first["method"])),
        "size": describe_size(first.to_dict()),
        "constraints": None if not constraints else "with" if first["constraints"] else "without",
        "models": len(part),
        "held_out": 100 * held_out.mean(),
        "deviation": 100 * held_out.std(ddof=1),
        "low": 100 * low,
        "high": 100 * high,
        "training": 100 * (made["train_errors"] / made["rows"]).astype(float).mean(),
        "splits": made["questions"].astype(float).mean(),
        "proved": int(part["status"].isin(_PROVED).sum()),
        "failed": int(part["error"].notna().sum()),
        "seconds": float(part["seconds"].sum()),
    }


def verdict(lines: pd.DataFrame) -> str:
    """The best line on held-out rows, in a sentence; '' if none was evaluated."""
    judged = lines.dropna(subset="held_out")
    if judged.empty:
        return ""
    best = judged.sort_values(["held_out", "splits"], kind="stable").iloc[0]
    constraints = f", {best['constraints']} constraints" if best["constraints"] else ""
    mean, deviation, low, high = (percent(best[name] / 100) for name in ("held_out", "deviation", "low", "high"))
    sentence = f"Lowest held-out error: {best['method']}, {best['size']}{constraints}, {mean}"
    if best["models"] > 1:
        sentence += f" on average over {count(best['models'])} parts (standard deviation {deviation})."
    else:
        sentence += f" (95% interval {low} to {high})."
    return sentence + (" The best of several is partly luck." if len(judged) > 1 else "")


def faults(table: pd.DataFrame) -> pd.DataFrame:
    """Why jobs failed, the most frequent reason first: `reason`, the number of `jobs`, and the `first` of them."""
    failed = table[table["error"].notna()].groupby("error", sort=False)["key"].agg(["size", "first"])
    return failed.sort_values("size", ascending=False, kind="stable").rename_axis("reason").reset_index()
