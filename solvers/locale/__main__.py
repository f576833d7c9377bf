"""`python -m solvers.locale de`: bring the catalogue of a language in step with the code, or begin a new one."""

import sys

from solvers.language import catalogue_path
from solvers.locale.catalogue import update

for code in sys.argv[1:] or ["de"]:
    n_messages, n_translated = update(code)
    print(f"{catalogue_path(code)}: {n_translated} of {n_messages} messages are translated")
