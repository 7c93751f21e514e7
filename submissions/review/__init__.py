"""Deciding about submissions: queue, assignment, rubric and comments."""
