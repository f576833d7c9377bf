"""What was asked and proved, and certificates that a stranger can check."""
