"""No page of the shipped record calls anything a 95 % range that does not come from repeats."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from registry.models import Measurement, RankedList, Result, System
from registry.studies import curated

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

RANGE = re.compile(r"(?<![\d.,])95(?: |\N{NO-BREAK SPACE}|&nbsp;)?%")
UNKNOWN = (
    '(?<!assume=)(?<!value=")\\bprior\\b',
    "can\N{RIGHT SINGLE QUOTATION MARK}t be told apart",
    "[Ll]east to (the )?largest",
)


@pytest.fixture
def read(client: Client):
    def get(address: str) -> str:
        answer = client.get(address)
        assert answer.status_code == 200, address
        return answer.content.decode()

    return get


def claims(pages: dict[str, str]) -> list[str]:
    addresses = [address for address, text in pages.items() if RANGE.search(text)]
    return addresses + [
        f"{address}: {word}" for word in UNKNOWN for address, text in pages.items() if re.search(word, text)
    ]


def test_pages_of_studies_claim_no_range_without_repeats(read) -> None:
    pages = {slug: read(f"/studies/{slug}/") for slug in curated.load_studies()}
    assert claims(pages) == []
    assert sum("ot repeated" in text for text in pages.values()) > 40


def test_pages_of_lists_claim_no_range_and_count_single_runs(read) -> None:
    of_lists = RankedList.objects.select_related("release")
    addresses = {f"/lists/{ranked_list.release.slug}/{ranked_list.name}/": ranked_list for ranked_list in of_lists}
    pages = {address: read(address) for address in addresses}
    assert claims(pages) == []
    of_io500 = [text for address, text in pages.items() if addresses[address].release.slug.startswith(("SC", "ISC"))]
    assert len(of_io500) > 40 and all("No run was repeated" in text for text in of_io500)


def test_pages_of_sweeps_and_results_claim_no_range(read) -> None:
    slugs = System.objects.filter(results__trust="reported").distinct().values_list("slug", flat=True)
    results = Result.objects.filter(trust="reported").values_list("public_id", flat=True)
    pages = {f"/systems/{slug}/{part}": read(f"/systems/{slug}/{part}") for slug in slugs for part in ("", "sweep/")}
    assert claims(pages | {public_id: read(f"/results/{public_id}/") for public_id in results}) == []


def test_comparisons_have_a_range_where_the_tool_printed_a_deviation_and_nowhere_else(client, read) -> None:
    deviations = Measurement.objects.filter(stat="stdev", op="unet3d").order_by("result")
    first, second = deviations.values_list("result__public_id", flat=True).distinct()[:2]
    assert RANGE.search(read(f"/compare/?results={first},{second}"))
    pages = {
        pair: read(f"/compare/?results={pair}")
        for pair in (
            "io500-1,io500-2",
            "cug25-table3-1,cug25-table3-3",
            "cug25-ior-e2000,benchmarking-lustre-flash-bio-kfi",
        )
    }
    assert claims(pages) == []
    assert all("\N{WHITE DIAMOND} not repeated" in text for text in pages.values())
    for pair in pages:
        rows = client.get(f"/api/v1/compare/?results={pair}").json()["measurements"]
        assert {(*row["intervals"], *row["interval_basis"]) for row in rows} == {(None, None, None, None)}
