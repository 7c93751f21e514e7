"""The results that a reader keeps to compare: in the address alone, as `r=ID` once for each."""

from __future__ import annotations

from functools import cached_property
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_safe

from registry.query import public_record
from registry.query.questions.filters import VALUE_LIMIT
from registry.query.questions.id_lists import MOST_COMPARED, MOST_IDS
from registry.query.row_sources import PUBLIC, RowSource

NAME = "r"
START = "/results/"
"""Where a reader goes on whose way back is not ours."""


def kept_ids(query: QueryDict) -> list[str]:
    """The distinct ids that `r` names, in their order, at most as many as a comparison takes. No query."""
    return _named_ids(query)[:MOST_COMPARED]


def _named_ids(query: QueryDict) -> list[str]:
    """The distinct ids that `r` names, without what can be no id."""
    texts = [text.strip() for text in query.getlist(NAME)]
    return [text for text in dict.fromkeys(texts) if text and len(text) <= VALUE_LIMIT and "\0" not in text][:MOST_IDS]


class Tray:
    """The choice of one address, for templates. One query, when `rows` or what follows from them is read."""

    def __init__(self, query: QueryDict, source: RowSource = PUBLIC) -> None:
        self._query, self._source = query, source
        self.ids = kept_ids(query)
        self.dropped = len(_named_ids(query)) - len(self.ids)
        self.most = MOST_COMPARED

    @property
    def query(self) -> str:
        """`r=A&r=B`, to go on with; "" where nothing is kept."""
        return urlencode({NAME: self.ids}, doseq=True)

    @property
    def suffix(self) -> str:
        """`query` behind an address that has none of its own."""
        return f"?{self.query}" if self.ids else ""

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """Each kept result of the record: id, name, and the address of this page without it."""
        names = public_record.names_by_id(self.ids, self._source)
        known_ids = [public_id for public_id in self.ids if public_id in names]
        return [
            {
                "id": public_id,
                **names[public_id],
                "removal": self._address_with([other for other in known_ids if other != public_id]),
            }
            for public_id in known_ids
        ]

    @property
    def unknown(self) -> list[str]:
        """Kept ids that no result of the record has."""
        known_ids = {row["id"] for row in self.rows}
        return [public_id for public_id in self.ids if public_id not in known_ids]

    @property
    def comparison(self) -> str:
        """The address of the comparison of the kept results."""
        ids = ",".join(row["id"] for row in self.rows)
        return f"/compare/?{urlencode({'results': ids}, safe=',')}"

    @property
    def cleared(self) -> str:
        """The address of this page with nothing kept."""
        return self._address_with([])

    def _address_with(self, ids: list[str]) -> str:
        query = self._query.copy()
        query.setlist(NAME, ids)
        return f"?{query.urlencode()}"


def is_closed_to(request: HttpRequest) -> bool:
    """Whether the registry is closed, and nobody is signed in."""
    return settings.READ_REQUIRES_LOGIN and not getattr(getattr(request, "user", None), "is_authenticated", False)


def tray_context(request: HttpRequest) -> dict[str, Tray]:
    """The tray of the address. It asks the database nothing before a template reads its rows.

    On a closed registry the tray of a stranger is empty: their pages are those that sign in, whatever the address says.
    """
    return {"tray": Tray(QueryDict() if is_closed_to(request) else request.GET, getattr(request, "row_source", PUBLIC))}


@require_safe
def keep_results(request: HttpRequest) -> HttpResponse:
    """Back to the page whose rows were ticked, with the ticked results kept beside those of before."""
    back = urlsplit(_local_address(request.GET.get("back", "")))
    query = QueryDict(back.query, mutable=True)
    ticked = [text for listed in request.GET.getlist("results") for text in listed.split(",")]
    query.setlist(NAME, [*query.getlist(NAME), *ticked])
    query.setlist(NAME, _named_ids(query))
    encoded = query.urlencode()
    return redirect(f"{back.path}?{encoded}" if encoded else back.path)


def _local_address(text: str) -> str:
    """The address where it is a path of this site; otherwise the page of all results."""
    is_local = text.startswith("/") and url_has_allowed_host_and_scheme(text, allowed_hosts=None)
    return text if is_local and not any(character < " " for character in text) else START
