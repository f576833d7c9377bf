"""The second screen: the shape and size of the model, the method, and the limits of the search."""

from components import design_form, empty, footer, launch, state
from components.facts import data_sentence, design_sentence

if state.prepared() is None:
    empty.show("Design", "There is no table to learn from yet.", "Choose a table", "pages/data.py")
else:
    design, able = design_form.show(state.prepared())
    state.set_design(design)
    sentence = f"{data_sentence(state.prepared())}; {design_sentence(design, state.prepared())}"
    if not able:
        sentence += ". **To be corrected first: see above.**"
    solve, _ = footer.show(sentence, "Solve", key="next", disabled=not able)
    if solve:
        launch.start()
