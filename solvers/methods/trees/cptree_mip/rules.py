"""How each rule is posted on the branches: one short function a rule, and one table of them.

Rules speak of columns. `tree.asked({column}, node)` are the variables of which one is 1 where a node asks about a
column, by whatever threshold or level, so a column is one feature everywhere, as in the paper's sums over the values
of a feature. A path is a branch: what the paper says of all depths of a branch is said here of the nodes above it.
"""

from collections.abc import Callable
from math import gcd

import numpy as np

from solvers.constraints.rules import (
    Allowed,
    ApartRule,
    FewColumns,
    FixedQuestion,
    MustAppearRule,
    NeverBoth,
    NotBelow,
    OnlyBelow,
    PathCost,
    Pure,
    Reached,
    Rule,
    Sum,
    TestCosts,
    ThresholdRange,
    TogetherRule,
)
from solvers.methods.trees.cptree_mip.branches import Branches


def post(tree: Branches) -> None:
    """Post all rules of a tree, and what may be added where they allow it."""
    rules = tree.rules
    for rule in (*rules.path, *rules.leaf, *rules.sums, *rules.tree):
        POSTS[type(rule)](tree, rule)
    if not rules.kinds & {FixedQuestion, ApartRule}:
        tree.answers_differ()


def not_below(tree: Branches, rule: NotBelow) -> None:
    """Section 4.1: at most one of 'upper is asked here' and 'lower is asked further down'."""
    for node in range(tree.frame.n_nodes):
        for above in tree.frame.above(node):
            terms = [(1, tree.asked({rule.upper}, above)), (1, tree.asked({rule.lower}, node))]
            tree.model.at_most(terms, 1)


def only_below(tree: Branches, rule: OnlyBelow) -> None:
    """The stronger order of section 4.1: a node asks about the column only if one above it asks about `upper`."""
    for node in range(tree.frame.n_nodes):
        upper = [(-1, tree.asked({rule.upper}, above)) for above in tree.frame.above(node)]
        tree.model.at_most([(1, tree.asked({rule.column}, node)), *upper], 0)


def path_cost(tree: Branches, rule: PathCost) -> None:
    """Section 4.2: for each path, the costs of what is asked on it; each test is paid once."""
    for last in tree.frame.last_nodes:
        path = [*tree.frame.above(last), last]
        paid = [(cost, _some(tree, columns, path)) for columns, cost in _tests(rule.costs)]
        tree.model.at_most([(cost, at[None]) for cost, at in paid] or [_nothing()], rule.limit)
    if not tree.frame.n_nodes and rule.limit < 0:
        tree.model.never()


def allowed(tree: Branches, rule: Allowed) -> None:
    """Section 4.6: at the root no other column is asked about; elsewhere the menu has the allowed ones only."""
    if rule.at_root and tree.frame.n_nodes:
        others = set(range(tree.problem.dataset.n_columns)) - rule.columns
        tree.model.limit(tree.asked(others, 0), high=0)


def threshold_range(tree: Branches, rule: ThresholdRange) -> None:
    """Table 1, 'range of threshold splits': the menu has only the cuts with a threshold in the range."""


def fixed_question(tree: Branches, rule: FixedQuestion) -> None:
    """At this place stands this question, or one that divides the training rows in the same way."""
    node = fixed_node(tree, rule)
    places = tree.menu.places(rule.predicate)
    if node >= tree.frame.n_nodes or not places:
        tree.model.never()
        return
    family, cut, _ = places[0]
    tree.model.limit(tree.asks[node, family], low=1)
    tree.linking.fix(node, family, cut)


def fixed_node(tree: Branches, rule: FixedQuestion) -> int:
    """The node of a place. The yes side of a node is that of the low ranks, of a fixed question its own yes side."""
    fixed = {other.place: other.predicate for other in tree.rules.of(FixedQuestion)}
    node = 0
    for depth, answer in enumerate(rule.place):
        above = fixed.get(rule.place[:depth])
        places = () if above is None else tree.menu.places(above)
        low_is_yes = places[0][2] if places else True
        node = 2 * node + (1 if answer == low_is_yes else 2)
    return node


def pure(tree: Branches, rule: Pure) -> None:
    """In each leaf that answers k: weight of k >= share * weight of the leaf. A leaf that answers k holds no others."""
    labels = range(tree.answers.shape[1]) if rule.label is None else [rule.label]
    total = tree.weight.sum(axis=1)
    for label in labels:
        missing = rule.share.numerator * total - rule.share.denominator * tree.weight[:, label]
        for branch in range(tree.frame.n_branches):
            tree.model.at_most([(_scaled(missing)[None], tree.ends[None, :, branch, label])], 0)


def together(tree: Branches, rule: TogetherRule) -> None:
    """Section 4.5: S is the same for both rows."""
    for first, second in _cells(tree, rule.pairs):
        if first != second:
            ends = tree.ends[[first, second]]
            tree.model.equal([(1, ends[0]), (-1, ends[1])], 0)


def apart(tree: Branches, rule: ApartRule) -> None:
    """At most one of the two rows ends in each branch."""
    for first, second in _cells(tree, rule.pairs):
        if first == second:
            tree.model.never()
        else:
            ends = tree.ends[[first, second]]
            tree.model.at_most([(1, ends[0]), (1, ends[1])], 1)


def total(tree: Branches, rule: Sum) -> None:
    """Sections 4.3 and 4.7: accuracy and fairness by what the cells of each branch add, tests by what they cost."""
    by_cell = tree.menu.add_up(rule.by_label)
    tests = () if rule.tests is None else _paid(tree, rule.tests, tree.menu.add_up(rule.test_weight))
    unit = gcd(rule.per_leaf, *np.unique(by_cell).tolist(), *(cost for cost, _ in tests)) or 1
    added = np.broadcast_to(by_cell[:, None] // unit, tree.ends.shape).reshape(1, -1)
    leaves = (rule.per_leaf // unit, tree.answers.reshape(1, -1))
    paid = [(cost // unit, at) for cost, at in tests]
    tree.model.at_most([(added, tree.ends.reshape(1, -1)), leaves, *paid], rule.limit // unit)


def _paid(tree: Branches, costs: TestCosts, weight: np.ndarray) -> list[tuple[int, np.ndarray]]:
    """What all rows pay for their tests, as terms; N of section 4.3.

    A test is paid at a node where it is asked and has not been asked above. The rows that pay it there are those that
    pass the node: for each test and node, paid >= weight of the cells that pass - everything * (1 - asked here first).
    """
    everything = int(weight.sum())
    terms = []
    for columns, cost in _tests(costs):
        for node in range(tree.frame.n_nodes):
            here, passing = tree.asked(columns, node), tree.ends[:, tree.frame.branches(node)].reshape(1, -1)
            above = np.concatenate([tree.asked(columns, m)[0] for m in tree.frame.above(node)] or [here[0, :0]])[None]
            factor = np.repeat(weight, passing.size // len(weight))[None]

            def value(x: np.ndarray, here=here, above=above, passing=passing, factor=factor) -> np.ndarray:
                first = x[here].sum() > 0.5 and x[above].sum() < 0.5
                return np.array([(factor * x[passing]).sum() if first else 0.0])

            paid = tree.model.variables((1,), high=float(everything), value=value)
            terms_here = [(factor, passing), (everything, here), (-everything, above), (-1, paid[None])]
            tree.model.at_most(terms_here, everything)
            terms.append((cost, paid[None]))
    return terms


def must_appear(tree: Branches, rule: MustAppearRule) -> None:
    """Section 4.6, and the question has an effect: below some node that asks about the column are two answers.

    `seen[m, k]` may be 1 only if a branch below m answers k; a node counts if it asks about the column and sees two.
    """
    counts = []
    for node in range(tree.frame.n_nodes):
        below, asked = tree.answers[tree.frame.branches(node)].T, tree.asked({rule.column}, node)
        seen = tree.model.variables((len(below),), value=lambda x, below=below: x[below].max(axis=1))
        tree.model.at_most([(1, seen[:, None]), (-1, below)], 0)
        count = tree.model.variables(
            (1,), value=lambda x, a=asked, s=seen: np.array([float(x[a].sum() > 0.5 and x[s].sum() > 1.5)])
        )
        tree.model.at_most([(1, count[None]), (-1, asked)], 0)
        tree.model.at_most([(1, count[None]), (-1, seen[None]), (1, tree.asks[[node]])], 0)
        counts.append(count)
    if counts:
        tree.model.at_most([(-1, np.concatenate(counts)[None])], -1)
    else:
        tree.model.never()


def never_both(tree: Branches, rule: NeverBoth) -> None:
    """Section 4.6 in the meaning that is meant: one of the two is not asked anywhere, however many branches it has."""
    first, second = ({rule.first}, {rule.second})
    everywhere = range(tree.frame.n_nodes)
    at = np.concatenate([tree.asked(first, node)[0] for node in everywhere] or [np.empty(0, np.int64)])
    choice = tree.model.variables((1,), whole=True, value=lambda x: np.array([float(x[at].sum() > 0.5)]))
    for node in everywhere:
        tree.model.at_most([(1, tree.asked(first, node)), (-1, choice[None])], 0)
        tree.model.at_most([(1, tree.asked(second, node)), (1, choice[None])], 1)


def few_columns(tree: Branches, rule: FewColumns) -> None:
    """Of all columns, at most so many are asked about."""
    columns = sorted({family.column for family in tree.menu.families})
    used = [_some(tree, {column}, range(tree.frame.n_nodes)) for column in columns]
    tree.model.at_most([(1, at[None]) for at in used] or [_nothing()], rule.most)


def reached(tree: Branches, rule: Reached) -> None:
    """Florio et al. (2023), equation 20: so many rows come to a node that asks something."""
    cells = np.arange(tree.menu.n_cells)
    for node in range(tree.frame.n_nodes):
        passing = tree.reach(cells, tree.frame.branches(node))
        rows = np.repeat(-tree.n_rows, passing.shape[1])[None]
        asked = np.full(len(tree.menu), rule.rows)[None]
        tree.model.at_most([(rows, passing.reshape(1, -1)), (asked, tree.asks[[node]])], 0)


POSTS: dict[type[Rule], Callable[[Branches, Rule], None]] = {
    NotBelow: not_below,
    OnlyBelow: only_below,
    PathCost: path_cost,
    Allowed: allowed,
    ThresholdRange: threshold_range,
    FixedQuestion: fixed_question,
    Pure: pure,
    TogetherRule: together,
    ApartRule: apart,
    Sum: total,
    MustAppearRule: must_appear,
    NeverBoth: never_both,
    FewColumns: few_columns,
    Reached: reached,
}
"""Every rule that is posted, with the function that does it."""


def _some(tree: Branches, columns: frozenset[int] | set[int], nodes: list[int] | range) -> np.ndarray:
    """A new variable, (1,), that is at least 1 where one of these nodes asks about one of these columns."""
    asked = [tree.asked(columns, node) for node in nodes]
    at = np.concatenate([one[0] for one in asked] or [np.empty(0, np.int64)])
    some = tree.model.variables((1,), value=lambda x: np.array([float(x[at].sum() > 0.5)]))
    for one in asked:
        tree.model.at_most([(1, one), (-1, some[None])], 0)
    return some


def _tests(costs: TestCosts) -> list[tuple[frozenset[int], int]]:
    """Columns that are paid for together, once, and what they cost; those that cost nothing are left out."""
    own = [(frozenset({column}), cost) for column, cost in enumerate(costs.own)]
    return [(columns, cost) for columns, cost in (*own, *costs.groups) if cost]


def _cells(tree: Branches, pairs: tuple[tuple[int, int], ...]) -> set[tuple[int, int]]:
    """Pairs of rows as pairs of cells, each once."""
    return {tuple(sorted(tree.menu.cell[list(pair)].tolist())) for pair in pairs}


def _nothing() -> tuple[float, np.ndarray]:
    return 0.0, np.zeros((1, 0), np.int64)


def _scaled(values: np.ndarray) -> np.ndarray:
    """Whole numbers without their common factor."""
    return values // (np.gcd.reduce(values) or 1)
