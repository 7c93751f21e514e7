"""Editors say that two institutions, systems or platforms are one, or that one is two."""
