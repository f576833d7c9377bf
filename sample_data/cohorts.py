"""Made-up people: an emergency department's triage and a bank's loan decisions, each by a rule that is written down."""

from __future__ import annotations

import numpy as np
from puzzles import to_csv, yes_no

PAIN = ("none", "mild", "moderate", "severe")
AWAKE = ("alert", "voice", "pain", "unresponsive")
SAVINGS = ("none", "low", "medium", "high")


def triage() -> str:
    """1,000 patients; who becomes critical follows from vital signs, age, consciousness and lactate.

    The sicker a patient is, the likelier the laboratory is asked, and the likelier the pain score is skipped: values
    are missing for a reason. Patients who do not speak the local language are asked and tested less at equal severity.
    """
    random = np.random.default_rng(20240501)
    n = 1000
    age = np.clip(np.rint(random.normal(56, 20, n)), 18, 98).astype(int)
    sex = np.where(random.random(n) < 0.52, "female", "male")
    local = random.random(n) < 0.78
    strain = random.normal(0, 1, n) + (age - 56) / 60
    heart_rate = np.rint(np.clip(86 + 14 * strain + random.normal(0, 10, n), 42, 170)).astype(int)
    breaths = np.rint(np.clip(18 + 3.5 * strain + random.normal(0, 2.2, n), 8, 44)).astype(int)
    spo2 = np.rint(np.clip(96 - 2.2 * strain + random.normal(0, 1.6, n), 72, 100)).astype(int)
    systolic = np.rint(np.clip(132 - 13 * strain + random.normal(0, 14, n), 62, 220)).astype(int)
    temperature = np.round(np.clip(37.1 + 0.3 * strain + random.normal(0, 0.6, n), 33.5, 41.2), 1)
    awake = np.digitize(strain + random.normal(0, 0.7, n), (1.7, 2.4, 3.0))
    pain = np.digitize(0.3 * strain + random.normal(0, 1, n), (-0.8, 0.2, 1.1))
    lactate = np.round(np.clip(np.exp(0.45 + 0.38 * strain + random.normal(0, 0.25, n)), 0.4, 14), 1)
    crp = np.rint(np.clip(np.exp(2.6 + 0.7 * strain + random.normal(0, 0.8, n)), 1, 420)).astype(int)
    critical = (
        ((spo2 <= 91) & (breaths >= 22))
        | ((systolic <= 95) & (heart_rate >= 105))
        | (lactate >= 3.5)
        | ((awake >= 1) & (age >= 70))
    )
    critical = critical ^ (random.random(n) < 0.04)

    looks_ill = 1 / (1 + np.exp(-1.6 * strain))
    attention = np.where(local, 1.0, 0.7)
    has_lactate = random.random(n) < attention * (0.15 + 0.75 * looks_ill)
    has_crp = random.random(n) < attention * (0.35 + 0.5 * looks_ill)
    has_pain = random.random(n) < attention * (0.97 - 0.35 * looks_ill)
    has_temperature = random.random(n) < 0.95
    ambulance = random.random(n) < 0.2 + 0.5 * looks_ill

    rows = zip(
        age,
        sex,
        np.where(local, "local", "other"),
        np.where(ambulance, "ambulance", "walk-in"),
        heart_rate,
        breaths,
        spo2,
        systolic,
        np.where(has_temperature, [f"{value:.1f}" for value in temperature], ""),
        np.array(AWAKE)[awake],
        np.where(has_pain, np.array(PAIN)[pain], ""),
        np.where(has_lactate, [f"{value:.1f}" for value in lactate], ""),
        np.where(has_crp, crp.astype(str), ""),
        map(yes_no, critical),
        strict=True,
    )
    header = ["age", "sex", "language", "arrival", "heart_rate", "breaths", "spo2", "systolic", "temperature"]
    return to_csv([*header, "consciousness", "pain", "lactate", "crp", "critical"], rows)


def lending() -> str:
    """1,200 decisions by a rule on income, debts, savings and earlier defaults, with a bias against women.

    Of the women who meet the rule, three in ten are refused all the same.
    """
    random = np.random.default_rng(20240502)
    n = 1200
    female = random.random(n) < 0.48
    age = np.clip(np.rint(random.normal(41, 12, n)), 20, 75).astype(int)
    years = np.minimum(np.rint(random.exponential(6, n)), age - 18).astype(int)
    income = np.round(np.clip(random.lognormal(3.75, 0.42, n) + 0.3 * years, 12, 220), 1)
    debt_ratio = np.round(np.clip(random.beta(2.2, 4.5, n), 0.01, 0.95), 2)
    savings = np.digitize(0.02 * (income - 45) + random.normal(0, 1, n), (-0.9, 0.3, 1.4))
    earlier_default = random.random(n) < 0.13
    north = random.random(n) < np.where(female, 0.7, 0.35)
    meets_rule = ~earlier_default & (((income >= 38) & (debt_ratio <= 0.4)) | (savings == 3))
    granted = meets_rule & ~(female & (random.random(n) < 0.3))
    granted = granted ^ (random.random(n) < 0.02)
    rows = zip(
        age,
        np.where(female, "female", "male"),
        np.where(north, "north", "south"),
        [f"{value:.1f}" for value in income],
        years,
        [f"{value:.2f}" for value in debt_ratio],
        np.array(SAVINGS)[savings],
        map(yes_no, earlier_default),
        map(yes_no, granted),
        strict=True,
    )
    header = [
        "age",
        "sex",
        "district",
        "income",
        "years_employed",
        "debt_ratio",
        "savings",
        "earlier_default",
        "granted",
    ]
    return to_csv(header, rows)
