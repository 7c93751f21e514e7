"""Fields of answers: their shapes, rows, words of trust and links to sources."""
