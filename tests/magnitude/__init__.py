"""Every claim of every method, held against an oracle of its own at every magnitude of weights and costs."""
