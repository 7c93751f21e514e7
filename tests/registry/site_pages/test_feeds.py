"""Atom feeds: what a feed reader gets of releases and lists."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

import pytest
import time_machine
from django.utils import timezone

from registry.models import RankedList
from tests.registry.record import IOR, make_list, make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
DEADLINE = datetime(2027, 5, 1, 12, tzinfo=UTC)


def entries(client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("application/atom+xml")
    return [
        {
            "title": entry.findtext(f"{ATOM}title"),
            "link": entry.find(f"{ATOM}link").get("href"),
            "updated": entry.findtext(f"{ATOM}updated"),
            "summary": entry.findtext(f"{ATOM}summary"),
        }
        for entry in ElementTree.fromstring(answer.content).iter(f"{ATOM}entry")
    ]


@pytest.fixture
def call():
    with time_machine.travel(datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC), tick=False):
        return make_release(
            "sc27", "2027-05-01", name="SC27", imported=False, deadline=DEADLINE, list_names=["full", "io500"]
        )


def test_a_call_is_in_the_feed_with_its_deadline(client, call) -> None:
    (entry,) = entries(client, "/releases/feed.atom")
    assert entry["title"] == "SC27: call for submissions"
    assert entry["link"] == "http://testserver/releases/#sc27"
    assert entry["updated"] == "2027-01-02T03:04:05+00:00"
    assert "2027-05-01 12:00 UTC" in entry["summary"]
    assert "full, io500" in entry["summary"]


def test_a_published_release_is_a_new_feed_entry(client, call) -> None:
    call.published_at = DEADLINE + timedelta(days=9)
    call.save()
    (entry,) = entries(client, "/releases/feed.atom")
    assert (entry["title"], entry["updated"]) == ("SC27: published", "2027-05-10T12:00:00+00:00")


def test_no_feed_entry_has_a_future_date(client, call) -> None:
    call.opens = timezone.now() + timedelta(days=3000)
    call.deadline = call.opens + timedelta(days=1)
    call.save()
    assert entries(client, "/releases/feed.atom")[0]["updated"] == "2027-01-02T03:04:05+00:00"


def test_change_points_of_a_system_are_one_feed_entry(client) -> None:
    release = make_release("T1")
    for number, value in enumerate([50.0, 50.5, 49.8, 45.0, 45.3, 44.9], 1):
        fields = {"parameters": IOR, "submitted_on": f"2026-03-0{number}"}
        result = make_result(release, f"hw-{number}", None, tool="ior", **fields)
        make_measurement(result, "write", value, stat="max")
        make_measurement(result, "read", 90 - value, stat="max")
    address = "/systems/site-one-test-system-a/history/feed.atom"
    (entry,) = entries(client, address)
    assert (entry["title"], entry["updated"]) == (
        "2\N{NO-BREAK SPACE}numbers moved on 2026-03-04",
        "2026-03-04T00:00:00+00:00",
    )
    assert entry["link"] == "http://testserver/compare/?results=hw-3,hw-4"
    assert "Write bandwidth max (ior, 10\N{NO-BREAK SPACE}client nodes; imported) from 50.10" in entry["summary"]
    assert "worse. Read bandwidth max" in entry["summary"]
    (read_entry,) = entries(client, f"{address}?metric=read.bandwidth&trust=")
    assert read_entry["title"].startswith("1\N{NO-BREAK SPACE}number moved")
    assert client.get(f"{address}?metric=nothing").status_code == 400
    assert client.get("/systems/nothing/history/feed.atom").status_code == 404
    assert (
        f"{address}?metric=read" in client.get("/systems/site-one-test-system-a/history/?metric=read").content.decode()
    )


def test_imported_lists_are_not_in_the_feed_of_calls(client) -> None:
    make_release("T1")
    assert entries(client, "/releases/feed.atom") == []


def test_frozen_lists_and_amendments_are_feed_entries(client, call) -> None:
    ranked = make_list(call, "full", [make_result(call, "hw-1"), make_result(call, "hw-2")], title="Full")
    frozen = datetime(2027, 5, 2, tzinfo=UTC)
    RankedList.objects.filter(pk=ranked.pk).update(frozen_at=frozen, note="Amended on 2027-05-02: hw-1: a typo.")
    (entry,) = entries(client, "/lists/feed.atom")
    assert (entry["title"], entry["updated"]) == ("Full, SC27", "2027-05-02T00:00:00+00:00")
    assert entry["link"] == "http://testserver/lists/sc27/full/"
    assert entry["summary"] == "2\N{NO-BREAK SPACE}entries. Amended on 2027-05-02: hw-1: a typo."


def test_feeds_leave_out_lists_that_are_not_frozen(client, call) -> None:
    make_list(call, "full", [make_result(call, "hw-1")], frozen=False)
    assert entries(client, "/lists/feed.atom") == []


def test_a_copied_list_has_the_day_of_its_release(client) -> None:
    release = make_release("T1", "2019-06-01")
    make_list(release, "io500", [make_result(release, "io500-1")])
    (entry,) = entries(client, "/lists/feed.atom")
    assert entry["updated"] == "2019-06-01T00:00:00+00:00"
    assert entry["summary"].startswith("Copied as published elsewhere. 1\N{NO-BREAK SPACE}entry.")


def test_lists_of_one_name_are_a_feed_of_their_own(client, call) -> None:
    result = make_result(call, "hw-1")
    make_list(call, "full", [result], position=1)
    make_list(call, "io500", [result], position=2)
    assert [entry["title"] for entry in entries(client, "/lists/feed.atom?list=io500")] == ["Io500, SC27"]
    assert entries(client, "/lists/feed.atom?list=nobody") == []


def test_a_name_that_the_feed_does_not_take_is_refused(client) -> None:
    answer = client.get("/lists/feed.atom?lists=io500")
    assert answer.status_code == 400
    assert "query.unknown-parameter" in answer.content.decode()


def test_feeds_cost_one_query_and_are_cached(client, call, django_assert_num_queries) -> None:
    make_list(call, "full", [make_result(call, "hw-1")])
    for address in ("/releases/feed.atom", "/lists/feed.atom"):
        with django_assert_num_queries(1):
            answer = client.get(address)
        assert client.get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
