"""Lists of which only the first ranks were published, rebuilt from published archives: never lists of IO500."""
