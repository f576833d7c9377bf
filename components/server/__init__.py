"""What stands around all screens: who may come in, signing in, upkeep, and the pictures of the program."""
