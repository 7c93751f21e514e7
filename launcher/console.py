"""What the launcher says. Standard output belongs to what a command was asked for; all else is standard error."""

import sys


class LauncherError(Exception):
    """Something the person at the terminal can act on; the text says what happened and what to do."""


class Stopped(BaseException):
    """Ctrl-C, SIGTERM or a closed terminal: everything is to end in good order."""

    def __init__(self, number: int) -> None:
        super().__init__(f"signal {number}")
        self.number = number


def say(text: str) -> None:
    """Print one line of progress on standard error."""
    print(text, file=sys.stderr, flush=True)
