"""What does not fit between the tables, the records and the log: a sentence for each, read from the first to the last.

Records are held against the leaves that they are made of, leaves against checkpoints and files, the public tables
against the newest record of each thing. Nothing is written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import chain, islice, zip_longest
from typing import Any

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from registry.log import allowed_changes, log_files, name_records, recording, records, signed_note, signing, tiles
from registry.log.canonical_form import canonical_text, read_record
from registry.log.merkle_tree import EMPTY_ROOT, leaf_hash, node_hash
from registry.log.overview import CLOCK_SUBJECT, RESTORED_SUBJECT
from registry.models import (
    IdentityChange,
    LogCheckpoint,
    LogKey,
    LogLeaf,
    LogOpening,
    LogState,
    RankedList,
    Release,
    Reproduction,
    Result,
)
from registry.query.public_record import Row

AT_ONCE = 500
MOST_DIFFERENCES = 10
"""Named of one thing; a record that was made up differs everywhere."""
MOST_NAMED = 3
"""Named of many that have the same to say of them: after a load or an upgrade that may be everything."""
RECORDED_WITHIN = timedelta(minutes=5)
"""Of a row its record is made: in the same transaction."""
_MISSING = "nothing"
_SUBJECTS_OF_THE_LOG: dict[str, str] = {
    LogOpening.Kind.KEY: signing.KEY_SUBJECT,
    LogOpening.Kind.RESTORATION: RESTORED_SUBJECT,
    LogOpening.Kind.CLOCK: CLOCK_SUBJECT,
}


def log_breaks(earlier: signed_note.Checkpoint | None = None) -> Iterator[str]:
    """Leaves, checkpoints and files of the log that do not fit each other, or an earlier checkpoint that was kept."""
    roots = {row.size: bytes(row.root) for row in LogCheckpoint.objects.all()}
    roots_found = GrowingTree(set(roots) | ({earlier.size} if earlier else set()))
    expected_index = 0
    leaves = LogLeaf.objects.exclude(index=None).order_by("index").values_list("index", "entry")
    for number, batch in enumerate(_in_batches(leaves.iterator(chunk_size=tiles.WIDTH), tiles.WIDTH)):
        for index, entry in batch:
            if index != expected_index:
                yield f"The log: entry {expected_index} is gone, and perhaps others up to {index}."
                return
            expected_index += 1
            roots_found.add_leaf(leaf_hash(bytes(entry)))
        yield from _tile_breaks(number, [bytes(entry) for _, entry in batch], max(roots, default=0))
    for size, root in roots.items():
        if roots_found.roots.get(size) != root:
            yield f"The log: its first {size} entries do not have the root of the checkpoint that was signed for them."
    yield from _level_breaks(roots_found, max(roots, default=0))
    yield from _checkpoint_breaks(max(roots, default=0))
    yield from _key_breaks()
    if earlier is not None and roots_found.roots.get(earlier.size) != earlier.root:
        yield (
            f"The log: it does not begin with the {earlier.size} entries of the checkpoint that was kept;"
            f" it has {expected_index}."
        )


@dataclass
class GrowingTree:
    """The roots of the first leaves, at each of the wanted sizes, while leaves come one after another.

    `levels` has the hashes of full tiles, for the levels above the lowest.
    """

    wanted_sizes: set[int]
    size: int = 0
    roots: dict[int, bytes] = field(default_factory=dict)
    levels: dict[int, list[bytes]] = field(default_factory=dict)
    _peaks: list[tuple[int, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if 0 in self.wanted_sizes:
            self.roots[0] = EMPTY_ROOT

    def add_leaf(self, leaf: bytes) -> None:
        """Take up the next leaf hash; whole trees of one height become one."""
        height, node = 0, leaf
        self.size += 1
        while self._peaks and self._peaks[-1][0] == height:
            node, height = node_hash(self._peaks.pop()[1], node), height + 1
            if height % tiles.HEIGHT == 0:
                self.levels.setdefault(height // tiles.HEIGHT, []).append(node)
        self._peaks.append((height, node))
        if self.size in self.wanted_sizes:
            root = self._peaks[-1][1]
            for _, peak in reversed(self._peaks[:-1]):
                root = node_hash(peak, root)
            self.roots[self.size] = root


def _tile_breaks(number: int, entries: list[bytes], signed: int) -> Iterator[str]:
    """Files of a stretch of entries that are not what the entries make; those beyond `signed` are not written yet."""
    width = min(len(entries), max(0, signed - number * tiles.WIDTH))
    contents: list[tuple[int | str, Callable[[list[bytes]], bytes]]] = [
        (tiles.ENTRIES, tiles.pack_entries),
        (0, lambda stored: b"".join(map(leaf_hash, stored))),
    ]
    for level, make_content in contents:
        if width and log_files.read_tile(level, number, width) != make_content(entries[:width]):
            yield f"The log's file tile/{tiles.tile_path(level, number, width)} is not what its entries make."


def _level_breaks(tree: GrowingTree, signed: int) -> Iterator[str]:
    for level, hashes in tree.levels.items():
        for number, batch in enumerate(_in_batches(hashes[: tiles.count_at(level, signed)], tiles.WIDTH)):
            if log_files.read_tile(level, number, len(batch)) != b"".join(batch):
                yield f"The log's file tile/{tiles.tile_path(level, number, len(batch))} is not what its entries make."


def _checkpoint_breaks(newest: int) -> Iterator[str]:
    """What is wrong with the newest checkpoint as it is served, and with each as it is stored."""
    content = log_files.read_file(log_files.CHECKPOINT)
    served = None if content is None else content.decode(errors="replace")
    rows = LogCheckpoint.objects.order_by("size")
    if served is not None and not newest:
        yield "The log: a checkpoint is served, and none is stored."
    elif served != rows.filter(size=newest).values_list("note", flat=True).first():
        yield "The log: the checkpoint that is served is not the newest that is stored."
    origin = LogState.objects.filter(pk=1).values_list("origin", flat=True).first() or ""
    try:
        read_note = signed_note.checkpoint_reader(signing.verifier_keys())
    except signed_note.BadNote as error:
        yield f"The log: one of its stored keys is none: {error}."
        return
    keys, untimed = signing.verifier_keys(), untimed_size()
    for row in rows.iterator(AT_ONCE):
        try:
            checkpoint, signed_at = read_note(row.note), signed_note.read_signed_time(row.note, keys)
        except signed_note.BadNote as error:
            yield f"The log: the checkpoint of {row.size} entries is not signed by a key of this registry: {error}."
            continue
        if checkpoint != signed_note.Checkpoint(origin, row.size, bytes(row.root)):
            yield f"The log: the checkpoint of {row.size} entries has another name, size or root than its row."
        if signed_at is None and (untimed is None or row.size <= untimed):
            continue  # `count_untimed` counts it
        if signed_at != row.signed_at:
            signed = f"{signed_at:%Y-%m-%d %H:%M:%S} signed" if signed_at else "no time signed"
            yield (
                f"The log: the checkpoint of {row.size} entries is said to be of {row.signed_at:%Y-%m-%d %H:%M:%S},"
                f" and has {signed}."
            )


def _key_breaks() -> Iterator[str]:
    """Keys that sign checkpoints and that the log does not have, or that it has and that are gone."""
    recorded = dict[str, datetime]()
    for opening, key in _recorded_keys(signing.CHECKPOINTS):
        recorded.setdefault(key, opening.recorded_at)
    stored = dict(LogKey.objects.values_list("verifier_key", "first_used_at"))
    for key in sorted(recorded.keys() ^ stored.keys()):
        state = "is not recorded" if key in stored else "is recorded, and it is gone"
        yield f"The log: its key {key[:60]} {state}."
    for key in sorted(recorded.keys() & stored.keys()):
        if abs(recorded[key] - stored[key]) > RECORDED_WITHIN:
            yield f"The log: its key {key[:60]} is said to be used since another time than it was recorded."


def _recorded_keys(use: str) -> Iterator[tuple[LogOpening, str]]:
    """Records of the first use of each key for this, the oldest first."""
    openings = LogOpening.objects.filter(kind=LogOpening.Kind.KEY, erased_at=None).select_related("leaf")
    for opening in openings.order_by("leaf"):
        record = recording.proven_record(opening)
        if record is not None and record.get("use") == use and isinstance(record.get("key"), str):
            yield opening, record["key"]


def untimed_size() -> int | None:
    """Entries, a count without unit, that a checkpoint without a signed time has at most; None: none has a signed one.

    Whatever covers the record of the first key for times was signed with one.
    """
    places = [opening.leaf.index for opening, _ in _recorded_keys(signing.TIMES)]
    return min((index for index in places if index is not None), default=None)


def count_untimed() -> int:
    """How many checkpoints have a time that is a statement of the server, and not signed."""
    untimed = untimed_size()
    covered = {} if untimed is None else {"size__lte": untimed}
    return LogCheckpoint.objects.filter(**covered).count()


def uncovered_counts() -> dict[date, Counter[str]]:
    """By day how many older things of each kind were first recorded then: what was done to them before is unknown."""
    counts: dict[date, Counter[str]] = {}
    first = LogOpening.objects.filter(act=recording.FIRST_RECORDED, erased_at=None).order_by()
    for day, kind, count in first.values_list("recorded_at__date", "kind").annotate(count=Count("pk")):
        counts.setdefault(day, Counter())[LogOpening.Kind(kind).label] += count
    return dict(sorted(counts.items()))


def opening_breaks() -> Iterator[str]:
    """Records that are not what their leaf was made of, or that stand under another name than their own."""
    rows = LogOpening.objects.filter(erased_at=None).select_related("leaf").order_by("leaf")
    for opening in rows.iterator(AT_ONCE):
        if opening.salt is None or opening.canonical is None:
            continue
        if not recording.is_of_leaf(opening, opening.canonical):
            yield f"{opening.subject}: its record of {opening.recorded_at:%Y-%m-%d %H:%M} was changed since."
            continue
        record = read_record(opening.canonical)
        if record is None:
            yield f"{opening.subject}: its record of {opening.recorded_at:%Y-%m-%d %H:%M} is none in its form."
            continue
        stored = (opening.kind, opening.act, f"{opening.recorded_at:%Y-%m-%dT%H:%M:%SZ}")
        if stored != (record["type"], record["act"], record["recorded_at"]) or not _is_of(opening.subject, record):
            yield f"{opening.subject}: the row of its record says something else than the record."
    yield from emptied_breaks()
    yield from history_breaks()


def history_breaks() -> Iterator[str]:
    """Records that do not follow the one before them, or change of it what their act may not.

    Somebody who writes to the tables can add a record, and the log takes it up; its own act then tells.
    """
    rows = LogOpening.objects.filter(kind__in=allowed_changes.MAY_CHANGE).exclude(subject=recording.ERASED_NAMES)
    before: tuple[str, str | None, Row | None] = ("", None, None)
    for opening in rows.select_related("leaf").order_by("subject", "leaf").iterator(AT_ONCE):
        subject, leaf, former = before if before[0] == opening.subject else (opening.subject, None, None)
        record = recording.proven_record(opening)
        if record is not None:
            if record.get("previous") != leaf:
                recorded_at = f"{opening.recorded_at:%Y-%m-%d %H:%M}"
                yield f"{subject}: its record of {recorded_at} follows another one than stands there."
            elif former is not None and (undue := allowed_changes.undue_changes(former, record)):
                named = ", ".join(undue[:MOST_DIFFERENCES])
                yield f"{subject}: a record says {record['act']}, and changes what that never does: {named}."
        before = (subject, str(opening.leaf) if opening.canonical is not None else None, record)


def emptied_breaks() -> Iterator[str]:
    """Records without a text, of which no erasure tells: who hides the newest record shows the one before it."""
    emptied = LogOpening.objects.exclude(erased_at=None).exclude(subject=recording.ERASED_NAMES).order_by("subject")
    erasures = LogOpening.objects.filter(kind=LogOpening.Kind.ERASURE, erased_at=None)
    last_erasure = erasures.aggregate(last=Max("leaf"))["last"] or 0
    erasure_facts = {opening.subject: _emptied_counts(opening) for opening in erasures}
    names = LogOpening.objects.filter(subject=recording.ERASED_NAMES)
    erased_names = sum(facts.get("emptied_names", 0) for facts in erasure_facts.values())
    if (names.count(), names.exclude(erased_at=None).count()) != (erased_names, erased_names):
        yield f"The log: {names.count()} records of names were emptied, and the erasures emptied {erased_names}."
    newest = dict(
        LogOpening.objects.filter(kind=LogOpening.Kind.LIST, erased_at=None)
        .order_by("subject")
        .values_list("subject")
        .annotate(Max("leaf"))
    )
    for row in emptied.values("subject").annotate(count=Count("pk"), last=Max("leaf")):
        subject, count = row["subject"], row["count"]
        of_list = newest.get(subject, 0) > row["last"] and last_erasure > row["last"]
        if subject not in erasure_facts and not of_list:
            yield f"{subject}: {count} of its records were emptied, and no erasure tells of it."
        elif subject in erasure_facts and erasure_facts[subject].get("emptied", count) != count:
            recorded_count = erasure_facts[subject]["emptied"]
            yield f"{subject}: {count} of its records are empty, and its erasure emptied {recorded_count}."


def _emptied_counts(erasure: LogOpening) -> dict[str, int]:
    """How many records an erasure emptied, by what its record calls them."""
    facts = (recording.proven_record(erasure) or {}).get("erasure")
    return {name: count for name, count in facts.items() if type(count) is int} if isinstance(facts, dict) else {}


def _is_of(subject: str, record: Mapping[str, Any]) -> bool:
    try:
        return subject == _subject_of(record)
    except (KeyError, TypeError):
        return False


def _subject_of(record: Mapping[str, Any]) -> str:
    """What a record is of. Raises KeyError or TypeError for one that does not say it."""
    if record["type"] == LogOpening.Kind.RESULT:
        return f"results/{record['result']['id']}"
    if record["type"] == LogOpening.Kind.LIST:
        return f"lists/{record['list']['release']}/{record['list']['list']}"
    if record["type"] == LogOpening.Kind.RELEASE:
        return f"releases/{record['release']['slug']}"
    if record["type"] == LogOpening.Kind.NAME_CHANGE:
        return f"name-changes/{record['name_change']['id']}"
    if record["type"] in name_records.KINDS:
        return name_records.subject_of(record["type"], record[record["type"]]["slug"])
    if record["type"] == LogOpening.Kind.REPRODUCTION:
        return records.mark_subject(record["reproduction"]["result"])
    if record["type"] == LogOpening.Kind.EDITION:
        return f"editions/{record['edition']['edition']}"
    if record["type"] == LogOpening.Kind.ERASURE:
        return f"results/{record['erasure']['id']}"
    return _SUBJECTS_OF_THE_LOG[record["type"]]


class FirstNames:
    """How many there are, and the first of them by name: as text "a, b, c and 4 more"."""

    def __init__(self) -> None:
        self.count, self._names = 0, list[str]()

    def add_name(self, name: str) -> None:
        """Count one more, and remember it if it is among the first."""
        self.count += 1
        if self.count <= MOST_NAMED:
            self._names.append(name)

    def __str__(self) -> str:
        others = self.count - len(self._names)
        return ", ".join(self._names) + (f" and {others} more" if others else "")


def table_breaks() -> Iterator[str]:
    """Results, lists, releases, names, their changes, marks and editions: not as recorded last, or never, or gone."""
    ids = Result.objects.filter(erasure=None).order_by("pk").values_list("pk", flat=True)
    results = (records.result_records(batch) for batch in _in_batches(ids.iterator(AT_ONCE), recording.BATCH))
    lists = RankedList.objects.filter(records.RECORDED_LISTS).select_related("release", "definition").order_by("pk")
    ranked = (records.list_records(batch) for batch in _in_batches(lists.iterator(AT_ONCE), 20))
    changes = IdentityChange.objects.filter(records.PUBLIC_CHANGES).order_by("pk")
    named = (records.name_change_records(batch) for batch in _in_batches(changes.iterator(AT_ONCE), AT_ONCE))
    marked = Reproduction.objects.order_by("pk").values_list("pk", flat=True).iterator(AT_ONCE)
    marks = (records.mark_records(batch) for batch in _in_batches(marked, recording.BATCH))
    releases = [records.release_records(list(Release.objects.order_by("pk")))]
    stored_editions = dict(records.edition_records())
    current = chain(results, ranked, releases, named, name_records.current_names(), marks, [stored_editions.items()])
    is_due = not LogState.objects.filter(pk=1, unheld_since=None).exists()
    stored, unrecorded = set[str](), FirstNames()
    for group in current:
        current_records = dict(group)
        stored |= set(current_records)
        openings = recording.newest_openings(list(current_records))
        for subject, body in current_records.items():
            opening = openings.get(subject)
            if opening is not None and opening.canonical is not None:
                yield from _record_differences(subject, body, opening)
            elif is_due:
                unrecorded.add_name(subject)
            else:
                yield f"{subject}: it has no record."
    if unrecorded.count:
        yield f"No record yet: {unrecorded}. Run manage append_log, then verify again."
    for subject in _standing_subjects().iterator(AT_ONCE):
        if subject not in stored:
            yield f"{subject}: the log has it, and its rows are gone."
    yield from _edition_breaks(next(reversed(stored_editions), None))


def _standing_subjects() -> QuerySet[LogOpening, str]:
    """What the log has and does not say to be removed. Editions are: the next one takes the place of each."""
    kinds = [LogOpening.Kind.RESULT, LogOpening.Kind.LIST, LogOpening.Kind.RELEASE, LogOpening.Kind.NAME_CHANGE]
    kinds.append(LogOpening.Kind.REPRODUCTION)
    recorded = LogOpening.objects.filter(kind__in=[*kinds, *name_records.KINDS], erased_at=None)
    newest = recorded.filter(subject=OuterRef("subject")).order_by("-leaf").values("leaf")[:1]
    standing = recorded.filter(leaf=Subquery(newest)).exclude(act=recording.REMOVED)
    return standing.order_by("subject").values_list("subject", flat=True)


def _edition_breaks(served: str | None) -> Iterator[str]:
    """Whether the edition that is served is the one that was recorded last: an earlier one may be put there again."""
    recorded = LogOpening.objects.filter(kind=LogOpening.Kind.EDITION).order_by("leaf").last()
    if recorded is not None and served != recorded.subject:
        yield f"{recorded.subject}: the log has it as the newest edition, and another one is served, or none."


def _record_differences(subject: str, body: Row, opening: LogOpening) -> Iterator[str]:
    recorded = recording.proven_record(opening)
    if recorded is None:
        return  # `opening_breaks` names it; it says nothing that could be compared
    current = json.loads(canonical_text(body))
    recorded = {name: value for name, value in recorded.items() if name not in recording.ENVELOPE}
    differing = list(differing_values(recorded, current, ""))
    for name, before, now in differing[:MOST_DIFFERENCES]:
        yield f"{subject}: {name} is {_in_short(now)}, and the log has {_in_short(before)}."
    if len(differing) > MOST_DIFFERENCES:
        yield f"{subject}: and {len(differing) - MOST_DIFFERENCES} more values differ."


def differing_values(recorded: Any, current: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    """(name, recorded, current) of values that differ."""
    if isinstance(recorded, dict) and isinstance(current, dict):
        for key in sorted({*recorded, *current}):
            inner = f"{name}.{key}" if name else key
            yield from differing_values(recorded.get(key, _MISSING), current.get(key, _MISSING), inner)
    elif isinstance(recorded, list) and isinstance(current, list):
        for place, (before, now) in enumerate(zip_longest(recorded, current, fillvalue=_MISSING)):
            yield from differing_values(before, now, f"{name}[{place}]")
    elif recorded != current or (type(recorded) is not type(current) and bool in (type(recorded), type(current))):
        yield name, recorded, current


def _in_batches(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    """The items in lists of so many; the last may be shorter."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch


def _in_short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}..."
