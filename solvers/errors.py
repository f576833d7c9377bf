"""Every error that Espalier raises on purpose.

A message says what must hold, what was found, and what to do next. Callers that only want to tell the user something
catch `EspalierError`; each child also inherits the builtin that fits, so that generic code keeps working.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class EspalierError(Exception):
    """The base of all errors that are meant to be read by a person."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DataError(EspalierError, ValueError):
    """The table, a column or a cell cannot be used as it is.

    Attributes
    ----------
    choices : the ways to read the file that its words name, each as fields of `ReadingOptions` with their values.
    """

    def __init__(self, *args: object, choices: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(*args)
        self.choices = tuple(choices)


class TableSizeError(DataError):
    """A table has more bytes or columns than are permitted."""


class MissingValuesError(DataError):
    """A value is missing where the model was told never to meet one (policy 'complete cases')."""


class UnknownValueError(DataError):
    """A model is asked for an answer from a value that no training row has."""


class CellTypeError(DataError, TypeError):
    """A cell is no text, number, truth value or date."""


class ParameterError(EspalierError, ValueError, TypeError):
    """A parameter of an estimator has a value of a type that it cannot have."""


class PredicateError(EspalierError, ValueError):
    """A question does not fit the columns it speaks of."""


class DiagramError(EspalierError, ValueError):
    """A tree, BDD or diagram is not well formed."""


class ShapeError(EspalierError, ValueError):
    """The shape or size that is asked for is impossible."""


class ConstraintError(EspalierError, ValueError):
    """A domain constraint is not well formed, or speaks of what the table does not have."""


class LimitError(EspalierError, ValueError):
    """A limit (time, memory, gap, ...) is out of range."""


class MagnitudeError(EspalierError, OverflowError):
    """Whole numbers become larger than can be counted exactly."""


class UnsupportedError(EspalierError, ValueError):
    """A method cannot take this problem; the message says why and which method can."""


class UnknownMethodError(EspalierError, KeyError):
    """There is no method of this name."""


class OptionError(EspalierError, ValueError):
    """A method has no such option, or the option no such value."""


class MissingPackageError(EspalierError, ImportError):
    """A package that a method needs is not installed."""


class ProofError(EspalierError, RuntimeError):
    """Two methods contradict each other in what they prove."""


class RunError(EspalierError, RuntimeError):
    """A run could not be started, read or finished."""


class RenderError(EspalierError, RuntimeError):
    """A drawing could not be made (too many nodes, out of time, or the layout engine failed)."""


class FileError(EspalierError, OSError):
    """A file cannot be written."""


class SettingError(EspalierError, ValueError):
    """A setting of the administrator has a value that it cannot have."""


class StoreError(EspalierError, RuntimeError):
    """The index of runs cannot be reached, read or written."""


class CertificateError(EspalierError, ValueError):
    """A certificate cannot be made, or cannot be read."""
