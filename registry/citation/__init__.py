"""How results and frozen lists are cited, and their badges."""
