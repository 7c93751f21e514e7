"""`uname -a`."""

import re
from collections import namedtuple

Kernel = namedtuple("Kernel", "name release machine")

MACHINE = re.compile(r"x86_64|aarch64|ppc64le|ppc64|s390x|riscv64|i[3-6]86")


def kernel(text):
    """System, kernel release and machine; the node's own name, the second word, is not kept.

    Raises ValueError for other texts.
    """
    words = text.split()
    machines = [word for word in words[3:] if MACHINE.fullmatch(word)]
    if len(words) < 4 or words[0] != "Linux" or not re.match(r"\d+\.\d+", words[2]) or not machines:
        raise ValueError("not the line that uname -a prints")
    return Kernel(words[0], words[2], machines[-1])
