"""`cpupower frequency-info`: driver, governor, limits, boost."""

import re
from collections import namedtuple

from collectors.outputs import quantity

BLOCK = re.compile(r"^analyzing CPU (\d{1,5}):", re.MULTILINE)
DRIVER = re.compile(r"^ *driver: (\S+)", re.MULTILINE)
LIMITS = re.compile(r"^ *hardware limits: ([0-9.]+ [kMG]Hz) - ([0-9.]+ [kMG]Hz)", re.MULTILINE)
GOVERNOR = re.compile(r'^ *The governor "([a-z_]{1,40})" may decide', re.MULTILINE)
BOOST = re.compile(r"^ *boost state support:\s*^ *Supported: (yes|no)\s*^ *Active: (yes|no)", re.MULTILINE)

Frequency = namedtuple("Frequency", "cpu driver governor min_hz max_hz boost")
Frequency.__doc__ = (
    "One processor: driver, governor, hardware limits in hertz, whether boost is active; None where not told."
)


def frequencies(text):
    """The Frequency of each processor. Raises ValueError for other texts."""
    starts = list(BLOCK.finditer(text))
    if not starts:
        raise ValueError("no processor was analysed")
    ends = [start.start() for start in starts[1:]] + [len(text)]
    return [frequency(int(start.group(1)), text[start.end() : end]) for start, end in zip(starts, ends)]


def frequency(cpu, block):
    limits = LIMITS.search(block)
    boost = BOOST.search(block)
    return Frequency(
        cpu,
        first(DRIVER, block),
        first(GOVERNOR, block),
        quantity.hertz(limits.group(1)) if limits else None,
        quantity.hertz(limits.group(2)) if limits else None,
        boost.group(2) == "yes" if boost else None,
    )


def first(pattern, text):
    match = pattern.search(text)
    return match.group(1) if match else None
