"""Which release leads the first page."""

from __future__ import annotations

import pytest

from registry.site_pages.home import newest_leaders


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
    assert newest == [row for row in leaders if row["release_slug"] == slug]
