"""The index of studies: one card for each, with its finding."""
