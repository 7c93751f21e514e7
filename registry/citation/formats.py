"""How a result or a frozen list is cited: the facts that the record shows, as one sentence and in four formats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from registry.query.names.canonical_names import plain_text
from registry.query.responses import trust_levels

PUBLISHER = "Highwater"
TEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "{}#$%&_"},
    }
)


@dataclass(frozen=True)
class Work:
    """What is cited. `published` is a date as exact as it is known: 2019-11 or 2027-11-18; `status` empty if current.

    `said` is what may be said of it beside trust, `brief` what of it fits a badge; `author` is an institution, or the
    registry, whose pages are `author_address` and `home`; addresses are absolute. `places` are its ranks as a public
    statement may print them, `rules` what such a statement keeps to, `caveat` what is said beside its trust.
    """

    id: str
    title: str
    statement: str
    brief: str
    author: str
    author_address: str
    trust: str
    version: str
    published: str
    address: str
    home: str
    terms: str
    status: str = ""
    revises: str = ""
    revised_by: str = ""
    places: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    caveat: str = ""

    @property
    def sentence(self) -> str:
        """The sentence that may be printed, with trust and status."""
        status = f" {self.status}" if self.status else ""
        level = trust_levels.cite_level(self.trust, self.caveat)
        return plain_text(f"{self.statement} ({level}; {PUBLISHER}, {self.id}, {self.version}).{status}")

    @property
    def badge_address(self) -> str:
        """Of a picture with the sentence in brief."""
        return f"{self.address}badge.svg"


def format_bibtex(work: Work) -> str:
    """A `@misc` entry in UTF-8; the braces around author and title keep names as they are."""
    key = "".join(sign if sign.isascii() and sign.isalnum() else "-" for sign in work.id)
    texts = {
        "author": f"{{{_escape_tex(work.author)}}}",
        "title": f"{{{_escape_tex(work.title)}}}",
        "year": work.published[:4],
        "publisher": PUBLISHER,
        "version": _escape_tex(work.version),
        "url": work.address,
        "note": _escape_tex(work.sentence),
    }
    fields = "".join(f"  {name} = {{{text}}},\n" for name, text in texts.items())
    return f"@misc{{highwater-{key},\n{fields}}}\n"


def _escape_tex(text: str) -> str:
    return plain_text(text).translate(TEX)


def format_cff(work: Work) -> str:
    """Citation File Format 1.2.0, its values as JSON, which YAML contains; a date only where the day is known."""
    document: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": work.sentence,
        "type": "dataset",
        "title": plain_text(work.title),
        "authors": [{"name": plain_text(work.author)}],
        "version": work.version,
        "url": work.address,
        "license-url": work.terms,
    }
    if len(work.published) == len("2027-11-18"):
        document["date-released"] = work.published
    return "".join(f"{name}: {json.dumps(value, ensure_ascii=False)}\n" for name, value in document.items())


def format_datacite(work: Work) -> str:
    """DataCite metadata 4 as JSON; without a DOI, as none was registered."""
    related = {"IsNewVersionOf": work.revises, "IsPreviousVersionOf": work.revised_by}
    return _dump_json(
        {
            "schemaVersion": "http://datacite.org/schema/kernel-4",
            "types": {"resourceTypeGeneral": "Dataset", "resourceType": "Benchmark result"},
            "creators": [{"name": plain_text(work.author), "nameType": "Organizational"}],
            "titles": [{"title": plain_text(work.title)}],
            "publisher": {"name": PUBLISHER},
            "publicationYear": work.published[:4],
            "dates": [{"date": work.published, "dateType": "Issued"}],
            "version": work.version,
            "url": work.address,
            "alternateIdentifiers": [{"alternateIdentifier": work.id, "alternateIdentifierType": PUBLISHER}],
            "relatedIdentifiers": [
                {"relatedIdentifier": url, "relatedIdentifierType": "URL", "relationType": relation}
                for relation, url in related.items()
                if url
            ],
            "rightsList": [{"rightsUri": work.terms}],
            "descriptions": [{"description": work.sentence, "descriptionType": "Abstract"}],
        }
    )


def ro_crate(work: Work) -> str:
    """RO-Crate 1.1 metadata (JSON-LD) of a crate whose root is the permanent address."""
    author, publisher = "#author", "#publisher"
    root = {
        "@id": work.address,
        "@type": "Dataset",
        "name": plain_text(work.title),
        "description": work.sentence,
        "identifier": work.address,
        "version": work.version,
        "datePublished": work.published,
        "author": {"@id": author},
        "publisher": {"@id": publisher},
        "license": {"@id": work.terms},
    } | ({"creativeWorkStatus": plain_text(work.status)} if work.status else {})
    described = {
        "@id": "ro-crate-metadata.json",
        "@type": "CreativeWork",
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
        "about": {"@id": work.address},
    }
    graph = [
        described,
        root,
        {"@id": author, "@type": "Organization", "name": plain_text(work.author), "url": work.author_address},
        {"@id": publisher, "@type": "Organization", "name": PUBLISHER, "url": work.home},
        {"@id": work.terms, "@type": "CreativeWork", "name": "Data terms"},
    ]
    return _dump_json({"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": graph})


def _dump_json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def format_text(work: Work) -> str:
    """The sentence and the permanent address."""
    return f"{work.sentence} {work.address}\n"


FORMATS: dict[str, Callable[[Work], str]] = {
    "text": format_text,
    "bibtex": format_bibtex,
    "cff": format_cff,
    "datacite": format_datacite,
    "ro-crate": ro_crate,
}
