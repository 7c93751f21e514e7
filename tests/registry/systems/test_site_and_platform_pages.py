"""Pages of sites and platforms: what leads them, their systems, and results by benchmark."""

from __future__ import annotations

import re

import pytest
from django.db.models import Q

from registry.models import Platform, System
from registry.systems import result_groups, views, views_sites
from registry.systems.system_totals import read_totals, sum_rows
from tests.html import page_source
from tests.registry.record import make_list, make_measurement, make_release, make_result

SITE, PLATFORM = "/sites/site-one/", "/platforms/p1/"


@pytest.fixture
def site_results(db):
    """Two systems of one site on one platform: scores of two releases, a run of IOR, and a number of a paper."""
    earlier, later = make_release("sc23", "2023-11-01", name="SC23"), make_release("sc25", "2025-11-01", name="SC25")
    results = [
        make_result(earlier, "m-0", 100.0, client_nodes=40, filesystem_type="Lustre"),
        make_result(later, "m-1", 250.0, client_nodes=40, filesystem_type="Lustre"),
        make_result(later, "m-2", 900.0, client_nodes=10, system_name="Other"),
    ]
    run = make_result(later, "m-3", None, tool="ior", client_nodes=4)
    reported = make_result(None, "m-4", None, tool="ior", trust="reported")
    for result in (run, reported):
        make_measurement(result, "write", 3.0, stat="max", scored=None)
    platform = Platform.objects.create(slug="p1", name="Platform One", vendor="Vendor")
    System.objects.update(platform=platform)
    type(results[0]).objects.update(platform=platform)
    make_list(earlier, "production", [results[0]], title="Production")
    make_list(later, "production", [results[2], results[1]], title="Production")
    return results


@pytest.mark.parametrize("address", [SITE, PLATFORM])
def test_the_highest_score_leads_with_its_place(client, site_results, address) -> None:
    page = page_source(client.get(address))
    lead = page[page.index('<dl class="keys">') : page.index("</dl>")]
    assert "<dd>900.00</dd>" in lead and "Other, rank 1, " in lead
    assert 'href="/lists/sc25/production/">Production, SC25</a>' in lead
    assert "IO500 3, IOR 2" in lead


@pytest.mark.parametrize("address", [SITE, PLATFORM])
def test_systems_stand_in_the_order_of_their_scores(client, site_results, address) -> None:
    page = page_source(client.get(address))
    table = page[page.index('id="systems"') : page.index('id="results"')]
    assert table.index(">Other</a>") < table.index(">Test system A</a>")
    assert "SC23 to SC25" in table and 'href="/results/m-1/"><b>250.00</b>' in table


@pytest.mark.parametrize("address", [SITE, PLATFORM])
def test_results_without_a_score_show_what_they_measured(client, site_results, address) -> None:
    page = page_source(client.get(address, {"r": "m-1"}))
    verified, reported = page[page.index('id="results"') :].split('id="reported"')
    assert "IO500: 2" in verified and "IO500, 10 client nodes: 1" in verified and "IOR: 1" in verified
    assert "Write bandwidth 3" in verified and 'value="m-1" checked' in verified
    assert "Write bandwidth 3" in reported and "m-4" in reported and "m-4" not in verified


def test_marks_of_the_chart_lead_to_their_results(client, site_results) -> None:
    page = page_source(client.get(SITE))
    picture = page[page.index("<figcaption>The best score") : page.index("</figure>")]
    assert '<a href="/results/m-0/" aria-label="SC23: 100"' in picture
    assert '<a href="/results/m-1/" aria-label="SC25: 250"' in picture
    assert "/results/m-2/" not in picture


def test_a_withdrawn_result_is_counted_nowhere(client, site_results) -> None:
    type(site_results[0]).objects.filter(public_id="m-2").update(withdrawn_at="2026-01-01T00:00:00Z")
    for address in (SITE, PLATFORM):
        page = page_source(client.get(address))
        assert "900.00" not in page and "<dd>250.00</dd>" in page
    assert "900.00" not in page_source(client.get("/platforms/"))


def test_platforms_are_listed_with_what_was_measured_on_them(client, site_results) -> None:
    former = Platform.objects.create(slug="p0", name="Platform Zero", merged_into=Platform.objects.get(slug="p1"))
    page = page_source(client.get("/platforms/"))
    assert 'href="/platforms/p1/">Platform One</a>' in page and former.name not in page
    assert 'data-l="systems">2<' in page and 'data-l="results">5<' in page and "<b>900.00</b>" in page


def names_and_ways(client, address: str) -> tuple[list[str], dict[str, str]]:
    """The rows of an index, and the addresses of the pages before and after it."""
    page = page_source(client.get(address))
    names = re.findall(r'scope="row"><a href="/(?:sites|platforms)/[^"]*">(\w+)</a>', page)
    return names, {name: link for link, name in re.findall(r'<a class="btn" href="([^"]*)">(\w+) page</a>', page)}


@pytest.mark.parametrize("index", ["/sites/", "/platforms/"])
def test_the_way_back_through_an_index_has_the_same_pages(client, db, monkeypatch, index: str) -> None:
    monkeypatch.setattr(views_sites, "PAGE_ROWS", 2)
    monkeypatch.setattr(views, "PAGE_ROWS", 2)
    release = make_release("sc23")
    for name in ("c", "A", "e", "B", "d"):
        make_result(release, f"m-{name}", institution=name)
        Platform.objects.create(slug=name.lower(), name=name)
    first, ways = names_and_ways(client, index)
    assert (first, list(ways)) == (["A", "B"], ["Next"])
    second, ways = names_and_ways(client, index + ways["Next"])
    assert (second, list(ways)) == (["c", "d"], ["Previous", "Next"])
    third, ways = names_and_ways(client, index + ways["Next"])
    assert (third, list(ways)) == (["e"], ["Previous"])
    back, ways = names_and_ways(client, index + ways["Previous"])
    assert (back, list(ways)) == (["c", "d"], ["Previous", "Next"])
    assert names_and_ways(client, index + ways["Previous"])[0] == ["A", "B"]


@pytest.mark.parametrize("index", ["/sites/", "/platforms/"])
@pytest.mark.parametrize("before", ["nonsense", "WyItaWQiLCI3Iiw3XQ", "\0"])
def test_a_cursor_of_another_address_is_refused(client, db, index: str, before: str) -> None:
    answer = client.get(index, {"before": before})
    assert answer.status_code == 400 and "query.bad-cursor" in page_source(answer)


def test_an_index_without_platforms_is_explained(client, db) -> None:
    assert "No platforms yet." in page_source(client.get("/platforms/"))


def test_queries_of_a_site_do_not_grow_with_results(client, site_results, django_assert_max_num_queries) -> None:
    for number in range(20, 30):
        result = make_result(site_results[0].release, f"m-{number}", 5.0, system_name=f"System {number}")
        make_measurement(result, "write", 1.0, stat="max")
    with django_assert_max_num_queries(7):
        client.get(SITE)


@pytest.mark.parametrize("address", [SITE, PLATFORM])
def test_counts_and_scores_are_of_all_results_whatever_is_listed(client, site_results, address, monkeypatch) -> None:
    monkeypatch.setattr(result_groups, "MOST_ROWS", 2)
    monkeypatch.setattr(result_groups, "MOST_SYSTEMS", 1)
    page = page_source(client.get(address))
    lead = page[page.index('<dl class="keys">') : page.index("</dl>")]
    assert "<dd>900.00</dd>" in lead and "Other, rank 1, " in lead
    assert "<dd>5</dd>" in lead and "IO500 3, IOR 2" in lead
    table = page[page.index('id="systems"') : page.index('id="results"')]
    assert ">Other</a>" in table and ">Test system A</a>" not in table
    assert "The 1 with the highest" in table and "of 2 are shown" in table
    assert "Only the newest 2 are shown." in page


def test_a_system_counts_results_that_are_not_listed(client, site_results, monkeypatch) -> None:
    monkeypatch.setattr(result_groups, "MOST_ROWS", 1)
    page = page_source(client.get(SITE))
    table = page[page.index('id="systems"') : page.index('id="results"')]
    assert "SC23 to SC25" in table and ">250.00</b>" in table
    assert re.findall(r'data-l="results?">(\d+)<', table) == ["1", "4"]


def test_all_systems_of_a_place_are_one_link_away(client, site_results, monkeypatch) -> None:
    monkeypatch.setattr(result_groups, "MOST_SYSTEMS", 1)
    for address, query in ((SITE, "institution=site-one"), (PLATFORM, "platform=p1")):
        assert f'href="/systems/?{query}"' in page_source(client.get(address))
        systems = page_source(client.get("/systems/", dict([query.split("=")])))
        assert ">Other</a>" in systems and ">Test system A</a>" in systems


def test_a_system_says_that_its_figures_are_of_the_newest_results(client, site_results, monkeypatch) -> None:
    sentence, address = "These figures are of the newest", f"/systems/{site_results[0].system.slug}/"
    assert sentence not in page_source(client.get(address))
    monkeypatch.setattr(result_groups, "MOST_ROWS", 3)
    assert f"{sentence} 3 results." in page_source(client.get(address))


@pytest.mark.parametrize("kind", ["site", "platform"])
def test_rows_and_the_database_sum_to_the_same(site_results, kind) -> None:
    make_result(site_results[0].release, "m-5", 250.0, client_nodes=7, filesystem_family="BeeGFS")
    condition = Q(site=site_results[0].site) if kind == "site" else Q(platform__slug="p1")
    rows, cut = result_groups.take_rows(condition)
    totals = sum_rows(result_groups.newest_first(rows))
    assert not cut and totals == read_totals(condition, result_groups.COLUMNS)
    assert sum(own.results.total() for own in totals.values()) == len(rows)
