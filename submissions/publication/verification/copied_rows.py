"""Copies from published sources: each made again from the data files of this release, and compared with the tables."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from registry.database import rights
from registry.lists import rank_ranges
from registry.loading import catalogue_loader
from registry.log import records
from registry.log.verification import differing_values
from registry.models import CatalogueLoad, RankedList, Release, Result
from registry.query.public_record import Row

AT_ONCE = 200
MOST_NAMED = 10
"""Values of one copy that are named."""
_NOT_LOADED = "not loaded"
"""In place of an institution until a load writes it again: what still has it, the data files do not have."""


class CopiesUnknown(Exception):
    """Copies cannot be made again here, for the reason in the message."""


def copy_breaks() -> tuple[list[str], int]:
    """(what the data files make otherwise, a sentence for each; how many results they do not have).

    The load is taken back. It costs two seconds of CPU time, and waits for other loads and acts on names. Raises
    CopiesUnknown.
    """
    _require_loadable()
    copies = Result.objects.exclude(trust=Result.Trust.VERIFIED).filter(erasure=None)
    before = dict(_copied_bodies())
    with transaction.atomic():
        catalogue_loader.lock_catalogue()
        copies.update(institution=_NOT_LOADED)
        catalogue_loader.write_copies()
        rank_ranges.index_ranges(RankedList.objects.filter(release__imported=True).select_related("definition"))
        unknown = {f"results/{id}" for id in copies.filter(institution=_NOT_LOADED).values_list("public_id", flat=True)}
        expected = dict(_copied_bodies())
        transaction.set_rollback(True)
    sentences = []
    for subject in sorted(before.keys() | expected.keys()):
        if subject not in unknown:
            sentences += _copy_sentences(subject, before.get(subject, {}), expected.get(subject, {}))
    return sentences, len(unknown)


def _require_loadable() -> None:
    """Raises CopiesUnknown where these files were not the last that were loaded, or this log-in may not load them."""
    loaded = CatalogueLoad.objects.order_by("-id").values_list("digest", flat=True).first()
    if loaded != catalogue_loader.files_digest():
        raise CopiesUnknown("no data files of this release were loaded")
    if not rights.owns_tables():
        raise CopiesUnknown("this log-in of the database owns no tables")


def _copied_bodies() -> Iterator[tuple[str, Row]]:
    """(subject, what would be recorded) of each copied result, list and release, as the tables have it now."""
    copies = Result.objects.exclude(trust=Result.Trust.VERIFIED).filter(erasure=None).order_by("pk")
    ids = list(copies.values_list("pk", flat=True))
    for start in range(0, len(ids), AT_ONCE):
        yield from records.result_records(ids[start : start + AT_ONCE])
    lists = RankedList.objects.filter(records.RECORDED_LISTS, release__imported=True)
    yield from records.list_records(list(lists.select_related("release", "definition").order_by("pk")))
    yield from records.release_records(list(Release.objects.filter(imported=True).order_by("pk")))


def _copy_sentences(subject: str, stored: Row, expected: Row) -> list[str]:
    if not stored:
        return [f"{subject}: the data files have it, and it is gone."]
    differing = list(differing_values(expected, stored, ""))
    return [
        f"{subject}: {name} is {value!r:.80}, and the data files make {right_value!r:.80}."
        for name, right_value, value in differing[:MOST_NAMED]
    ]
