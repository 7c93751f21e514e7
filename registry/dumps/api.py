"""export/: the whole public record as files."""

from __future__ import annotations

from django.http import FileResponse, HttpResponse, JsonResponse, StreamingHttpResponse
from django.utils.http import http_date, quote_etag
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from registry.dumps import dump, editions
from registry.dumps import responses as shape
from registry.models import Edition
from registry.query.dump_files import DUMP_FILES
from registry.query.public_record import NotOnRecord
from registry.web import responses as web_responses
from registry.web.api_base import PublicRead, api_address, not_modified

KIND = DUMP_FILES | {editions.MANIFEST: "application/json"}
Answer = HttpResponse | StreamingHttpResponse


class ExportList(PublicRead):
    """The files that there are; manifest.json says their size and sha256."""

    @extend_schema(operation_id="export_list", responses=shape.ExportPage)
    def get(self, request: Request) -> Response:
        rows = [
            {"name": name, "url": api_address(request, "export", name).rstrip("/"), "media_type": kind}
            for name, kind in KIND.items()
        ]
        return Response({"next": None, "results": rows})


class ExportFile(PublicRead):
    """One file of the whole record.

    Its ETag is the edition of the record, which the manifest names; CSV and NDJSON, which tell the record as it is now,
    have none while a change waits for its edition. Until a first edition lies ready, and where a change waits for more
    than ten minutes, the other files are refused with 503 and Retry-After.
    """

    @extend_schema(
        operation_id="export_read",
        parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(KIND))],
        responses={
            (200, kind.partition(";")[0]): OpenApiTypes.OBJECT if name == editions.MANIFEST else OpenApiTypes.BINARY
            for name, kind in KIND.items()
        }
        | web_responses.NOT_FOUND,
    )
    def get(self, request: Request, name: str) -> Answer:
        if name not in KIND:
            raise NotOnRecord("export", name, list(KIND))
        edition = editions.current_edition() if name in dump.STREAMS else editions.edition_to_serve()
        if edition and (held := not_modified(request, quote_etag(edition.name))):
            return held
        answer = StreamingHttpResponse(()) if request.method == "HEAD" else _edition_response(edition, name)
        answer["Content-Type"] = KIND[name]
        inline = name == editions.MANIFEST
        answer["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{name}"'
        if edition:
            answer["ETag"] = quote_etag(edition.name)
            answer["Last-Modified"] = http_date(edition.as_of.timestamp())
        return answer


def _edition_response(edition: Edition | None, name: str) -> Answer:
    if edition is None or name in dump.STREAMS:
        return StreamingHttpResponse(dump.STREAMS[name]())
    if name == editions.MANIFEST:
        return JsonResponse(edition.manifest)
    return FileResponse(editions.open_file(edition, name))
