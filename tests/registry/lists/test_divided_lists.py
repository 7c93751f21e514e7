"""A list per client node or server: numbers are divided, ranks stay, and what is not known is said."""

from __future__ import annotations

import pytest

from registry.models import Fact, Result
from tests.html import page_source
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db
ADDRESS = "/lists/sc25/production/"


@pytest.fixture
def listed():
    release = make_release("sc25", "2025-11-01", name="SC25")
    rows = (("Big", 900.0, 80.0, 40), ("Small", 300.0, 50.0, 10), ("Silent", 100.0, 70.0, None))
    results = [
        make_result(release, f"l-{number}", score, bandwidth_gib_per_s=bandwidth, rate_kiops=10.0, client_nodes=clients,
                    system_name=system)
        for number, (system, score, bandwidth, clients) in enumerate(rows)
    ]  # fmt: skip
    return make_list(release, "production", results)


def order_of(page: str) -> list[tuple[str, str]]:
    """(rank, result) of each row."""
    rows = page.split('<td role="cell" class="rank n">')[1:]
    return [(row.split("</td>")[0], row.split('value="')[1].split('"')[0]) for row in rows]


def test_numbers_are_divided_and_ranks_stay(client, listed) -> None:
    page = page_source(client.get(ADDRESS, {"per": "client", "ordering": "-bandwidth_gib_per_s"}))
    assert order_of(page) == [("2", "l-1"), ("1", "l-0"), ("3", "l-2")]
    assert ">5.00<" in page and ">2.00<" in page and ">70.00<" not in page
    assert "1 entry does not state the client nodes and is not divided." in page
    total = page_source(client.get(ADDRESS, {"ordering": "-bandwidth_gib_per_s"}))
    assert order_of(total) == [("1", "l-0"), ("3", "l-2"), ("2", "l-1")]


def test_sorting_keeps_the_divisor_and_the_choice(client, listed) -> None:
    page = page_source(client.get(ADDRESS, {"per": "client", "r": "l-1"}))
    assert "?per=client&amp;r=l-1&amp;ordering=-bandwidth_gib_per_s" in page


def test_numbers_per_server_go_by_the_facts_of_each_result(client, listed) -> None:
    for name, value in (("l-0", 4.0), ("l-1", 0.0)):
        result = Result.objects.get(public_id=name)
        Fact.objects.create(result=result, name="servers", text=str(int(value)), number=value)
    page = page_source(client.get(ADDRESS, {"per": "server", "ordering": "-bandwidth_gib_per_s"}))
    assert order_of(page) == [("1", "l-0"), ("2", "l-1"), ("3", "l-2")]
    assert ">20.00<" in page and ">50.00<" not in page
    assert "2 entries do not state the data servers and are not divided." in page
    assert '<option value="server" selected>' in page


@pytest.mark.parametrize("per", ["drive", "clients", "0"])
def test_another_divisor_is_refused(client, listed, per) -> None:
    assert client.get(ADDRESS, {"per": per}).status_code == 400


@pytest.mark.parametrize("address", [ADDRESS, "/results/", "/systems/"])
def test_empty_fields_leave_the_address(client, listed, address) -> None:
    answer = client.get(f"{address}?q=&filesystem_type=Lustre")
    assert (answer.status_code, answer["Location"]) == (302, f"{address}?filesystem_type=Lustre")
