"""What a session holds and whose it is: table, choices, design, runs; `state` alone touches the session's state."""
