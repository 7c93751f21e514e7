"""export/: the whole public record as files, and some of its results as CSV or NDJSON."""

from __future__ import annotations

from django.db.models import Q
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import patch_vary_headers
from django.utils.http import http_date, quote_etag
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.dumps import dump, editions, live_streams, stored_files
from registry.dumps import responses as shape
from registry.models import Edition
from registry.query.dump_files import DUMP_FILES
from registry.query.public_record import NotOnRecord
from registry.query.questions import filters
from registry.web import responses as web_responses
from registry.web.api_base import COMMON_NAMES, PublicRead, api_address, not_modified
from registry.web.paging import query_parameters

KIND = DUMP_FILES | {editions.MANIFEST: "application/json"}
SCHEMA = {editions.MANIFEST: OpenApiTypes.OBJECT} | dict.fromkeys(dump.STREAMS, OpenApiTypes.STR)
"""What openapi.json says of a file; the others are binary."""
Answer = HttpResponse | StreamingHttpResponse


class ExportList(PublicRead):
    """The files that there are; manifest.json says their size and sha256."""

    @extend_schema(operation_id="export_list", responses=shape.ExportPage)
    def get(self, request: Request) -> Response:
        rows = [
            shape.ExportRow(name=name, url=api_address(request, "export", name).rstrip("/"), media_type=kind)
            for name, kind in KIND.items()
        ]
        return Response(shape.ExportPage(next=None, results=rows))


class ExportFile(PublicRead):
    """One file of the whole record, or with the filters of results/ some results of it as CSV or NDJSON.

    The files are those of an edition, which the manifest names and their ETag is; the last edition is served until the
    next one is whole. Parts of a file (Range) can be asked for, but of CSV and NDJSON, which are sent with gzip to whom
    takes that. Until a first edition lies ready, and while one is made without what was erased, files are refused with
    503 and Retry-After, and CSV and NDJSON made for who asks. So are answers with a filter, at most two at once by each
    process: who comes then is refused with 503, too.
    """

    query_names = filters.RESULT_NAMES
    query_prefixes = (filters.PARAMETER,)

    @extend_schema(
        operation_id="export_read",
        parameters=[
            OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(KIND)),
            *query_parameters((*filters.RESULT_NAMES, "p.NAME")),
        ],
        responses={(200, kind.partition(";")[0]): SCHEMA.get(name, OpenApiTypes.BINARY) for name, kind in KIND.items()}
        | web_responses.NOT_FOUND
        | web_responses.UNAVAILABLE,
    )
    def get(self, request: Request, name: str) -> Answer:
        if name not in KIND:
            raise NotOnRecord("export", name, list(KIND))
        if name not in dump.STREAMS:
            filters.refuse_unknown(request.query_params, COMMON_NAMES)
        elif filtered := filters.without_names(request.query_params, COMMON_NAMES):
            return _describe(_live_response(request, name, filters.result_conditions(filtered)), name)
        try:
            edition = editions.edition_to_serve()
            return _describe(_edition_response(request, edition, name), name, edition)
        except editions.EditionPending:
            if name not in dump.STREAMS:
                raise
        return _describe(_live_response(request, name, None), name)


def _describe(answer: Answer, name: str, edition: Edition | None = None) -> Answer:
    """An answer with what is said of the file, be it whole, a part of it or made for who asks."""
    if answer.status_code not in (200, 206):
        return answer
    answer["Content-Type"] = KIND[name]
    inline = name == editions.MANIFEST
    answer["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{name}"'
    if name in dump.STREAMS:
        patch_vary_headers(answer, ("Accept-Encoding",))
    if edition:
        answer["Last-Modified"] = http_date(edition.as_of.timestamp())
    return answer


def _live_response(request: Request, name: str, condition: Q | None) -> Answer:
    """Rows that are read while they are sent. Raises TooManyStreams."""
    if request.method == "HEAD":
        return StreamingHttpResponse(())
    stream = live_streams.STREAMS_OF_PROCESS.begin_stream(lambda: dump.STREAMS[name](condition))
    return StreamingHttpResponse(stream)


def _edition_response(request: Request, edition: Edition, name: str) -> Answer:
    """A file of an edition, a part of it, 304 or 416. Raises EditionPending."""
    is_packed = name in dump.STREAMS and bool(re_accepts_gzip.search(request.headers.get("Accept-Encoding", "")))
    etag = quote_etag(f"{edition.name}-gzip" if is_packed else edition.name)
    if held := not_modified(request, etag):
        return held
    if name == editions.MANIFEST:
        answer: Answer = JsonResponse(edition.manifest)
    elif name in dump.STREAMS:
        answer = _text_response(request, edition, name, is_packed=is_packed)
    else:
        answer = _stored_response(request, edition, name, etag)
    if answer.status_code in (200, 206):
        answer["ETag"] = etag
    return answer


def _text_response(request: Request, edition: Edition, name: str, *, is_packed: bool) -> Answer:
    """A file that is stored compressed, as it is stored or unpacked."""
    file = editions.open_file(edition, f"{name}.gz")
    size = file.size if is_packed else _size_in_manifest(edition, name)
    if request.method == "HEAD":
        file.close()
        answer = StreamingHttpResponse(())
    else:
        packed_bytes = stored_files.FilePart(file, stored_files.Part(0, file.size - 1))
        answer = StreamingHttpResponse(packed_bytes if is_packed else stored_files.UnpackedFile(file))
    if is_packed:
        answer["Content-Encoding"] = "gzip"
    if size is not None:
        answer["Content-Length"] = str(size)
    return answer


def _size_in_manifest(edition: Edition, name: str) -> int | None:
    return next((file["size"] for file in edition.manifest["files"] if file["name"] == name), None)


def _stored_response(request: Request, edition: Edition, name: str, etag: str) -> Answer:
    """A file as it is stored, or the part of it that is asked for; a part of another edition is none of this one."""
    file = editions.open_file(edition, name)
    size = file.size
    range_header = request.headers.get("Range", "") if request.headers.get("If-Range", etag) == etag else ""
    try:
        part = stored_files.find_part(range_header, size) if request.method == "GET" else None
    except stored_files.NoSuchPart:
        file.close()
        return HttpResponse(status=416, headers={"Content-Range": f"bytes */{size}"})
    sent = part or stored_files.Part(0, size - 1)
    if request.method == "HEAD":
        file.close()
    answer = StreamingHttpResponse(() if request.method == "HEAD" else stored_files.FilePart(file, sent))
    answer["Content-Length"], answer["Accept-Ranges"] = str(sent.byte_count), "bytes"
    if part:
        answer.status_code = 206
        answer["Content-Range"] = f"bytes {part.first}-{part.last}/{size}"
    return answer
