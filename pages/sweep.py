"""The sixth screen: many models of a run's rows at once, over methods, sizes, constraints and parts of the rows."""

from components.sweep import screen
from components.widgets import empty

if not screen.show():
    empty.show(
        "Sweep",
        "A sweep makes many models of the rows of a run; there is no run yet.",
        "Choose a table",
        "pages/data.py",
    )
