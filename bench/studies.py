"""An arbitrary study of two parameters, one of a column and one of a run, in records of several sizes, uncached."""

from __future__ import annotations

from bench.lists import measure
from bench.synthetic import record

ADDRESSES = {
    "two parameters": "metric=ior-easy-write.bandwidth.phase&x=client_nodes&series=api",
    "two parameters per client": "metric=ior-easy-write.bandwidth.phase&x=client_nodes&series=api&per=client",
    "score by file system": "metric=score&x=filesystem&series=api",
}


def run(size: int) -> None:
    record(size)
    for name, question in ADDRESSES.items():
        measure(name, f"/api/v1/study/?{question}", size, bench="studies")
