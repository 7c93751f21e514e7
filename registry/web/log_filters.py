"""What is written to the log of what anybody can cause."""

from __future__ import annotations

import logging


class WithoutTraceback(logging.Filter):
    """Keeps the line alone: a stranger's wrong `Host` header is no error of ours, and need not fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True
