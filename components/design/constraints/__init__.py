"""The list of constraints on the Design screen, and the form to add or change one."""
