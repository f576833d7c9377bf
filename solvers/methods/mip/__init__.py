"""Mixed-integer linear programs: built in bulk, independent of solvers, and solved by HiGHS or Gurobi."""
