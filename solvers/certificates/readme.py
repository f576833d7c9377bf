"""What a certificate says to whoever opens it: what is claimed, how the formula is made, and how to check it."""

from collections.abc import Sequence

from solvers.certificates.cases import Cases
from solvers.certificates.claims import Claim
from solvers.certificates.contents import CASES, MAIN, QUESTIONS, Contents
from solvers.certificates.rebuilt_formula import blocks
from solvers.certificates.reports import CertificateReport, Standing

_FORMULA = """\
The cases are numbered from 0 on as in `cases.csv`; `certificate.json` lists those that the formula speaks of (`cases`).
The column `rank_o` is the rank of the case in order o: it says no to the first `rank` questions of the order and yes
to the others. Order o has m(o) questions, 0 to m(o) - 1 (`orders` in `certificate.json`). The tree is the perfect one
of the claimed depth, its places numbered as in a heap: 0 is the root, below node q are 2 q + 1 for the cases that say
yes, and 2 q + 2 for those that say no. Leaves are counted from 0 on, from left to right. The variables are numbered
without gaps in this order (the comments at the head of each formula name the first and the last of each kind):

    S[q, o]     node q asks about order o; node by node
    A[q, o, r]  ... its question is number r or a later one; order by order, first A and then B, node by node, for
    B[q, o, r]  ... its question is number r or an earlier one;  A for r = 1 to m(o) - 1, B for r = 0 to m(o) - 2
    C[l, a]     leaf l answers class a; leaf by leaf, only the classes that cases have
    U[l], T     only with a limit of nodes, see below
    X[i, j]     case i goes to the side of 'no' at level j; case by case

A[q, o, 0] and B[q, o, m(o) - 1] are S[q, o] itself. The clauses are

    S[q, 0] or S[q, 1] or ...                               a node asks something
    A[q, o, r + 1] -> A[q, o, r]                            later than r + 1 is later than r
    B[q, o, r] -> B[q, o, r + 1]
    S[q, o] -> A[q, o, r + 1] or B[q, o, r]                 there is a question where both ends meet
    not C[l, a] or not C[l, b]                              a leaf answers one class at most
    case i comes to node q and says yes there -> not B[q, o, rank - 1]     for each order where the rank is above 0
    case i comes to node q and says no there  -> not A[q, o, rank]         for each order where it is below m(o)
    case i comes to leaf l                    -> C[l, its class]

where 'comes to' stands for the X that lead there: the clause holds the opposite of each. A node may ask several
questions only if all send every case the same way, so any of them will do. A tree that is less deep is one whose places
below a leaf repeat a question from above. So if there were a tree as small as the claim says that gets these cases
right, the formula could be satisfied.

With a limit of n leaves (2 n - 1 nodes): C[l, a] -> U[l]; a balanced tree of sums over U[0], U[1], ..., neighbours
first, whose outputs T say 'at least 1, 2, ..., min(number of leaves below, n + 1) of these U hold' (each input implies
the output of its own number, two inputs together that of their sum, cut to n + 1); and the clause 'not at least n + 1'.
"""

_BOXES = """\
A box is a set of values for each column that is asked about; a value of a column is a combination of ranks in its
orders that some case has, numbered in ascending order. `states_j` lists the sets of values of the j-th column (a bit a
value), `table` has a number for every choice of one set a column, and where nodes are limited one for each depth limit
0, 1, ... A box without cases counts 0. Check that

1. a box whose cases are of one class says 0 (depth) or at most 1 (leaves);
2. for each question that divides a box into two boxes: depth(box) <= 1 + max(depth of the two), and
   leaves(box, d) <= leaves(one, d - 1) + leaves(two, d - 1);
3. leaves(box, d) <= leaves(box, d - 1);
4. the box of all values says more than the claim.

Then, by induction over trees, no tree is below the numbers of its box. Numbers are cut to one more than the claim
needs.
"""


def formula_comments(cases: Cases, used: Sequence[int], claim: Claim) -> list[str]:
    """What stands at the head of a formula: what it says, and what its variables mean."""
    comments = [
        f"{claim.words} If this formula cannot be satisfied, that is proved.",
        "How it is made from cases.csv is told in README.md. The variables, first to last:",
    ]
    return comments + [f"  {first} to {last}: {name}" for name, first, last in blocks(cases, used, claim)]


def readme(contents: Contents, report: CertificateReport) -> str:
    """The text that comes with a certificate."""
    lines = ["# A certificate", "", *_claimed(contents, report), "", "## Files", ""]
    files = [(MAIN, "the claims, the tree and what the numbers in the other files mean")]
    files.append((CASES, "the distinct cases: class and answers, as ranks (no values of the table)"))
    if any(order.words for order in contents.cases.orders):
        files.append((QUESTIONS, "the questions in words"))
    if contents.tree is not None:
        files += [("tree.txt", "the tree in words"), ("tree.json", "the tree for programs")]
    for part in contents.proofs:
        if part.formula is not None and part.proof is not None:
            files.append((part.formula, f"formula (DIMACS): a tree of {part.claim.size} gets the listed cases right"))
            files.append((part.proof, "its refutation (DRUP): the formula cannot be satisfied"))
        if part.boxes is not None:
            files.append((part.boxes, f"table of boxes (numpy): no tree of {part.claim.size} gets all cases right"))
    lines += [f"- `{name}`: {words}" for name, words in files]
    lines += ["", "## How to check it", "", *_checks(contents)]
    if any(part.formula for part in contents.proofs):
        lines += ["", "## How a formula is made from the cases", "", _FORMULA.rstrip()]
    if any(part.boxes for part in contents.proofs):
        lines += ["", "## What a table of boxes says", "", _BOXES.rstrip()]
    return "\n".join(lines) + "\n"


def _claimed(contents: Contents, report: CertificateReport) -> list[str]:
    """The claims in words, and what they are about."""
    cases = contents.cases
    about = f"The table has {contents.n_rows} rows; those that answer every question alike are one case."
    lines = [about + f" There are {len(cases.labels)} cases.", ""]
    if contents.n_mistaken:
        lines[0] += (
            f" {contents.n_mistaken} rows are of another class than their case, because rows contradict each other; "
            f"the case counts as of the class that costs least."
        )
    open_ones = [claim for claim in report.claims if claim.standing is not Standing.PROVED]
    lines += [f"- {sentence}" for sentence in report.conclusions]
    lines += [f"- Not proved: {claim.claim.words} {claim.note}".rstrip() for claim in open_ones]
    return [*lines, "", "All of this is about trees that ask the questions that are offered, one at a node."]


def _checks(contents: Contents) -> list[str]:
    """What to run."""
    lines = ["All of it, with Espalier (it does not use what made the files):", ""]
    lines += ["    python -m solvers check-certificate THIS_FOLDER"]
    formulas = [part for part in contents.proofs if part.formula is not None]
    if formulas:
        lines += ["", "The refutations, with any checker of DRUP or DRAT proofs, for instance drat-trim", ""]
        lines += [f"    drat-trim {part.formula} {part.proof}" for part in formulas]
        lines += [
            "",
            "(https://github.com/marijnheule/drat-trim; with `-L proof.lrat` it writes a proof for cake_lpr, a checker",
            "that is itself proved correct), or from Python with the package dratify:",
            "",
            "    import dratify",
            f'    formula = dratify.parse_dimacs(open("{formulas[0].formula}").read())',
            f'    print(dratify.check_proof(formula, open("{formulas[0].proof}").read()).ok)',
            "",
            "Such a checker says that the formula cannot be satisfied. That the formula says what is claimed follows",
            "from its comments and from the text below, by which it can be written again.",
        ]
    return lines
