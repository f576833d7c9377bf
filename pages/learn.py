"""The classroom: lessons to look at, to build in, and to go through step by step."""

import streamlit as st

from components import (
    footer,
    lesson_builder,
    lesson_compare,
    lesson_examples,
    lesson_form,
    lesson_greedy,
    lesson_search,
    lesson_sizes,
    state,
)
from components.classroom import classroom
from solvers.teaching import Part, table_of

PARTS = {
    Part.BUILD: lesson_builder.show,
    Part.GREEDY: lesson_greedy.show,
    Part.COMPARE: lesson_compare.show,
    Part.SEARCH: lesson_search.show,
    Part.DEPTHS: lesson_sizes.show_depths,
    Part.SHARING: lesson_sizes.show_sharing,
    Part.SMALLEST: lesson_sizes.show_smallest,
    Part.EXAMPLES: lesson_examples.show,
}
st.title("Learn")
setting = lesson_form.show()
room = classroom(setting)
PARTS[setting.part](room)
# the method may have been changed inside a part
lesson_form.follow(setting)
sentence = f"{room.train.n_samples} rows, {room.train.n_columns} features. For teaching; the rows follow a rule."
if footer.show(sentence, "Use this table", key="next")[0]:
    state.load(table_of(setting.recipe))
    st.switch_page("pages/data.py")
