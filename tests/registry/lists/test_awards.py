"""Awards of a release: at least ten client nodes, shared when tied, told only where the list is known whole."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from registry.lists.awards import make_awards
from registry.models import Result
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db


def entry(
    name: str, score: float, bandwidth: float | None, rate: float | None, clients: int | None = 10
) -> dict[str, Any]:
    figures = {"score": score, "bandwidth_gib_per_s": bandwidth, "rate_kiops": rate}
    return {"result": name, "client_nodes": clients} | figures


def told(*entries: dict[str, Any], **options: bool) -> dict[str, list[str]]:
    return {award.award: [winner["result"] for winner in award.winners] for award in make_awards(entries, **options)}


def test_each_award_has_its_own_winner() -> None:
    assert told(entry("a", 9.0, 3.0, 27.0), entry("b", 8.0, 8.0, 8.0), entry("c", 7.0, 1.0, 49.0)) == {
        "overall": ["a"],
        "bandwidth": ["b"],
        "metadata": ["c"],
    }


def test_equal_values_share_an_award() -> None:
    (overall, bandwidth, _) = make_awards([entry("a", 9.0, 3.0, 27.0), entry("b", 9.0, 2.0, 40.5)])
    assert ([winner["result"] for winner in overall.winners], overall.is_shared) == (["a", "b"], True)
    assert ([winner["result"] for winner in bandwidth.winners], bandwidth.is_shared) == (["a"], False)


@pytest.mark.parametrize("clients", [None, 0, 9])
def test_fewer_than_ten_client_nodes_win_no_award(clients: int | None) -> None:
    assert told(entry("a", 9.0, 9.0, 9.0, clients), entry("b", 1.0, 1.0, 1.0)) == {
        "overall": ["b"],
        "bandwidth": ["b"],
        "metadata": ["b"],
    }
    assert told(entry("a", 9.0, 9.0, 9.0, clients)) == {}


def test_a_missing_value_wins_no_award() -> None:
    assert told(entry("a", 9.0, None, None), entry("b", 8.0, 1.0, None)) == {"overall": ["a"], "bandwidth": ["b"]}


def test_an_incomplete_list_has_only_the_overall_award() -> None:
    assert told(entry("a", 9.0, 3.0, 27.0), complete=False) == {"overall": ["a"]}


def test_api_and_page_of_a_release_show_awards(client, django_assert_num_queries) -> None:
    release = make_release("SC99")
    first = make_result(release, "hw-1", 9.0, system_name="Old Tide", bandwidth_gib_per_s=3.0, rate_kiops=27.0)
    second = make_result(release, "hw-2", 9.0, system_name="New Tide", bandwidth_gib_per_s=9.0, rate_kiops=9.0)
    gone = make_result(release, "hw-3", 99.0, bandwidth_gib_per_s=99.0, rate_kiops=99.0)
    make_list(release, "io500", [gone, first, second], title="Research")
    Result.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now(), withdrawn_reason="Wrong.")
    with django_assert_num_queries(4):
        answer = client.get("/api/v1/releases/sc99/awards/").json()
    assert answer["release"] == "SC99"
    assert [(row["list"], row["award"], row["value"], row["unit"], row["shared"]) for row in answer["awards"]] == [
        ("io500", "overall", 9.0, None, True),
        ("io500", "bandwidth", 9.0, "GiB/s", False),
        ("io500", "metadata", 27.0, "kIOPS", False),
    ]
    assert [winner["system"] for winner in answer["awards"][0]["winners"]] == ["Old Tide", "New Tide"]
    page = client.get("/releases/SC99/").content.decode()
    assert "Old Tide" in page and "entries; first" not in page
    assert "shared" in page
    assert client.get("/releases/sc99/").url == "/releases/SC99/"


def test_a_release_names_the_first_of_each_list(client) -> None:
    release = make_release("SC99")
    make_list(release, "io500", [make_result(release, "hw-1", 9.0, system_name="Old Tide")], title="Research")
    page = " ".join(client.get("/releases/SC99/").content.decode().split())
    assert "1 entry; first Old Tide, 9.00" in page


def test_a_release_that_is_not_published_has_no_awards(client) -> None:
    make_release("next", imported=False, deadline=timezone.now(), list_names=["io500"])
    assert client.get("/api/v1/releases/next/awards/").json() == {"release": "next", "awards": []}
    page = client.get("/releases/next/").content.decode()
    assert "Not published yet. It will publish these lists:" in page and '<small class="mono">io500</small>' in page
    assert 'id="awards"' not in page


def test_awards_of_an_unknown_release_return_404(client) -> None:
    assert client.get("/api/v1/releases/sc00/awards/").status_code == 404
    assert client.get("/releases/sc00/").status_code == 404
