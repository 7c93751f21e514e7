"""Whether what a study puts side by side is alike: rows, their members, and the page that says it."""
