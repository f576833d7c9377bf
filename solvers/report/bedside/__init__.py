"""A model as one offline HTML file that asks one question at a time: at the bedside, on a phone, on paper.

It holds the model's own document, the texts of its nodes, and a script that reads both. Nothing is loaded or sent, a
policy in the head allows only this script and this style, and it contains no patient's row.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ...diagram import Diagram, Leaf, NodeId, plain, summary, to_dict
from ...diagram.labels import asked, spoken
from ...diagram.spellings import NOTICE, missing_marks
from ...problem import Column, LinearPredicate, Op, Unknown
from ...problem.texts import format_list

Theme = Literal["light", "dark"]

_HERE = Path(__file__).parent
_ASKED_FOR_DARK = "@media screen and (prefers-color-scheme: dark)"


def to_bedside(
    diagram: Diagram,
    rules: str,
    support: Mapping[NodeId, Sequence[str]],
    shared: Mapping[NodeId, Mapping[str, str]],
    unknown: Unknown = Unknown.ERROR,
    theme: Theme | None = None,
) -> bytes:
    """The page in UTF-8.

    Parameters
    ----------
    diagram : the model; the page includes its leaf counts.
    rules : the model as text, which is printed with a prediction.
    support : the sentences on the rows that support each leaf.
    shared : for each leaf, by column, the sentence on the number of its rows with a missing value, if it may be shown.
    unknown : how values that no training row has are treated.
    theme : its colours; `None` for those of the reader's browser.
    """
    words = {
        "nodes": [
            _describe_leaf(diagram, node, support[i], shared.get(i, {}))
            if isinstance(node, Leaf)
            else _words(diagram, i)
            for i, node in enumerate(diagram.nodes)
        ],
        "marks": missing_marks(),
        "follows": unknown is Unknown.IGNORE,
        "unshared": "The number of training rows of this leaf without this value is unknown.",
    }
    script = (_HERE / "page.js").read_text("utf-8")
    style = "".join(path.read_text("utf-8") for path in (_HERE.parent / "page.css", _HERE / "page.css"))
    if theme is not None:
        style = style.replace("color-scheme: light dark", f"color-scheme: {theme}")
        style = style.replace(_ASKED_FOR_DARK, "@media screen" if theme == "dark" else "@media not all")
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; base-uri 'none'"
    title = escape(summary(diagram)[0])
    parts = (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title><style>{style}</style></head><body><header><h1>{title}</h1>",
        f'<p class="byline">{escape(NOTICE)} Works offline. Your answers never leave this page.</p>',
        "<noscript><p>The questions need JavaScript; the whole model is below.</p></noscript></header>",
        '<main><div aria-live="polite"><p class="byline" id="place"></p><h2 id="question" tabindex="-1"></h2></div>',
        '<div id="answers"></div><p id="possible" aria-live="polite"></p></main>',
        '<div class="tools"><button type="button" id="back">Back</button>',
        '<button type="button" id="again">Start again</button><button type="button" id="print">Print</button></div>',
        '<section id="so-far" hidden><h2></h2><ol id="because"></ol></section>',
        f'<details id="rules"><summary>The whole model</summary><pre>{escape(rules)}</pre></details>',
        '<p class="byline" id="when"></p>',
        f'<script type="application/json" id="model">{_json(to_dict(diagram))}</script>',
        f'<script type="application/json" id="words">{_json(words)}</script>',
        f"<script>{script}</script></body></html>\n",
    )
    return "\n".join(parts).encode("utf-8", "replace")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: Any) -> str:
    """JSON in ASCII that cannot close the HTML element around it."""
    return json.dumps(value, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")


def _words(diagram: Diagram, i: NodeId) -> dict[str, str]:
    """The texts of a question and its answers."""
    predicate, schema = diagram.split(i).predicate, diagram.schema
    row = np.where(np.isin(schema.names, predicate.columns), np.nan, 0.0)
    texts = {
        "ask": asked(predicate, schema, missing=False),
        "yes": spoken(predicate, schema, True, missing=False),
        "no": spoken(predicate, schema, False, missing=False),
        "unknown": predicate.words_at(schema, row, predicate.missing),
    }
    out = {name: plain(words) for name, words in texts.items()} | {"other": ""}
    if not isinstance(predicate, LinearPredicate) and predicate.op is not Op.MISSING:
        out["other"] = describe_other(schema[predicate.column])
    return out


def describe_other(column: Column) -> str:
    """The button for a level that no training row has; '' if the column has no levels."""
    had = [plain(level) for k, level in enumerate(column.levels) if k not in column.unseen_levels]
    return f"Another: none of {format_list(had, 'and')}" if had else ""


def _describe_leaf(diagram: Diagram, leaf: Leaf, support: Sequence[str], shared: Mapping[str, str]) -> dict[str, Any]:
    verdict = f"{plain(diagram.outcome)}: {plain(diagram.classes[leaf.label])}"
    return {"verdict": verdict, "support": list(support), "shared": dict(shared)}
