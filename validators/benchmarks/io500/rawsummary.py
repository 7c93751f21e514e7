"""What older builds of IOR print below their row: the best rate in two units, and a line that sums up the test.

Each of its columns says something that the row, the options or the command line say, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEAD = re.compile(rb"^Operation +Max\(MiB\)[^\r\n]{1,400}", re.MULTILINE)
_BEST = re.compile(rb"^Max (Write|Read): +(\d{1,15}\.\d{1,9}) MiB/sec \((\d{1,15}\.\d{1,9}) MB/sec\)", re.MULTILINE)
_FINISHED = re.compile(rb"^Finished\s*:\s*(\w{3} \w{3} +\d{1,2} [\d:]{8} \d{4})", re.MULTILINE)
_SECOND = {b"StdDev": b"StdDev(OPs)"}
"""The name of a column that comes twice, where it comes again."""
TAIL = 64 * 1024
MIB_PER_S, MB_PER_S = "best MiB/s", "best MB/s"


def summed_up(content: bytes, operation: bytes) -> Iterator[tuple[str, bytes, int]]:
    """Name, text and place of each figure of an operation that stands below the row."""
    start = max(content.find(b"\naccess    bw("), 0)
    for match in _BEST.finditer(content, start):
        if match[1].lower() == operation:
            yield MIB_PER_S, match[2], match.start()
            yield MB_PER_S, match[3], match.start()
    head = _HEAD.search(content, start)
    at = content.find(b"\n" + operation + b" ", head.end()) if head else -1
    if head is None or at < 0:
        return
    columns = head[0].split()
    names = [_SECOND.get(name, name) if name in columns[:place] else name for place, name in enumerate(columns)]
    cells = content[at + 1 : at + 600].split(b"\n", 1)[0].split()
    if len(names) == len(cells):
        for name, cell in zip(names, cells, strict=True):
            yield name.decode(), cell, at + 1


def finished(content: bytes) -> re.Match[bytes] | None:
    """When IOR ended, by its own clock."""
    return _FINISHED.search(content, max(len(content) - TAIL, 0))
