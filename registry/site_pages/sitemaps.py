"""The sitemap: what of the record has a page that anybody may read, in sections of pages. Nothing else stands in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import sitemap
from django.core.paginator import Paginator
from django.db.models import DateTimeField, Exists, F, OuterRef, QuerySet, Value
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from registry.models import RankedList, Release, Result
from registry.query import public_record
from registry.site_pages import documentation
from registry.web.caching import kept_value, public_page
from registry.web.client_address import site_address
from validators.parameters import parameters

PAGE_LIMIT = 1_000
"""Addresses of one page; sitemaps.org allows 50,000, which take seconds to write."""
PAGES = (
    *("/", "/lists/", "/releases/", "/results/", "/systems/", "/sites/", "/studies/", "/rankings/", "/generations/"),
    *("/hardware/", "/parameters/", "/parameters/shared/", "/sizing/", "/stragglers/", "/analysis/io500/", "/compare/"),
    *("/about/", "/client/", "/docs/", "/docs/rules/"),
)

Item = tuple[Any, ...]


class _Section(Sitemap):  # type: ignore[type-arg]  # it takes none at run time
    """Addresses under the one of this site: the one that is set, else the one that was asked for."""

    limit = PAGE_LIMIT

    def get_domain(self, site: Any = None) -> str:
        return urlsplit(settings.SITE_URL).netloc or super().get_domain(site)

    def get_protocol(self, protocol: str | None = None) -> str:
        return urlsplit(settings.SITE_URL).scheme or super().get_protocol(protocol)


class PathSection(_Section):
    """Pages that are known without the database."""

    def __init__(self, make_paths: Callable[[], Iterable[str]]) -> None:
        self._make_paths = make_paths

    def items(self) -> Sequence[str]:
        return list(self._make_paths())

    def first_keys(self) -> Sequence[int]:
        """Where each page begins."""
        return range(0, len(self.items()), self.limit)

    def location(self, item: str) -> str:
        return item


class RowSection(_Section):
    """Pages of rows. `make_rows` gives the parts of a path in the order of `pattern`, and when it changed or null."""

    def __init__(self, pattern: str, make_rows: Callable[[], QuerySet[Any, Item]]) -> None:
        self._pattern, self._make_rows = pattern, make_rows

    def items(self) -> QuerySet[Any, Item]:
        return self._make_rows()

    def first_keys(self) -> Sequence[int]:
        """Where each page begins."""
        return list(self._make_rows().values_list("pk", flat=True))[:: self.limit]

    def location(self, item: Item) -> str:
        return self._pattern.format(*item[:-1])

    def lastmod(self, item: Item) -> datetime | None:
        changed: datetime | None = item[-1]
        return changed


class _SectionPage(RowSection):
    """A section for one answer: it reads the rows of the page that is asked for, and none before them."""

    def __init__(self, section: RowSection, first_keys: Sequence[int]) -> None:
        super().__init__(section._pattern, lambda: self._rows)
        self._first_keys, self._rows = first_keys, section.items()

    def get_urls(self, page: int | str = 1, site: Any = None, protocol: str | None = None) -> list[dict[str, Any]]:
        """Addresses of one page. Raises InvalidPage where there is none such."""
        number = Paginator(self._first_keys, 1).validate_number(page)
        bounds = self._first_keys[number - 1 : number + 1]
        for comparison, key in zip(("pk__gte", "pk__lt"), bounds, strict=False):
            self._rows = self._rows.filter(**{comparison: key})
        len(self._rows)  # reads them, so that the only page of these rows needs no count
        return super().get_urls(1, site, protocol)


_NOT_KNOWN = Value(None, output_field=DateTimeField())


def _list_results() -> QuerySet[Any, Item]:
    """Those that count today, since they were published or recorded: neither withdrawn nor revised."""
    changed = Coalesce(F("published_at"), F("recorded_at"))
    return public_record.current_results().order_by("pk").values_list("public_id", changed)


def _list_entries() -> QuerySet[Any, Item]:
    published = RankedList.objects.filter(frozen_at__isnull=False).order_by("pk")
    return published.values_list("release__slug", "name", "frozen_at")


def _list_systems() -> QuerySet[Any, Item]:
    """Those that results stand under."""
    with_results = Exists(Result.objects.filter(system=OuterRef("pk")))
    return public_record.current_systems().filter(with_results).order_by("pk").values_list("slug", _NOT_KNOWN)


RECORD: dict[str, PathSection | RowSection] = {
    "pages": PathSection(lambda: PAGES),
    "lists": RowSection("/lists/{}/{}/", _list_entries),
    "releases": RowSection(
        "/releases/{}/", lambda: Release.objects.order_by("pk").values_list("slug", F("published_at"))
    ),
    "results": RowSection("/results/{}/", _list_results),
    "systems": RowSection("/systems/{}/", _list_systems),
    "sites": RowSection(
        "/sites/{}/", lambda: public_record.current_sites().order_by("pk").values_list("slug", _NOT_KNOWN)
    ),
    "platforms": RowSection(
        "/platforms/{}/", lambda: public_record.current_platforms().order_by("pk").values_list("slug", _NOT_KNOWN)
    ),
    "parameters": PathSection(lambda: (f"/parameters/{id}/" for id in parameters())),
    "docs": PathSection(lambda: (f"/docs/{slug}/" for slug in documentation.render_pages())),
}


def _first_keys(sections: dict[str, PathSection | RowSection]) -> dict[str, Sequence[int]]:
    """Where each page of each section begins: looked up once for each state of the record."""
    pages = ",".join(f"{name}-{section.limit}" for name, section in sections.items())
    return kept_value(f"sitemap-2:{pages}", lambda: {name: section.first_keys() for name, section in sections.items()})


@public_page
def sitemap_index(request: HttpRequest, sections: dict[str, PathSection | RowSection]) -> HttpResponse:
    """The pages of all sections."""
    home, keys = site_address(request), _first_keys(sections)
    pages = [
        f"{home}/sitemap-{name}.xml" + (f"?p={number}" if number > 1 else "")
        for name in sections
        for number in range(1, max(len(keys[name]), 1) + 1)
    ]
    return render(request, "site_pages/sitemap_index.xml", {"pages": pages}, content_type="application/xml")


@public_page
def sitemap_section(request: HttpRequest, sections: dict[str, PathSection | RowSection], section: str) -> HttpResponse:
    """One page of a section. 404 for a section or page that is not there."""
    chosen = sections.get(section)
    if isinstance(chosen, RowSection):
        sections = {section: _SectionPage(chosen, _first_keys(sections)[section])}
    response = sitemap(request, {**sections}, section=section)
    response.render()
    return response
