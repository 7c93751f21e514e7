"""Addresses of io500.org, each to what the record has of it; for the rest, where the original is.

Which address leads where is `data/routes.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from django.http import Http404, HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.shortcuts import render
from django.utils.cache import patch_cache_control

from registry.models import RankedList, Result
from registry.query import public_record
from registry.query.public_record import NotOnRecord
from registry.query.responses.source_links import IO500
from registry.web.caching import public_page

KEPT_S = 3600
HISTORICAL = "historical"
"""The list that io500.org downloads where none is named."""
_SUBMISSION = re.compile(r"[1-9][0-9]{0,6}")
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9*._/-]{1,150}")
"""What an address of io500.org is made of: nothing else is repeated as a link."""


@public_page
def redirect_address(request: HttpRequest, route: Mapping[str, str], **names: str) -> HttpResponse:
    """301 to the page of the record. 404 with the address of the original where the record has none."""
    try:
        address = route["address"] if "address" in route else _TARGETS[route["leads_to"]](**names)
    except NotOnRecord as missing:
        return _missing_page(request, missing)
    response = HttpResponsePermanentRedirect(address)
    patch_cache_control(response, public=True, max_age=KEPT_S)
    return response


def _missing_page(request: HttpRequest, missing: NotOnRecord) -> HttpResponse:
    if not _PLAIN_PATH.fullmatch(request.path):
        raise Http404
    nearest = [(name, f"/lists/{name}/") for name in missing.nearest]
    context = {"original": f"{IO500}{request.path.rstrip('/')}", "nearest": nearest, "code": missing.code}
    return render(request, "lists/io500_address.html", context, status=404)


def _release_address(release: str) -> str:
    return f"/lists/{public_record.find_release(release).slug}/"


def _call_address(release: str) -> str:
    return f"/releases/{public_record.find_release(release).slug}/"


def _list_address(release: str, list: str) -> str:
    ranked_list = public_record.ranked_list(release, list)
    return f"/lists/{ranked_list.release.slug}/{ranked_list.name}/"


def _download_address(release: str = "", list: str = HISTORICAL) -> str:
    """The list in the columns of io500.org; without a release the newest that is known."""
    if release:
        ranked_list: RankedList | None = public_record.ranked_list(release, list)
    else:
        published = RankedList.objects.filter(name=list, trust=Result.Trust.IMPORTED).select_related("release")
        ranked_list = published.order_by("-release__held_on", "-release_id").first()
    if ranked_list is None:
        raise NotOnRecord("list", list)
    return f"/api/v1/lists/{ranked_list.release.slug}/{ranked_list.name}/?format=io500&page_size=1000"


def _result_address(submission: str) -> str:
    """The result of a submission: its id says which it is."""
    public_id = f"io500-{submission}"
    if not _SUBMISSION.fullmatch(submission) or not Result.objects.filter(public_id=public_id).exists():
        raise NotOnRecord("result", submission)
    return f"/results/{public_id}/"


def _refuse_address(**names: str) -> str:
    """What only io500.org has."""
    raise NotOnRecord("page", "")


_TARGETS: Mapping[str, Callable[..., str]] = {
    "release": _release_address,
    "call": _call_address,
    "list": _list_address,
    "download": _download_address,
    "result": _result_address,
    "elsewhere": _refuse_address,
}
