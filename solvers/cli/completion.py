"""`completion`: a script by which bash, zsh or fish complete commands, options and files."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from solvers.cli.parser import parser
from solvers.cli.table_arguments import source


def run(options: argparse.Namespace) -> int:
    """Print the script; it completes the command `espalier` that the package installs."""
    import shtab

    commands: Any = parser()
    commands.prog = "espalier"
    for action in _actions(commands):
        if action.type in (Path, source):
            action.complete = shtab.FILE
    print(shtab.complete(commands, shell=options.shell))
    return 0


def _actions(commands: argparse.ArgumentParser) -> Iterator[Any]:
    """The arguments of a parser and of its commands."""
    for action in commands._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
