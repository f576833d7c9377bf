"""The sixth screen: many models on the rows of a run, over methods, sizes, constraints and partitions of the rows."""

from components.sweep import screen
from components.widgets import footer

if not screen.show():
    footer.nothing(
        "Sweep",
        "There is no run yet. A sweep makes many models on the rows of a run.",
        "Choose data",
        "pages/data.py",
    )
