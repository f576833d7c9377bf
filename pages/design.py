"""The second screen: the shape and size of the model, the method, and the search limits."""

from components.design import form
from components.model.run_facts import data_sentence, request_sentence
from components.session import next_run
from components.widgets import footer
from components.workers import launch

rows = footer.need_rows("Design")
request, able = form.show(rows)
next_run.set_request(request)
sentence = f"{data_sentence(rows)}; {request_sentence(request, rows)}"
if not able:
    sentence += ". **Correct the marked entries first.**"
if footer.show(sentence, "Solve", key="next", disabled=not able)[0]:
    launch.start()
