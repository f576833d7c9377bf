"""Remove Streamlit's records of widgets that no longer exist."""

from streamlit.runtime.scriptrunner import get_script_run_ctx


def forget_widgets() -> None:
    """Drop what Streamlit keeps of the session's widgets that are neither on the screen nor have a value.

    Streamlit removes their values, but keeps a record of every widget that ever existed, with its options and
    callbacks. A session that opens many runs, each with its own fields, would grow with each run. A widget that returns
    is recorded again. This uses internals of Streamlit, which has no public function for it: if another version
    differs, nothing is dropped, and `tests/pages/test_memory.py` fails.
    """
    context = get_script_run_ctx()
    if context is None:
        return
    try:
        state = context.session_state._state
        widgets, keys = state._new_widget_state, state._key_id_mapper
        known, values = widgets.widget_metadata, {*widgets.states, *state._old_state}
        names, numbers = keys._key_id_mapping, keys._id_key_mapping
    except AttributeError:
        return
    for widget in [one for one in known if one not in values]:
        del known[widget]
        name = numbers.pop(widget, None)
        if name is not None and names.get(name) == widget:
            del names[name]
