"""What the command line says before it does anything: commands by what they are for, mistyped words, completion."""

import subprocess
from pathlib import Path

import pytest

from solvers.__main__ import main

WRONG = [
    (["fti"], "There is no command 'fti'. Did you mean 'fit'?"),
    (["--verson"], "There is no option '--verson'. Did you mean '--version'?"),
    (["fit", "a.csv", "--taret", "y"], "There is no option '--taret'. Did you mean '--target'?"),
    (["fit", "a.csv", "--target", "y", "--max-dept=3"], "There is no option '--max-dept'. Did you mean '--max-depth'?"),
    (["fit", "a.csv", "--target", "y", "--wholly-other"], "There is no option '--wholly-other'. See"),
    (["fit", "a.csv", "--target", "y", "more"], "Unrecognized arguments: more."),
    (["fit", "a.csv"], "The following arguments are required: --target."),
    (["export", "a.json", "--format", "svgs"], "Argument --format: invalid choice: 'svgs'"),
]


@pytest.mark.parametrize(("argv", "sentence"), WRONG, ids=[" ".join(argv) for argv, _ in WRONG])
def test_a_wrong_word_is_named_with_the_closest(
    capsys: pytest.CaptureFixture[str], argv: list[str], sentence: str
) -> None:
    """One line says what is wrong and what was likely meant; older names of options are not offered."""
    with pytest.raises(SystemExit) as ended:
        main(argv)
    assert ended.value.code == 2
    message = capsys.readouterr().err
    assert message.startswith(sentence) and message.count("\n") == 1 and "--help'." in message


def test_the_help_groups_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command stands once, under what it is for."""
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    help = capsys.readouterr().out
    places = [help.index(f"\n{title}:\n") for title in ("what there is", "find a model", "check it", "use it")]
    assert places == sorted(places)
    for command in ("methods", "fit", "sweep", "verify", "predict", "dashboard", "completion"):
        assert help.count(f"\n  {command} ") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_names_commands_and_options(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    """It completes the installed command."""
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for word in ("espalier", "check-certificate", "max-depth", "min-samples-leaf"):
        assert word in script


def test_bash_completes_with_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The beginning of a command and of an option are completed by a real shell."""
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "espalier.bash"
    script.write_text(capsys.readouterr().out)
    asks = [f"COMP_WORDS=({words}); COMP_CWORD={words.count(' ')}" for words in ("espalier fi", "espalier fit --max-d")]
    shown = "".join(f"{ask}; _shtab_espalier; echo ${{COMPREPLY[@]}}; " for ask in asks)
    done = subprocess.run(["bash", "-c", f"source {script}; {shown}"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["fit", "--max-depth"]
