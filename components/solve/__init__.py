"""The Solve screen: running searches, and explanations of infeasible constraints."""
