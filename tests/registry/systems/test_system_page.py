"""The page of a system: its lead, stairs, results of every benchmark, changes, and what is not known."""

from __future__ import annotations

import re

import pytest

from registry.presentation.charts.record_stairs import RecordPoint, draw_record_stairs, find_records
from registry.query.facts import fact_index
from tests.html import page_source
from tests.registry.record import make_list, make_measurement, make_release, make_result

ADDRESS = "/systems/site-one-test-system-a/"
SCORES = (100.0, 250.0, 240.0)
TIMES = "\N{MULTIPLICATION SIGN}"
NBSP = "\N{NO-BREAK SPACE}"


@pytest.fixture
def grown(db):
    """One system with three scores, each with more client nodes but the last, and a run of another benchmark."""
    releases = [make_release(slug, day, name=slug.upper()) for slug, day in
                (("isc23", "2023-05-01"), ("sc23", "2023-11-01"), ("sc25", "2025-11-01"))]  # fmt: skip
    results = [
        make_result(release, f"g-{number}", score, client_nodes=clients, bandwidth_gib_per_s=score / 2,
                    parameters={"stripe_count": number})
        for number, (release, score, clients) in enumerate(zip(releases, SCORES, (10, 40, 80), strict=True))
    ]  # fmt: skip
    other = make_result(releases[2], "g-9", None, tool="ior", client_nodes=4)
    make_measurement(other, "write", 3.0, stat="max", scored=None)
    make_list(releases[1], "production", [results[1]], title="Production")
    fact_index.rebuild_facts([result.pk for result in (*results, other)])
    return results


def test_the_gain_is_shown_beside_the_growth_of_the_system(client, grown) -> None:
    page = page_source(client.get(ADDRESS))
    assert "<dd>250.00</dd>" in page and "rank 1, " in page and 'href="/lists/sc23/production/"' in page
    assert f"<dd>{TIMES}{NBSP}2.50</dd>" in page and f"with {TIMES}{NBSP}4.00 client nodes" in page
    lead = page[page.index('<dl class="keys">') : page.index("</dl>")]
    assert re.findall(r"<dd>([^<]+)", lead)[4:6] == ["3.12 ", "5.00 at ISC23"], lead
    assert "no ceiling is known" in page


def test_results_of_every_benchmark_are_in_one_table(client, grown) -> None:
    page = page_source(client.get(ADDRESS, {"r": "g-1"}))
    assert page.index("IO500: 2") < page.index("IO500, 10 client nodes: 1") < page.index("IOR: 1")
    assert "Write bandwidth 3" in page
    assert 'value="g-1" checked' in page


def test_stairs_are_drawn_from_zero_with_a_mark_at_each_record(client, grown) -> None:
    page = page_source(client.get(ADDRESS))
    assert "Each record came with more client nodes" in page
    assert f"The highest value so far: 100.00 at ISC23 with 10{NBSP}client nodes; 250.00 at SC23" in page


def test_changed_and_unknown_facts_are_listed(client, grown) -> None:
    page = page_source(client.get(ADDRESS))
    changes = page[page.index('id="changes"') : page.index('id="machines"')]
    assert "Client nodes" in changes and "Stripe count" in changes and "Benchmark version" not in changes
    assert "The list that it was copied from has no platform, data servers, CPU of servers, drives" in page
    assert "A series needs 6 results with equal settings. Here no two results are known to have" in page


def test_unknown_client_nodes_are_no_growth(client, grown) -> None:
    type(grown[0]).objects.filter(pk=grown[0].pk).update(client_nodes=None)
    page = page_source(client.get(ADDRESS))
    assert "growth of the machine not known" in page
    assert "1 scored result without known client nodes: not drawn." in page
    assert "100.00 at ISC23" not in page


def test_a_system_without_results_or_score_has_a_note(client, db) -> None:
    result = make_result(make_release("sc25"), "g-1", None)
    page = page_source(client.get(ADDRESS))
    assert 'id="stairs"' not in page and 'id="changes"' not in page and 'id="machines"' in page
    type(result).objects.update(withdrawn_at="2026-01-01T00:00:00Z")
    assert "No current results." in page_source(client.get(ADDRESS))


def test_a_system_is_cited_by_its_address_and_newest_result(client, grown, settings) -> None:
    settings.SITE_URL = "https://registry.example.org"
    page = page_source(client.get(ADDRESS))
    sentence = "Test system A, Site One: 4 results, the newest is g-9 (Highwater, system site-one-test-system-a)."
    assert f"“{sentence}” <code>https://registry.example.org{ADDRESS}</code>" in page
    assert page.count('href="#cite"') == page.count('<section id="cite">') == 1
    type(grown[0]).objects.exclude(pk=grown[0].pk).update(withdrawn_at="2026-01-01T00:00:00Z")
    assert "“Test system A, Site One: 1 result, the newest is g-0 (" in page_source(client.get(ADDRESS))
    type(grown[0]).objects.update(withdrawn_at="2026-01-01T00:00:00Z")
    assert "“Test system A, Site One: no current results (" in page_source(client.get(ADDRESS))


def test_queries_do_not_grow_with_results(client, grown, django_assert_max_num_queries) -> None:
    for number in range(20, 30):
        result = make_result(grown[0].release, f"g-{number}", 5.0, tool="ior")
        make_measurement(result, "write", 1.0, stat="max")
    client.get(ADDRESS)
    with django_assert_max_num_queries(18):
        client.get(ADDRESS)


def test_only_a_value_above_all_earlier_ones_is_a_record() -> None:
    points = [RecordPoint("A", 5.0), RecordPoint("B", 4.0), RecordPoint("C", 5.0), RecordPoint("D", 6.0)]
    assert find_records(points) == [0, 3]
    assert draw_record_stairs(points[:1]) == []
    assert [chart.kind for chart in draw_record_stairs(points)] == ["wide", "thin"]


def test_systems_without_a_name_stand_behind_the_others(client, db) -> None:
    release = make_release("sc25", "2025-11-01")
    for number, name in enumerate(("Zeta", "", "alpha", "")):
        result = make_result(release, f"n-{number}", 1.0, institution=f"Site {number}", system_name=name)
        assert result.system.name == name
    page = page_source(client.get("/systems/"))
    names = re.findall(r'<a href="/systems/[^"]+/">([^<]+)</a>', page)
    assert names == ["alpha", "Zeta", "Unnamed system", "Unnamed system"]
