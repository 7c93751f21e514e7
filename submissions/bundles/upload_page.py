"""Uploads by form: the file is stored while it arrives."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest

from registry.errors import Problem
from submissions.bundles.storage import BundleUploadHandler


class TooManyUploads(Problem):
    status = 429
    code = "request.throttled"
    title = "Too many uploads"
    hint = "Wait some minutes and send it again."


@contextmanager
def stream_upload(request: HttpRequest) -> Iterator[None]:
    """The file of a form goes to the storage while it arrives; what was not kept is forgotten."""
    handler = BundleUploadHandler(request)
    request.upload_handlers = [handler]
    try:
        yield
    finally:
        if handler.file is not None:
            handler.file.close()
