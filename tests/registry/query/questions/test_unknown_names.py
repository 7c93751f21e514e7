"""A wrong name of a parameter is refused, a value that no result has is named: both with what is nearest."""

from __future__ import annotations

import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registry.models import Fact, Result
from registry.query.facts.fact_index import rebuild_facts
from registry.query.facts.known_names import unknown_parameters
from tests.registry.record import described, make_list, make_measurement, make_platform, make_release, make_result

pytestmark = pytest.mark.django_db

API = "/api/v1/"
HISTORY = "systems/site-one-test-system-a/history/"
LINE = "generations/maker-200/"
STUDY = "study/?metric=write.bandwidth.max&x=system&"
RANKING = "ranking/?formula=score&"
ANSWERS = ["results/?", STUDY, RANKING, f"{HISTORY}?", f"{LINE}?"]
PAGES = ["/results/?", f"/{STUDY}", f"/{RANKING}", f"/{HISTORY}?", f"/{LINE}?"]


@pytest.fixture(autouse=True)
def record() -> list[Result]:
    """Two results of one system on two generations of a platform, with facts as they are when they are published."""
    release = make_release("SC98")
    before = make_platform("maker-100", "Maker 100")
    platforms = (before, make_platform("maker-200", "Maker 200", predecessor=before))
    parameters = {"stripes": 4, "api": "POSIX"}
    results = [
        make_result(release, f"hw-{number}", 10.0 * number, platform=platform, parameters=parameters)
        for number, platform in enumerate(platforms, 1)
    ]
    for result in results:
        make_measurement(result, "write", stat="max", context={"osts": 8})
        described(result, **{"lustre.version": "2.15.4", "vendor.knob": "on"})
    make_list(release, "full", results)
    rebuild_facts(result.pk for result in results)
    return results


def problem_of(address: str) -> tuple[int, str, str]:
    answer = Client().get(f"{API}{address}")
    document = answer.json()
    return answer.status_code, document["code"], document["hint"]


def unknown_of(address: str) -> list[tuple[str, str, list[str]]]:
    answer = Client().get(f"{API}{address}")
    assert answer.status_code == 200, answer.content
    rows = answer.json()["unknown_values"]
    assert {row["code"] for row in rows} <= {"query.unknown-value"}
    return [(row["name"], row["value"], row["nearest"]) for row in rows]


# Names


@pytest.mark.parametrize("address", [*ANSWERS, "sizing/?platform=maker-200&target=1&"])
def test_a_parameter_that_nothing_has_is_refused_with_the_nearest(address: str) -> None:
    status, code, hint = problem_of(f"{address}p.stripess=4")
    assert (status, code) == (400, "query.unknown-parameter")
    assert hint.startswith("Nearest: p.stripes")


@pytest.mark.parametrize("form", ["csv", "parquet", "svg"])
def test_every_format_refuses_an_unknown_parameter(form: str) -> None:
    assert problem_of(f"{STUDY}p.nothing=4&format={form}")[:2] == (400, "query.unknown-parameter")


@pytest.mark.parametrize("page", PAGES)
def test_a_page_reports_an_unknown_parameter(page: str) -> None:
    answer = Client().get(f"{page}p.stripess=4")
    content = answer.content.decode()
    assert answer.status_code == 400
    assert "Nearest: p.stripes" in content and "query.unknown-parameter" in content


def test_the_page_of_results_keeps_its_form() -> None:
    content = Client().get("/results/?p.stripess=4").content.decode()
    assert '<input name="p.stripess" maxlength="200" value="4">' in content
    assert "No result has p.stripess." in content and "hw-1" not in content


@pytest.mark.parametrize(
    "name",
    [
        "stripes",  # of a run
        "lustre.version",  # of a described system
        "vendor.knob",  # of a described system, in no table of ours
        "lustre.version@client",
        "stripe_count",  # an axis that no result has a value for
        "lustre.client.osc.checksums",  # a parameter that none was described with
        "vm.sysctl/vm.swappiness",  # an entry of a map
        "items_per_task",  # of a benchmark's descriptor
        "client_nodes",
        "osts",
    ],
)
def test_known_names_are_accepted(name: str) -> None:
    assert Client().get(f"{API}results/?p.{name}=none").status_code == 200


def test_names_are_not_checked_in_an_empty_registry() -> None:
    Fact.objects.all().delete()
    assert Client().get(f"{API}results/?p.anything=1").status_code == 200


def test_a_name_costs_one_look_up_and_a_known_one_none(django_assert_num_queries) -> None:
    with django_assert_num_queries(0):
        assert unknown_parameters(["stripe_count", "lustre.version@oss", "vm.sysctl/vm.dirty_ratio"]) == {}
    with django_assert_num_queries(1):
        assert unknown_parameters(["stripes", "vendor.knob"]) == {}
    with django_assert_num_queries(2):
        assert list(unknown_parameters(["stripes", *(f"none-{number}" for number in range(30))])) == [
            f"none-{number}" for number in range(30)
        ]


def test_several_wrong_names_are_all_reported() -> None:
    errors = Client().get(f"{API}results/?p.stripess=4&p.apii=POSIX").json()["errors"]
    assert set(errors) == {"p.stripess", "p.apii"}
    assert "p.api" in errors["p.apii"][0]


@pytest.mark.parametrize("name", ["x" * 190, "%27%3B--", "a%25b", "%E2%98%83", "configuration2", "@", "/"])
def test_hostile_names_are_refused(name: str) -> None:
    assert problem_of(f"results/?p.{name}=1")[:2] == (400, "query.unknown-parameter")


@pytest.mark.parametrize("place", ["context.ostss=8", "series=context.ostss"])
def test_a_part_of_contexts_that_no_table_names_is_refused(place: str) -> None:
    status, code, hint = problem_of(STUDY + place)
    assert (status, code) == (400, "query.unknown-parameter")
    assert "context.osts" in hint


# Values


@pytest.mark.parametrize("address", ANSWERS)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("filesystem_type=Lustr", ("filesystem_type", "Lustr", ["Lustre"])),
        ("tool=io50", ("tool", "io50", ["io500"])),
        ("vendor=Makers", ("vendor", "Makers", ["Maker"])),
        ("institution=Site+Onee", ("institution", "Site Onee", ["Site One"])),
        ("release=SC97", ("release", "SC97", ["SC98"])),
        ("list=fulll", ("list", "fulll", ["full"])),
        ("measured=writ/bandwidth", ("measured", "writ/bandwidth", ["write/bandwidth"])),
        ("p.api=POSIXX", ("p.api", "POSIXX", ["POSIX"])),
        ("p.lustre.version=2.15.44", ("p.lustre.version", "2.15.44", ["2.15.4"])),
        ("p.stripes=5", ("p.stripes", "5", [])),
    ],
)
def test_a_value_that_no_result_has_is_named_with_the_nearest(address: str, query: str, expected) -> None:
    assert unknown_of(address + query) == [expected]


def test_one_wrong_value_of_several_is_named_though_the_answer_has_rows() -> None:
    address = "results/?system=Test+system+A&system=Test+system+B"
    assert unknown_of(address) == [("system", "Test system B", ["Test system A"])]
    assert len(Client().get(API + address).json()["results"]) == 2


@pytest.mark.parametrize(
    "query",
    [
        "client_nodes=9999",
        "q=nothing",
        "filesystem_type=LUSTRE&client_nodes__gte=500",
        "trust=verified",
        "institution=site-one&p.api=posix&tool=IO500&trust=verified",
        "filesystem_type=",
    ],
)
def test_an_empty_answer_to_valid_values_has_no_note(query: str) -> None:
    assert [row for row in unknown_of(f"results/?{query}") if row[0] != "p.api"] == []


def test_a_benchmark_without_results_is_named_without_a_suggestion() -> None:
    assert unknown_of("results/?tool=darshan") == [("tool", "darshan", [])]


def test_an_unused_context_value_is_named() -> None:
    assert unknown_of(f"{STUDY}context.osts=80") == [("context.osts", "80", ["8"])]
    assert unknown_of(f"{STUDY}context.osts=8") == []


def test_a_list_names_values_without_entries() -> None:
    expected = [("filesystem_type", "Lustr", ["Lustre", "Lustre 2.15"])]
    assert unknown_of("lists/SC98/full/?filesystem_type=Lustr") == expected
    assert unknown_of("lists/SC98/full/?institution=site-one") == []
    content = Client().get("/lists/SC98/full/?vendor=Makr").content.decode()
    assert "No entry of this list has vendor=Makr." in content and "Maker" in content


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_the_nearest_beside_its_form(page: str) -> None:
    content = Client().get(f"{page}vendor=Makr").content.decode()
    assert "No result has vendor=Makr." in content and "Nearest: Maker." in content


def test_csv_reports_unknown_values_in_a_header() -> None:
    header = Client().get(f"{API}results/?vendor=M%C3%A4kr&format=csv")["Unknown-Values"]
    assert header.isascii()
    assert json.loads(header) == [{"name": "vendor", "value": "Mäkr", "nearest": ["Maker"]}]
    assert "Unknown-Values" not in Client().get(f"{API}results/?format=csv")


@pytest.mark.parametrize("value", ["%27%3BDROP--", "%0D%0ASet-Cookie:x", "%25%25%25", "%F0%9F%98%80", "x" * 199])
def test_hostile_values_are_only_quoted(value: str) -> None:
    for form in ("json", "csv"):
        answer = Client().get(f"{API}results/?vendor={value}&format={form}")
        assert answer.status_code == 200 and "Set-Cookie" not in answer
    assert "<script>" not in Client().get("/results/?vendor=%3Cscript%3E").content.decode()


def count_queries(address: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        assert Client().get(API + address).status_code == 200
    return len(queries)


def test_an_answer_with_rows_costs_nothing_more_and_an_empty_one_a_few_look_ups() -> None:
    right = count_queries("results/?vendor=Maker")
    assert count_queries("results/?vendor=Makr") == right + 2
    everything = "&".join(
        f"{name}=none" for name in ("vendor", "system", "institution", "release", "list", "measured", "p.api", "tool")
    )
    assert count_queries(f"results/?{everything}") <= right + 5


def test_the_cost_does_not_grow_with_the_record(record: list[Result]) -> None:
    before = count_queries("results/?vendor=Makr")
    release = record[0].release
    rebuild_facts(make_result(release, f"more-{number}", vendor=f"Vendor {number}").pk for number in range(60))
    assert count_queries("results/?vendor=Makr") == before


# Ids


def test_results_are_selected_by_ids_with_their_measurements(django_assert_num_queries) -> None:
    answer = Client().get(f"{API}results/?ids=hw-2,hw-1,nope&include=measurements").json()
    assert [(row["id"], [number["op"] for number in row["measurements"]]) for row in answer["results"]] == [
        ("hw-2", ["write"]),
        ("hw-1", ["write"]),
    ]
    assert [(row["name"], row["value"]) for row in answer["unknown_values"]] == [("ids", "nope")]
    assert "measurements" not in Client().get(f"{API}results/").json()["results"][0]


def test_measurements_of_a_page_are_one_query() -> None:
    assert count_queries("results/?include=measurements") == count_queries("results/") + 1


@pytest.mark.parametrize(
    "query", [f"ids={','.join(map(str, range(101)))}", "ids=a%00b", f"ids={'x' * 201}", "include=files"]
)
def test_invalid_ids_and_include_are_refused(query: str) -> None:
    assert problem_of(f"results/?{query}")[:2] == (400, "query.invalid-value")


def test_csv_refuses_include_measurements() -> None:
    assert problem_of("results/?include=measurements&format=csv")[:2] == (400, "query.invalid-value")
