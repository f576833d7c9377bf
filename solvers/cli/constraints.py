"""`constraints`: what a model can be asked to satisfy, and how that is written."""

import argparse
from typing import Any

from solvers.constraints import KINDS, kind_of
from solvers.constraints.presets import example_of
from solvers.run import wire


def run(options: argparse.Namespace) -> int:
    """Carry out `constraints`."""
    kinds = list(KINDS) if options.kind is None else [kind_of(options.kind).kind]
    told = [describe(kind) for kind in kinds]
    if options.json:
        print(wire.dumps(told))
    else:
        print("\n".join(_line(kind) for kind in told) if options.kind is None else _page(told[0]))
    return 0


def describe(kind: str) -> dict[str, Any]:
    """What there is to know of a kind, with an example on a sample table."""
    cls = kind_of(kind)
    preset, example = example_of(kind)
    return {
        "kind": kind,
        "title": cls.title,
        "topic": cls.topic,
        "summary": cls.summary,
        "formula": cls.formula,
        "source": cls.source,
        "fields": [
            {
                "name": told.name,
                "type": told.type,
                "label": told.label,
                "help": told.help,
                "unit": told.unit,
                "optional": told.optional,
                "low": told.low,
                "high": told.high,
                "choices": [value for value, _ in told.choices],
            }
            for told in cls.form()
        ],
        "example": {"sample": preset.sample, "words": str(example), "json": example.to_json()},
    }


def _line(told: dict[str, Any]) -> str:
    return f"{told['kind']:<26} {told['summary']}"


def _page(told: dict[str, Any]) -> str:
    lines = [f"{told['kind']}: {told['title']}", told["summary"], "", "Fields:"]
    for field in told["fields"]:
        about = [field["type"], *(["may be left out"] if field["optional"] else [])]
        about += [f"one of {', '.join(field['choices'])}"] if field["choices"] else []
        help_text = f" {field['help']}" if field["help"] else ""
        lines.append(f"  {field['name']} ({', '.join(about)}): {field['label']}.{help_text}")
    example = told["example"]
    lines += ["", f"Example on {example['sample']}: {example['words']}", f"  {wire.dumps(example['json'])}"]
    return "\n".join([*lines, "", f"Source: {told['source']}"])
