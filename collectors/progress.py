"""What the user sees meanwhile, on stderr: one line that changes on a terminal, few lines in a log."""

import os
import sys
import time

SECONDS_BETWEEN_LOG_LINES = 10


def printable(text, stream):
    """Text that is safe to show: no control characters, nothing the stream's encoding cannot hold."""
    safe_text = "".join(c if c.isprintable() else "\\x%02x" % byte_of(c) for c in str(text))
    encoding = getattr(stream, "encoding", None) or "ascii"
    return safe_text.encode(encoding, "backslashreplace").decode(encoding)


def print_line(text, stream):
    stream.write(printable(text, stream) + "\n")


def byte_of(character):
    """The number of a character; of a byte that is no UTF-8, as Python keeps it in a name, that of the byte."""
    number = ord(character)
    return number - 0xDC00 if 0xDC80 <= number <= 0xDCFF else number


class Progress:
    """`note` writes a line that stays; `update` shows what is true now, and is replaced by what follows."""

    def __init__(self, stream=None):
        self.stream = stream or sys.stderr
        self.live = self.stream.isatty()
        self.shown = 0
        self.updated = time.monotonic()

    def note(self, text):
        self.clear()
        self.write(printable(text, self.stream) + "\n")

    def print_line(self, text):
        """A line of what the command gives, on stdout."""
        self.clear()
        print_line(text, sys.stdout)

    def ask_user(self, prompt):
        """Leave the cursor behind a question."""
        self.clear()
        self.write(printable(prompt, self.stream))

    def update(self, text):
        if self.live:
            line = printable(text, self.stream)
            self.write("\r" + line.ljust(self.shown))
            self.shown = len(line)
        elif time.monotonic() - self.updated >= SECONDS_BETWEEN_LOG_LINES:
            self.updated = time.monotonic()
            self.note(text)

    def clear(self):
        if self.shown:
            self.write("\r" + " " * self.shown + "\r")
            self.shown = 0

    def write(self, text):
        """Words for the user; where they cannot be written (terminal gone, disk full), the work goes on."""
        try:
            self.stream.write(text)
            self.stream.flush()
        except OSError:
            # What it still holds would be tried again at our end, and change our exit status.
            self.stream = sys.stderr = open(os.devnull, "w")
