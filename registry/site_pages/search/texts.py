"""The texts of the site that search finds beside the record: documents, parameters, rules, findings and studies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from html.parser import HTMLParser

from django.db import transaction

from registry.models import SearchText
from registry.site_pages.documentation import BENCHMARKS, CODE, DocumentationPage, parameter_anchor, render_pages
from registry.site_pages.documents.contents import reading_position
from registry.studies.curated import load_studies
from validators import catalogue
from validators.parameters import groups, parameters

DOCUMENT, PARAMETER, RULE, STUDY = "document", "parameter", "rule", "study"
CODE_PAGES = {"problems": "problem, status", "findings": "finding,", "benchmarks/": "finding,"}
"""Documents whose tables list codes, and what these are; a name that ends in a slash stands for a folder."""
DECISIONS = "/docs/decisions/"
MOST_BODY = 20_000
HEADINGS = ("h1", "h2", "h3")


@dataclass(frozen=True)
class Text:
    """One row of SearchText; see there."""

    kind: str
    key: str
    title: str
    url: str
    place: str = ""
    summary: str = ""
    body: str = ""


def load_texts() -> bool:
    """Bring the table of texts to what the code says now; False where it was so already. One transaction."""
    texts = list(list_texts())
    digest = hashlib.sha256(json.dumps([asdict(text) for text in texts]).encode()).hexdigest()
    if SearchText.objects.values_list("digest", flat=True).first() == digest:
        return False
    rows = [SearchText(**asdict(text), position=position, digest=digest) for position, text in enumerate(texts)]
    with transaction.atomic():
        SearchText.objects.all().delete()
        SearchText.objects.bulk_create(rows)
    return True


def list_texts() -> Iterator[Text]:
    """All texts, of each kind in the order in which equals are shown; a key is there once."""
    yield from _list_studies()
    yield from _list_parameters()
    yield from _list_run_parameters()
    pages = [(page, _read_page(page)) for page in render_pages().values()]
    yield from _list_rules(pages)
    for page, reader in sorted(pages, key=lambda pair: _reading_order(pair[0].slug)):
        yield from _list_sections(page, reader)


def _list_studies() -> Iterator[Text]:
    for slug, study in load_studies().items():
        finding, notes = study.get("finding", ""), " ".join([*study.get("notes", []), *study.get("order", [])])
        place = f"{study['document']['title']}, {study['place']}"
        yield Text(STUDY, slug, study["title"], f"/studies/{slug}/", place, finding, notes)


def _list_parameters() -> Iterator[Text]:
    titles = groups()
    for id, parameter in parameters().items():
        paths = " ".join(place.path for place in parameter.paths)
        body = f"{paths} {parameter.command} {parameter.reason} {parameter.note}"
        yield Text(PARAMETER, id, id, f"/parameters/{id}/", titles[parameter.group], parameter.meaning, body)


def _list_run_parameters() -> Iterator[Text]:
    """Parameters of runs, by the name of their benchmark: several benchmarks have a `stonewall_s`."""
    for benchmark in catalogue.benchmarks():
        place = f"parameter of {benchmark.descriptor['name']}"
        for parameter in catalogue.run_parameters(benchmark):
            address = f"/docs/{BENCHMARKS}{benchmark.slug}/#{parameter_anchor(parameter.name)}"
            key = f"{benchmark.tool} {parameter.name}"
            summary = parameter.description or f"read from: {parameter.source}"
            yield Text(PARAMETER, key, parameter.name, address, place, summary)


def _list_rules(pages: Iterable[tuple[DocumentationPage, _PageReader]]) -> Iterator[Text]:
    """Rules; then findings, and problems of the API, which the tables of documents list by code."""
    codes = set()
    for rule in catalogue.rules():
        if rule.code not in codes:
            codes.add(rule.code)
            place = f"rule, {rule.level}"
            yield Text(RULE, rule.code, rule.code, f"/docs/rules/#{rule.code}", place, rule.text, rule.source)
    # The page of findings names codes of benchmarks in short, so it comes last.
    for page, reader in sorted(pages, key=lambda pair: pair[0].slug):
        if page.slug.startswith(tuple(CODE_PAGES)):
            what = next(what for name, what in CODE_PAGES.items() if page.slug.startswith(name))
            for code, cells in reader.rows:
                if code not in codes and not code.startswith(parameter_anchor("")):
                    codes.add(code)
                    level, *texts = cells
                    address = f"/docs/{page.slug}/#{code}"
                    yield Text(RULE, code, code, address, f"{what} {level}", " ".join(texts))


def _list_sections(page: DocumentationPage, reader: _PageReader) -> Iterator[Text]:
    """The parts of a document below each heading."""
    for anchor, title, body in reader.sections:
        address = f"/docs/{page.slug}/" + (f"#{anchor}" if anchor else "")
        place = "" if title == page.title else page.title
        yield Text(DOCUMENT, f"{page.slug}#{anchor}", title, address, place, "", body[:MOST_BODY])


def _reading_order(slug: str) -> tuple[int, str]:
    """The place of a document among those that are read; decisions come last."""
    return (reading_position(slug), slug)


INLINE = frozenset(("a", "abbr", "b", "code", "em", "i", "span", "strong", "sub", "sup"))
"""Elements inside a word or before a comma: no blank is added around them."""
SEPARATOR = " \N{MIDDLE DOT} "
"""Between cells and between items of a list."""


class _PageReader(HTMLParser):
    """Of a rendered document: `sections` as (anchor, title, text), `rows` of tables that begin with a code."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[tuple[str, str, str]] = []
        self.rows: list[tuple[str, list[str]]] = []
        self._anchor, self._title, self._parts = "", "", list[str]()
        self._in_heading = False
        self._code, self._cells = "", list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a section, a row or a cell; `attrs` are those of the element."""
        if tag in HEADINGS:
            self._end_section()
            self._anchor = "" if tag == "h1" else dict(attrs).get("id") or ""
            self._title, self._in_heading = "", True
        elif tag == "tr":
            self._code, self._cells = "", []
        elif tag == "td":
            self._cells.append("")
            if len(self._cells) == 1:
                self._code = dict(attrs).get("id") or ""
        if tag not in INLINE:
            self._parts.append(SEPARATOR if tag in ("td", "th", "li") else " ")

    def handle_endtag(self, tag: str) -> None:
        if tag in HEADINGS:
            self._in_heading = False
        elif tag == "tr" and CODE.fullmatch(self._code):
            self.rows.append((self._code, [" ".join(cell.split()) for cell in self._cells[1:]]))
        if tag not in INLINE:
            self._parts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._in_heading:
            self._title += data
        else:
            self._parts.append(data)
            if self._cells:
                self._cells[-1] += data

    def close(self) -> None:
        super().close()
        self._end_section()

    def _end_section(self) -> None:
        texts = (" ".join(text.split()) for text in "".join(self._parts).split(SEPARATOR.strip()))
        body = SEPARATOR.join(filter(None, texts))
        if self._title:
            self.sections.append((self._anchor, self._title.strip(), body))
        self._parts = []


def _read_page(page: DocumentationPage) -> _PageReader:
    reader = _PageReader()
    reader.feed(page.html)
    reader.close()
    return reader
