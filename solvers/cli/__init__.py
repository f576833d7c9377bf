"""The commands of the command line, one module each with `run(options) -> exit status`."""
