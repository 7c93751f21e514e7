"""In what two configurations, runs or revisions differ, and whether they are known to be alike."""
