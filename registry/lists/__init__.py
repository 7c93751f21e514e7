"""Ranked lists: their definitions, which are data, who ranks where on them, and what is said of that."""
