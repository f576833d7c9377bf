"""A model as a template for a CDS Hooks 2.0 service: its entry for discovery, and the card for each leaf.

The service itself is the hospital's: it reads the values of a patient, asks the model (the JavaScript, Python or CQL
export) for the leaf, and answers with the card of this leaf.
"""

import json

from solvers.diagram.diagram import Diagram
from solvers.diagram.labels import answer, cut
from solvers.diagram.program import about
from solvers.diagram.spellings import NOTICE
from solvers.diagram.words import plain

LONGEST_SUMMARY = 139
"""The standard wants fewer than 140 characters."""


def to_cds_hooks(diagram: Diagram) -> str:
    """The template as JSON: 'discovery', 'responses' by the number of the leaf, and 'unanswered' for refused cases."""
    title, *rest = about(diagram)
    service = {
        "hook": "patient-view",
        "id": "espalier-model",
        "title": title,
        "description": " ".join(rest),
        "prefetch": {"patient": "Patient/{{context.patientId}}"},
    }
    needed = ", ".join(plain(name) for name in diagram.preparation.raw(diagram.features))
    template = {
        "instructions": f"Add to 'prefetch' what gives these values: {cut(needed, 2000) or 'none'}. Then answer with "
        "the response of the leaf that the JavaScript, Python or CQL export gives.",
        "discovery": {"services": [service]},
        "responses": {
            str(i): _card(answer(diagram, leaf.label), _shares(diagram, leaf.shares)) for i, leaf in diagram.leaves
        },
        "unanswered": _card(
            f"{plain(diagram.outcome)}: no answer", "A value is missing or unknown that the model must know."
        ),
    }
    return json.dumps(template, indent=2) + "\n"


def _card(summary: str, detail: str) -> dict[str, list[object]]:
    source = {"label": "Decision model made with Espalier"}
    card = {"summary": cut(summary, LONGEST_SUMMARY), "indicator": "info", "detail": f"{detail} {NOTICE}"}
    return {"cards": [card | {"source": source}]}


def _shares(diagram: Diagram, shares: tuple[float, ...]) -> str:
    risks = ", ".join(f"{plain(name)} {share:.0%}" for name, share in zip(diagram.classes, shares, strict=True))
    return f"Of the training rows that ended here: {cut(risks, 1000)}."
