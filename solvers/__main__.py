"""The command line: `python -m solvers COMMAND`; `--help` lists the commands.

    python -m solvers fit sample_data/breast_cancer.csv --target diagnosis --max-depth 3 --out result
    python -m solvers predict result new_patients.csv --out predictions.csv

Exit status: 0 for a result, 1 if there is no result or its check fails, 2 for invalid input (message on stderr).
"""

import os
import sys
from typing import Any, NoReturn

from typer.exceptions import TyperException

from .cli.app import parse
from .compile_level import compile_cheaply
from .errors import EspalierError
from .platforms import end_process


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks must not crash the program.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    compile_cheaply()
    try:
        command = parse(sys.argv[1:] if argv is None else argv)
        status = command if isinstance(command, int) else command()
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader closed the pipe ('| head'); a closed stdout must not be flushed again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130
    except TyperException as error:
        print(_sentence(error), file=sys.stderr)
    except EspalierError as error:
        print(error, file=sys.stderr)
    except OSError as error:
        print(f"'{error.filename or 'The output'}' cannot be used: {error.strerror or error}.", file=sys.stderr)
    except MemoryError:
        print(
            "There is not enough memory for this table and this depth. "
            "Lower the depth (--max-depth), or use fewer rows or columns.",
            file=sys.stderr,
        )
        return 1
    return 2


def _sentence(error: Any) -> str:
    """Describe a usage error in one line."""
    words = " ".join(error.format_message().replace("Value error, ", "").split()).rstrip(".")
    context = getattr(error, "ctx", None)
    end = "" if words.endswith("?") else "."
    return f"{words}{end} See '{context.command_path} --help'." if context else f"{words}{end}"


def run_and_exit() -> NoReturn:
    """Run the command of this process and exit: the entry point of `espalier` and `python -m solvers`."""
    end_process(main())


if __name__ == "__main__":
    run_and_exit()
