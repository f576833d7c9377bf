"""Before the first run, if you chose no size: sizes are compared, and the run starts with the recommended one."""

import streamlit as st

from components.session import state
from components.widgets import footer
from components.workers import jobs, launch, sizes

_REFRESH_SECONDS = 0.5


def show() -> None:
    """Draw the progress of the comparison; once a size is recommended, take it and start the run.

    If a greedy tree is recommended only because the time was too short for optimal ones, the size stays as it was.
    """
    st.title("Solve")
    st.fragment(_watch, run_every=_REFRESH_SECONDS, key="size_wait")()
    footer.show("The search starts when a size is recommended.", "Solve", key="next", disabled=True)


def _watch() -> None:
    job = sizes.wait_for()
    if job is None:
        st.rerun()
    found = sizes.found(job)
    if found.choice is not None and not found.wants_time:
        sizes.take(found.choice)
    depth = state.design().max_depth
    with st.container(border=True):
        st.subheader("Recommended size")
        st.markdown(sizes.PURPOSE)
        words = jobs.describe_progress(job.snapshot(), found.done, found.of, f"{found.of} folds")
        st.progress(found.done / max(found.of, 1), text=words)
        at_once = st.button(f"Solve depth {depth} now", key="size_skip", icon=":material/fast_forward:")
    if at_once or found.choice is not None or job.done:
        launch.start()
