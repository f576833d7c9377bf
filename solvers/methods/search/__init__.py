"""What all searches share: clock, stop signal, incumbent and bound."""
