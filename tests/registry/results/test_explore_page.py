"""/explore/: the view of an address, what is refused, and what it costs."""

from __future__ import annotations

import re

import pytest

from registry.query.facts import fact_index
from registry.results.explore import readings
from tests.html import page_source
from tests.registry.record import make_measurement, make_release, make_result

pytestmark = pytest.mark.django_db
METRIC = "ior-easy-write.bandwidth.phase"


@pytest.fixture
def results():
    release = make_release("sc25", "2025-11-01", name="SC25")
    stored = []
    for number, (value, clients, system) in enumerate(((400, 40, "Big"), (300, 10, "Small"), (100, None, "Silent")), 1):
        result = make_result(release, f"x-{number}", client_nodes=clients, tasks=None, system_name=system)
        make_measurement(result, "ior-easy-write", value)
        stored.append(result)
    fact_index.rebuild_facts([result.pk for result in stored])
    return stored


def rows_of(page: str) -> list[str]:
    """The systems of the table, in its order."""
    return [part.split("</a>")[0].split(">")[-1] for part in page.split('<th scope="row">')[1:]]


def test_values_are_shown_in_total_and_per_client_node(client, results) -> None:
    page = page_source(client.get("/explore/", {"metric": METRIC}))
    assert rows_of(page) == ["Big", "Small", "Silent"]
    assert "Big, SC25: 400.00 GiB/s, 1.33 times the next, Small, SC25." in page
    divided = page_source(client.get("/explore/", {"metric": METRIC, "per": "client"}))
    assert rows_of(divided) == ["Small", "Big"]
    assert "Small, SC25: 30.00 GiB/s per client node, 3.00 times the next, Big, SC25." in divided
    assert "1 without a stated number of client nodes, so nothing is divided." in divided
    assert "The list that it was copied from has no client nodes, nor has its archive." in divided


def test_folded_filters_say_how_many_are_ticked(client, results) -> None:
    assert "<summary>Filters</summary>" in page_source(client.get("/explore/", {"metric": METRIC}))
    query = {"metric": METRIC, "trust": ["imported", "derived"], "latest": "1", "r": "x-2", "only": "1"}
    assert "<summary>Filters, 4 ticked</summary>" in page_source(client.get("/explore/", query))


def test_releases_are_ticked_by_name(client, db) -> None:
    result = make_result(make_release("spring", name="Spring of 2027"), "x-1", client_nodes=1)
    make_measurement(result, "ior-easy-write", 400)
    page = page_source(client.get("/explore/", {"metric": METRIC, "release": "spring"}))
    assert re.search(r'name="release" value="spring"\s+checked>Spring of 2027\s', page)


def test_an_empty_registry_shows_that_it_has_no_results(client, db) -> None:
    answer = client.get("/explore/")
    assert answer.status_code == 200 and "No results yet." in page_source(answer)


def test_the_choice_of_a_form_without_scripts_is_kept(client, results) -> None:
    page = page_source(client.get("/explore/", {"metric": METRIC, "r": ["x-2", "x-3"], "only": "1"}))
    assert rows_of(page) == ["Small", "Silent"] and "/compare/?results=x-2,x-3" in page
    assert page.count('name="r" value="x-2" checked') == 1
    hidden = page_source(client.get("/explore/", {"metric": METRIC, "r": "x-3", "client_nodes__gte": "1"}))
    assert '<input type="hidden" name="r" value="x-3">' in hidden


def test_empty_fields_do_not_stay_in_the_address(client, results) -> None:
    answer = client.get("/explore/?tool=io500&per=&client_nodes__gte=&trust=imported")
    assert answer.status_code == 302 and answer["Location"] == "/explore/?tool=io500&trust=imported"
    assert client.get("/explore/?per=")["Location"] == "/explore/"


@pytest.mark.parametrize(
    "query",
    [
        {"client_nodes__gte": "many"}, {"per": "leaf"}, {"rows": "-1"}, {"base": ["a", "b"]}, {"latest": "yes"},
        {"tool": "a\0b"}, {"trust": "gold"}, {"p.nobody_knows": "1"},
    ],
)  # fmt: skip
def test_errors_are_shown_above_the_form(client, results, query) -> None:
    answer = client.get("/explore/", {"metric": METRIC} | query)
    page = page_source(answer)
    assert answer.status_code == 400 and 'role="alert"' in page and 'name="client_nodes__lte"' in page


def test_a_metric_of_another_benchmark_is_replaced_with_a_note(client, results) -> None:
    page = page_source(client.get("/explore/", {"metric": "write.bandwidth"}))
    assert "have no number <code>write.bandwidth</code>" in page and rows_of(page)


def test_times_are_not_divided(client, results) -> None:
    make_measurement(results[0], quantity="time", value=300.0, unit="s", printed_unit="s")
    page = page_source(client.get("/explore/", {"metric": "ior-easy-write.time", "per": "client"}))
    assert "Times and shares are not divided" in page and 'name="per"' not in page


def test_texts_of_sources_are_escaped(client, db) -> None:
    result = make_result(make_release("sc25"), "x-1", system_name='<b onclick="x">', filesystem_family="<i>")
    page = page_source(client.get("/explore/", {"metric": "score", "base": result.public_id}))
    assert "<b onclick" not in page and "<i>" not in page and "&lt;i&gt;" in page


def test_results_beyond_the_limit_of_a_view_are_reported(client, results, monkeypatch) -> None:
    monkeypatch.setattr(readings, "MOST_READ", 2)
    page = page_source(client.get("/explore/", {"metric": METRIC}))
    assert rows_of(page) == ["Small", "Silent"] and "Only the newest" in page


@pytest.mark.parametrize("query", [{}, {"per": "client"}, {"per": "server", "latest": "1", "base": "median"}])
def test_queries_do_not_grow(client, results, django_assert_max_num_queries, query) -> None:
    client.get("/explore/", {"metric": METRIC} | query)
    with django_assert_max_num_queries(7):
        client.get("/explore/", {"metric": METRIC} | query)


def test_withdrawn_and_copied_results_are_not_drawn(client, results) -> None:
    results[0].withdrawn_at = "2026-01-01T00:00:00Z"
    results[0].save()
    copy = make_result(results[1].release, "x-9", system_name="Copy", same_as=results[1])
    make_measurement(copy, "ior-easy-write", 300.0)
    assert rows_of(page_source(client.get("/explore/", {"metric": METRIC}))) == ["Small", "Silent"]


def test_requests_of_another_size_are_reported_as_another_experiment(client, db) -> None:
    """Of fio the size of a request and its direction make another experiment, so they differ aloud."""
    release = make_release("sc25", "2025-11-01", name="SC25")
    stored = [
        make_result(release, f"f-{size}", tool="fio", parameters={"bs": size, "rw": "read"}) for size in ("4k", "1M")
    ]
    for result in stored:
        make_measurement(result, "read", stat="mean")
    fact_index.rebuild_facts([result.pk for result in stored])
    page = page_source(client.get("/explore/", {"tool": "fio", "metric": "read.bandwidth.mean"}))
    assert "size of each I/O (1M, 4k)" in page or "size of each I/O (4k, 1M)" in page


def test_rows_of_one_name_have_their_ids_beside(client, results) -> None:
    twin = make_result(results[0].release, "x-twin", client_nodes=40, system_name="Big")
    make_measurement(twin, "ior-easy-write", 390)
    page = page_source(client.get("/explore/", {"metric": METRIC}))
    identified = [id for id in ("x-1", "x-twin", "x-2", "x-3") if f'<small class="mono">{id}</small>' in page]
    assert identified == ["x-1", "x-twin"]
