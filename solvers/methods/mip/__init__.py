"""Mixed-integer linear programs: written down in bulk, known to no solver, and handed to HiGHS or Gurobi."""
