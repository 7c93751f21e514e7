"""Whether a published run reproduces the result that it names. docs/reproduce.md has the words."""
