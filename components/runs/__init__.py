"""The Runs screen: all runs that were ever started, found again and taken up."""
