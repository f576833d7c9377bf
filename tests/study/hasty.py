"""Gives hanging jobs one second of grace, in each process that imports this module."""

from __future__ import annotations

from solvers.study import processes

processes.GRACE = 1.0
