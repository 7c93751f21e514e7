"""Arbitrary studies in records of several sizes, uncached: two parameters of one metric, several metrics, the page."""

from __future__ import annotations

from django.utils.http import urlencode

from bench.lists import measure
from bench.synthetic import record

EASY, HARD = "ior-easy-write.bandwidth.phase", "ior-hard-write.bandwidth.phase"
TWO_PARAMETERS = {"metric": EASY, "x": "client_nodes", "series": "api"}
QUESTIONS: dict[str, dict[str, str | list[str]]] = {
    "two parameters": TWO_PARAMETERS,
    "two parameters per client": TWO_PARAMETERS | {"per": "client"},
    "score by file system": {"metric": "score", "x": "filesystem", "series": "api"},
    "two metrics": TWO_PARAMETERS | {"metric": [EASY, HARD]},
    "metrics by release": {"metric": [EASY, HARD], "x": "release"},
}


def run(size: int) -> None:
    record(size)
    for name, question in QUESTIONS.items():
        measure(name, f"/api/v1/study/?{urlencode(question, doseq=True)}", size, bench="studies")
    measure("page of two parameters", f"/study/?{urlencode(TWO_PARAMETERS)}", size, bench="studies")
    measure("page of two metrics", f"/study/?{urlencode(QUESTIONS['two metrics'], doseq=True)}", size, bench="studies")
