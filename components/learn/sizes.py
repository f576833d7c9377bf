"""Lessons on size: errors over depth, a tree beside a BDD, the greedy tree beside the smallest one."""

from functools import partial

import streamlit as st

from components.learn import answers, form
from components.learn.classroom import BDD, OPTIMAL, SMALLEST, Classroom, fully_grown
from components.learn.facts import ModelSize, depth_curves, new_words, score, size_of
from components.learn.figures import depths
from components.learn.models import heuristic, show_scores, show_table, show_tree, status
from components.session import state
from components.widgets import style
from components.words.text import DASH, html, percent, plain
from solvers.language import tr

_HEIGHT, _WIDTH = 360, 640


def show_depths(room: Classroom) -> None:
    """Draw errors on training rows and new rows over depth."""
    form.show_method()
    answers.watch(room, _depths)


def _depths(room: Classroom) -> None:
    facts = depth_curves(room, partial(answers.optimum, room))
    st.markdown(f"**{plain(facts.sentence, 400)}**")
    left, right = st.columns([1.3, 1], gap="large")
    with left:
        style.chart(depths(facts, state.dark()), "depths")
    with right:
        drawn = room.setting.recipe.traits.plane
        head = (
            tr("Depth"),
            tr("Optimal: training"),
            tr("new rows"),
            tr("{greedy_name}: training", greedy_name=html(facts.greedy_name)),
            tr("new rows"),
        )
        optimal = {point.depth: point for point in facts.optimal}
        lines = []
        for greedy in facts.greedy:
            best = optimal.get(greedy.depth)
            own = (DASH, DASH)
            if best is not None:
                own = (percent(best.train) + ("" if best.proved else " *"), new_words(best.new, False))
            lines.append((str(greedy.depth), *own, percent(greedy.train), new_words(greedy.new, False)))
        show_table(head, lines)
        where = tr("on 1,000 new rows, without noise") if drawn else tr("on every case that there is, without noise")
        unproved = tr(" * not proved yet.") if any(not point.proved for point in facts.optimal) else ""
        st.caption(tr("Share of rows that are wrong; {where}.{unproved}", where=where, unproved=unproved))


def show_sharing(room: Classroom) -> None:
    """Draw the optimal tree and the optimal BDD for the same bits."""
    answers.watch(room, _sharing)


def _sharing(room: Classroom) -> None:
    names = {OPTIMAL: tr("Tree"), BDD: "BDD"}
    optima = {key: answers.optimum(room, key) for key in names}
    sizes = [
        size_of(names[key], one.diagram, room.train) for key, one in optima.items() if one is not None and one.diagram
    ]
    if len(sizes) == len(names):
        tree, bdd = sizes
        st.markdown(
            tr(
                "**The tree asks {questions} questions, the BDD {questions_2}.** The lowest question of "
                "the tree is asked {fewest} rows, that of the BDD {fewest_2}.",
                questions=tree.questions,
                questions_2=bdd.questions,
                fewest=tree.fewest,
                fewest_2=bdd.fewest,
            )
        )
    _sizes(sizes)
    for column, (key, one) in zip(st.columns(2, gap="medium"), optima.items(), strict=True):
        with column:
            st.html(f"<b>{names[key]}</b> &nbsp;{status(one)}")
            if one is None or one.diagram is None:
                st.container(height=_HEIGHT, border=False).caption(plain(one.message if one else tr("Searching."), 300))
            else:
                show_tree(one.diagram, room, key=f"sharing_{key}", width=_WIDTH, height=_HEIGHT)


def _sizes(sizes: list[ModelSize]) -> None:
    meaning = tr("The training rows of the question that is asked fewest of them.")
    rows = style.hint(tr("Fewest rows asked"), meaning)
    head = ("", tr("Questions"), tr("Leaves"), tr("Levels"), rows)
    lines = [
        (one.name, str(one.questions), str(one.leaves), str(one.depth), DASH if one.fewest is None else str(one.fewest))
        for one in sizes
    ]
    show_table(head, lines)


def show_smallest(room: Classroom) -> None:
    """Draw C4.5's fully grown tree and the smallest tree without an error."""
    answers.watch(room, _smallest)


def _smallest(room: Classroom) -> None:
    best, grown = answers.optimum(room, SMALLEST), fully_grown(room.setting.recipe)
    lines = [(score(tr("C4.5, fully grown"), grown, room.train, room.test), heuristic())]
    if best is not None and best.diagram is not None:
        smallest = score(tr("Smallest tree"), best.diagram, room.train, room.test)
        lines.append((smallest, status(best)))
        st.markdown(
            tr(
                "**C4.5 asks {n_splits} questions in {depth} levels; the smallest tree needs {n_splits_2} "
                "in {depth_2}.** Smallest means: the least depth, and the fewest questions at this depth.",
                n_splits=grown.n_splits,
                depth=grown.depth,
                n_splits_2=best.diagram.n_splits,
                depth_2=best.diagram.depth,
            )
        )
    show_scores(lines, room)
    models = ((tr("C4.5, fully grown"), grown), (tr("Smallest tree"), best.diagram if best else None))
    for number, (column, (name, tree)) in enumerate(zip(st.columns(2, gap="medium"), models, strict=True)):
        with column:
            st.html(f"<b>{html(name)}</b>")
            if tree is None:
                st.container(height=_HEIGHT, border=False).caption(
                    plain(best.message if best else tr("Searching."), 300)
                )
            else:
                show_tree(tree, room, key=f"smallest_{number}", width=_WIDTH, height=_HEIGHT)
