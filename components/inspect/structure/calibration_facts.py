"""Skeletons and prices of questions by validation, as a table and a figure show them."""

from typing import NamedTuple

import numpy as np

from components.words.text import count, percent
from solvers.metrics import Rate, rate
from solvers.sweeps.calibration import best, settings
from solvers.sweeps.study import Results
from solvers.words.shapes import widths_words


class CalibrationSetting(NamedTuple):
    """A skeleton with an alpha, and how its models did on rows that they had not seen, and on those that they had.

    `questions` is the mean of its models, `None` without any; `best` marks the setting to choose.
    """

    skeleton: str
    widths: tuple[int, ...]
    alpha: float
    validation: Rate
    train: Rate
    questions: float | None
    models: int
    proved: int
    best: bool


class CalibrationTable(NamedTuple):
    """All settings, skeleton by skeleton with growing alpha; how many models were sought, and whether more come."""

    settings: tuple[CalibrationSetting, ...]
    alphas: tuple[float, ...]
    done: int
    of: int
    finished: bool

    @property
    def best(self) -> CalibrationSetting | None:
        """The setting to choose, of those that were tried."""
        return next((setting for setting in self.settings if setting.best), None)

    @property
    def progress(self) -> str:
        """How far it is."""
        return f"{count(self.done)} of {count(self.of, 'model')}"

    @property
    def sentence(self) -> str:
        """What to choose, in a sentence; '' before the first model."""
        best = self.best
        if best is None:
            return ""
        far = "" if self.done == self.of else f" of the {self.progress} that were tried"
        return (
            f"Best{far}: skeleton {best.skeleton} with alpha {best.alpha:g}, {percent(best.validation.value)} "
            f"of the validation rows right with {best.questions:.1f} questions on average."
        )

    def at(self, skeleton: str, alpha: float) -> CalibrationSetting | None:
        """The setting of a skeleton and an alpha; `None` if it was not tried yet."""
        return next((s for s in self.settings if (s.skeleton, s.alpha) == (skeleton, alpha)), None)

    @property
    def skeletons(self) -> tuple[str, ...]:
        """All of them, each once, in their order."""
        return tuple(dict.fromkeys(setting.skeleton for setting in self.settings))


def sweep(results: Results) -> CalibrationTable:
    """A calibration, finished or on its way."""
    tried = settings(results)
    chosen = best(tried)
    shown = tuple(
        CalibrationSetting(
            widths_words(one.widths),
            one.widths,
            one.alpha,
            rate(np.arange(one.total) < one.right),
            rate(np.arange(one.train_total) < one.train_right),
            one.questions / one.models if one.models else None,
            one.models,
            one.proved,
            one is chosen,
        )
        for one in tried
    )
    alphas = tuple(sorted({one.alpha for one in tried}))
    return CalibrationTable(shown, alphas, results.done, results.of, results.finished)
