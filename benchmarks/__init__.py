"""How fast the exact search is, beside other solvers and beside what the machine can do.

    python -m benchmarks.trees FOLDER       side by side with other solvers, the same optima asserted
    python -m benchmarks.scaling            how time and memory grow with rows, columns, classes and depth
    python -m benchmarks.anytime FOLDER     how good the incumbent is early on
    python -m benchmarks.threads FOLDER     what a second thread brings
    python -m benchmarks.sweeps          what more processes, and a cluster of them, bring to a sweep
    python -m benchmarks.startup            the first compilation and every later start
    python -m benchmarks.limit              the distance to the speed of memory and vector units
    python -m benchmarks.reproduce DATA     the tables of the five papers beside ours
    python -m benchmarks.report FOLDER      all of it, written into results/trees.md

and how fast the dashboard answers, with figures in results/dashboard.md:

    python -m benchmarks.reaction           the clicks of one person, on large trees
    python -m benchmarks.load               those of twenty at once, with errors and memory

Each prints a table in Markdown and says on which machine; results/trees.md explains what is measured and how.
"""
