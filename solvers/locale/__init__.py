"""The catalogues of messages, a folder for each language, and the command that brings them in step with the code."""
