"""Pages stay light: all that a page needs before anything is pressed, as it goes over the network."""

from __future__ import annotations

import re
import urllib.parse
import urllib.request

import pytest

from tests.flows.conftest import RunningSite

pytestmark = pytest.mark.services

MOST_BYTES = 60_000
PAGES = ("/", "/lists/ISC21/io500/", "/lists/SC25/production/", "/results/io500-772/", "/results/io500-1/",
         "/results/demo-2/", "/studies/filesystems/", "/compare/?results=io500-683,io500-772")  # fmt: skip
PARTS = re.compile(r'<(?:link rel="(?:stylesheet|icon)" href|(?:script|img)\b[^>]*?\bsrc)="([^"]+)"')
"""Styles, the icon, scripts and pictures, as templates write them."""


def received(address: str) -> tuple[bytes, str]:
    """The bytes of an answer as they came, and how they are encoded."""
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read(), answer.headers.get("Content-Encoding", "")


def parts_of(site: RunningSite, page: str) -> list[str]:
    """What a browser loads beside a page: styles, scripts, pictures."""
    address = urllib.parse.urljoin(site.url, page)
    with urllib.request.urlopen(address, timeout=60) as answer:
        html = answer.read().decode()
    return sorted({urllib.parse.urljoin(address, part.replace("&amp;", "&")) for part in PARTS.findall(html)})


@pytest.mark.parametrize("page", PAGES)
def test_a_page_with_all_its_parts_is_light(site: RunningSite, page: str) -> None:
    parts = parts_of(site, page)
    assert any(part.endswith("base.css") for part in parts)
    weights = {page: len(received(urllib.parse.urljoin(site.url, page))[0])}
    weights |= {part: len(received(part)[0]) for part in parts}
    assert sum(weights.values()) <= MOST_BYTES, weights


def test_texts_are_compressed_and_styles_load_nothing(site: RunningSite) -> None:
    texts = [part for part in parts_of(site, "/lists/ISC21/io500/") if part.endswith((".css", ".js"))]
    assert len(texts) > 4
    for address in (urllib.parse.urljoin(site.url, "/lists/ISC21/io500/"), *texts):
        assert received(address)[1] == "gzip", address
    for address in (part for part in texts if part.endswith(".css")):
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert not re.search(rb"@import|url\(", answer.read())
