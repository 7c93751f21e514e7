"""The project's own documentation as pages: docs/*.md, and a page of each benchmark made of what lies in its folder.

The page of quantities ends in tables made of theirs.

Raw HTML stays text, every heading and code has an anchor.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from markdown_it import MarkdownIt
from markdown_it.token import Token

from registry.site_pages.documents import contents as document_contents
from registry.site_pages.documents import glossary_terms, quantity_tables
from registry.web.caching import public_page
from validators import benchmark_docs, catalogue

FOLDER: Path = settings.BASE_DIR / "docs"
BENCHMARKS = "benchmarks/"
QUANTITIES = "quantities"
FINDINGS = "findings"
GLOSSARY = "glossary"
CODE = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9_-]+)+")
_CODE_ROW = re.compile(r"^\| `([a-z0-9-]+(?:\.[a-z0-9_-]+)+)` \| ((?:error|warning|info)[a-z, ]*) \|", re.MULTILINE)
"""A row of a table of findings: code and level."""
OF_EVERY_TOOL = "TOOL."
"""How a code begins that every benchmark has under its own name; it is an anchor for each of them."""
MACHINE_FORMS = {"openapi.json": "/api/v1/openapi.json"}
"""Files beside the documents that the site serves elsewhere."""


@dataclass(frozen=True)
class DocumentationPage:
    """One rendered document and its Markdown, `source`.

    `contents` are the anchors and words of its second headings, `terms` words it explains.
    """

    slug: str
    title: str
    html: SafeString
    contents: list[tuple[str, str]]
    terms: list[glossary_terms.GlossaryTerm]
    source: str


@public_page
def documentation_index(request: HttpRequest) -> HttpResponse:
    return render(request, "site_pages/docs_index.html", {"section": "docs", "kinds": _document_navigation()})


@public_page
def documentation_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One document with its kind's others at its side, and the documents before and after it; 404 for none."""
    selected_page = render_pages().get(slug)
    if selected_page is None:
        raise Http404
    kinds = _document_navigation()
    entries = [entry for kind in kinds for entry in kind.documents]
    places = [place for place, entry in enumerate(entries) if entry.slug == slug]
    place = places[0] if places else None
    context = {
        "section": "docs",
        "page": selected_page,
        "kinds": kinds,
        "kind": next((kind for kind in kinds if kind.has(slug)), None),
        "is_decision": slug.startswith(f"{document_contents.DECISIONS}/"),
        "previous": entries[place - 1] if place else None,
        "next": entries[place + 1] if place is not None and place + 1 < len(entries) else None,
    }
    return render(request, "site_pages/docs_page.html", context)


@public_page
def documentation_source(request: HttpRequest, slug: str) -> HttpResponse:
    """The Markdown of one document, as tools read it; 404 for none."""
    selected_page = render_pages().get(slug)
    if selected_page is None:
        raise Http404
    return HttpResponse(selected_page.source, content_type="text/markdown; charset=utf-8")


@public_page
def rules_page(request: HttpRequest) -> HttpResponse:
    """Every rule with its text and source, as `python -m validators rules` lists them."""
    return render(request, "site_pages/docs_rules.html", {"section": "docs", "rules": catalogue.rules()})


@cache
def render_pages() -> dict[str, DocumentationPage]:
    """All documents by slug, rendered once per process: they change with the code only."""
    return {slug: _render(slug, path, text) for slug, (path, text) in document_texts().items()}


def document_texts() -> dict[str, tuple[Path, str]]:
    """By slug the file that links of a document start from, and its Markdown, with what the code adds."""
    paths = {path.relative_to(FOLDER).with_suffix("").as_posix(): path for path in sorted(FOLDER.rglob("*.md"))}
    texts = {slug: (path, path.read_text(encoding="utf-8")) for slug, path in paths.items() if _is_shown(slug)}
    decisions = FOLDER / document_contents.DECISIONS / benchmark_docs.README
    texts[document_contents.DECISIONS] = decisions, decisions.read_text(encoding="utf-8")
    path, text = texts[QUANTITIES]
    texts[QUANTITIES] = path, f"{text}\n{quantity_tables.quantity_sections()}"
    for benchmark in catalogue.benchmarks():
        readme = catalogue.FOLDER / benchmark.slug / benchmark_docs.README
        texts[f"{BENCHMARKS}{benchmark.slug}"] = readme, benchmark_docs.benchmark_page(benchmark)
    path, text = texts[FINDINGS]
    texts[FINDINGS] = path, f"{text}\n{_codes_of_benchmarks(texts)}"
    return texts


def _codes_of_benchmarks(texts: Mapping[str, tuple[Path, str]]) -> str:
    """A table of the codes that pages of single benchmarks explain: pages link every code to the page of findings."""
    levels = {
        code: (level, slug)
        for slug, (_, text) in texts.items()
        if slug.startswith(BENCHMARKS)
        for code, level in _CODE_ROW.findall(text)
    }
    rows = [
        f"| `{code}` | {level} | [{slug.removeprefix(BENCHMARKS)}](/docs/{slug}/#{code}) |"
        for code, (level, slug) in sorted(levels.items())
    ]
    return "\n".join(["## Codes of one benchmark", "", "| code | level | explained on |", "|---|---|---|", *rows, ""])


def _document_navigation() -> tuple[document_contents.DocumentKind, ...]:
    titles = {slug: page.title for slug, page in render_pages().items()}
    return document_contents.expand_folders(titles, _benchmark_sentences())


def _benchmark_sentences() -> dict[str, str]:
    """What each benchmark measures: the first sentence of its description, by the slug of its page."""
    texts = {
        benchmark.slug: benchmark.descriptor["description"].replace("`", "") for benchmark in catalogue.benchmarks()
    }
    return {f"{BENCHMARKS}{slug}": text.partition(". ")[0].rstrip(".") + "." for slug, text in texts.items()}


def _is_shown(slug: str) -> bool:
    return not slug.endswith("README")


def _render(slug: str, path: Path, text: str) -> DocumentationPage:
    """Markdown to HTML; links between documents become links between pages. `path` is what links start from."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    title, contents = slug, list[tuple[str, str]]()
    taken: set[str] = set()
    section = ""
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            words = _inline_text(tokens[index + 1])
            anchor = _free_anchor(slugify(words), taken)
            token.attrSet("id", anchor)
            if token.tag == "h1":
                title = words
            elif token.tag == "h2":
                section = words
                contents.append((anchor, words))
        elif token.type == "inline":
            _link_pages(path, token)
            _mark_codes(token, tokens[index - 1], taken)
            if section == benchmark_docs.PARAMETERS and slug.startswith(BENCHMARKS):
                _mark_parameter(token, tokens[index - 2 : index])
        elif token.type in ("fence", "code_block"):
            token.attrSet("tabindex", "0")
    terms = [] if slug == GLOSSARY else glossary_terms.link_terms(tokens)
    html = markdown.renderer.render(tokens, markdown.options, {})
    numbers = itertools.count(1)
    html = re.sub(
        "<table>",
        lambda _: f'<div class="scroll" tabindex="0" role="region" aria-label="Table {next(numbers)}"><table>',
        html,
    )
    html = html.replace("</table>", "</table></div>")
    # The documents are the project's own and raw HTML in them is escaped above.
    terms = terms[: glossary_terms.MOST_SHOWN]
    return DocumentationPage(slug, title, mark_safe(html), contents, terms, text)  # noqa: S308


def _inline_text(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


def _free_anchor(anchor: str, taken: set[str]) -> str:
    base, number = anchor, 2
    while anchor in taken:
        anchor, number = f"{base}-{number}", number + 1
    taken.add(anchor)
    return anchor


def _mark_codes(inline: Token, parent: Token, taken: set[str]) -> None:
    """A table cell or heading that begins with a code (`io500.stonewall.short`) is the anchor of that code."""
    children = inline.children or []
    if parent.type in ("td_open", "heading_open") and children and children[0].type == "code_inline":
        code = children[0].content
        if code.startswith(OF_EVERY_TOOL):
            codes = [f"{tool.tool}.{code.removeprefix(OF_EVERY_TOOL)}" for tool in catalogue.benchmarks()]
            anchors = "".join(f'<span id="{each}"></span>' for each in codes if each not in taken)
            taken.update(codes)
            inline.children = [Token("html_inline", "", 0, content=anchors), *children]
        if CODE.fullmatch(code) and code not in taken:
            taken.add(code)
            parent.attrSet("id", code)


def parameter_anchor(name: str) -> str:
    """The anchor of a parameter of runs on the page of its benchmark."""
    return f"parameter-{name}"


def _mark_parameter(inline: Token, before: Sequence[Token]) -> None:
    """The first cell of a row is the anchor of the parameter that it names."""
    if [token.type for token in before] == ["tr_open", "td_open"]:
        before[1].attrSet("id", parameter_anchor(_inline_text(inline)))


def _link_pages(path: Path, inline: Token) -> None:
    for child in inline.children or []:
        if child.type == "link_open":
            target, hash_sign, anchor = str(child.attrGet("href") or "").partition("#")
            if target in MACHINE_FORMS:
                child.attrSet("href", MACHINE_FORMS[target])
            elif target.endswith(".md") and "://" not in target:
                child.attrSet("href", f"/docs/{_slug_of((path.parent / target).resolve())}{hash_sign}{anchor}")


def _slug_of(path: Path) -> str:
    """The slug of a document, with a slash; what belongs to all benchmarks, or a whole folder, leads to the index."""
    if path.is_relative_to(catalogue.FOLDER):
        slug = path.parent.relative_to(catalogue.FOLDER).as_posix()
        return f"{BENCHMARKS}{slug}/" if slug != "." else ""
    slug = path.relative_to(FOLDER).with_suffix("").as_posix().removesuffix("/README")
    return f"{slug}/" if _is_shown(slug) else ""
