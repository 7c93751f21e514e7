"""Numbers with a unit as tools print them."""

import re

SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?)\s*([kKMGTP]?)(?:i?B|b)?")
EXPONENT = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
FREQUENCY = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)\s*([kMG])Hz")
HERTZ = {"k": 10**3, "M": 10**6, "G": 10**9}

# Beyond what any node has; a number above it is junk, and would not fit the document's integers.
MAX_BYTES = 2**60


def size_bytes(text):
    """Bytes of `16384 MB`, `16 GB` or `4 MiB`; tools about memory mean powers of 1024 by all.

    Raises ValueError for other texts.
    """
    match = SIZE.fullmatch(text.strip())
    if not match:
        raise ValueError("not a size")
    value = int(float(match.group(1)) * 1024 ** EXPONENT[match.group(2)])
    if value > MAX_BYTES:
        raise ValueError("a size that no node has")
    return value


def hertz(text):
    """Hertz of `2.20 GHz`, `800 MHz`. Raises ValueError for other texts."""
    match = FREQUENCY.fullmatch(text.strip())
    if not match:
        raise ValueError("not a frequency")
    return int(round(float(match.group(1)) * HERTZ[match.group(2)]))
