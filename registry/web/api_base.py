"""What every address of the public read API has in common: who may, in which form, and how it may be kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, QueryDict
from django.utils.cache import patch_cache_control
from django.utils.http import parse_etags, quote_etag
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS, AllowAny
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from registry.query import cursor_pages
from registry.query.public_record import MovedOnRecord
from registry.query.questions import filters
from registry.query.responses import csv_safe
from registry.query.row_sources import PUBLIC, RowSource
from registry.web.moved import redirect_moved
from registry.web.renderers import JSONRenderer
from registry.web.throttles import PictureThrottle

FRESH_S = 60
MOST_IN_HEADER = 5
COMMON_NAMES = ("format",)


class StatedFormats(DefaultContentNegotiation):
    """An unknown `?format=` is refused like an unknown Accept: 406 with the formats that there are."""

    def filter_renderers(self, renderers: Iterable[BaseRenderer], format: str) -> list[BaseRenderer]:
        """Return the renderers of a format. Raises NotAcceptable where there is none."""
        renderers = list(renderers)
        fitting = [renderer for renderer in renderers if renderer.format == format]
        if not fitting:
            formats = ", ".join(renderer.format for renderer in renderers)
            raise NotAcceptable(f"Formats of this address: {formats}.")
        return fitting


class CSVRenderer(BaseRenderer):
    """Rows of `Table` as CSV in UTF-8 with one header line (RFC 4180)."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"

    def render(self, data: Table, accepted_media_type: str | None = None, renderer_context: Any = None) -> bytes:
        rows = ([row[column] for column in data.columns] for row in data.rows)
        return csv_safe.csv_lines([data.columns, *rows]).encode()


class Table:
    """Rows under named columns, on their way to CSV."""

    def __init__(self, columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> None:
        self.columns = list(columns)
        self.rows = rows


class PublicRead(APIView):
    """Reading needs no account and looks at no cookie, so that answers can be shared and kept.

    A subclass may add methods that write: they authenticate and ask permission as the settings, or its own
    `permission_classes`, say. `query_names` are the names that the query may have.
    """

    content_negotiation_class = StatedFormats
    renderer_classes = [JSONRenderer]
    query_names: tuple[str, ...] = ()
    query_prefixes: tuple[str, ...] = ()

    def asked_source(self) -> RowSource:
        """What questions of this address are asked of."""
        return PUBLIC

    def question_query(self) -> QueryDict:
        """The query, without what says whose rows are asked."""
        return self.request.query_params

    @classmethod
    def asks_private(cls, request: HttpRequest | Request) -> bool:
        """Whether a request is for one account alone; then it has to say whose it is, and nobody keeps the answer."""
        return False

    def get_authenticators(self) -> list[Any]:
        return [] if self._reads() else super().get_authenticators()

    def get_permissions(self) -> Sequence[Any]:
        return [AllowAny()] if self._reads() else super().get_permissions()

    def get_throttles(self) -> list[BaseThrottle]:
        """A picture counts as one, too, by the form that was agreed on: a browser accepts pictures everywhere."""
        renderer = getattr(self.request, "accepted_renderer", None)
        is_drawn = getattr(renderer, "media_type", "").startswith("image/")
        return [*super().get_throttles(), *([PictureThrottle()] if is_drawn else [])]

    def _reads(self) -> bool:
        """Whether the method only reads, or is none of this address: then it is refused as such, account or not."""
        request = getattr(self, "request", None)
        if request is None:
            return True
        if self.asks_private(request):
            return False
        return request.method in SAFE_METHODS or request.method not in self.allowed_methods

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if request.method in ("GET", "HEAD"):
            filters.refuse_unknown(request.query_params, (*self.query_names, *COMMON_NAMES), self.query_prefixes)

    def handle_exception(self, exc: Exception) -> Any:
        """A former name leads to the address of today; the answer there has its slug."""
        if isinstance(exc, MovedOnRecord) and self.request.method in ("GET", "HEAD"):
            return redirect_moved(self.request._request, exc)
        return super().handle_exception(exc)

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Response:
        """What may be done here, also for a browser that asks before a script reads from another host."""
        allowed = ", ".join(self.allowed_methods)
        return Response(status=204, headers={"Allow": allowed, "Access-Control-Allow-Headers": "If-None-Match"})

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(request, response, *args, **kwargs)
        if isinstance(response, Response) and (response.exception or request.method == "OPTIONS"):
            # A form of the address (CSV, BibTeX) cannot write a problem, or nothing at all.
            response.accepted_renderer = JSONRenderer()
        if self._reads():
            response["Access-Control-Allow-Origin"] = "*"
            response["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
            response["Access-Control-Expose-Headers"] = "ETag, Link, Retry-After, Unknown-Values"
            if "Cache-Control" not in response and response.status_code == 200:
                patch_cache_control(response, public=True, no_cache=True)
            if response.status_code == 200 and request.method in ("GET", "HEAD"):
                _offer_304(request, response)
        elif self.asks_private(request):
            response["Cache-Control"] = "private, no-store"
        return response


def _offer_304(request: Request, response: Response) -> None:
    """Once the answer is written, give it its ETag, and answer 304 to a caller who has it already."""

    def settle(written: HttpResponse) -> HttpResponse | None:
        if not written.has_header("ETag"):
            written["ETag"] = quote_etag(hashlib.sha256(written.content).hexdigest())
        return not_modified(request, written["ETag"], written)

    if isinstance(response, Response):
        response.add_post_render_callback(settle)


def not_modified(request: Request, etag: str, like: HttpResponse | None = None) -> HttpResponse | None:
    """304 if the caller holds this ETag (a proxy may have weakened it), else None."""
    held = [tag.removeprefix("W/") for tag in parse_etags(request.headers.get("If-None-Match", ""))]
    if etag not in held and "*" not in held:
        return None
    answer = HttpResponseNotModified()
    for name in ("Cache-Control", "Vary", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers"):
        if like is not None and name in like:
            answer[name] = like[name]
    answer["ETag"] = etag
    return answer


def answer_etag(request: Request, *facts: Any) -> str:
    """The ETag of an answer that follows from `facts`, the address and the query, whatever order that is in."""
    query = sorted((name, value) for name, values in request.query_params.lists() for value in values)
    parts = [request.build_absolute_uri(request.path), request.accepted_renderer.format, query, facts]
    return quote_etag(hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest())


def page_size(request: Request, usual: int, largest: int) -> int:
    """`page_size` of the query, from 1 to `largest`. Raises InvalidValue."""
    value = request.query_params.get("page_size") or str(usual)
    try:
        size = filters.whole_number(value)
    except ValueError:
        size = 0
    if not 1 <= size <= largest:
        raise filters.InvalidValue("page_size", f"a whole number from 1 to {largest}")
    return size


def requested_order(
    request: Request, keys: Mapping[str, cursor_pages.Key], usual: str, tie: str, *, tie_follows: bool
) -> cursor_pages.Order:
    """The order that the query asks for. Raises InvalidValue with the orders that there are."""
    order = cursor_pages.chosen_order(keys, request.query_params.get("ordering") or usual, tie, tie_follows=tie_follows)
    if order is None:
        raise filters.InvalidValue("ordering", f"one of {', '.join(keys)}, or one with - before it")
    return order


def next_address(request: Request, cursor: str | None) -> str | None:
    """The address of the page after this one, None on the last."""
    if cursor is None:
        return None
    query = request.query_params.copy()
    query["cursor"] = cursor
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def unknown_values_header(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """What a table tells of values that no result has, as JSON in ASCII; nothing where there are none."""
    brief = [{name: row[name] for name in ("name", "value", "nearest")} for row in rows[:MOST_IN_HEADER]]
    return {"Unknown-Values": json.dumps(brief)} if brief else {}


def download_response(document: Any, filename: str) -> Response:
    """A JSON document that is saved under a name of its own."""
    return Response(document, headers={"Content-Disposition": f'attachment; filename="{filename}"'})


def api_address(request: Request, *parts: str) -> str:
    """The absolute address of something below /api/v1/."""
    return request.build_absolute_uri("/api/v1/" + "".join(f"{part}/" for part in parts))
