"""What the first page counts, and which release leads it."""

from __future__ import annotations

import pytest

from registry.models import Result
from registry.site_pages.home import newest_leaders
from tests.html import page_source
from tests.registry.record import make_list, make_release, make_result

NBSP = "\N{NO-BREAK SPACE}"


def leader(release: str, name: str) -> dict[str, str]:
    return {"release_slug": release, "name": name}


SC25 = [leader("SC25", "production"), leader("SC25", "io500")]
TRIAL = [leader("next", "historical")]


@pytest.mark.parametrize(
    ("leaders", "slug"),
    [
        ([], None),
        (SC25, "SC25"),
        (SC25 + TRIAL, "SC25"),
        (TRIAL, "next"),
        ([*SC25, *TRIAL, leader("next", "production")], "next"),
        ([leader("ISC18", "io500"), leader("SC18", "full")], "ISC18"),
    ],
)
def test_a_release_without_a_main_list_displaces_none_that_has_one(leaders, slug) -> None:
    newest = newest_leaders(leaders)
    assert {row["release_slug"] for row in newest} == ({slug} if slug else set())
    assert len(newest) == sum(row["release_slug"] == slug for row in leaders)


def test_the_production_list_leads_the_tabs() -> None:
    names = ["io500", "ten-production", "production", "ten"]
    newest = newest_leaders([leader("SC25", name) for name in names])
    assert [row["name"] for row in newest] == ["production", "io500", "ten-production", "ten"]


def test_the_first_page_counts_what_is_published(client, db) -> None:
    assert "results of" not in page_source(client.get("/"))
    release = make_release("sc25")
    for number, trust in enumerate(("derived", "imported", "imported")):
        make_result(release, f"c-{number}", 1.0, trust=trust, institution="Site Two" if number else "Site One")
    Result.objects.filter(public_id="c-2").update(withdrawn_at="2026-01-01T00:00:00Z")
    make_list(release, "production", [Result.objects.get(public_id="c-0")])
    page = page_source(client.get("/"))
    assert f"2{NBSP}results of 2{NBSP}institutions, 1{NBSP}list, as of" in page
    assert '1 <a href="/results/?trust=imported">imported</a>' in page and "trust=verified" not in page
