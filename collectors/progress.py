"""What the user sees meanwhile, on stderr: one line that changes on a terminal, few lines in a log."""

import sys
import time

SECONDS_BETWEEN_LOG_LINES = 10


def printable(text, stream):
    """Text that is safe to show: no control characters, nothing the stream's encoding cannot hold."""
    kept = "".join(c if c.isprintable() else "\\x%02x" % ord(c) for c in str(text))
    encoding = getattr(stream, "encoding", None) or "ascii"
    return kept.encode(encoding, "backslashreplace").decode(encoding)


class Progress:
    """`note` writes a line that stays; `update` shows what is true now, and is replaced by what follows."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.shown = 0
        self.updated = time.monotonic()

    def note(self, text):
        self.clear()
        self.stream.write(printable(text, self.stream) + "\n")
        self.stream.flush()

    def update(self, text):
        if self.live:
            line = printable(text, self.stream)
            self.stream.write("\r" + line.ljust(self.shown))
            self.stream.flush()
            self.shown = len(line)
        elif time.monotonic() - self.updated >= SECONDS_BETWEEN_LOG_LINES:
            self.updated = time.monotonic()
            self.note(text)

    def clear(self):
        if self.shown:
            self.stream.write("\r" + " " * self.shown + "\r")
            self.stream.flush()
            self.shown = 0
