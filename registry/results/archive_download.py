"""Stored archives as downloads."""

from __future__ import annotations

import base64
from collections.abc import Iterator

from django.core.files import File
from django.core.files.storage import Storage, storages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.utils.cache import patch_cache_control
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from registry.errors import Problem
from registry.query import public_record, stored_bytes
from registry.web.error_pages import refusal_page


class CopyWithheld(Problem):
    status = 409
    code = "files.quarantined"
    title = "The copy of this run is in quarantine"
    hint = "A private key or a live token was found in it. It is kept, and shown to nobody until an editor decides."


class CopyGone(Problem):
    status = 410
    code = "files.gone"
    title = "The stored bytes are gone"
    hint = (
        "The storage of this registry no longer holds this copy. The numbers of the run stay; its files can't be read."
    )


@require_safe
def published_copy(request: HttpRequest, public_id: str) -> HttpResponse | StreamingHttpResponse:
    """The scrubbed copy of a published run. Its bytes never change, so it may be kept for ever."""
    result = public_record.find_result(public_id)
    if not result.public_sha256:
        raise Http404
    if result.copy_withheld_at:
        return refusal_page(request, CopyWithheld())
    try:
        response = archive_response(storages["public"], result.public_sha256, f"{result.public_id}.tar.gz")
    except Http404:
        return refusal_page(request, CopyGone())
    except (stored_bytes.StorageAway, stored_bytes.DamagedBytes) as problem:
        return refusal_page(request, problem)
    response["ETag"] = f'"{result.public_sha256}"'
    patch_cache_control(response, public=True, max_age=86_400, immutable=True)
    return response


class CheckedDownload(StreamingHttpResponse):
    """Stored bytes, hashed while they are sent: of damaged ones the end never comes, and the connection breaks off."""

    def __init__(self, file: File[bytes], storage: Storage, sha256: str, name: str) -> None:
        """Raises DamagedBytes at once where the bytes are no longer than one piece."""
        size = file.size
        pieces = stored_bytes.checked_chunks(file, storage, sha256)
        super().__init__(_begun_pieces(next(pieces, b""), pieces), content_type="application/octet-stream")
        self["Content-Length"] = str(size)
        self["Content-Disposition"] = content_disposition_header(True, name)
        self["Repr-Digest"] = f"sha-256=:{base64.b64encode(bytes.fromhex(sha256)).decode()}:"


def _begun_pieces(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest


def archive_response(storage: Storage, sha256: str, name: str) -> CheckedDownload:
    """Stored bytes as an attachment that no browser interprets, with their digest (RFC 9530).

    Raises Http404 where the storage has none, StorageAway where it does not answer, DamagedBytes.
    """
    try:
        file = stored_bytes.open_bytes(storage, sha256)
    except FileNotFoundError as error:
        raise Http404 from error
    return CheckedDownload(file, storage, sha256, name)
