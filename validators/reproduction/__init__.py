"""Whether a repetition of a run gives its numbers again. docs/reproduce.md has the words."""
