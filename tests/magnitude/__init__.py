"""Every claim of every method, compared with an independent oracle at every magnitude of weights and costs."""
