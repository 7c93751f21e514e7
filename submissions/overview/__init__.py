"""One submission as a whole: its page, its document, its list."""
