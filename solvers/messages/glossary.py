"""The glossary: one meaning for each term, for tooltips on the screens and for docs/glossary.md."""

from typing import NamedTuple


class Term(NamedTuple):
    """A term.

    Attributes
    ----------
    names : the term and its synonyms, in lower case unless they are acronyms; any of them finds the term.
    meaning : a phrase without a full stop, at most 25 words.
    papers : the names of the same idea in the five papers, if they differ.
    """

    names: tuple[str, ...]
    meaning: str
    papers: str = ""

    @property
    def title(self) -> str:
        """All names as one text."""
        return ", ".join(self.names)


GLOSSARY: dict[str, tuple[Term, ...]] = {
    "Tables and models": (
        Term(
            ("row",),
            "one record of the table; in clinical text, a patient",
            "CT, CP: instance. DT, BDD: example. ODD: sample",
        ),
        Term(("feature",), "a column that the model may use; in clinical text, a variable", "CP also: attribute"),
        Term(("outcome",), "the column that is predicted", "CT, BDD: label"),
        Term(
            ("class", "positive class"),
            "a value of the outcome; sensitivity and PPV refer to the positive class",
        ),
        Term(
            ("split", "question"),
            "the condition at an internal node; 'question' in text for patients",
            "CP: test. ODD: hyperplane",
        ),
        Term(("threshold",), "the number in a split", "CP: value of a selected feature"),
        Term(
            ("internal node", "leaf"),
            "a node with a split; a node with a prediction",
            "CT: branching node. BDD: non-terminal, sink node. ODD: terminal node",
        ),
        Term(("path",), "the splits from the root to a leaf", "CP: branch"),
        Term(("depth",), "the number of splits on the longest path", "CP: K. DT: k. BDD: H. ODD: D"),
        Term(
            ("greedy", "heuristic"),
            "chooses one split after another and never revises them, as CART and C4.5 do; has no proof",
        ),
        Term(("BDD",), "binary decision diagram: splits in one order on all paths and merges equal parts"),
        Term(("decision diagram",), "a model whose branches can rejoin, so that later splits rest on more rows"),
        Term(
            ("skeleton", "layer widths"),
            "the maximum number of nodes in each layer of a diagram",
            "ODD: topology, for the part in use",
        ),
        Term(("rule list",), "a tree in which one side of every split is a leaf; a fast-and-frugal tree"),
        Term(("fragmentation",), "leaves or splits that rest on few rows"),
        Term(
            ("effective number of leaves",), "the number of leaves of equal size that would spread the rows as evenly"
        ),
        Term(("crossed groups",), "combinations of two group columns, such as women in the north"),
    ),
    "What is minimised and required": (
        Term(("error", "training errors"), "a training row with a wrong prediction", "CT, CP: misclassification"),
        Term(("misclassification cost",), "the cost of one type of error"),
        Term(("split penalty", "λ", "α"), "the cost of each split", "ODD: α / 14"),
        Term(
            ("cost", "objective"),
            "errors and penalties together, as a whole number; the best model has the lowest",
            "CT: misclassification score. CP, ODD: objective",
        ),
        Term(
            ("constraint",),
            "a rule that a model must satisfy",
            "CP: domain-knowledge constraint. BDD: hard clauses",
        ),
        Term(
            ("price", "price of a constraint"),
            "the extra cost of the best model that satisfies the constraint, on the training data",
        ),
        Term(
            ("slack", "binding"),
            "the margin to the limit of a constraint; binding: one step stricter would be violated",
        ),
    ),
    "Search and proof": (
        Term(("best so far", "incumbent"), "the best model found so far", "ODD: primal solution"),
        Term(("lower bound",), "a proved number: no model of this shape and size costs less"),
        Term(
            ("optimality gap",),
            "cost minus lower bound, as a share of the cost: how far the best so far can be from the optimum",
        ),
        Term(
            ("optimal on training data",),
            "cost and lower bound are equal, and the result was recomputed",
            "DT: minimum depth, then minimum nodes",
        ),
        Term(("infeasible",), "proved: no model satisfies all constraints"),
        Term(
            ("verified by recomputation",),
            "separate code computed cost and constraints again from model and table",
        ),
        Term(("certificate",), "a proof that others can check without Espalier"),
        Term(("near-optimal models", "Rashomon set"), "all models within a tolerance of the best"),
    ),
    "Evidence": (
        Term(("training",), "the rows on which the model was trained"),
        Term(("held-out",), "rows of the same file that were not used for training"),
        Term(("external", "external data"), "rows of another file"),
        Term(
            ("cross-validated",),
            "each row is predicted by a model that was trained without it",
        ),
        Term(("predicted risk",), "the share of the positive class among the training rows of a leaf"),
        Term(("observed frequency", "observed"), "the share of the positive class in the rows shown"),
        Term(("prevalence",), "the frequency of the positive class"),
        Term(("constant prediction",), "the same class for every row"),
        Term(
            ("sensitivity", "specificity"),
            "the share of positive rows that are predicted positive; of negative rows, negative",
        ),
        Term(("PPV", "NPV"), "the share of positive, and of negative, predictions that are correct"),
        Term(("optimism", "optimism-corrected"), "how much better a metric is on training rows than on new rows"),
        Term(("net benefit",), "positive rows found minus weighted false alarms, per row, at a treatment threshold"),
        Term(("treatment threshold",), "the predicted risk from which you would treat or test"),
    ),
    "Runs": (
        Term(("run",), "one problem, solved once by one method; its folder is the source of truth"),
        Term(("sweep",), "many models at once: methods and sizes, on all rows or parts of them"),
    ),
}
"""The terms by section. The letters of the papers are explained on the page."""

_MEANINGS = {name.lower(): term.meaning for terms in GLOSSARY.values() for term in terms for name in term.names}


def meaning(term: str) -> str | None:
    """The meaning of a term as a sentence; `None` if the glossary does not have it. Case does not matter."""
    found = _MEANINGS.get(term.lower())
    return None if found is None else f"{found[:1].upper()}{found[1:]}."
