"""The classroom: lessons to view, to build trees in, and to follow step by step."""

import streamlit as st

from components.learn import builder, form, greedy, search, sizes
from components.learn.classroom import classroom
from components.session import next_run
from components.widgets import footer
from solvers.teaching import LessonPart, table_of

PARTS = {
    LessonPart.BUILD: builder.show,
    LessonPart.GREEDY: greedy.show,
    LessonPart.COMPARE: sizes.show,
    LessonPart.SEARCH: search.show,
    LessonPart.DEPTHS: sizes.show_depths,
    LessonPart.SHARING: sizes.show,
    LessonPart.SMALLEST: sizes.show,
}
st.title("Learn")
setting = form.show()
room = classroom(setting)
PARTS[setting.part](room)
# the method may have been changed inside a part
form.follow(room)
sentence = f"{room.train.n_samples} rows, {room.train.n_columns} features. For teaching; the rows follow a rule."
if footer.show(sentence, "Use this table", key="next")[0]:
    next_run.load(table_of(setting.recipe))
    st.switch_page("pages/data.py")
