"""Parameters of systems and runs, with the values that were seen."""
