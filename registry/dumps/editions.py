"""Editions: the whole record as files, made by a worker after it changed, and served until the next one lies ready.

Triggers note every transaction that writes to the record (migration 0017), whoever makes it. The scheduler asks every
few seconds whether there is one; then a worker writes the files of a new edition, and names it in one row when all of
them lie ready (docs/decisions/0023-editions-are-made-by-a-worker.md). Who reads finds the newest edition, and since
when the record is another, in one query.
"""

from __future__ import annotations

import hashlib
import secrets
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from django.core.files import File
from django.core.files.storage import Storage, storages
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Subquery
from django.utils import timezone

from registry.dumps import db_locks, dump
from registry.errors import Problem
from registry.models import Edition, Erasure, Measurement, RecordChange, Result

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    class _Change(TypedDict):
        changed_at: datetime | None
        holds_erased: bool

    DatedEdition = WithAnnotations[Edition, _Change]

LOCK = 0x68776564  # "hwed": one process at a time makes editions
FOLDER = "exports"
STORED = ("results.parquet", "record.sqlite", "results.csv.gz", "results.ndjson.gz")
MANIFEST = "manifest.json"
CLOCKS_DIFFER_BY = timedelta(minutes=10)
"""The clock of who erases and that of who makes an edition agree within this."""

RECORDERS: list[Callable[[Edition], None]] = []
"""What records that an edition was made, in its transaction: the log stands above this room."""


class EditionPending(Problem):
    status = 503
    code = "export.being-made"
    title = "The files of this edition are being made"
    hint = "Ask again in a minute."
    retry_after_s = 60


def latest_edition() -> DatedEdition | None:
    """The edition that was made last, in one query.

    `changed_at` is when the record first changed after it, or None; `holds_erased` is whether it may have what was
    erased.
    """
    changes = RecordChange.objects.order_by("changed_at").values("changed_at")
    erased_later = Erasure.objects.filter(erased_at__gte=OuterRef("as_of") - CLOCKS_DIFFER_BY)
    dated = Edition.objects.annotate(changed_at=Subquery(changes[:1]))
    return dated.annotate(holds_erased=Exists(erased_later) & Q(changed_at__isnull=False)).order_by("-pk").first()


def edition_to_serve() -> Edition:
    """The edition that was made last, until the next one is whole.

    Raises EditionPending where there is none, or something was erased that it may still have.
    """
    edition = latest_edition()
    if edition is None or edition.holds_erased:
        raise EditionPending
    return edition


def open_file(edition: Edition, name: str) -> File[bytes]:
    """A stored file of an edition. Raises EditionPending where the next edition has taken its place meanwhile."""
    try:
        return _edition_storage().open(_storage_key(edition, name))
    except FileNotFoundError as error:
        raise EditionPending from error


def damaged_files(edition: Edition) -> list[str]:
    """Stored files of an edition that its manifest names and that have another sha256, or are gone."""
    recorded = {file["name"]: file["sha256"] for file in edition.manifest["files"]}
    return [name for name in STORED if name in recorded and _stored_sha256(edition, name) != recorded[name]]


def _stored_sha256(edition: Edition, name: str) -> str | None:
    try:
        with _edition_storage().open(_storage_key(edition, name)) as content:
            digest = hashlib.sha256()
            for chunk in content.chunks():
                digest.update(chunk)
            return digest.hexdigest()
    except FileNotFoundError:
        return None


def build_if_due() -> None:
    """Make a new edition if the record changed since the newest, and remove those before it.

    Nothing happens where another process is at it.
    """
    with db_locks.try_advisory_lock(LOCK) as mine:
        if mine and _is_due(latest_edition()):
            _remove_all_but(_make_edition())


def _is_due(edition: DatedEdition | None) -> bool:
    return edition is None or edition.changed_at is not None or not _is_whole(edition)


def _is_whole(edition: Edition) -> bool:
    """Whether its files are still there: a storage may have been moved or emptied."""
    return all(_edition_storage().exists(_storage_key(edition, name)) for name in STORED)


def _make_edition() -> Edition:
    """Files first, then the row; changes that came in meanwhile stay noted, for the next edition."""
    edition = Edition(name=secrets.token_hex(8))
    with tempfile.TemporaryDirectory() as name:
        with db_locks.repeatable_read():
            changes = list(RecordChange.objects.values_list("pk", flat=True))
            edition.as_of = timezone.now()
            edition.manifest = _edition_manifest(edition, dump.write_dump(Path(name)))
        for path in Path(name).iterdir():
            with path.open("rb") as content:
                _edition_storage().save(_storage_key(edition, path.name), File(content))
    with transaction.atomic():
        edition.save()
        for record_edition in RECORDERS:
            record_edition(edition)
        RecordChange.objects.filter(pk__in=changes).delete()
    return edition


def _edition_manifest(edition: Edition, files: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "edition": edition.name,
        "as_of": edition.as_of.isoformat().replace("+00:00", "Z"),
        "results": Result.objects.filter(erasure=None).count(),
        "measurements": Measurement.objects.filter(result__erasure=None).count(),
        "terms": "/docs/data-terms/",
        "files": files,
    }


def _remove_all_but(edition: Edition) -> None:
    Edition.objects.exclude(pk=edition.pk).delete()
    for other in _edition_storage().listdir(FOLDER)[0]:
        if other != edition.name:
            for name in _edition_storage().listdir(f"{FOLDER}/{other}")[1]:
                _edition_storage().delete(f"{FOLDER}/{other}/{name}")
            _edition_storage().delete(f"{FOLDER}/{other}")


def _storage_key(edition: Edition, name: str) -> str:
    return f"{FOLDER}/{edition.name}/{name}"


def _edition_storage() -> Storage:
    """That of what anybody may read, which replicas have too."""
    return storages["public"]
