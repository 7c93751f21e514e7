"""export/: the whole public record as files."""

from __future__ import annotations

from django.http import FileResponse, HttpResponse, StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from registry import exporting
from registry.api import serializers as shape
from registry.api.reading import PublicRead, link, unchanged
from registry.record import NotOnRecord


class ExportRow(serializers.Serializer):
    name = serializers.CharField()
    url = serializers.URLField()
    media_type = serializers.CharField()


class ExportPage(serializers.Serializer):
    next = serializers.CharField(allow_null=True)
    results = ExportRow(many=True)


class ExportList(PublicRead):
    """The files that there are; manifest.json says their size and sha256."""

    @extend_schema(operation_id="export_list", responses=ExportPage)
    def get(self, request: Request) -> Response:
        rows = [
            {"name": name, "url": link(request, "export", name).rstrip("/"), "media_type": kind}
            for name, kind in exporting.KIND.items()
        ]
        return Response({"next": None, "results": rows})


class ExportFile(PublicRead):
    """One file of the whole record. Its ETag is the edition of the record, which the manifest names."""

    @extend_schema(
        operation_id="export_read",
        parameters=[OpenApiParameter("name", str, OpenApiParameter.PATH, enum=list(exporting.KIND))],
        responses={
            (200, kind.partition(";")[0]): OpenApiTypes.OBJECT if name == exporting.MANIFEST else OpenApiTypes.BINARY
            for name, kind in exporting.KIND.items()
        }
        | shape.NOT_FOUND,
    )
    def get(self, request: Request, name: str) -> HttpResponse | StreamingHttpResponse:
        if name not in exporting.KIND:
            raise NotOnRecord("export", name, list(exporting.KIND))
        etag = f'"{exporting.edition()}"'
        if held := unchanged(request, etag):
            return held
        kind = exporting.KIND[name]
        if request.method == "HEAD":
            answer: HttpResponse | StreamingHttpResponse = HttpResponse(content_type=kind)
        elif name == exporting.MANIFEST:
            with exporting.stored(name) as manifest:
                answer = HttpResponse(manifest.read(), content_type=kind)
        elif name in exporting.STREAMS:
            answer = StreamingHttpResponse(exporting.STREAMS[name](), content_type=kind)
        else:
            answer = FileResponse(exporting.stored(name), content_type=kind)
        answer["ETag"] = etag
        inline = name == exporting.MANIFEST
        answer["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{name}"'
        return answer
