"""The log on the web: its files as C2SP tlog-tiles has them, its keys, and the page that explains it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from registry.log import log_files, tiles
from registry.log.overview import log_overview
from registry.log.signing import verifier_keys

IMMUTABLE = "public, max-age=31536000, immutable"
CURRENT = "public, max-age=10"


@require_safe
def log_page(request: HttpRequest) -> HttpResponse:
    """What the log is, what it proves and what not, its newest checkpoint and how to check a result."""
    return render(request, "log/log.html", {"section": "log", "log": log_overview()})


@require_safe
def checkpoint_file(request: HttpRequest) -> HttpResponse:
    """The newest signed checkpoint, as it was published."""
    return _file_answer(log_files.read_file(log_files.CHECKPOINT), CURRENT, "text/plain; charset=utf-8")


@require_safe
def tile_file(request: HttpRequest, path: str) -> HttpResponse:
    """A tile or a bundle of entries. What lies under a name never changes."""
    named = tiles.parse_path(path)
    return _file_answer(log_files.read_tile(*named) if named else None, IMMUTABLE, "application/octet-stream")


@require_safe
def key_file(request: HttpRequest) -> HttpResponse:
    """The verifier keys that signed checkpoints here, one a line, the newest first."""
    return _file_answer("".join(f"{key}\n" for key in verifier_keys()).encode(), CURRENT, "text/plain; charset=utf-8")


def _file_answer(content: bytes | None, caching: str, kind: str) -> HttpResponse:
    if content is None:
        raise Http404
    headers = {"Cache-Control": caching, "Access-Control-Allow-Origin": "*"}
    return HttpResponse(content, content_type=kind, headers=headers)
