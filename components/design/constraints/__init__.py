"""The list of constraints on the Design screen, and the form in which one is added or changed."""
