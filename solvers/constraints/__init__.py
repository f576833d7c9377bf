"""What must hold: domain constraints."""
