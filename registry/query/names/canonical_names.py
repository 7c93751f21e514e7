"""Canonical names: what a printed file system, vendor or institution is called across the record.

The tables are data (registry/query/data/aliases/*.json), each row with its reason and the place where the text is
printed. The printed text itself is never changed; a name without a row is its own canonical name. Slugs of new sites
and systems are made here too, by one rule for what is imported and what is published.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from django.utils.text import slugify

from registry.query.names.text_folding import fold_text

ALIASES = Path(__file__).parent.parent / "data" / "aliases"


def plain_text(text: str) -> str:
    """A text in one line and without characters that nobody sees, or that turn the direction of others."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


@dataclass(frozen=True)
class AliasTable:
    """Rows {printed, canonical, why, source}, some with `when`: facts of the entry that must be printed as well."""

    rows: tuple[Mapping[str, Any], ...]

    def canonical(self, printed_name: str, **facts: str) -> str:
        """The canonical name for `printed_name`; letter case and spacing do not matter."""
        key = fold_text(printed_name)
        for row in self._by_printed.get(key, ()):
            if all(fold_text(facts.get(name)) == fold_text(value) for name, value in row.get("when", {}).items()):
                return str(row["canonical"])
        return self._canonical_spelling.get(key, " ".join(printed_name.split()))

    @cached_property
    def _by_printed(self) -> dict[str, list[Mapping[str, Any]]]:
        rows: dict[str, list[Mapping[str, Any]]] = {}
        for row in self.rows:
            rows.setdefault(fold_text(row["printed"]), []).append(row)
        return rows

    @cached_property
    def _canonical_spelling(self) -> dict[str, str]:
        return {fold_text(row["canonical"]): row["canonical"] for row in self.rows}


@dataclass(frozen=True)
class Names:
    """The alias tables together."""

    filesystem_types: AliasTable
    vendors: AliasTable
    sites: AliasTable
    platforms: Mapping[str, str]
    """Slugs by what else people call a platform, folded."""

    def family(self, filesystem_type: str, storage_vendor: str = "", filesystem_name: str = "") -> str:
        """The file-system family, e.g. Lustre for EXAScaler; empty where nothing printed tells."""
        return self.filesystem_types.canonical(
            filesystem_type, storage_vendor=storage_vendor, filesystem_name=filesystem_name
        )

    def vendor(self, printed_name: str) -> str:
        return self.vendors.canonical(printed_name)

    def site(self, institution: str) -> str:
        return self.sites.canonical(institution)


def read_names(folder: Path = ALIASES) -> Names:
    platforms = json.loads((folder / "platforms.json").read_text(encoding="utf-8"))
    return Names(
        filesystem_types=_load_table(folder / "filesystem_types.json"),
        vendors=_load_table(folder / "vendors.json"),
        sites=_load_table(folder / "sites.json"),
        platforms={fold_text(name): row["slug"] for row in platforms for name in row.get("also", ())},
    )


def _load_table(path: Path) -> AliasTable:
    return AliasTable(tuple(json.loads(path.read_text(encoding="utf-8"))))


def system_slug(site_slug: str, name: str, taken: set[str]) -> str:
    """The slug of a new system, after its site's; it is taken from then on."""
    return free_slug(f"{site_slug}-{slugify(name) or 'unnamed'}"[:150], taken)


def free_slug(preferred: str, taken: set[str]) -> str:
    """`preferred`, or with the first free number behind it; it is taken from then on."""
    slug, number = preferred, 2
    while slug in taken:
        slug, number = f"{preferred}-{number}", number + 1
    taken.add(slug)
    return slug
