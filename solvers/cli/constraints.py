"""`constraints`: the kinds of constraints, and how to write them."""

from typing import Any

from ..constraints import KINDS, kind_of
from ..constraints.files import example_of
from ..run import wire
from .app import Constraints

_SHOWN = ("name", "type", "label", "help", "unit", "optional", "low", "high")


def run(asked: Constraints) -> int:
    """Run `constraints`."""
    kinds = list(KINDS) if asked.kind is None else [kind_of(asked.kind).kind]
    described = [describe(one) for one in kinds]
    if asked.json:
        print(wire.dumps(described))
    else:
        print(
            "\n".join(f"{one['kind']:<26} {one['summary']}" for one in described)
            if asked.kind is None
            else _page(described[0])
        )
    return 0


def describe(kind: str) -> dict[str, Any]:
    """The facts of a kind, with an example on a sample table."""
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
            {**{name: getattr(field, name) for name in _SHOWN}, "choices": [value for value, _ in field.choices]}
            for field in cls.form()
        ],
        "example": {"sample": preset.sample, "words": str(example), "json": example.to_json()},
    }


def _page(kind: dict[str, Any]) -> str:
    fields = "Fields:" if kind["fields"] else "This constraint has no fields."
    lines = [f"{kind['kind']}: {kind['title']}", kind["summary"], "", fields]
    for field in kind["fields"]:
        about = [field["type"], *(["optional"] if field["optional"] else [])]
        about += [f"one of {', '.join(field['choices'])}"] if field["choices"] else []
        help_text = f" {field['help']}" if field["help"] else ""
        lines.append(f"  {field['name']} ({', '.join(about)}): {field['label']}.{help_text}")
    example = kind["example"]
    lines += ["", f"Example on {example['sample']}: {example['words']}", f"  {wire.dumps(example['json'])}"]
    return "\n".join([*lines, "", f"Source: {kind['source']}"])
