"""How a search came to its model: incumbent and bound over time, or each model on training and on held-out rows."""

import streamlit as st

from components.model.figures import live_curve, unseen_live_curve
from components.model.run_facts import curve
from components.model.unseen_facts import unseen_points, unseen_words
from components.session import state
from components.session.work import Run
from components.widgets import style
from components.words.text import plain
from solvers.run import Snapshot

_HELP = (
    "Draws how many of the held-out rows each model of the search gets wrong, beside the training rows: "
    "does searching longer help on rows that it does not see? They take no part in the search, and a model "
    "that is chosen because of them is judged too well by them."
)


def show(run: Run, snapshot: Snapshot, place: str, height: int) -> None:
    """Draw the search until now, and the switch to held-out rows; `place` tells the screens apart."""
    test = run.prepared.test
    help = _HELP if test is not None else "No rows are held out: the Data screen can set some apart."
    wanted = st.toggle(
        "On held-out rows, too",
        key=f"unseen_{place}_{run.number}",
        help=help,
        disabled=test is None,
        persist_state="session",
    )
    unseen = unseen_points(run, snapshot) if wanted else None
    points = curve(snapshot, run.problem)
    if unseen is not None:
        end = max(snapshot.elapsed, unseen["elapsed"].iloc[-1])
        figure = unseen_live_curve(unseen, end, state.dark(), height)
    elif points.incumbent or snapshot.bound:
        figure = live_curve(points, state.dark(), height)
    else:
        st.container(height=height, border=False).caption(plain(snapshot.text, 300))
        return
    style.chart(figure, f"curve_{place}_{run.number}")
    if unseen is not None and test is not None:
        st.caption(plain(unseen_words(unseen, snapshot, test), 500))
