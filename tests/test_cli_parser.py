"""What the command line says before it does anything: commands by what they are for, mistyped words, completion."""

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import get_type_hints

import pytest

from solvers.__main__ import main
from solvers.cli.app import COMMANDS, parse
from solvers.errors import RunError
from solvers.request import Request

WRONG = [
    (["fti"], "No such command 'fti'. Did you mean 'fit'?"),
    (["--verson"], "No such option: --verson (Possible options: --version)."),
    (["fit", "a.csv", "--taret", "y"], "No such option: --taret (Possible options: --target, "),
    (["fit", "a.csv", "--target", "y", "--max-dept=3"], "No such option: --max-dept (Possible options: --max-depth, "),
    (["fit", "a.csv", "--target", "y", "--wholly-other"], "No such option: --wholly-other. See"),
    (["fit", "a.csv", "--target", "y", "more"], "Got unexpected extra argument(s) (more)."),
    (["fit", "a.csv"], "Missing option '--target'."),
    (["fit", "a.csv", "--target", "y", "--max-depth", "x"], "Invalid value for '--max-depth': must be a whole number"),
    (["fit", "a.csv", "--target", "y", "--threads", "x"], "Invalid value for '--threads': Input should be a valid"),
    (["export", "a.json", "--format", "svgs"], "Invalid value for '--format': 'svgs' is not one of"),
    ([], "Missing command."),
]


@pytest.mark.parametrize(("argv", "sentence"), WRONG, ids=[" ".join(argv) for argv, _ in WRONG])
def test_a_wrong_word_is_named_with_the_closest(
    capsys: pytest.CaptureFixture[str], argv: list[str], sentence: str
) -> None:
    """One line says which word is wrong, what was likely meant, and where the help is."""
    assert main(argv) == 2
    message = capsys.readouterr().err
    assert message.startswith(sentence) and message.count("\n") == 1 and "--help'." in message


def test_the_help_groups_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command stands once, under what it is for."""
    assert main(["--help"]) == 0
    help = capsys.readouterr().out
    places = [help.index(f"\n{title}:\n") for title in ("What there is", "Find a model", "Check it", "Use it")]
    assert places == sorted(places)
    for command in ("methods", "fit", "sweep", "verify", "predict", "dashboard", "completion"):
        assert help.count(f"\n  {command} ") == 1


def test_the_help_of_a_command_groups_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Options of the table, the model and the limits have headings; those of another command are not listed."""
    assert main(["fit", "--method", "bdd-search", "--help"]) == 0
    help = capsys.readouterr().out
    titles = ("Arguments", "The table", "The model", "A decision diagram", "The limits", "Options of the method")
    assert all(f"\n{title}:\n" in help for title in titles)
    assert "--validation-share" in help and "--tolerance" in help and "--retry-failed" not in help
    assert main(["sweep", "--help"]) == 0
    help = capsys.readouterr().out
    assert "--method " not in help and "--validation-share" not in help and "--retry-failed" in help


def test_every_command_has_a_module_that_carries_it_out() -> None:
    """The module has the command's name, and its function takes the command's record."""
    for record in chain.from_iterable(COMMANDS.values()):
        name = re.sub("(?<!^)(?=[A-Z])", "_", record.__name__).lower()
        run = import_module(f"solvers.cli.{name}").run
        assert get_type_hints(run)["asked"] is record


def test_a_request_is_read_back_from_its_file() -> None:
    """What was asked is written without defaults, and a file with a field that there is not is damaged."""
    asked = parse(
        ["fit", "a.csv", "--target", "y", "--max-depth", "any", "--skeleton", "1,2", "--types", "a=date",
         "--time-limit", "none", "--constraints", '[{"kind": "max-leaves", "leaves": 4}]']
    ).args[0].request  # fmt: skip
    plain = json.loads(json.dumps(asked.to_json()))
    assert plain == {
        "target": "y",
        "types": {"a": "date"},
        "max_depth": "any",
        "constraints": [{"kind": "max-leaves", "leaves": 4}],
        "skeleton": [1, 2],
        "time_limit": None,
    }
    assert Request.from_json(plain) == asked
    with pytest.raises(RunError, match="damaged"):
        Request.from_json({**plain, "depth": 3})


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_completes_the_installed_command(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    """It asks the command itself how a line goes on."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "espalier" in script and "_ESPALIER_COMPLETE" in script


def test_bash_completes_with_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The beginning of a command, of an option and of a choice are completed by a real shell."""
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "espalier.bash"
    script.write_text(capsys.readouterr().out)
    command = tmp_path / "espalier"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m solvers "$@"\n')
    command.chmod(0o755)
    asks = [
        f"COMP_WORDS=({words}); COMP_CWORD={words.count(' ')}"
        for words in ("espalier fi", "espalier fit --max-d", "espalier fit --shape di")
    ]
    shown = "".join(f"{ask}; _espalier_completion espalier; echo ${{COMPREPLY[@]}}; " for ask in asks)
    done = subprocess.run(
        ["bash", "-c", f"source {script}; {shown}"],
        capture_output=True, text=True, check=True, env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.stdout.split() == ["fit", "--max-depth", "diagram"]
