"""What Streamlit keeps of widgets that are gone, and what nobody asks for any more."""

from streamlit.runtime.scriptrunner import get_script_run_ctx


def forget_widgets() -> None:
    """Drop what Streamlit knows of the session's widgets that have neither a place on the screen nor a value.

    It removes their values itself but keeps a description of every widget there ever was, with its options and what
    it calls: a session that goes from run to run, each with fields of its own, would grow with every one. A widget
    that comes back is described again. This reaches into Streamlit, which offers no way to ask for it: where another
    version is built otherwise, nothing is dropped, and `tests/pages/test_memory.py` tells.
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
