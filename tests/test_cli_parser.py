"""What the command line prints before it runs a command: commands by purpose, and mistyped words."""

import json
import re
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
def test_a_wrong_word_suggests_the_closest(capsys: pytest.CaptureFixture[str], argv: list[str], sentence: str) -> None:
    """One line with the wrong word, the likely intended one, and where the help is."""
    assert main(argv) == 2
    message = capsys.readouterr().err
    assert message.startswith(sentence) and message.count("\n") == 1 and "--help'." in message


def test_the_help_groups_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    """Each command is listed once, under its purpose."""
    assert main(["--help"]) == 0
    help = capsys.readouterr().out
    places = [help.index(f"\n{title}:\n") for title in ("What there is", "Find a model", "Check it", "Use it")]
    assert places == sorted(places)
    for command in ("methods", "fit", "sweep", "verify", "predict", "dashboard"):
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


def test_every_command_has_a_module() -> None:
    """The module has the command's name, and its function takes the command's record."""
    for record in chain.from_iterable(COMMANDS.values()):
        name = re.sub("(?<!^)(?=[A-Z])", "_", record.__name__).lower()
        run = import_module(f"solvers.cli.{name}").run
        assert get_type_hints(run)["asked"] is record


def test_a_request_is_read_back_from_its_file() -> None:
    """A request is written without defaults; a file with an unknown field is damaged."""
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


WRITTEN = {
    "header": (["--no-header"], False),
    "header_line": (["--header-line", "3"], 3),
    "skip_first": (["--skip-first", "0"], 0),
    "skip_last": (["--skip-last", "2"], 2),
    "decimal": (["--decimal", ","], ","),
    "day_first": (["--month-first"], False),
    "parse_censored": (["--parse-censored"], True),
    "encoding": (["--file-encoding", "cp1252"], "cp1252"),
    "max_mb": (["--max-mb", "1.5"], 1.5),
    "sheet": (["--sheet", "2"], "2"),
    "query": (["--query", "SELECT 1"], "SELECT 1"),
    "positive": (["--positive", "ill"], "ill"),
    "features": (["--features", "a, b"], ("a", "b")),
    "drop": (["--drop", "a"], ("a",)),
    "types": (["--types", "a=date,b=numeric"], {"a": "date", "b": "numeric"}),
    "weight": (["--weight", "w"], "w"),
    "groups": (["--groups", "sex x site,age"], ("sex x site", "age")),
    "missing": (["--missing", "impute"], "impute"),
    "test_share": (["--test-share", "0.25"], 0.25),
    "validation_share": (["--validation-share", "0.5"], 0.5),
    "group_rows": (["--group-rows", "patient"], "patient"),
    "centres": (["--centres", "site"], "site"),
    "time": (["--time", "day"], "day"),
    "method": (["--method", "cart"], "cart"),
    "shape": (["--shape", "tree"], "tree"),
    "max_depth": (["--max-depth", "4"], 4),
    "max_leaf_nodes": (["--max-leaf-nodes", "4"], 4),
    "max_splits": (["--max-splits", "3"], 3),
    "min_samples_leaf": (["--min-samples-leaf", "5"], 5),
    "min_weight_leaf": (["--min-weight-leaf", "2.5"], 2.5),
    "split_penalty": (["--split-penalty", "0.5"], 0.5),
    "class_costs": (["--class-costs", '{"ill": {"well": 5}}'], {"ill": {"well": 5}}),
    "treatment_threshold": (["--treatment-threshold", "0.1"], 0.1),
    "constraints": (["--constraints", '[{"kind": "max-leaves"}]'], ({"kind": "max-leaves"},)),
    "round_thresholds": (["--round-thresholds"], True),
    "skeleton": (["--skeleton", "I"], (1, 2, 4, 8)),
    "alpha": (["--alpha", "0.1"], 0.1),
    "min_samples_split": (["--min-samples-split", "7"], 7),
    "split_features": (["--split-features", "any"], "any"),
    "time_limit": (["--time-limit", "none"], None),
    "gap": (["--gap", "0.1"], 0.1),
    "threads": (["--threads", "2"], 2),
    "memory_mb": (["--memory-mb", "512"], 512),
    "seed": (["--seed", "3"], 3),
}


@pytest.mark.parametrize("field", WRITTEN)
def test_every_field_of_a_request_has_an_option(field: str) -> None:
    """The option of a field sets that field and no other."""
    words, value = WRITTEN[field]
    asked = parse(["fit", "a.csv", "--target", "y", *words]).args[0].request
    assert asked == Request(target="y", **{field: value})


def test_fields_that_name_a_file_are_read(tmp_path: Path) -> None:
    """Steps are part of the request; every field is tested."""
    steps = tmp_path / "steps.json"
    steps.write_text('[{"kind": "rename", "column": "a", "to": "b"}]')
    dictionary = tmp_path / "dictionary.csv"
    dictionary.write_text("column,label\nb,Beta\n")
    files = ("--prepare", str(steps), "--dictionary", str(dictionary))
    asked = parse(["fit", "a.csv", "--target", "y", *files]).args[0].request
    about = {"b": {"label": "Beta", "unit": "", "family": ""}}
    assert asked == Request(target="y", prepare=({"kind": "rename", "column": "a", "to": "b"},), dictionary=about)
    assert set(Request.__struct_fields__) - set(WRITTEN) == {"target", "options", "prepare", "dictionary", "levels"}
