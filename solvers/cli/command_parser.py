"""A parser that says in one sentence what is wrong, and which option or command was likely meant."""

import argparse
import difflib
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any, NoReturn


class WithoutCommands(argparse.RawDescriptionHelpFormatter):
    """For a parser whose epilog lists the commands."""

    def _format_action(self, action: argparse.Action) -> str:
        return "" if isinstance(action, argparse._SubParsersAction) else super()._format_action(action)


class CommandParser(argparse.ArgumentParser):
    """Without the usage in messages; mistyped options are named before what lacks because of them."""

    _given: Sequence[str] = ()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and refuse options that there are not, here where the others are known."""
        self._given = () if args is None else tuple(args)
        if self._commands and self._given and not self._given[0].startswith("-"):
            self._check_command(self._given[0])
        found = super().parse_known_args(args, namespace)
        self._check_options()
        return found

    def error(self, message: str) -> NoReturn:
        """End the program with one sentence."""
        self._check_options()
        lacks_command = self._commands and not any(one in self._commands for one in self._given)
        self._refuse(f"Name a command: {', '.join(self._commands)}" if lacks_command else message)

    @property
    def _commands(self) -> Iterable[str]:
        groups = (action.choices for action in self._actions if isinstance(action, argparse._SubParsersAction))
        return next(groups, ())

    def _check_command(self, given: str) -> None:
        if given not in self._commands:
            self._refuse(f"There is no command '{given}'{_closest(given, self._commands)}")

    def _check_options(self) -> None:
        """Refuse the first option that there is not; what stands behind '--' is none, nor what a command is given."""
        given = self._given[: self._given.index("--")] if "--" in self._given else self._given
        known = self._option_string_actions
        for one in takewhile(lambda one: one.startswith("-"), given) if self._commands else given:
            name = one.partition("=")[0]
            if name.startswith("--") and name not in known:
                visible = [option for option, action in known.items() if action.help != argparse.SUPPRESS]
                self._refuse(f"There is no option '{name}'{_closest(name, visible)}")

    def _refuse(self, message: str) -> NoReturn:
        end = "" if message.endswith(("?", ".")) else "."
        self.exit(2, f"{message[:1].upper()}{message[1:]}{end} See '{self.prog} --help'.\n")


def _closest(given: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(given, list(known), 1)
    return f". Did you mean '{close[0]}'?" if close else "."
