"""What every search shares: the clock, the stop signal, incumbent and bound."""
