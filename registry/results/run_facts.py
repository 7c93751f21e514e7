"""What the page of a result says of what ran."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from registry.models import Result
from registry.presentation.read_lines import describe_read_from
from validators import catalogue


def list_run_facts(result: Result, public_paths: Sequence[str] = ()) -> list[tuple[str, str]]:
    """What is known of what ran; an empty text is missing. `public_paths` are those of the published files."""
    rows = [
        ("File system", " ".join(filter(None, [result.filesystem_type, result.filesystem_version]))),
        ("File system name", result.filesystem_name),
        ("Storage vendor", result.storage_vendor),
        ("Benchmark", _benchmark_text(result)),
    ]
    if ran := _when_it_ran(result):
        rows.append(("Ran", ran))
    return (
        [*rows, ("Read from", describe_read_from(result.snapshot, public_paths))]
        if _is_read_here(result.snapshot)
        else rows
    )


def _benchmark_text(result: Result) -> str:
    """The benchmark by its name, its version and its mode; the standard mode goes without saying."""
    mode = "" if result.mode in ("", "standard") else f"{result.mode} mode"
    name = catalogue.tool_name(result.tool)
    return ", ".join(filter(None, [f"{name} {result.tool_version.removeprefix('io500-')}".strip(), mode]))


def day_of_run(result: Result) -> str:
    """The day on which the run began, as its files say; empty where they do not."""
    started = _run_time(result, "started")
    return f"{started:%Y-%m-%d}" if started else ""


def _when_it_ran(result: Result) -> str:
    """From when to when; of a run of which only the end is known, until when."""
    started, ended = (_run_time(result, name) for name in ("started", "ended"))
    times = [time for time in (started, ended) if time]
    if not times:
        return ""
    zone = "UTC" if times[0].utcoffset() == timedelta(0) else "local time"
    span = " to ".join(f"{time:%Y-%m-%d %H:%M:%S}" for time in times)
    return f"{'' if started else 'until '}{span}, {zone}"


def _run_time(result: Result, name: str) -> datetime | None:
    """When the run `started` or `ended`, where its published archive or its output says so in this form."""
    facts = {**result.parameters, **result.snapshot.get("archive", {})}
    try:
        return datetime.fromisoformat(str(facts.get(name, "")))
    except ValueError:
        return None


def _is_read_here(snapshot: dict[str, Any]) -> bool:
    """Whether it came from files that were checked here and are not withheld."""
    return "versions" in snapshot and not snapshot.get("anonymous")
