"""Skeletons and prices of questions by validation, as a table and a figure show them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from components.words.text import count, percent
from solvers.explain import Calibration, Trial
from solvers.metrics import Rate, rate
from solvers.words.shapes import widths_words


class Setting(NamedTuple):
    """A skeleton with an alpha, and how its models did.

    Attributes
    ----------
    skeleton, alpha : the setting; the skeleton in words.
    widths : the skeleton.
    validation, train : the share of rows right, of those that the models had not seen and of those that they had.
    questions : a model, on average; `None` without a model.
    models, proved : how many models there are, and how many of them were proved to be optimal.
    best : whether it is the one to choose.
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


class Sweep(NamedTuple):
    """All settings.

    Attributes
    ----------
    settings : skeleton by skeleton, each with growing alpha.
    alphas : all of them, growing.
    done, of : how many models were sought, of how many.
    finished : whether no more will come.
    """

    settings: tuple[Setting, ...]
    alphas: tuple[float, ...]
    done: int
    of: int
    finished: bool

    @property
    def best(self) -> Setting | None:
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
            f"Best{far}: skeleton {best.skeleton} with alpha {best.alpha:g}, {percent(best.validation.value)} of the "
            f"validation rows right with {best.questions:.1f} questions a model."
        )

    def at(self, skeleton: str, alpha: float) -> Setting:
        """The setting of a skeleton and an alpha."""
        return next(s for s in self.settings if (s.skeleton, s.alpha) == (skeleton, alpha))

    @property
    def skeletons(self) -> tuple[str, ...]:
        """All of them, each once, in their order."""
        return tuple(dict.fromkeys(setting.skeleton for setting in self.settings))


def sweep(found: Calibration) -> Sweep:
    """A calibration, finished or on its way."""
    best = found.best
    settings = tuple(_setting(trial, trial is best) for trial in found.trials)
    alphas = tuple(sorted({trial.alpha for trial in found.trials}))
    return Sweep(settings, alphas, found.done, len(found.trials) * found.repeats, found.finished)


def _setting(trial: Trial, best: bool) -> Setting:
    return Setting(
        widths_words(trial.widths),
        trial.widths,
        trial.alpha,
        _rate(trial.right, trial.total),
        _rate(trial.train_right, trial.train_total),
        trial.mean_questions,
        trial.models,
        trial.proved,
        best,
    )


def _rate(right: int, total: int) -> Rate:
    return rate(np.arange(total) < right)
