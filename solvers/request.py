"""A request for a model of a table, in one record.

The options of the command line and the file of a result derive from the fields of `Request`: their types, defaults and
descriptions are defined only here. `solvers.posing.build_problem` makes a problem of a request and a table. Nothing
heavy is imported here.

>>> Request(target="diagnosis", max_depth=2).to_json()
{'target': 'diagnosis', 'max_depth': 2}
"""

from functools import partial
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from .errors import DataError, RunError


def asks(
    help: str,
    metavar: str | None = None,
    *,
    panel: str = "",
    flag: str | None = None,
    argument: bool = False,
    only: str = "",
) -> Meta:
    """How a field appears on the command line.

    Parameters
    ----------
    help : what it means.
    metavar : the placeholder of its value.
    panel : the heading in the help under which it is listed.
    flag : the option's name if it differs from the field's name.
    argument : whether it is a positional argument.
    only : the commands that have it, separated by blanks; '' for all.
    """
    more = {"metavar": metavar, "panel": panel, "flag": flag, "argument": argument, "only": only.split()}
    return Meta(description=help, extra=more)


_table = partial(asks, panel="The table")
_model = partial(asks, panel="The model")
_diagram = partial(asks, panel="A decision diagram")
_limit = partial(asks, panel="The limits")


class ReadingOptions(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a table is read from a file; with `None` the reader chooses.

    The description of a field is the help of its option.

    Raises
    ------
    DataError
        A number is out of range, or two fields contradict each other.
    """

    header: Annotated[
        bool | None,
        _table("Whether the first line names the columns; recognised by default.", flag="--header/--no-header"),
    ] = None
    header_line: Annotated[
        int | None, _table("The line (of a sheet: the row) with the names, counted from 1.", "N")
    ] = None
    skip_first: Annotated[int | None, _table("Rows to leave out below the names, such as units; 0 for none.", "N")] = (
        None
    )
    skip_last: Annotated[int | None, _table("Rows to leave out at the end, such as totals; 0 for none.", "N")] = None
    decimal: Annotated[Literal[".", ","] | None, _table("Decimal mark, if '1,125' may be 1.125 or 1125.")] = None
    day_first: Annotated[
        bool | None,
        _table(
            "Whether 03/04/2024 is 3 April or 4 March, if the column does not show it.",
            flag="--day-first/--month-first",
        ),
    ] = None
    parse_censored: Annotated[bool, _table("Read '<0.5' in columns of numbers as 0.5.")] = False
    encoding: Annotated[
        str | None, _table("Encoding, such as cp1252; recognised by default.", "NAME", flag="--file-encoding")
    ] = None
    max_mb: Annotated[float, _table("Largest file in MB, also after unpacking.", "MB")] = 200.0
    sheet: Annotated[
        str | None, _table("Sheet of a workbook, by name or number; by default the first with a table.", "NAME")
    ] = None
    query: Annotated[
        str | None,
        _table("SQL query of a database, or a file with it; by default its only table.", "FILE_OR_SQL"),
    ] = None

    def __post_init__(self) -> None:
        for name, least in (("header_line", 1), ("skip_first", 0), ("skip_last", 0)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise DataError(f"{name} must be a whole number of at least {least}, but is {value}.")
        if self.decimal not in (None, ".", ","):
            raise DataError(f"The decimal mark must be '.' or ',', but is '{self.decimal}'.")
        if self.header_line is not None and self.header is False:
            raise DataError("header_line names the line with the names of the columns. Leave it out, or header=False.")

    @property
    def cuts(self) -> bool:
        """Whether lines are skipped."""
        return self.header_line is not None or bool(self.skip_first) or bool(self.skip_last)


class Request(ReadingOptions, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A request for a model of a table, without the table itself.

    The description of a field is the help of its option. Fields without a limit of their own keep the default of the
    library: see `Shape`, `Objective` and `Limits`. To change one, use `msgspec.structs.replace`.
    """

    target: Annotated[str, _table("Column to predict.", "COL")]
    prepare: Annotated[
        tuple[dict[str, Any], ...],
        _table("Preparation steps, applied first. Other options use the column names after these steps.", "STEPS.json"),
    ] = ()
    positive: Annotated[str | None, _table("Positive class.", "CLASS")] = None
    features: Annotated[tuple[str, ...] | None, _table("Columns that may be split on.", "A,B")] = None
    drop: Annotated[tuple[str, ...], _table("Columns that may not be split on.", "A,B")] = ()
    types: Annotated[
        dict[str, str],
        _table(
            "Types that differ from the recognised ones: numeric, binary, ordered, categorical (codes), date.",
            "A=TYPE,B=TYPE",
        ),
    ] = {}
    levels: Annotated[dict[str, tuple[str, ...]], _table("Levels of ordered columns, low first.", only="-")] = {}
    dictionary: Annotated[
        dict[str, dict[str, str]],
        _table("Data dictionary: a table with column, label, unit and family.", "FILE"),
    ] = {}
    weight: Annotated[str | None, _table("Column of sample weights.", "COL")] = None
    groups: Annotated[
        tuple[str, ...], _table("Columns of groups, for fairness; 'sex x region' crosses two.", "A,B")
    ] = ()
    missing: Annotated[Literal["information", "complete", "impute"], _table("How missing values are treated.")] = (
        "information"
    )
    test_share: Annotated[float | None, _table("Share of the rows to hold out, by class.", "S")] = None
    validation_share: Annotated[
        float | None, _table("Share of the training rows to keep aside for validation.", "S", only="fit")
    ] = None
    group_rows: Annotated[
        str | None, _table("Column such as the patient: rows with the same value stay together.", "COL")
    ] = None
    centres: Annotated[
        str | None, _table("Column of centres: whole centres are held out; each fold leaves one out.", "COL")
    ] = None
    time: Annotated[
        str | None, _table("Date or number: learn from earlier rows, hold out later ones. Not with --centres.", "COL")
    ] = None

    method: Annotated[
        str | None,
        _model(
            "Method, see 'methods'; by default contree, bdd-search or odd-search, by the shape.",
            "M",
            only="fit explain recommend",
        ),
    ] = None
    options: Annotated[dict[str, str], _model("Options of the method.", only="-")] = {}
    shape: Annotated[
        Literal["tree", "bdd", "diagram"] | None,
        _model("Shape of the model; by default the shape of the method, or a tree."),
    ] = None
    max_depth: Annotated[
        int | Literal["any"] | None,
        _model(
            "Largest depth, or levels of a BDD; 'any' for no limit. By default 3, or any for the smallest tree.", "D"
        ),
    ] = None
    max_leaf_nodes: Annotated[int | None, _model("Most leaves.", "N")] = None
    max_splits: Annotated[int | None, _model("Maximum number of splits.", "N")] = None
    min_samples_leaf: Annotated[int, _model("Minimum rows per leaf.", "N")] = 1
    min_weight_leaf: Annotated[float, _model("Minimum weight per leaf.", "W")] = 0.0
    split_penalty: Annotated[float, _model("Errors that each split must save.", "C")] = 0.0
    class_costs: Annotated[
        dict[str, dict[str, float]] | None,
        _model('Costs of errors: true class, predicted class, cost, such as {"ill": {"well": 5}}.', "FILE_OR_JSON"),
    ] = None
    treatment_threshold: Annotated[
        float | None,
        _model(
            "Predicted risk from which you act, such as 0.1; sets the costs so that net benefit is highest there. "
            "Not with --class-costs.",
            "T",
        ),
    ] = None
    constraints: Annotated[
        tuple[dict[str, Any], ...],
        _model(
            "Constraints as a JSON list; FILE#TITLE chooses one of several lists. 'constraints' lists the kinds.",
            "FILE_OR_JSON",
        ),
    ] = ()
    round_thresholds: Annotated[
        bool, _model("Use round thresholds only, such as 50, 55, 60. 'explain --prices' shows the cost.")
    ] = False

    skeleton: Annotated[
        tuple[int, ...] | None,
        _diagram("Maximum splits in each layer, such as 1,2,4,8, or a preset, I to IV; I without --max-depth.", "W"),
    ] = None
    alpha: Annotated[float | None, _diagram("Split penalty: 15 splits cost as much as A errors in every row.", "A")] = (
        None
    )
    min_samples_split: Annotated[int, _diagram("Minimum rows per split.", "N")] = 1
    split_features: Annotated[
        int | Literal["any"], _diagram("Maximum columns that a split may combine, or 'any'.", "N")
    ] = 1

    time_limit: Annotated[float | None, _limit("Seconds of solving, or 'none'.", "S")] = 60.0
    gap: Annotated[
        float, _limit("Permitted gap to the optimum: below 1 a share of all rows, from 1 on a number of errors.", "G")
    ] = 0.0
    threads: Annotated[int, _limit("Processor threads, for methods that run in parallel.", "N")] = 1
    memory_mb: Annotated[int, _limit("Memory in MiB.", "MB")] = 4096
    seed: Annotated[int, _limit("Random seed.", "N")] = 0

    def to_json(self) -> dict[str, Any]:
        """The request as plain values; fields with their defaults are omitted."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain

    @property
    def about_rows(self) -> "Request":
        """The part of the request that defines the rows: all other fields have their defaults."""
        return Request(**{name: getattr(self, name) for name in _ROWS})

    def with_rows(self, rows: "Request") -> "Request":
        """The same request for the rows of another request."""
        return replace(self, **{name: getattr(rows, name) for name in _ROWS})

    @classmethod
    def from_json(cls, data: Any) -> "Request":
        """Read a request from plain values.

        Raises
        ------
        RunError
            The data are damaged.
        """
        try:
            return msgspec.convert(data, cls)
        except msgspec.ValidationError as error:
            raise RunError(f"The request is damaged: {error}. Solve the problem again.") from None


_ROWS = (
    *("target", "prepare", "positive", "features", "drop", "types", "levels", "dictionary", "weight", "groups"),
    *("missing", "test_share", "validation_share", "group_rows", "centres", "time", "seed"),
)
"""The fields that define the rows."""
