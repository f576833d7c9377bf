"""Before the first run, where nobody chose a size: sizes are compared, and the run starts with the recommended one."""

import streamlit as st

from components.session import state
from components.widgets import footer
from components.workers import jobs, launch, sizes

_REFRESH_SECONDS = 0.5


def show() -> None:
    """Draw how far the comparison is; once a size is recommended, take it and start the run.

    Where there was time for greedy trees and not for optimal ones of each small depth, and a greedy one is recommended,
    the size stays as it was: better a proof of that than none at all.
    """
    st.title("Solve")
    st.fragment(_watched, run_every=_REFRESH_SECONDS, key="size_wait")()
    footer.show("The run starts by itself, with the recommended size.", "Solve", key="next", disabled=True)


def _watched() -> None:
    job = sizes.awaited()
    if job is None:
        st.rerun()
    found = sizes.found(job)
    if found.choice is not None and not found.wants_time:
        sizes.take(found.choice)
    depth = state.design().max_depth
    with st.container(border=True):
        st.subheader("How large should it be?")
        st.markdown(
            "A larger tree fits these rows better, and may do worse on new ones. Trees of all sizes "
            "are compared on rows that they did not see; of those that do best the smallest is solved."
        )
        words = jobs.progress_words(job.snapshot(), found.done, found.of, f"{found.of} folds")
        st.progress(found.done / max(found.of, 1), text=words)
        at_once = st.button(f"Solve at depth {depth} now", key="size_skip", icon=":material/fast_forward:")
    if at_once or found.choice is not None or job.done:
        launch.start()
