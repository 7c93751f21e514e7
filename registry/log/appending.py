"""Append what waits to the log, once a minute: places first, then the files, the signed checkpoint last.

Each step may be the last one before a crash; the next run goes on where that one ended:

1. the leaves that wait get their places, in random order, in one transaction: from here on these never change;
2. bundles of entries and tiles are written, which follow from the leaves;
3. the checkpoint is signed and kept as a row, and then as a file.

A file that is ahead of the database means that the database was restored from a backup. Then the database takes up
what the files have; where they contradict each other nothing is appended until an operator has looked.
"""

from __future__ import annotations

import logging
import secrets
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from registry.dumps import db_locks
from registry.log import log_files, recording, signing, tiles
from registry.log.merkle_tree import leaf_hash, root_of_entries, root_of_full, tree_root
from registry.log.signed_note import (
    BadNote,
    Checkpoint,
    open_checkpoint,
    read_signed_time,
    sign_checkpoint,
    verifier_key,
)
from registry.models import LogCheckpoint, LogLeaf, LogState

log = logging.getLogger(__name__)

LOCK = 0x68776C67  # "hwlg": one process at a time appends
_AT_ONCE = 2000


class LogForked(Exception):
    """The files of the log are no continuation, or no beginning, of what the database holds."""


@dataclass(frozen=True, slots=True)
class Appended:
    """What an append did; `size` is how many entries the log has now."""

    recorded: int
    appended: int
    size: int


def append_waiting() -> Appended | None:
    """Append all that waits and sign the new head; None where another process is at it.

    Raises LogForked where files and database contradict each other; then nothing was appended.
    """
    with db_locks.try_advisory_lock(LOCK) as mine:
        return _append_all() if mine else None


def _append_all() -> Appended:
    LogState.objects.get_or_create(pk=1)
    try:
        published = _published_checkpoint()
        if published is not None:
            _check_published(published)
    except LogForked as error:
        LogState.objects.filter(pk=1).update(trouble=str(error))
        raise
    recorded = recording.record_unrecorded()
    origin = signing.ensure_signer()
    appended = _give_places()
    size = log_size()
    if published is None or published.size < size:
        old_size = published.size if published else 0
        write_tiles(old_size, size)
        _publish_checkpoint(origin, size)
        _remove_parts(old_size, size)
    LogState.objects.filter(pk=1).exclude(trouble="").update(trouble="")
    return Appended(recorded, appended, size)


def log_size() -> int:
    """How many leaves, a count without unit, have a place in the log."""
    last = LogLeaf.objects.aggregate(last=Max("index"))["last"]
    return 0 if last is None else last + 1


def _published_checkpoint() -> Checkpoint | None:
    """What the file of the checkpoint says. Raises LogForked where none of our keys signed it."""
    content = log_files.read_file(log_files.CHECKPOINT)
    if content is None:
        return None
    try:
        note = content.decode()
        own_key = verifier_key(note.split("\n")[0], signing.signing_key().public_key())
        checkpoint = open_checkpoint(note, [*signing.verifier_keys(), own_key])
        read_signed_time(note, [*signing.verifier_keys(), own_key])
    except (BadNote, UnicodeDecodeError) as error:
        raise LogForked(f"The published checkpoint is not one of this registry: {error}.") from error
    # A database from before the log, restored beside its files, goes on under their name.
    LogState.objects.filter(pk=1, origin="").update(origin=checkpoint.origin)
    if checkpoint.origin != LogState.objects.values_list("origin", flat=True).get(pk=1):
        raise LogForked(f"The published checkpoint is of another log, {checkpoint.origin}.")
    return checkpoint


def _check_published(published: Checkpoint) -> None:
    """Hold the published checkpoint against the database, which takes up what only the files have. Raises LogForked."""
    row = LogCheckpoint.objects.filter(size=published.size).first()
    if row is not None and bytes(row.root) == published.root:
        return
    entries = _stored_entries(0, published.size)
    missing = _entries_of_files(len(entries), published.size)
    if root_of_entries([*entries, *missing]) != published.root:
        raise LogForked(
            f"The published log of {published.size} entries does not begin as the database does. Restore the database "
            "that belongs to it, or move the folder log/ of the public storage away to begin again, which everybody "
            "who keeps a checkpoint will see."
        )
    _store_missing(len(entries), missing, published)


@transaction.atomic
def _store_missing(first: int, missing: list[bytes], published: Checkpoint) -> None:
    """Give the database the entries that only the files have: what opens them was lost, unless it still waits."""
    if missing:
        log.warning("the log has %d entries that this database lost; they are taken up", len(missing))
    waiting = {bytes(leaf.entry): leaf for leaf in LogLeaf.objects.filter(entry__in=missing)}
    for index, entry in enumerate(missing, first):
        if entry in waiting:
            LogLeaf.objects.filter(pk=waiting[entry].pk).update(index=index)
        else:
            LogLeaf.objects.create(entry=entry, index=index)
    note = log_files.read_file(log_files.CHECKPOINT)
    assert note is not None
    _keep_checkpoint(published, note.decode())


def _entries_of_files(first: int, size: int) -> list[bytes]:
    """Entries from `first` on, out of the bundles in the storage. Raises LogForked where one is not there."""
    entries: list[bytes] = []
    for index in range(first // tiles.WIDTH, -(-size // tiles.WIDTH)) if first < size else ():
        width = min(tiles.WIDTH, size - index * tiles.WIDTH)
        content = log_files.read_tile(tiles.ENTRIES, index, width)
        if content is None:
            raise LogForked(f"The bundle of entries {index} of the published log is not there.")
        bundle = tiles.unpack_entries(content)
        entries += bundle[max(0, first - index * tiles.WIDTH) :]
    return entries


@transaction.atomic
def _give_places() -> int:
    """A place in the log for each leaf that waits; how many there were."""
    waiting = list(LogLeaf.objects.filter(index=None).order_by("pk"))
    secrets.SystemRandom().shuffle(waiting)
    for index, leaf in enumerate(waiting, log_size()):
        leaf.index = index
    LogLeaf.objects.bulk_update(waiting, ["index"], batch_size=_AT_ONCE)
    return len(waiting)


def write_tiles(old_size: int, size: int) -> None:
    """Write the bundles and tiles that a log of `size` entries has and one of `old_size` has not."""
    if old_size and not _parts_are_there(old_size):
        old_size = 0
    roots: dict[int, bytes] = {}
    for index in tiles.changed_tiles(0, old_size, size):
        first, width = index * tiles.WIDTH, tiles.width_of(0, index, size)
        entries = _stored_entries(first, first + width)
        _write_tile(tiles.ENTRIES, index, width, tiles.pack_entries(entries))
        hashes = [leaf_hash(entry) for entry in entries]
        _write_tile(0, index, width, b"".join(hashes))
        if width == tiles.WIDTH:
            roots[index] = root_of_full(hashes)
    for level in range(1, tiles.HIGHEST_LEVEL + 1):
        roots = _write_level(level, old_size, size, roots)


def _write_level(level: int, old_size: int, size: int, new: dict[int, bytes]) -> dict[int, bytes]:
    """Write the changed tiles of a level, of which `new` are the new hashes by place; roots of those that are full."""
    roots: dict[int, bytes] = {}
    for index in tiles.changed_tiles(level, old_size, size):
        first, width = index * tiles.WIDTH, tiles.width_of(level, index, size)
        old_width = tiles.width_of(level, index, old_size)
        old = log_files.read_tile(level, index, old_width) if old_width else b""
        assert old is not None
        hashes = tiles.split_hashes(old) + [new[place] for place in range(first + old_width, first + width)]
        _write_tile(level, index, width, b"".join(hashes))
        if width == tiles.WIDTH:
            roots[index] = root_of_full(hashes)
    return roots


def _parts_are_there(size: int) -> bool:
    """Whether the last tile of each level is in the storage: one may have been moved or emptied."""
    levels = [level for level in range(tiles.HIGHEST_LEVEL + 1) if tiles.count_at(level, size)]
    last = [(level, (tiles.count_at(level, size) - 1) // tiles.WIDTH) for level in levels]
    return all(
        log_files.read_tile(level, index, tiles.width_of(level, index, size)) is not None for level, index in last
    )


def _write_tile(level: int | str, index: int, width: int, content: bytes) -> None:
    log_files.write_file(f"tile/{tiles.tile_path(level, index, width)}", content)


def _remove_parts(old_size: int, size: int) -> None:
    """Remove the parts of tiles that became full: no checkpoint that is published needs them any more."""
    for level in range(tiles.HIGHEST_LEVEL + 1):
        for index in tiles.changed_tiles(level, old_size, size):
            if tiles.width_of(level, index, size) == tiles.WIDTH:
                log_files.remove_folder(f"tile/{tiles.tile_path(level, index)}.p")
                if level == 0:
                    log_files.remove_folder(f"tile/{tiles.tile_path(tiles.ENTRIES, index)}.p")


def _publish_checkpoint(origin: str, size: int) -> None:
    """Sign the head of the tree as the written tiles have it; the row first, so that no file is without its row."""
    checkpoint = Checkpoint(origin, size, tree_root(size, tiles.node_reader(size, _read_hashes)))
    note = _keep_checkpoint(checkpoint, sign_checkpoint(checkpoint, signing.signing_key(), timezone.now()))
    log_files.write_file(log_files.CHECKPOINT, note.encode())


def _keep_checkpoint(checkpoint: Checkpoint, note: str) -> str:
    """The note of the row of this size, which is made where there is none: nothing rewrites one. Raises LogForked."""
    own_key = verifier_key(checkpoint.origin, signing.signing_key().public_key())
    signed_at = read_signed_time(note, [*signing.verifier_keys(), own_key]) or timezone.now()
    defaults = {"root": checkpoint.root, "note": note, "signed_at": signed_at}
    row, _ = LogCheckpoint.objects.get_or_create(size=checkpoint.size, defaults=defaults)
    if bytes(row.root) != checkpoint.root:
        raise LogForked(f"The database has another checkpoint of {checkpoint.size} entries than their tree has.")
    return row.note


def _read_hashes(level: int, index: int, width: int) -> list[bytes]:
    content = log_files.read_tile(level, index, width)
    if content is None:
        raise LogForked(f"The tile {tiles.tile_path(level, index, width)} of the log is not there.")
    return tiles.split_hashes(content)


def _stored_entries(first: int, end: int) -> list[bytes]:
    """The entries from `first` to before `end`, as far as the database has them."""
    leaves = LogLeaf.objects.filter(index__gte=first, index__lt=end).order_by("index")
    return [bytes(entry) for entry in leaves.values_list("entry", flat=True).iterator(_AT_ONCE)]
