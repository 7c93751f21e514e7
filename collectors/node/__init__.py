"""A node: its files and commands, and the names of many."""
