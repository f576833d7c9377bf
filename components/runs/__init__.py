"""The Runs screen: all runs ever started, to find and reopen."""
