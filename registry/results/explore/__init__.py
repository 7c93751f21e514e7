"""All results of one benchmark side by side: one number of each, as a ratio to a baseline, in one view."""
