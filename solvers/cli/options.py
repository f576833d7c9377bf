"""Options of the command line, made from the fields of records. Nothing heavy is imported here."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any, get_args, get_type_hints

import typer
from msgspec import NODEFAULT, Meta, Struct
from msgspec.structs import fields
from typer.core import TyperCommand, TyperGroup

from ..errors import EspalierError
from . import texts

_TEXTS: dict[str, Callable[[str], Any]] = {
    "class_costs": texts.class_costs,
    "constraints": texts.constraints,
    "dictionary": texts.dictionary,
    "max_depth": texts.size,
    "prepare": texts.preparation,
    "query": texts.query,
    "skeleton": texts.skeleton,
    "skeletons": texts.skeletons,
    "split_features": texts.size,
    **dict.fromkeys(("time_limit", "choice_time", "time_per_model"), texts.seconds),
}
"""Parsers of the fields' option texts; other fields are parsed by their type."""

_METHOD = "method_option_"


def asked_by(
    record: type[Struct], command: str, method_options: Iterable[Any], answer: Callable[[str, Any], Any]
) -> Callable[..., Any]:
    """A function for `Typer.command` whose parameters are the fields of a record, and those of records in it.

    Parameters
    ----------
    record : the record.
    command : the name of the command; fields only for other commands are omitted.
    method_options : the options that the named method declares (`solvers.methods.Option`).
    answer : takes the command and the filled record; its result is that of the command.
    """

    def ask(**given: Any) -> Any:
        options = {key.removeprefix(_METHOD): value for key, value in given.items() if key.startswith(_METHOD)}
        return answer(command, _fill_record(record, {**given, "options": options}))

    found = [*_parameters(record, command), *map(_method_option, method_options)]
    # required parameters come first
    found.sort(key=lambda one: one.default is not inspect.Parameter.empty)
    ask.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
    return ask


def _fill_record(record: type[Struct], given: dict[str, Any]) -> Struct:
    values = {}
    for field in fields(record):
        if _is_record(field.type):
            values[field.name] = _fill_record(field.type, given)
        elif field.name in given:
            values[field.name] = given[field.name]
    return record(**values)


def _is_record(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Struct)


def _parameters(record: type[Struct], command: str) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(record, include_extras=True)
    for field in fields(record):
        if _is_record(hint := hints[field.name]):
            yield from _parameters(hint, command)
            continue
        kind, meta = get_args(hint)[:2]
        default = field.default if field.default_factory is NODEFAULT else field.default_factory()
        if command in (meta.extra["only"] or [command]):
            yield _parameter(field.name, kind, meta, inspect.Parameter.empty if default is NODEFAULT else default)


def _parameter(name: str, kind: Any, meta: Meta, default: Any) -> inspect.Parameter:
    about = meta.extra or {}
    parse = _TEXTS.get(name) or texts.by_type(kind)
    words: dict[str, Any] = {
        "help": meta.description,
        "metavar": about["metavar"],
        "rich_help_panel": about["panel"] or None,
        "show_default": default not in (None, (), {}, "", False),
        "parser": None if parse is None else _naming_the_option(parse),
    }
    if about["argument"]:
        asked = typer.Argument(**words)
    else:
        # a flag that is off by default needs no negated name
        name_of_flag = f"--{name.replace('_', '-')}" if default is False else None
        asked = typer.Option(*filter(None, [about["flag"] or name_of_flag]), **words)
    annotation: Any = Annotated[kind if parse is None else str, asked]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def _method_option(option: Any) -> inspect.Parameter:
    def known(value: str) -> str:
        if option.values and value not in option.values:
            raise ValueError(f"'{value}' is not one of {', '.join(option.values)}.")
        return value

    asked = typer.Option(
        f"--{option.name.replace('_', '-')}",
        help=f"{option.label}: {option.help}",
        metavar="|".join(option.values) or "N",
        rich_help_panel="Options of the method",
        parser=_naming_the_option(known),
    )
    name, annotation = f"{_METHOD}{option.name}", Annotated[str, asked]
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=annotation)


def _naming_the_option(parse: Callable[[str], Any]) -> Callable[[Any], Any]:
    """The same parser with an error that names the option; defaults are not parsed."""

    def read(value: Any) -> Any:
        try:
            return parse(value) if isinstance(value, str) else value
        except (EspalierError, ValueError) as error:
            raise typer.BadParameter(str(error)) from None

    return read


class GroupedOptions(TyperCommand):
    """A command whose help lists options under headings, in plain text."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, one heading after another."""
        _write_panels(formatter, ((one, one.get_help_record(ctx)) for one in self.get_params(ctx)))


class GroupedCommands(TyperGroup):
    """The program, whose help lists commands under headings."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option '--help'; off by default, since typer would load pydantic to check a default of `None`."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.default = False
        return option

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, then the commands, one heading after another."""
        _write_panels(formatter, ((one, one.get_help_record(ctx)) for one in self.get_params(ctx)))
        _write_panels(formatter, ((one, (name, one.help or "")) for name, one in self.commands.items()))


def _write_panels(formatter: Any, records: Iterable[tuple[Any, tuple[str, str] | None]]) -> None:
    panels: dict[str, list[tuple[str, str]]] = {}
    for one, record in records:
        if record is not None:
            kind = "Arguments" if getattr(one, "param_type_name", "") == "argument" else "Options"
            panels.setdefault(one.rich_help_panel or kind, []).append(record)
    for title, rows in panels.items():
        with formatter.section(title):
            formatter.write_dl(rows)
