"""When records were made, held against the signed times of the checkpoints that first have their leaves.

Somebody who writes to the tables can add records, and the log takes them up. Its next checkpoint has the time, signed:
so what is added says that it happened now, or it does not fit. An act `first-recorded` is for what is older than the
records of its kind, which one append takes up together. An operator who looked at what does not fit records why.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple

from registry.log import recording, verification
from registry.log.canonical_form import read_moment, read_record
from registry.log.overview import CLOCK_SUBJECT, RESTORED_SUBJECT, explained_times
from registry.models import LogCheckpoint, LogOpening, Result
from submissions.lifecycle.private_records import HAPPENED
from submissions.models import PrivateRecord

AT_ONCE = 1000
MOST_NAMED = 20
LATE = timedelta(hours=1)
"""So long a transaction takes at the most, or a clock is wrong."""
TAKEN_UP_WITHIN = timedelta(days=1)
"""After the first append of a kind of records, or a restoration, what is older has its first record."""
Kind = PrivateRecord.Kind
_TIMES: dict[str, str] = {Kind.EVENT: "at", Kind.CHECK: "made_at", Kind.DECISION: "made_at"}
_RECORDED_AT_ONCE = (Kind.RECEIPT, *_TIMES)
"""Kinds that have had a record of each row since they had any."""


class SignedHead(NamedTuple):
    """How many entries a checkpoint has, and the time that was signed with it."""

    size: int
    signed_at: datetime


class Limits(NamedTuple):
    """The last checkpoint without an entry and the first one with it, by their times; None where there is none."""

    before: datetime | None
    after: datetime | None


class Break(NamedTuple):
    """A record that does not fit the times of the log: the place of its entry, and a sentence."""

    place: int
    sentence: str


class RecordTimes:
    """One pass over the times of all records. `earlier` is a checkpoint that somebody kept."""

    def __init__(self, earlier: SignedHead | None = None) -> None:
        untimed = verification.untimed_size()
        rows = LogCheckpoint.objects.none() if untimed is None else LogCheckpoint.objects.filter(size__gt=untimed)
        heads = {SignedHead(*row) for row in rows.values_list("size", "signed_at")}
        self._heads = sorted(heads | ({earlier} if earlier else set()))
        restorations = LogOpening.objects.filter(subject=RESTORED_SUBJECT)
        self._restored = list(restorations.values_list("recorded_at", flat=True))
        self._explained = frozenset[int]().union(*(row.entries for row in explained_times()))
        self._begun: dict[str, datetime] = {}

    def find_breaks(self) -> Iterator[str]:
        """What nobody explained, a sentence for each of the first records and one for the others."""
        for breaks in self._unexplained_breaks():
            yield from (row.sentence for row in islice(breaks, MOST_NAMED))
            if more := sum(1 for _ in breaks):
                yield f"And {more} more records do not fit the times of the log."

    def explain_breaks(self, reason: str) -> int:
        """Record the reason for all that does not fit and that nobody explained; how many records that are."""
        entries = sorted(row.place for row in chain.from_iterable(self._unexplained_breaks()))
        if entries:
            facts = {"clock": {"reason": reason, "entries": entries}}
            recording.record_own(LogOpening.Kind.CLOCK, facts, recording.EXPLAINED, CLOCK_SUBJECT)
        return len(entries)

    def _unexplained_breaks(self) -> Iterator[Iterator[Break]]:
        """Records of another time than they say, or too late for their act: public ones, then private ones."""
        for breaks in (self._public_breaks(), self._private_breaks()):
            yield (row for row in breaks if row.place not in self._explained)

    def _public_breaks(self) -> Iterator[Break]:
        verified = Result.objects.filter(trust=Result.Trust.VERIFIED).values_list("public_id", flat=True)
        subjects = {f"results/{public_id}" for public_id in verified.iterator(AT_ONCE)}
        rows = LogOpening.objects.exclude(leaf__index=None).order_by("leaf__index")
        columns = ("subject", "act", "recorded_at", "leaf__index")
        for subject, act, recorded_at, index in rows.values_list(*columns).iterator(AT_ONCE):
            limits = self._find_limits(index)
            if misplaced := _why_misplaced(limits, recorded_at):
                yield Break(index, f"{subject}: a record says {recorded_at:%Y-%m-%d %H:%M}, {misplaced}.")
            elif subject in subjects and act == recording.PUBLISHED:
                self._begun.setdefault(LogOpening.Kind.RESULT, limits.after or recorded_at)
            elif subject not in subjects or act != recording.FIRST_RECORDED:
                continue
            elif late := self._why_late(LogOpening.Kind.RESULT, recorded_at):
                yield Break(index, f"{subject}: {late}.")

    def _private_breaks(self) -> Iterator[Break]:
        rows = PrivateRecord.objects.filter(erased_at=None).exclude(leaf__index=None).order_by("leaf__index")
        columns = ("kind", "row", "submission", "canonical", "leaf__index")
        for kind, number, submission, canonical, index in rows.values_list(*columns).iterator(AT_ONCE):
            record = read_record(canonical)
            if record is None or not isinstance(record.get(kind), dict):
                continue  # `private_records` names it
            recorded_at = datetime.fromisoformat(record["recorded_at"])
            name = f"Submission {submission}: {kind} {number}" if submission else f"The {kind} {number}"
            limits = self._find_limits(index)
            if misplaced := _why_misplaced(limits, recorded_at):
                yield Break(index, f"{name}: its record says {recorded_at:%Y-%m-%d %H:%M}, {misplaced}.")
            elif record["act"] == HAPPENED:
                self._begun.setdefault(kind, limits.after or recorded_at)
                at = read_moment(record[kind].get(_TIMES[kind])) if kind in _TIMES else recorded_at
                if at and abs(at - recorded_at) > LATE:
                    recorded = f"it is of {at:%Y-%m-%d %H:%M}, and was recorded on {recorded_at:%Y-%m-%d %H:%M}"
                    yield Break(index, f"{name}: {recorded}.")
            elif kind in _RECORDED_AT_ONCE and (late := self._why_late(kind, recorded_at)):
                yield Break(index, f"{name}: {late}.")

    def _find_limits(self, index: int) -> Limits:
        """Where the clock was set back between both checkpoints, the one before says nothing."""
        place = bisect_right(self._heads, index, key=attrgetter("size"))
        after = self._heads[place].signed_at if place < len(self._heads) else None
        before = self._heads[place - 1].signed_at if place else None
        return Limits(None if before and after and before > after else before, after)

    def _why_late(self, kind: str, recorded_at: datetime) -> str:
        """Why a first record is none of something older; "" where it may be."""
        begun = self._begun.get(kind)
        if begun is None or recorded_at <= begun + TAKEN_UP_WITHIN:
            return ""
        if any(abs(recorded_at - restored) <= TAKEN_UP_WITHIN for restored in self._restored):
            return ""
        return (
            f"it was first recorded on {recorded_at:%Y-%m-%d %H:%M}, and such things have been recorded as they happen"
            f" since {begun:%Y-%m-%d %H:%M}"
        )


def _why_misplaced(limits: Limits, recorded_at: datetime) -> str:
    """Why an entry cannot have been recorded then; "" where it can."""
    if limits.before and recorded_at < limits.before - LATE:
        return f"and the checkpoint of {limits.before:%Y-%m-%d %H:%M} does not have it"
    if limits.after and recorded_at > limits.after + LATE:
        return f"and the checkpoint of {limits.after:%Y-%m-%d %H:%M} has it already"
    return ""
