"""Comparisons of results: what was measured, how sure a ratio is, and what else differed."""
