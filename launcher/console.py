"""What the launcher says. Standard output belongs to what a command was asked for; all else is standard error."""

import sys


class LauncherError(Exception):
    """Something the person at the terminal can act on; the text says what happened and what to do."""


def say(text: str) -> None:
    """Print one line of progress on standard error."""
    print(text, file=sys.stderr, flush=True)
