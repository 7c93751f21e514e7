"""The JSON documents of fio in a text: which are running totals of one run, and which are runs of their own."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from validators.benchmarks.fio.consistency import HINT_AGAIN
from validators.benchmarks.fio.directions import DIRECTIONS, number, usual_percentiles_missing
from validators.outputs import Refusal

DOCUMENT = re.compile(r'^\ufeff?[ \t]{0,80}\{\s*"fio version"', re.MULTILINE)
SEVERAL: dict[str, Any] = {}
"""What stands for several values of one name."""
_CLOCK_S = 2
"""Times are whole seconds, of two clocks."""
_TOTALS = {"io_bytes", "io_kbytes", "bw", "bw_bytes", "iops", "runtime", "total_ios"}
_LATENCIES = ("lat_ns", "clat_ns", "slat_ns", "lat", "clat", "slat")
_BOTH = {"mean", "max"}
_NAMES = ("jobname", "groupid", "job options", "hostname", "port")


class Document(NamedTuple):
    """One document of JSON, and its first and last line."""

    content: dict[str, Any]
    lines: tuple[int, int]


def documents_of(text: str) -> tuple[list[Document], str]:
    """Every JSON document of fio in a text, and the text around them. Raises Refusal for one that was cut."""
    decoder = json.JSONDecoder(parse_constant=lambda word: float("nan"), object_pairs_hook=_object)
    documents: list[Document] = []
    around, position, first = [], 0, 1
    while match := DOCUMENT.search(text, position):
        begin = text.index("{", match.start())
        around.append(text[position:begin])
        first += around[-1].count("\n")
        try:
            document, position = decoder.raw_decode(text, begin)
        except (ValueError, RecursionError) as error:
            line = text.count("\n", 0, getattr(error, "pos", match.start())) + 1
            raise Refusal("truncated", "The JSON of fio ends before its end.", HINT_AGAIN, line) from None
        last = first + text.count("\n", begin, position)
        documents.append(Document(document, (first, last)))
        first = last
    if text[position:].strip() == "{":
        line = text.count("\n", 0, text.index("{", position)) + 1
        raise Refusal("truncated", "The last report of fio ends where it begins.", HINT_AGAIN, line)
    return documents, "".join([*around, text[position:]])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object. Of a name with two values none is taken: of several job files fio lists the options of all."""
    members = dict(pairs)
    if len(members) < len(pairs):
        first: dict[str, Any] = {}
        for name, value in pairs:
            if first.setdefault(name, value) != value:
                members[name] = SEVERAL
    return members


def is_continued(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a document is a later total of the same run, as --status-interval writes them.

    The jobs are the same, began at the same time where the documents tell it, and have done no less than before.
    """
    before, after = (_jobs(document) for document in (earlier, later))
    if len(before) != len(after) or earlier.get("global options") != later.get("global options"):
        return False
    first, second = (_begun(document) for document in (earlier, later))
    is_told = first is not None and second is not None
    if first is not None and second is not None and abs(first - second) > _CLOCK_S:
        return False
    return all(_did_no_less(*pair, may_stall=is_told) for pair in zip(before, after, strict=True))


def _jobs(document: dict[str, Any]) -> list[Any]:
    jobs = document.get("jobs") or document.get("client_stats")
    return jobs if isinstance(jobs, list) else []


def _begun(document: dict[str, Any]) -> float | None:
    """When fio was started, by its own clock."""
    ended = number(document, "timestamp")
    elapsed = [seconds for job in _jobs(document) if (seconds := number(job, "elapsed")) is not None]
    return ended - max(elapsed) if ended is not None and elapsed else None


def _did_no_less(before: Any, after: Any, *, may_stall: bool) -> bool:
    """Whether a job did no less than before. The same amount in another time is another run, or a job that stalled."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    if any(before.get(name) != after.get(name) for name in _NAMES):
        return False
    for op in DIRECTIONS:
        moved, more = (number(job.get(op), "io_bytes") or 0 for job in (before, after))
        time, longer = (number(job.get(op), "runtime") or 0 for job in (before, after))
        if more < moved or longer < time or (0 < moved == more and longer != time and not may_stall):
            return False
    return True


def missing_keys(document: dict[str, Any]) -> list[str]:
    """Keys that one part lacks and others have: percentiles, totals, one of `mean` and `max`; and usual percentiles."""
    lists: list[set[str]] = []
    directions: list[set[str]] = []
    missing: set[str] = set()
    pending: list[tuple[str, Any]] = [("", document)]
    while pending:
        name, part = pending.pop()
        if isinstance(part, list):
            pending += [(name, member) for member in part]
        elif isinstance(part, dict):
            if isinstance(part.get("percentile"), dict):
                lists.append({key for key in part["percentile"] if key[:1].isdigit()})
                missing.update(usual_percentiles_missing(lists[-1]))
            if name in DIRECTIONS:
                directions.append(_TOTALS & set(part))
            if name in _LATENCIES and len(_BOTH & set(part)) == 1:
                missing |= _BOTH - set(part)
            pending += part.items()
    for names in (lists, directions):
        missing |= names[0].union(*names) - names[0].intersection(*names) if names else set()
    return sorted(missing)
