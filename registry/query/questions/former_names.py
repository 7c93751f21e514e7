"""Former names of institutions, systems and platforms, as addresses have them."""

from __future__ import annotations

from collections.abc import Collection

from registry.models.identities import MODELS
from registry.query import public_record


def former_slugs(kind: str, ids: Collection[int]) -> dict[int, list[str]]:
    """By primary key the slugs of former names that stood in the record and lead there, in order. One query."""
    slugs_by_row: dict[int, list[str]] = {}
    rows = MODELS[kind]._default_manager.filter(public_record.is_public_name(kind), merged_into__in=ids)
    for pk, slug in rows.order_by("slug").values_list("merged_into", "slug"):
        if pk is not None:
            slugs_by_row.setdefault(pk, []).append(slug)
    return slugs_by_row
