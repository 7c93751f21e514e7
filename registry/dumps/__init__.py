"""The whole record as files."""
