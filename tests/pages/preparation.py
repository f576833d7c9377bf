"""Add steps of preparation as a user does."""

from tests.pages.journey import session


def add(app, kind, **fields):
    """Fill in the form of a step and add it; the last fields and the click arrive together, as from a fast user."""
    app.selectbox(key="step_kind_1").set_value(kind).run()
    n = len(session(app).source.preparation)
    place = f"step_1_{n}_{kind}"
    for name, value in fields.items():
        kinds = ("selectbox", "text_input", "number_input")
        found = [box for kind in kinds for box in getattr(app, kind) if box.key == f"{place}_{name}"]
        if not found:
            found = [box for box in app.multiselect if box.key.startswith(f"{place}_{name}_")]
        found[0].set_value(value)
        if name == "column":
            app.run()
    return app.button(key="add_step").click().run()
