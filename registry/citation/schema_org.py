"""Results, lists and the whole record as schema.org says a Dataset, and the links by which a machine gets about.

Only what is known stands in it: a licence stands nowhere, as none is stated of what is copied.
Sources: schema.org/Dataset; signposting.org/FAIR.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from django.utils.safestring import SafeString, mark_safe

from registry.citation.formats import PUBLISHER, Work
from registry.models import Result
from registry.query.dump_files import DUMP_FILES
from registry.query.names.canonical_names import plain_text
from registry.query.public_record import Row
from registry.query.responses.source_links import SourceLink

CONTEXT = "https://schema.org/"
MOST_VARIABLES = 60
"""Of a result with more measurements its page and its JSON have the others."""
_SCORES = {"score": ("score", ""), "bandwidth_gib_per_s": ("bandwidth", "GiB/s"), "rate_kiops": ("rate", "kIOPS")}
_IN_A_SCRIPT = str.maketrans({"<": "\\u003C", ">": "\\u003E", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})
_API = "api/v1"

Document = dict[str, Any]


def result_dataset(
    result: Result, measurements: Iterable[Row], links: Sequence[SourceLink], work: Work, *, downloadable: bool
) -> Document:
    """A result as a Dataset; of a withdrawn one without its numbers. `links` are its sources."""
    withdrawn = result.withdrawn_at is not None
    files = {f"{_API}/results/{result.public_id}/": "application/json"}
    if downloadable:
        files[f"results/{result.public_id}/copy.tar.gz"] = "application/gzip"
    variables = [] if withdrawn else [*_score_variables(result), *map(_variable_of, measurements)]
    document = _dataset_block(work, links, files) | {
        "identifier": result.public_id,
        "measurementTechnique": " ".join(filter(None, [result.tool, result.tool_version, result.mode])),
        "variableMeasured": [variable for variable in variables if variable][:MOST_VARIABLES],
    }
    return _without_blanks(document)


def list_dataset(work: Work, ranks: Mapping[str, Any], links: Sequence[SourceLink], path: str) -> Document:
    """A frozen list as a Dataset. `ranks` says what it ranks, `path` is RELEASE/LIST."""
    api = f"{_API}/lists/{path}/"
    variable = {"@type": "PropertyValue", "name": ranks["title"], "unitText": ranks["unit"] or ""}
    document = _dataset_block(work, links, {api: "application/json", f"{api}?format=csv": "text/csv"}) | {
        "identifier": path,
        "measurementTechnique": ranks["tool"],
        "variableMeasured": [_without_blanks(variable)],
    }
    return _without_blanks(document)


def record_dataset(home: str) -> Document:
    """The whole record as a Dataset, with the files that it can be downloaded as. `home` ends with a slash."""
    publisher = _organization_block(PUBLISHER, home)
    return {
        "@context": CONTEXT,
        "@type": "Dataset",
        "@id": f"{home}results/",
        "url": f"{home}results/",
        "name": f"The record of {PUBLISHER}",
        "description": "Results of storage benchmarks (IO500, IOR, mdtest, fio, MLPerf Storage and others) with what "
        "was measured, on what, how far each number may be trusted, and where it is from.",
        "creator": publisher,
        "publisher": publisher,
        "includedInDataCatalog": _catalog_block(home),
        "distribution": _download_blocks(home, {f"{_API}/export/{name}": kind for name, kind in DUMP_FILES.items()}),
    }


def script_tag(document: Document) -> SafeString:
    """The document as a block of data in a page: no browser runs it, and no text in it can end it."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False).translate(_IN_A_SCRIPT)
    return mark_safe(f'<script type="application/ld+json">{text}</script>')  # noqa: S308


def signposts(work: Work, citation: str, items: Mapping[str, str]) -> str:
    """A Link header (RFC 8288): how to cite a page, what it is, who made it, what describes it, and its data.

    `citation` is the address of its citation, `items` are addresses of its data with their media types.
    """
    links = [
        _signpost_link(work.address, "cite-as"),
        _signpost_link(f"{CONTEXT}Dataset", "type"),
        _signpost_link(work.author_address, "author"),
        _signpost_link(f"{citation}?format=ro-crate", "describedby", "application/ld+json"),
        _signpost_link(f"{citation}?format=datacite", "describedby", "application/vnd.datacite.datacite+json"),
        *(_signpost_link(address, "item", kind) for address, kind in items.items()),
    ]
    return ", ".join(links)


def _signpost_link(address: str, relation: str, kind: str = "") -> str:
    target = quote(address, safe=":/?#=&%*~+,;@!$'()")
    return f'<{target}>; rel="{relation}"' + (f'; type="{kind}"' if kind else "")


def _dataset_block(work: Work, links: Sequence[SourceLink], files: Mapping[str, str]) -> Document:
    """What results and lists have alike. `files` are paths below the home page, with their media types."""
    return {
        "@context": CONTEXT,
        "@type": "Dataset",
        "@id": work.address,
        "url": work.address,
        "name": plain_text(work.title),
        "description": work.sentence,
        "creator": _organization_block(plain_text(work.author), work.author_address),
        "publisher": _organization_block(PUBLISHER, work.home),
        "datePublished": work.published,
        "version": work.version,
        "creativeWorkStatus": plain_text(work.status),
        "isBasedOn": [_work_of(link) for link in links],
        "includedInDataCatalog": _catalog_block(work.home),
        "distribution": _download_blocks(work.home, files),
    }


def _organization_block(name: str, address: str) -> Document:
    return {"@type": "Organization", "name": name, "url": address}


def _catalog_block(home: str) -> Document:
    return {"@type": "DataCatalog", "name": PUBLISHER, "url": home}


def _download_blocks(home: str, files: Mapping[str, str]) -> list[Document]:
    return [
        {"@type": "DataDownload", "contentUrl": f"{home}{path}", "encodingFormat": kind.partition(";")[0]}
        for path, kind in files.items()
    ]


def _work_of(link: SourceLink) -> Document:
    """A source: its address where it has one, and in any case what stands there."""
    name = plain_text(f"{link.text}, {link.place}" if link.place else link.text)
    return _without_blanks({"@type": "CreativeWork", "name": name, "url": link.address})


def _score_variables(result: Result) -> list[Document]:
    return [_variable_block(name, getattr(result, column), unit) for column, (name, unit) in _SCORES.items()]


def _variable_of(row: Row) -> Document:
    name = " ".join(filter(None, [row["op"], row["quantity"], row["stat"]]))
    return _variable_block(name, row["printed_value"], row["printed_unit"])


def _variable_block(name: str, value: float | None, unit: str) -> Document:
    """A number under its name; empty where there is none."""
    if value is None or not math.isfinite(value):
        return {}
    return _without_blanks({"@type": "PropertyValue", "name": plain_text(name), "value": value, "unitText": unit})


def _without_blanks(document: Document) -> Document:
    return {name: value for name, value in document.items() if value not in ("", [])}
