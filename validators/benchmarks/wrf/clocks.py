"""Which lines of a log of WRF are missing, by the time of the model: it moves on by equal steps, from start to end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timezone

_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)[_T](\d\d)[:_](\d\d)[:_](\d\d)", re.ASCII)
_DECIMAL = re.compile(r"\d{1,9}(?:\.\d{1,6})?\s{0,9}", re.ASCII)
_ROUNDING_S = 1.01
_HISTORY = "wrfout"


def model_time(text: str) -> float | None:
    """Seconds of `2016-03-23_00:00:00`; None for another form."""
    match = _TIME.search(text)
    try:
        year, month, day, hour, minute, second = map(int, match.groups()) if match else (0,) * 6
        return datetime(year, month, day, hour, minute, second, tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


@dataclass(slots=True)
class Clock:
    """The time that moves on by equal steps: of a domain, or of the files of a stream.

    `first` is the first time that a line tells, `first_step` how far it moved to get there, where the line says so.
    `gap` is the line behind the first that is missing.
    """

    time: float | None = None
    step: float = 0.0
    gap: int = 0
    first: float | None = None
    first_step: float = 0.0

    def tick(self, time: float | None, dt: str | None, number: int) -> None:
        """Take the time that a line tells, and its own step where steps are adaptive."""
        own = float(dt) if dt and _DECIMAL.fullmatch(dt) else 0.0
        if time is not None and self.first is None:
            self.first, self.first_step = time, own
        if time is not None and self.time is not None:
            moved = time - self.time
            is_longer = moved > (own or self.step or moved) + _ROUNDING_S
            was_longer = not own and 0 < moved < self.step - _ROUNDING_S
            self.gap = self.gap or (number if is_longer or was_longer else 0)
            self.step = min(self.step or moved, moved) if moved > 0 else self.step
        self.time = time

    @property
    def start_time(self) -> float | None:
        """The time before the first step."""
        step = self.first_step or self.step
        return self.first - step if self.first is not None and step else None


@dataclass(slots=True)
class Clocks:
    """All clocks of a log. A domain starts with the files that it writes before any step."""

    domains: dict[int, Clock] = field(default_factory=dict)
    stepped: set[int] = field(default_factory=set)
    started: set[int] = field(default_factory=set)
    files: dict[tuple[str, int], Clock] = field(default_factory=dict)
    restarts: Counter[int] = field(default_factory=Counter)
    reads: set[str] = field(default_factory=set)
    end: tuple[int, float] | None = None

    def take_step(self, domain: int, time: float | None, dt: str | None, number: int) -> None:
        """A step of a domain: when the first one has made its own, those in it have come as far, or stand still."""
        clock = self.domains.setdefault(domain, Clock())
        before = clock.time
        clock.tick(time, dt, number)
        self.stepped.add(domain)
        if domain != 1 or before is None or time is None:
            return
        for nest in self.domains.values():
            if nest.time is not None and before + _ROUNDING_S < nest.time < time - _ROUNDING_S:
                nest.gap = nest.gap or number

    def take_file(self, stream: str, domain: int, file: str | None, number: int) -> None:
        """A file that was written, when the domain has come as far; those of restarts are not named."""
        if file is None:
            self.restarts[domain] += 1
            return
        time = model_time(file)
        self.files.setdefault((stream, domain), Clock()).tick(time, None, number)
        if not self.stepped and time is not None and domain not in self.domains:
            self.domains[domain] = Clock(time)
            self.started.add(domain)
        clock = self.domains.get(domain)
        if time is not None and clock and clock.time is not None and time > clock.time + _ROUNDING_S:
            clock.gap = clock.gap or number

    def list_gaps(self, *, has_start: bool, is_complete: bool) -> Iterator[tuple[str, int]]:
        """What is missing, and the line behind it, if one is known."""
        if gap := next((clock.gap for clock in self.domains.values() if clock.gap), 0):
            yield "The time of the model jumps: lines of steps are missing.", gap
        elif self.stepped and (silent := sorted(self.started - self.stepped)):
            yield f"Domain {silent[0]} wrote when it started, and has no step.", 0
        elif self._ends_early():
            yield "The last step is before the time at which the model says that it ended.", 0
        if late := sorted({stream for (stream, _), clock in self.files.items() if clock.gap}):
            yield f"Files of {', '.join(late[:5])} are not written at equal intervals: lines of writes are missing.", 0
        elif is_complete and (few := sorted({stream for stream, _ in self._streams_with_ends_missing()})):
            yield f"The first or the last file of {', '.join(few[:5])} is missing, by its interval.", 0
        if is_complete and len({self.restarts[domain] for domain in self.started}) > 1:
            yield "Not each domain has written as many files of restarts as the others.", 0
        if has_start and self.reads and all("lateral" in stream for stream in self.reads):
            yield "Boundaries were read, and no state that the model started from.", 0

    def _ends_early(self) -> bool:
        clock = self.domains.get(self.end[0]) if self.end else None
        return bool(self.end and clock and clock.time is not None and clock.time + _ROUNDING_S < self.end[1])

    def _streams_with_ends_missing(self) -> Iterator[tuple[str, int]]:
        """Streams whose interval leaves room for a file before the first or behind the last.

        What starts from a restart may leave out the first, and other streams than the history begin when they like.
        """
        is_restarted = any("restart" in stream for stream in self.reads)
        for (stream, domain), clock in self.files.items():
            steps = self.domains.get(domain, Clock())
            if not clock.step or clock.first is None or clock.time is None:
                continue
            room = steps.time - clock.time if steps.time is not None and self.end else 0.0
            if stream.startswith(_HISTORY) and steps.start_time is not None and not is_restarted:
                room = max(room, clock.first - steps.start_time)
            if room > clock.step - _ROUNDING_S:
                yield stream, domain
