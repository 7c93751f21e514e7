"""One result: its page, its document, its downloads."""
