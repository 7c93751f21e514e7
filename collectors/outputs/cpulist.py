"""Lists of processors as the kernel writes them: `0-5,48-53`."""

import re

# No kernel is built for more; a list that says so is junk.
MAX_CPUS = 65536

RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?")


def cpus(text):
    """The numbers of a list, sorted; the empty list is (). Raises ValueError for other texts and too high numbers."""
    text = text.strip()
    if not text:
        return ()
    numbers = set()
    for part in text.split(","):
        match = RANGE.fullmatch(part.strip())
        if not match:
            raise ValueError("not a list of processors")
        first = int(match.group(1))
        last = int(match.group(2) or first)
        if not first <= last < MAX_CPUS:
            raise ValueError("not a range of processors")
        numbers.update(range(first, last + 1))
    return tuple(sorted(numbers))


def text(numbers):
    """The shortest list that the kernel would write for these numbers."""
    ranges = []
    for number in sorted(numbers):
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join("%d" % first if first == last else "%d-%d" % (first, last) for first, last in ranges)
