"""`completion`: a script by which a shell completes commands, options and files."""

from .app import COMPLETE, Completion


def run(asked: Completion) -> int:
    """Print the script; it completes the command `espalier` that the package installs."""
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    print(get_completion_script(prog_name="espalier", complete_var=COMPLETE, shell=asked.shell))
    return 0
