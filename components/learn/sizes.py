"""Models side by side: yours, greedy and optimal; tree and BDD; greedy and smallest tree. Errors over depth."""

from functools import partial

import streamlit as st

from components.learn import answers, form
from components.learn.builder import own_history
from components.learn.classroom import SMALLEST, Classroom, bdd_key, fully_grown, tree_key
from components.learn.facts import depth_curves, describe_depth
from components.learn.figures import depths
from components.learn.models import Side, found_side, greedy_side, heuristic, show_scores, show_side_by_side
from components.messages.text import plain
from components.session import state
from components.widgets import style
from solvers.metrics import fragmentation
from solvers.teaching import LessonPart


def show(room: Classroom) -> None:
    """Draw the models of the part, with their scores."""
    if room.setting.part is LessonPart.COMPARE:
        form.show_method()
    answers.watch(room, _show)


def _show(room: Classroom) -> None:
    part, sides = room.setting.part, _sides(room)
    size = {"width": 640, "height": 360}
    if part is LessonPart.COMPARE:
        size = {"width": 420, "height": 260}
    elif sentence := _sentence(room, sides):
        st.markdown(sentence)
    show_scores(sides, room)
    show_side_by_side(sides, room, key=part.value, **size, planes=part is LessonPart.COMPARE)


def _sides(room: Classroom) -> list[Side]:
    optimum = partial(answers.optimum, room)
    match room.setting.part:
        case LessonPart.SHARING:
            return [found_side("Tree", optimum(tree_key(room.bits))), found_side("BDD", optimum(bdd_key(room.bits)))]
        case LessonPart.SMALLEST:
            grown = Side("C4.5, fully grown", fully_grown(room.setting.recipe), heuristic())
            return [grown, found_side("Smallest tree", optimum(SMALLEST))]
    own = Side("You", own_history(room).now.drawn(room.problem).diagram)
    return [own, greedy_side(room), found_side("Optimal", optimum(tree_key(room.setting.depth)))]


def _sentence(room: Classroom, sides: list[Side]) -> str:
    """How two models differ in size; '' before both are known."""
    first, second = (side.diagram for side in sides)
    if first is None or second is None:
        return ""
    if room.setting.part is LessonPart.SMALLEST:
        return (
            f"**C4.5: {first.n_splits} splits in {first.depth} levels. Smallest tree: {second.n_splits} splits in "
            f"{second.depth}.** Smallest: least depth, then fewest splits."
        )
    fewest = [min(fragmentation(one, room.train).questions, default=0) for one in (first, second)]
    return (
        f"**The tree has {first.n_splits} splits, the BDD {second.n_splits}.** Fewest rows per split: {fewest[0]} in "
        f"the tree, {fewest[1]} in the BDD."
    )


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
