"""Home, search, documentation, feeds and probes."""
