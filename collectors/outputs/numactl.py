"""`numactl -H`: NUMA nodes, their processors, memory and distances."""

import re
from collections import namedtuple

AVAILABLE = re.compile(r"available: (\d{1,4}) nodes? \(.*\)")
CPUS = re.compile(r"node (\d{1,4}) cpus:((?: \d{1,5})*) *")
SIZE = re.compile(r"node (\d{1,4}) size: (\d{1,9}) MB")
DISTANCES = re.compile(r" *(\d{1,4}):((?: +\d{1,3})+) *")

Node = namedtuple("Node", "number cpus total_bytes distances")
Node.__doc__ = (
    "One NUMA node: its processors (a tuple), memory in bytes, distance to each node; None where not printed."
)


def nodes(text):
    """The Nodes of a listing by number. Raises ValueError for other texts."""
    if not any(AVAILABLE.fullmatch(line.strip()) for line in text.splitlines()):
        raise ValueError("no `available: N nodes`")
    cpus, sizes, distances = {}, {}, {}
    for line in text.splitlines():
        for form, values_by_node in ((CPUS, cpus), (SIZE, sizes), (DISTANCES, distances)):
            match = form.fullmatch(line)
            if match:
                values_by_node[int(match.group(1))] = tuple(int(word) for word in match.group(2).split())
    if not cpus:
        raise ValueError("no node with its processors")
    return [
        Node(number, cpus[number], sizes[number][0] * 1024**2 if number in sizes else None, distances.get(number))
        for number in sorted(cpus)
    ]
