"""One list over the releases: what each comes to, trust told apart, incomplete lists never counted as whole."""

from __future__ import annotations

import csv
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from registry.lists.analysis import in_numbers
from registry.models import Result
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db
VERIFIED = Result.Trust.VERIFIED


def entry(score: float, clients: int | None = 10, **facts: Any) -> dict[str, Any]:
    defaults = {"institution": "Site One", "new": True, "bandwidth_gib_per_s": 2.0, "family": "Lustre"}
    return defaults | {"score": score, "client_nodes": clients, "withdrawn_at": None} | facts


def test_a_list_has_summary_statistics() -> None:
    entries = [
        entry(40.0, 10, bandwidth_gib_per_s=8.0),
        entry(20.0, 2, institution="Site Two", family="DAOS", new=False),
        entry(6.0, None, bandwidth_gib_per_s=None),
        entry(5.0, 1, institution=""),
    ]
    assert in_numbers(entries, complete=True) == {
        "entries": 4, "institutions": 2, "new": 3, "withdrawn": 0, "bandwidth_gib_per_s": 12.0, "with_bandwidth": 3,
        "best_score": 40.0, "median_score": 13.0, "best_score_per_client": 10.0, "median_score_per_client": 5.0,
        "with_client_nodes": 3,
        "filesystems": [{"name": "Lustre", "entries": 3}, {"name": "DAOS", "entries": 1}],
    }  # fmt: skip


def test_unknown_figures_are_null_and_not_zero() -> None:
    numbers = in_numbers([entry(5.0, None, bandwidth_gib_per_s=None, family="")], complete=True)
    assert (numbers["bandwidth_gib_per_s"], numbers["best_score_per_client"], numbers["filesystems"]) == (
        None,
        None,
        [],
    )
    assert in_numbers([], complete=True)["median_score"] is None


def test_an_incomplete_list_has_no_median() -> None:
    numbers = in_numbers([entry(5.0), entry(4.0)], complete=False)
    assert (numbers["best_score"], numbers["median_score"], numbers["median_score_per_client"]) == (5.0, None, None)


def test_a_withdrawn_run_is_counted_apart() -> None:
    numbers = in_numbers([entry(99.0, withdrawn_at=timezone.now()), entry(4.0)], complete=True)
    assert (numbers["entries"], numbers["withdrawn"], numbers["best_score"]) == (1, 1, 4.0)
    assert numbers["bandwidth_gib_per_s"] == 2.0


@pytest.fixture
def releases() -> None:
    """io500: A1 and A2 whole, A3 by its first ranks, all imported; B1 and B2 verified here."""
    held = enumerate(("A1", "A2", "A3", "B1", "B2"), 1)
    for number, slug in held:
        release = make_release(slug, f"2025-0{number}-01")
        trust = VERIFIED if slug.startswith("B") else Result.Trust.IMPORTED
        results = [
            make_result(release, f"{slug.lower()}-{place}", 10.0 * number - place, institution=f"Site {place}",
                        bandwidth_gib_per_s=float(number))
            for place in range(number)
        ]  # fmt: skip
        make_list(release, "io500", results, title="Research", trust=trust, complete=slug != "A3")


def test_the_api_gives_trust_and_completeness_of_each_row(client, releases, django_assert_num_queries) -> None:
    with django_assert_num_queries(3):
        answer = client.get("/api/v1/analysis/IO500/").json()
    columns = ("release", "trust", "complete", "entries", "bandwidth_gib_per_s")
    assert answer["list"] == "io500"
    assert [tuple(row[column] for column in columns) for row in answer["releases"]] == [
        ("A1", "imported", True, 1, 1.0),
        ("A2", "imported", True, 2, 4.0),
        ("A3", "imported", False, 3, 9.0),
        ("B1", "verified", True, 4, 16.0),
        ("B2", "verified", True, 5, 25.0),
    ]


def test_the_page_draws_no_line_through_unlike_lists(client, releases) -> None:
    page = client.get("/analysis/io500/").content.decode()
    imported, verified = page.split('<section id="verified">')
    labels = [line.split('aria-label="')[1].split('"')[0] for line in page.splitlines() if 'role="img"' in line]
    drawn = [label for label in labels if "A1" in label or "B1" in label]
    lines = [
        "entries A1: 1.000, A2: 2.000; institutions A1: 1.000, A2: 2.000", "values A1: 1.000, A2: 4.000",
        "entries B1: 4.000, B2: 5.000; institutions B1: 4.000, B2: 5.000", "values B1: 16.00, B2: 25.00",
    ]  # fmt: skip
    assert drawn[::2] == drawn[1::2] == lines
    assert page.count('class="ch wide"') == page.count('class="ch thin"') == len(lines)
    assert "\u2265\u00a03<" in imported
    assert "\u2265\u00a09.00<" in imported
    assert "\u2265\u00a03.00<" in imported
    assert "first ranks only</span>" in imported
    assert "\u2265" not in verified
    assert "first ranks only</span>" not in verified


def test_a_recomputed_list_replaces_the_former_one_in_the_chart(client) -> None:
    for number, slug in enumerate(("A1", "A2", "A2-recomputed"), 1):
        release = make_release(slug, f"2025-0{number}-01")
        make_list(release, "io500", [make_result(release, f"{slug}-1", bandwidth_gib_per_s=1.0)])
    page = client.get("/analysis/io500/").content.decode()
    assert "values A1: 1.000, A2-recomputed: 1.000" in page
    assert "recomputed in another row" in page


def test_an_unfrozen_list_and_a_wrong_name_are_not_found(client) -> None:
    release = make_release("A1")
    make_list(release, "io500", [make_result(release, "a-1")], frozen=False)
    assert client.get("/analysis/io500/").status_code == 404
    assert client.get("/api/v1/analysis/io500/").json()["code"] == "record.no-list"
    assert client.get("/analysis/").url == "/lists/"
    make_list(release, "ten", [make_result(release, "a-2")])
    assert client.get("/analysis/").url == "/analysis/ten/"
    assert client.get("/analysis/TEN/").url == "/analysis/ten/"
    assert "ten" in client.get("/api/v1/analysis/tem/").json()["hint"]


@pytest.mark.real_data
@pytest.mark.usefixtures("loaded")
def test_totals_of_published_lists_are_the_official_ones(client, shared: Path) -> None:
    with (shared / "data" / "io500" / "official_lists.csv").open(encoding="utf-8", newline="") as table:
        official = [row for row in csv.DictReader(table) if row["list"] == "io500"]
    release_rows = {row["release"]: row for row in client.get("/api/v1/analysis/io500/").json()["releases"]}
    assert len(release_rows) == len({row["release"] for row in official})
    for slug, entries, institutions, complete in (
        ("ISC19", 45, 32, True),
        ("ISC21", 58, 45, True),
        ("SC25", 10, 10, False),
    ):
        rows = [row for row in official if row["release"] == slug]
        release_row = release_rows[slug]
        assert (release_row["entries"], release_row["institutions"], release_row["complete"]) == (
            entries,
            institutions,
            complete,
        )
        assert release_row["bandwidth_gib_per_s"] == pytest.approx(sum(float(row["bw_gib_s"]) for row in rows))
        assert release_row["best_score"] == max(float(row["score"]) for row in rows)
    best = max(float(row["score"]) / int(row["client_nodes"]) for row in official if row["release"] == "ISC21")
    assert release_rows["ISC21"]["best_score_per_client"] == pytest.approx(best)


def test_unknown_lists_of_a_release_have_their_titles(client) -> None:
    earlier_release = make_release("A1")
    make_list(earlier_release, "ten", [make_result(earlier_release, "a-1")], title="10-node")
    make_release("A2", unknown_lists={"ten": "The slide is missing.", "moon": "Not found."})
    page = client.get("/releases/").content.decode()
    assert "<b>10-node</b>: The slide is missing." in page
    assert "<b>moon</b>: Not found." in page, "no list tells its title"


def test_open_calls_come_before_published_releases(client) -> None:
    make_release("A1")
    now = timezone.now()
    for slug, days in (("B1", 9), ("B2", -9)):
        make_release(slug, imported=False, deadline=now + timedelta(days=days))
    make_release("B3", imported=False, deadline=now - timedelta(days=30), published_at=now)
    page = client.get("/releases/").content.decode()
    calls, published = page.split("<h2>Published</h2>")
    assert ['id="B1"' in calls, 'id="B2"' in calls, 'id="A1"' in published, 'id="B3"' in published] == [True] * 4
    assert re.findall(r'class="btn go" href="([^"]*)"', page) == ["/submissions/new/?release=B1"]
