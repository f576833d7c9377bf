"""Input that was made to do harm: nothing of it runs, nothing escapes from where it stands, and limits hold."""
