"""The registry: its address, its token and its answers."""
