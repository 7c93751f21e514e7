"""Comparing two results by the API, in records of several sizes."""

from __future__ import annotations

from bench.lists import measure
from bench.synthetic import record


def run(size: int) -> None:
    record(size)
    measure("two results", f"/api/v1/compare/?results=bench-0,bench-{size - 1}", size, bench="comparison")
