"""Every error that Espalier raises on purpose.

A message says what must hold, what was given, and what to do next. Callers that only want to inform the user catch
`EspalierError`. Each child also inherits the matching builtin, so generic code keeps working.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class EspalierError(Exception):
    """The base class of all errors with a message for the user."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class DataError(EspalierError, ValueError):
    """The table, a column or a cell cannot be used as it is.

    Attributes
    ----------
    choices : the readings of the file that the message offers, each as fields of `ReadingOptions` with their values.
    """

    def __init__(self, *args: object, choices: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(*args)
        self.choices = tuple(choices)


class TableSizeError(DataError):
    """A table has more bytes or columns than are permitted."""


class MissingValuesError(DataError):
    """A value is missing, but the model permits none (policy 'complete cases')."""


class UnknownValueError(DataError):
    """A prediction needs a value that no training row has."""


class CellTypeError(DataError, TypeError):
    """A cell is not text, a number, a truth value or a date."""


class ParameterError(EspalierError, ValueError, TypeError):
    """A parameter of an estimator has an invalid type."""


class PredicateError(EspalierError, ValueError):
    """A split does not fit the columns it refers to."""


class DiagramError(EspalierError, ValueError):
    """A tree, BDD or diagram is not well formed."""


class ShapeError(EspalierError, ValueError):
    """The requested shape or size is impossible."""


class ConstraintError(EspalierError, ValueError):
    """A domain constraint is not well formed, or refers to something that is not in the table."""


class LimitError(EspalierError, ValueError):
    """A limit (time, memory, gap, ...) is out of range."""


class MagnitudeError(EspalierError, OverflowError):
    """Integers become too large to be counted exactly."""


class UnsupportedError(EspalierError, ValueError):
    """A method does not support this problem; the message gives the reason and a method that does."""


class UnknownMethodError(EspalierError, KeyError):
    """There is no method of this name."""


class OptionError(EspalierError, ValueError):
    """A method has no such option, or the option has no such value."""


class MissingPackageError(EspalierError, ImportError):
    """A package required by a method is not installed."""


class ProofError(EspalierError, RuntimeError):
    """The proofs of two methods contradict each other."""


class RunError(EspalierError, RuntimeError):
    """A run could not be started, read or finished."""


class RenderError(EspalierError, RuntimeError):
    """A drawing failed (too many nodes, out of time, or an error of the layout engine)."""


class FileError(EspalierError, OSError):
    """A file cannot be written."""


class SettingError(EspalierError, ValueError):
    """An administrator's setting has an invalid value."""


class StoreError(EspalierError, RuntimeError):
    """The list of runs cannot be read, or a run in it cannot be changed or deleted."""


class CertificateError(EspalierError, ValueError):
    """A certificate cannot be made or read."""
