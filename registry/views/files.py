"""Stored archives as downloads."""

from __future__ import annotations

from django.core.files.storage import Storage, storages
from django.http import FileResponse, Http404, HttpRequest
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from registry import record


@require_safe
def published_copy(request: HttpRequest, public_id: str) -> FileResponse:
    """The scrubbed copy of a published run. Its bytes never change, so it may be kept for ever."""
    result = record.result(public_id)
    if not result.public_sha256:
        raise Http404
    response = archive(storages["public"], result.public_sha256, f"{result.public_id}.tar.gz")
    response["ETag"] = f'"{result.public_sha256}"'
    patch_cache_control(response, public=True, max_age=86_400, immutable=True)
    return response


def archive(storage: Storage, sha256: str, name: str) -> FileResponse:
    """Stored bytes as an attachment that no browser interprets. Raises Http404 where the storage has none."""
    key = f"{sha256[:2]}/{sha256[2:4]}/{sha256}"
    if not storage.exists(key):
        raise Http404
    return FileResponse(storage.open(key), as_attachment=True, filename=name, content_type="application/octet-stream")
