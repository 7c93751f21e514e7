"""When a run started and ended, on how many client nodes it was and with how many tasks; or why that is not known.

What the output says counts: the parser sets it, or it stands behind a label that the descriptor names (`extent`). Where
the output is silent, the description of the wrapped command is asked, if its seal does not contradict. What neither
says is None, with a reason in `run.unknown`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from validators.bundle import Bundle
from validators.measurements import OUTPUT, Run
from validators.system.document import System
from validators.system.seal import DIFFERS
from validators.times import from_timestamp, printed_time

FIELDS = ("started", "ended", "client_nodes", "tasks")
LOCAL_TIME = "output, local time without its zone"
_WRAPPED = {"started": "started", "ended": "ended", "client_nodes": "nodes", "tasks": "tasks"}
"""Fields of a run by their names in the description of the wrapped command."""
_COUNTED_BY = {
    "command line": "options of the launcher",
    "job": "environment of the job",
    "no launcher": "started without a launcher",
}
_PARAMETERS = {
    "started": ("started", "started_timestamp_s"),
    "ended": ("ended", "ended_timestamp_s"),
    "client_nodes": ("client_nodes",),
    "tasks": ("tasks",),
}
_WORDS = {
    "started": "when the run started",
    "ended": "when the run ended",
    "client_nodes": "on how many client nodes it was",
    "tasks": "with how many tasks it was",
}
_READ_BYTES = 8 * 1024 * 1024
_NEAR_LABEL = 120


def fill(run: Run, descriptor: Mapping[str, Any], bundle: Bundle, system: System | None, is_alone: bool) -> None:
    """Set the fields of a run, where each is from, and why the others are not known.

    `is_alone`: no other run was read from the same place, so that labels in the file are its own.
    """
    entries = descriptor.get("extent", {})
    text = _text(run, entries, bundle) if is_alone else ""
    for field in FIELDS:
        if getattr(run, field) is None:
            value, source = _of_output(run, field, entries.get(field, {}), text)
            if value is None and system is not None:
                value, source = _of_description(run, field, system)
            if value is not None:
                setattr(run, field, value)
                run.extent_sources[field] = source
        else:
            run.extent_sources.setdefault(field, _source_of_time(getattr(run, field)))
        if getattr(run, field) is None:
            reason = entries.get(field, {}).get("why_not") or f"This output does not say {_WORDS[field]}."
            run.unknown[field] = run.unknown.get(field) or reason


def alone(runs: Sequence[Run]) -> set[str]:
    """Paths from which one run was read."""
    paths = [run.path for run in runs]
    return {path for path in paths if paths.count(path) == 1} if len(paths) < 1000 else set()


def _of_output(run: Run, field: str, entry: Mapping[str, Any], text: str) -> tuple[Any, str]:
    for name in _PARAMETERS[field]:
        value = _accepted(field, name, run.parameters.get(name))
        if value is not None:
            return value, _source_of_time(value)
    if "constant" in entry and field not in run.unknown_settings and field not in run.unknown:
        return entry["constant"], OUTPUT
    if text and (time := _near(entry.get("labels", ()), text, last=field == "ended")):
        return time, _source_of_time(time)
    return None, ""


def _accepted(field: str, name: str, value: Any) -> Any:
    """A parameter as the field has it: a time as text of RFC 3339, a count above 0; None for anything else."""
    if isinstance(value, bool):
        return None
    if name.endswith("_timestamp_s"):
        return from_timestamp(value)
    if field in ("started", "ended"):
        return printed_time(value) if isinstance(value, str) else None
    return value if isinstance(value, int) and value > 0 else None


def _of_description(run: Run, field: str, system: System) -> tuple[Any, str]:
    wrapped = system.document.get("run") or {}
    if system.seal is not None and system.seal.outcome(run.path)[0] == DIFFERS:
        return None, ""
    value = wrapped.get(_WRAPPED[field])
    if value in (None, 0):
        return None, ""
    by = _COUNTED_BY.get(str(wrapped.get(f"{_WRAPPED[field]}_from")), "the wrapped command")
    return value, f"description: {by}"


def _text(run: Run, entries: Mapping[str, Any], bundle: Bundle) -> str:
    """The text of the run's file, where its descriptor names labels in it."""
    if not any("labels" in entry for entry in entries.values()) or run.path not in bundle.files:
        return ""
    return bundle.read(run.path, _READ_BYTES).decode("utf-8", "replace")


def _near(labels: Iterable[str], text: str, *, last: bool) -> str | None:
    """The time in the first line with a label, behind it if it can be; in the last such line for what ends."""
    for label in labels:
        place = text.rfind(label) if last else text.find(label)
        if place >= 0:
            behind = text[place + len(label) : place + len(label) + _NEAR_LABEL].partition("\n")[0]
            before = text[max(0, place - _NEAR_LABEL) : place].rpartition("\n")[2]
            if time := printed_time(behind) or printed_time(before):
                return time
    return None


def _source_of_time(value: Any) -> str:
    return LOCAL_TIME if isinstance(value, str) and not value.endswith("Z") else OUTPUT
