"""Speed of the exact search, compared with other solvers and with the limits of the machine.

    python -m benchmarks.trees FOLDER       comparison with other solvers, asserting equal optima
    python -m benchmarks.scaling            growth of time and memory with rows, columns, classes and depth
    python -m benchmarks.anytime FOLDER     quality of early incumbents
    python -m benchmarks.threads FOLDER     speedup with a second thread
    python -m benchmarks.sweeps             speedup of a sweep with more processes, and on a cluster
    python -m benchmarks.startup            the first compilation and later starts
    python -m benchmarks.limit              comparison with the speed of memory and vector units
    python -m benchmarks.reproduce DATA     the tables of the five papers compared with ours
    python -m benchmarks.report FOLDER      all of it, written into results/trees.md
    python -m benchmarks.peers FOLDER       all questions beside other programs, written into results/peers.md

and response times of the dashboard, with figures in results/dashboard.md:

    python -m benchmarks.reaction           clicks of one user, on large trees
    python -m benchmarks.load               clicks of twenty users at once, with errors and memory

Each prints a table in Markdown with the machine; results/trees.md explains what is measured and how.
"""
