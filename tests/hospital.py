"""A generated hospital export, as raw as real ones, for tests of the path from a file to a decision."""

from __future__ import annotations

from io import StringIO

import numpy as np
import pandas as pd

from solvers.problem import Dataset, build_dataset, read_table

OUTCOME = "deteriorated"
LEAK = "icu_transfer"
HISTORY = ("age", "sex", "smoker", "diabetes")
EXAMINATION = ("heart_rate", "systolic_bp", "temperature", "respiratory_rate")
LABORATORY = ("lactate", "crp", "creatinine", "sodium", "haemoglobin")
UNITS = {
    "age": "years",
    "heart_rate": "/min",
    "systolic_bp": "mmHg",
    "temperature": "°C",
    "respiratory_rate": "/min",
    "lactate": "mmol/L",
    "crp": "mg/L",
    "creatinine": "µmol/L",
    "sodium": "mmol/L",
    "haemoglobin": "g/L",
}


def _decimal_commas(values: np.ndarray, places: int) -> list[str]:
    return [f"{value:.{places}f}".replace(".", ",") for value in values]


def hospital_csv(rows: int = 3000, seed: int = 7) -> str:
    """A table with semicolons and decimal commas; about 8% of the rows are positive.

    -99 and 999 mark missing values, the outcome and `sex` have several spellings, `icu_transfer` repeats the outcome,
    and `patient_id`, `postcode` and `admitted` are not features of a patient.
    """
    random = np.random.default_rng(seed)
    age = random.integers(18, 95, rows)
    female = random.random(rows) < 0.52
    diabetes = random.random(rows) < 0.1 + age / 500
    smoker = random.random(rows) < 0.25
    lactate = random.gamma(4, 0.35, rows) + 0.3
    rate = random.normal(17, 3.5, rows).round().astype(int)
    pressure = random.normal(128, 18, rows).round().astype(int)
    pulse = random.normal(84, 15, rows).round().astype(int)
    warmth = random.normal(37, 0.7, rows)
    crp = random.gamma(1.2, 30, rows)
    creatinine = random.normal(85, 25, rows).clip(30).round().astype(int)
    sodium = random.normal(139, 3.5, rows).round().astype(int)
    haemoglobin = random.normal(np.where(female, 128, 140), 15).round().astype(int)
    risk = (
        1.7 * (lactate > 2.2)
        + 1.3 * (rate > 21)
        + 1.2 * (pressure < 105)
        + 0.9 * (age > 74)
        + 0.5 * diabetes
        + 0.01 * (pulse - 84)
        - 4.05
    )
    positive = random.random(rows) < 1 / (1 + np.exp(-risk))
    positive_words, negative_words = ("Yes", "yes", "YES ", "yes"), ("No", "no", "no", " NO")
    outcome = [(positive_words if p else negative_words)[random.integers(4)] for p in positive]
    leak = ["1" if p else "0" for p in positive]
    sex = [(("F", "f", "female") if f else ("M", "m", "male"))[random.integers(3)] for f in female]
    day = np.datetime64("2023-01-01") + random.integers(0, 700, rows)
    admitted = [f"{d.astype(object):%d.%m.%Y}" for d in day]
    columns: dict[str, list[str]] = {
        "patient_id": [f"H{100000 + i}" for i in range(rows)],
        "admitted": admitted,
        "postcode": [f"{code:05d}" for code in random.integers(1000, 99999, rows)],
        "age": [str(a) for a in age],
        "sex": sex,
        "smoker": ["yes" if s else "no" for s in smoker],
        "diabetes": ["1" if d else "0" for d in diabetes],
        "heart_rate": [str(p) for p in pulse],
        "systolic_bp": [str(p) for p in pressure],
        "temperature": _decimal_commas(warmth, 1),
        "respiratory_rate": [str(r) for r in rate],
        "lactate": _decimal_commas(lactate, 2),
        "crp": _decimal_commas(crp, 1),
        "creatinine": [str(c) for c in creatinine],
        "sodium": [str(s) for s in sodium],
        "haemoglobin": [str(h) for h in haemoglobin],
        LEAK: leak,
        OUTCOME: outcome,
    }
    for name, code, share in (
        ("age", "999", 0.01),
        ("lactate", "-99", 0.06),
        ("crp", "-99", 0.04),
        ("sodium", "999", 0.02),
    ):
        for i in np.flatnonzero(random.random(rows) < share):
            columns[name][i] = code
    lines = [";".join(columns), *(";".join(cells) for cells in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"


def clean_dataset(rows: int = 3000, seed: int = 7) -> Dataset:
    """The table as the Data screen would clean it: levels joined, codes to missing, leak and identifiers left out."""
    text = hospital_csv(rows, seed)
    table = pd.read_csv(StringIO(text), sep=";", decimal=",", keep_default_na=False)
    table[OUTCOME] = table[OUTCOME].str.strip().str.lower()
    table["sex"] = table["sex"].str[0].str.lower()
    codes = {"age": 999, "sodium": 999, "lactate": -99, "crp": -99}
    table = table.replace({name: {code: None} for name, code in codes.items()})
    table = table.drop(columns=[LEAK, "patient_id", "postcode", "admitted"])
    clean = read_table(table.to_csv(index=False).encode(), name="hospital.csv")
    return build_dataset(clean, OUTCOME, positive="yes", groups=("sex",))


def dictionary_csv() -> str:
    """A data dictionary of the table: name, label, unit and family of each column."""
    families = {"history": HISTORY, "examination": EXAMINATION, "laboratory": LABORATORY}
    lines = ["column,label,unit,family"]
    lines += [
        f"{name},{name.replace('_', ' ').capitalize()},{UNITS.get(name, '')},{family}"
        for family, names in families.items()
        for name in names
    ]
    return "\n".join(lines) + "\n"
