"""The Solve screen: runs at work, and why nothing satisfies all constraints."""
