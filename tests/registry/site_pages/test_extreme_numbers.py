"""Pages of results whose numbers are zero, tiny, huge or below zero: each is answered, and prints numbers."""

from __future__ import annotations

import re

import pytest

from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import make_list, make_release, make_result
from tests.registry.studies.test_studies import measure

pytestmark = pytest.mark.django_db

VALUES = [0.0, 5e-324, -1.0, 9_007_199_254_740_993.0, 1e290]
ADDRESSES = (
    "/results/hw-extreme/",
    "/results/hw-extreme/among/",
    "/results/?tool=ior",
    "/explore/?tool=ior",
    "/compare/?ids=hw-extreme,hw-usual",
    "/compare/?ids=hw-usual,hw-extreme",
    "/study/?metric=write.bandwidth.max&x=fabric",
    "/study/?metric=write.bandwidth.max&x=fabric&per=client",
    "/lists/t1/first/",
    "/lists/t1/first/?per=client",
    "/search/?q=extreme",
    "/",
)
NO_NUMBER = re.compile(r"(?i)(?<![\w.-])(?:nan|inf|infinity|none|undefined)(?![\w-])")
DRAWN = re.compile(r'\b(?:x|y|x1|x2|y1|y2|cx|cy|width|height|d|points|transform|viewBox)="([^"]*)"')


@pytest.mark.parametrize("value", VALUES)
def test_pages_print_extreme_numbers(client, value: float) -> None:
    release = make_release("T1")
    extreme = make_result(release, "hw-extreme", max(value, 0.0), tool="ior", parameters={"fabric": "TCP"}, tasks=1)
    usual = make_result(release, "hw-usual", 10.0, tool="ior", parameters={"fabric": "InfiniBand"})
    measure(extreme, "write", value)
    measure(usual, "write", 58.9)
    fact_index.rebuild_facts([extreme.pk, usual.pk])
    make_list(release, "first", sorted([extreme, usual], key=lambda result: -result.score))
    for address in ADDRESSES:
        answer = client.get(address, follow=True)
        assert answer.status_code == 200, address
        source = page_source(answer)
        for drawn in DRAWN.findall(source):
            assert not NO_NUMBER.search(drawn), (address, drawn)
        cells = re.findall(r"<(?:td|b|dd|text)\b[^>]*>([^<]*)<", source)
        assert not [cell for cell in cells if NO_NUMBER.fullmatch(cell.strip())], address
        assert not [cell for cell in cells if len(cell.strip()) > 60 and re.fullmatch(r"[\d,.\s-]+", cell)], address
