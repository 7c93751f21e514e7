"""Text of commands that print JSON, with what a hostile one could do to a reader taken out."""

import json

MAX_DIGITS = 20


def document(text):
    """The value that a JSON text stands for. Raises ValueError, for nesting beyond reason too."""
    try:
        return json.loads(text, parse_int=integer)
    except RecursionError:
        raise ValueError("nested too deeply")


def integer(digits):
    """Read the digits of a count or size.

    Raises ValueError for more than MAX_DIGITS: to convert a million digits takes seconds.
    """
    if len(digits) > MAX_DIGITS:
        raise ValueError("a number of too many digits")
    return int(digits)
