"""Make a certificate for a tree that makes no avoidable mistake: its claims, their proofs, and the files.

Every claim is tried in two ways, by boxes and by formula, where the time and the number of values of the columns allow;
what was written is then checked from the files alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from solvers.certificates.cases import Cases
from solvers.certificates.certificate_checker import check_certificate
from solvers.certificates.claims import Claim, PlainNode, PlainTree, depth_of, leaves_of, mistakes
from solvers.certificates.contents import Contents
from solvers.certificates.proof_draft import ProofDraft
from solvers.certificates.readme import readme
from solvers.certificates.reports import CertificateReport, Standing, Technique
from solvers.diagram import Diagram, Leaf, to_json, to_rules
from solvers.errors import CertificateError
from solvers.methods.search.clock import Clock
from solvers.methods.trees.inferdt.method import InferDTDepth, InferDTSize
from solvers.methods.trees.smallest.cases import DistinctCases, distinct_cases
from solvers.problem import Problem, ShapeKind
from solvers.solution import Criterion, Predicates, Stop

TECHNIQUES = (Technique.BOXES, Technique.FORMULA)
"""Boxes first: they take no time where they can be used at all."""

Say = Callable[[str], None]
"""Takes what is being done, in a sentence."""


@dataclass(frozen=True)
class Wanted:
    """How a certificate is to be made: with which proofs, and whether it tells numbers of rows and questions in words.

    `predicates` are the questions that were offered; `question` says what is smallest: the depth alone, the nodes too,
    or the nodes at any depth that the shape allows.
    """

    predicates: Predicates = Predicates.THRESHOLDS
    question: Criterion = Criterion.DEPTH
    techniques: tuple[Technique, ...] = TECHNIQUES
    rows: bool = True
    words: bool = True


class MadeCertificate(NamedTuple):
    """A certificate: its files by name, and what came of it."""

    files: dict[str, bytes]
    report: CertificateReport


def make_certificate(
    problem: Problem,
    diagram: Diagram | None,
    wanted: Wanted = Wanted(),
    seconds: float | None = None,
    stop: Stop | None = None,
    say: Say = lambda text: None,
) -> MadeCertificate:
    """Make and check a certificate.

    Parameters
    ----------
    problem : what was asked.
    diagram : the tree that was found. Where there is none, or it makes mistakes that a tree could avoid, the claim is
        that no tree of the shape avoids them.
    seconds : wall time for the proofs, shared out among the claims; `None` for no limit.
    stop : ends it; what was proved until then is in the certificate.
    say : takes what is being done, in a sentence.

    Raises
    ------
    CertificateError
        There is nothing to be proved: a single leaf is right.
    """
    clock = Clock()
    distinct = distinct_cases(problem, wanted.predicates)
    cases = Cases.of(distinct, wanted.rows, wanted.words)
    if len(set(cases.labels)) < 2:
        raise CertificateError("A single leaf makes no mistake here, so there is nothing to prove.")
    tree = None if diagram is None else plain_tree(diagram, distinct)
    if tree is not None and mistakes(tree, cases):
        tree = None  # it is claimed then that every tree of the shape makes mistakes
    drafts = [ProofDraft(claim) for claim in claims_of(problem, tree, wanted.question)]
    for technique in wanted.techniques:
        for n_left, draft in zip(range(len(drafts), 0, -1), drafts, strict=True):
            end = None if seconds is None else clock.elapsed + max(0.0, seconds - clock.elapsed) / n_left

            def due(end: float | None = end) -> bool:
                return (stop is not None and stop.is_set()) or (end is not None and clock.elapsed >= end)

            say(f"{'Sweeping boxes' if technique is Technique.BOXES else 'Refuting a formula'}: {draft.claim.size}.")
            draft.prove(technique, distinct, cases, due)
    say("Checking the certificate from its files.")
    proved = tuple(draft.proofs for draft in drafts if draft.standing is Standing.PROVED)
    contents = Contents(cases, tree, proved, problem.dataset.n_samples, len(distinct.mistaken))
    files = contents.files()
    for draft in drafts:
        files |= draft.files
    checked = check_certificate(files.__getitem__)
    report = replace(checked, claims=tuple(draft.report(checked) for draft in drafts), seconds=clock.elapsed)
    if tree is not None and diagram is not None:
        files = {"tree.json": to_json(diagram).encode(), "tree.txt": to_rules(diagram).encode(), **files}
    return MadeCertificate({"README.md": readme(contents, report).encode(), **files}, report)


def claims_of(problem: Problem, tree: PlainTree | None, question: Criterion = Criterion.DEPTH) -> list[Claim]:
    """What has to be proved of a tree, or of there being none; `question` says what is smallest."""
    size = problem.size
    if tree is None:
        return [Claim(size.max_depth, size.max_leaf_nodes)]
    depth, leaves = depth_of(tree), leaves_of(tree)
    if question is Criterion.NODES:
        return [Claim(size.max_depth, leaves - 1)]
    shallower = Claim(depth - 1, size.max_leaf_nodes)
    return [shallower] if question is Criterion.DEPTH_ALONE else [shallower, Claim(depth, leaves - 1)]


def question_of(method: str, options: Mapping[str, str]) -> Criterion:
    """What a run asked to be smallest, by its method and the options that were chosen."""
    fixed = {made.name: made.criterion for made in (InferDTDepth, InferDTSize)}
    return fixed.get(method) or Criterion(options.get("question", Criterion.DEPTH))


def plain_tree(diagram: Diagram, distinct: DistinctCases) -> PlainTree | None:
    """A tree that divides the cases as a learned one does; questions that divide none of them are left out.

    `None` where the diagram is no tree, or asks something that no question of the cases does.
    """
    data = distinct.original.dataset
    X = data.X[distinct.first]

    def below(at: int, here: np.ndarray) -> PlainTree | None:
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            return node.label
        yes = node.predicate.holds(diagram.schema, X[here])
        if yes.all() or not yes.any():
            return below(node.yes if yes.all() else node.no, here)
        question = _question(distinct.rank[:, here], yes)
        if question is None:
            return None
        order, last, low_is_yes = question
        low, high = (node.yes, node.no) if low_is_yes else (node.no, node.yes)
        one, two = below(low, here[yes == low_is_yes]), below(high, here[yes != low_is_yes])
        return None if one is None or two is None else PlainNode(order, last, one, two)

    if diagram.kind is not ShapeKind.TREE:
        return None
    return below(0, np.arange(distinct.n_cases))


def _question(rank: np.ndarray, yes: np.ndarray) -> tuple[int, int, bool] | None:
    """An order and the highest low rank that divide cases like these answers, and whether low is yes."""
    for low_is_yes in (True, False):
        low, high = rank[:, yes == low_is_yes].max(axis=1), rank[:, yes != low_is_yes].min(axis=1)
        if (low < high).any():
            order = int(np.flatnonzero(low < high)[0])
            return order, int(low[order]), low_is_yes
    return None
