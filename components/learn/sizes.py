"""Models side by side: yours, greedy and optimal; errors over depth; tree and BDD; greedy and smallest tree."""

from functools import partial

import streamlit as st

from components.learn import answers, form
from components.learn.builder import own_history
from components.learn.classroom import SMALLEST, Classroom, bdd_key, fully_grown, tree_key
from components.learn.facts import depth_curves, describe_depth, score
from components.learn.figures import depths
from components.learn.models import Side, heuristic, show_scores, show_side_by_side, status
from components.messages.text import DASH, plain
from components.session import state
from components.widgets import style
from solvers.metrics import fragmentation

_HEIGHT, _WIDTH = 360, 640


def show_three(room: Classroom) -> None:
    """Draw the student's tree, the greedy and the optimal one of the same depth, with their scores and regions."""
    form.show_method()
    answers.watch(room, _three)


def _three(room: Classroom) -> None:
    best = answers.optimum(room, tree_key(room.setting.depth))
    sides = [
        Side("You", own_history(room).now.drawn(room.problem).diagram),
        Side(room.setting.method.label, room.greedy.result, heuristic()),
        Side("Optimal", best.diagram if best else None, status(best), "Searching for the optimal tree."),
    ]
    show_scores(
        [(score(one.name, one.diagram, room.train, room.test), one.badge) for one in sides if one.diagram is not None],
        room,
    )
    show_side_by_side(sides, room, key="compare", width=420, height=260, planes=True)


def show_depths(room: Classroom) -> None:
    """Draw errors on training rows and new rows over depth."""
    form.show_method()
    answers.watch(room, _depths)


def _depths(room: Classroom) -> None:
    curves = depth_curves(room, partial(answers.optimum, room))
    st.markdown(f"**{plain(describe_depth(curves), 400)}**")
    style.chart(depths(curves, room.setting.method.label, state.dark()), "depths")
    drawn = room.setting.recipe.traits.plane
    where = "1,000 new rows without noise" if drawn else "all possible rows without noise"
    unproved = [str(point.depth) for point in curves.itertuples() if point.optimal and not point.proved]
    st.caption(f"Error rate; {where}." + (f" Not proved: depth {', '.join(unproved)}." if unproved else ""))


def show_sharing(room: Classroom) -> None:
    """Draw the optimal tree and the optimal BDD for the same bits."""
    answers.watch(room, _sharing)


def _sharing(room: Classroom) -> None:
    tree, bdd = tree_key(room.bits), bdd_key(room.bits)
    names = {tree: "Tree", bdd: "BDD"}
    optima = {key: answers.optimum(room, key) for key in names}
    known = {key: one.diagram for key, one in optima.items() if one is not None and one.diagram}
    fewest = {key: min(fragmentation(one, room.train).questions, default=None) for key, one in known.items()}
    if len(known) == len(names):
        st.markdown(
            f"**The tree has {known[tree].n_splits} splits, the BDD {known[bdd].n_splits}.** Fewest rows per split: "
            f"{fewest[tree]} in the tree, {fewest[bdd]} in the BDD."
        )
    head = ("", "Splits", "Leaves", "Levels", "Fewest rows per split")
    lines = [
        (names[key], *map(str, (one.n_splits, one.n_leaves, one.depth, DASH if fewest[key] is None else fewest[key])))
        for key, one in known.items()
    ]
    st.html(style.scroll(head, lines))
    sides = [
        Side(names[key], one and one.diagram, status(one), one.message if one else "Searching.")
        for key, one in optima.items()
    ]
    show_side_by_side(sides, room, key="sharing", width=_WIDTH, height=_HEIGHT)


def show_smallest(room: Classroom) -> None:
    """Draw C4.5's fully grown tree and the smallest tree without an error."""
    answers.watch(room, _smallest)


def _smallest(room: Classroom) -> None:
    best, grown = answers.optimum(room, SMALLEST), fully_grown(room.setting.recipe)
    lines = [(score("C4.5, fully grown", grown, room.train, room.test), heuristic())]
    if best is not None and best.diagram is not None:
        smallest = score("Smallest tree", best.diagram, room.train, room.test)
        lines.append((smallest, status(best)))
        st.markdown(
            f"**C4.5: {grown.n_splits} splits in {grown.depth} levels. Smallest tree: {best.diagram.n_splits} splits "
            f"in {best.diagram.depth}.** Smallest: least depth, then fewest splits."
        )
    show_scores(lines, room)
    smallest_side = Side("Smallest tree", best and best.diagram, message=best.message if best else "Searching.")
    sides = [Side("C4.5, fully grown", grown), smallest_side]
    show_side_by_side(sides, room, key="smallest", width=_WIDTH, height=_HEIGHT)
