"""What machines read of the pages of results: blocks of schema.org, and links in the head of the answer."""

from __future__ import annotations

from collections.abc import Sequence

from django.http import HttpRequest
from django.utils.safestring import SafeString

from registry.citation import schema_org
from registry.citation.formats import Work
from registry.models import Result
from registry.query.public_record import Row
from registry.query.responses.source_links import SourceLink
from registry.web.client_address import site_address


def is_downloadable(result: Result) -> bool:
    """Whether nothing is known to stand against handing out its public copy, where it has one."""
    return not (result.copy_missing_since or result.copy_damaged_since or result.copy_withheld_at)


def result_script(result: Result, measurements: Sequence[Row], links: Sequence[SourceLink], work: Work) -> SafeString:
    """The block of a result."""
    has_copy = bool(result.public_sha256) and is_downloadable(result)
    return schema_org.script_tag(schema_org.result_dataset(result, measurements, links, work, downloadable=has_copy))


def result_signposts(result: Result, work: Work) -> str:
    """The Link header of the page of a result."""
    api = f"{work.home}api/v1/results/{result.public_id}/"
    items = {api: "application/json"}
    if result.public_sha256 and is_downloadable(result):
        items[f"{work.address}copy.tar.gz"] = "application/gzip"
    return schema_org.signposts(work, f"{api}citation/", items)


def record_script(request: HttpRequest) -> SafeString:
    """The block of the whole record."""
    return schema_org.script_tag(schema_org.record_dataset(f"{site_address(request)}/"))
