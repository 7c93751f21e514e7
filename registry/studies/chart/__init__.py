"""The chart of a study: its points, and their ceilings."""
