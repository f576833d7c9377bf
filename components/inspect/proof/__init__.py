"""What was proved, and certificates that others can check."""
