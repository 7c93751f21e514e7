"""The file of --jsonfile: one JSON object in each line, every value a string, bandwidth in B/s.

elbencho adds to the file, so that it may hold the phases of several commands.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from validators.benchmarks.elbencho.phase import CONFIG, STATS, Phase, named
from validators.bundle import LINE_LIMIT
from validators.outputs import Output, Refusal, printed_number
from validators.signs import Sign

SIGN = Sign(rb'^[ \t]*\{[ \t]*"phase_type"\s*:\s*"[^"]{1,40}"\s*,\s*"phase_id"\s*:', b'"phase_type"')

_FIGURES = (
    ("bytes/s", "bandwidth", "B/s"),
    ("iops", "iops", "ops/s"),
    ("entries/s", "rate", "ops/s"),
    ("bytes", "volume", "B"),
    ("entries", "ops", "ops"),
    ("elapsed_time_ms", "time", "ms"),
)
_LATENCIES = (("IO", "latency"), ("entries", "entry_latency"))
_LATENCY_STATS = (("min_us", "min"), ("avg_us", "mean"), ("max_us", "max"))
_HINT_AGAIN = "Upload the file that --jsonfile named, as elbencho wrote it."


def phases(output: Output) -> Iterator[Phase]:
    """Every phase of the file; text of a terminal may stand around. Raises Refusal for a line that is cut."""
    for number, line in enumerate(output.lines(LINE_LIMIT), start=1):
        if line.lstrip("\ufeff \t").startswith("{") or '"phase_' in line:
            output.ledger.claim()
            yield _phase(line, number)


def _phase(line: str, number: int) -> Phase:
    try:
        document = json.loads(line.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        raise Refusal("truncated", "A line is no whole JSON object.", _HINT_AGAIN, number) from None
    if not isinstance(document, dict) or not all(isinstance(document.get(stat), dict) for stat in STATS):
        raise Refusal("inconsistent", "A line is no result of a phase.", _HINT_AGAIN, number)
    phase = named(document.get("phase_type"), number)
    config = document.get("config")
    config = config if isinstance(config, dict) else {}
    phase.version = str(config.get("version", ""))[:40]
    phase.command = str(config.get("command", ""))
    phase.config = {name: str(config[name])[:40] for name in CONFIG if name in config}
    for stat in STATS:
        _add(phase, stat, document[stat], number)
        if isinstance(document[stat].get("rwmix_read"), dict):
            _add(phase, stat, document[stat]["rwmix_read"], number, "read")
    _add_latency(phase, document["last_done"].get("latency"), number)
    return phase


def _add(phase: Phase, stat: str, results: dict[str, Any], line: int, side: str = "") -> None:
    for key, quantity, unit in _FIGURES:
        if key in results:
            phase.add(quantity, stat, printed_number(str(results[key]), line), unit, side)


def _add_latency(phase: Phase, latency: Any, line: int) -> None:
    for key, quantity in _LATENCIES:
        stats = latency.get(key) if isinstance(latency, dict) else None
        for side in ("", "read"):
            stats = stats if not side else stats.get("rwmix_read") if isinstance(stats, dict) else None
            for name, stat in _LATENCY_STATS:
                if isinstance(stats, dict) and name in stats:
                    phase.add(quantity, stat, printed_number(str(stats[name]), line), "us", side)
