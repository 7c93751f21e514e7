"""Filters that a benchmark's descriptor names: offered with counts, and true to what they offer."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import Result
from tests.html import page_source
from tests.registry.record import make_rate, make_release, make_result


@pytest.fixture
def record(db) -> None:
    release = make_release("next")
    for number, (tool, parameters, facts) in enumerate(
        [
            ("ior", {"api": "POSIX", "transfer_size_bytes": 1048576, "fsync": True, "command_line": "-a"}, {}),
            ("ior", {"api": "POSIX", "transfer_size_bytes": 4096, "fsync": False}, {}),
            ("ior", {"api": "MPIIO", "segments": [1, 2]}, {}),
            ("ior", {"api": "HDF5"}, {"withdrawn_at": timezone.now()}),
            ("mdtest", {"api": "POSIX"}, {}),
        ]
    ):
        result = make_result(release, f"r-{number}", None, tool=tool, parameters=parameters, **facts)
        make_rate(result, "write" if tool == "ior" else "file_create", "max", 5.0)


def choices(content: str, name: str) -> list[str]:
    """The words that a select offers, without `any`."""
    select = re.search(rf'<select name="{re.escape(name)}">(.*?)</select>', content, flags=re.DOTALL)
    return re.findall(r"<option[^>]*>([^<]*)</option>", select[1])[1:] if select else []


def test_benchmarks_with_results_are_offered_with_their_number(client: Client, record) -> None:
    content = page_source(client.get("/results/"))
    assert choices(content, "tool") == ["IOR (3)", "mdtest (1)"]
    assert choices(content, "measured") == []


def test_a_chosen_benchmark_offers_what_its_descriptor_names(client: Client, record) -> None:
    content = page_source(client.get("/results/?tool=ior"))
    assert choices(content, "p.api") == ["POSIX (2)", "MPIIO (1)"]
    assert choices(content, "p.transfer_size_bytes") == ["4096 (1)", "1048576 (1)"]
    assert choices(content, "p.fsync") == ["false (1)", "true (1)"]
    assert "write, bandwidth" in choices(content, "measured")
    assert [choices(content, f"p.{name}") for name in ("segments", "command_line", "collective")] == [[], [], []]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tool=ior&p.api=POSIX", ["r-1", "r-0"]),
        ("tool=ior&p.transfer_size_bytes=4096", ["r-1"]),
        ("tool=ior&p.fsync=true", ["r-0"]),
        ("measured=write/rate", ["r-2", "r-1", "r-0"]),
        ("measured=write", ["r-2", "r-1", "r-0"]),
        ("measured=write/bandwidth", []),
        ("measured=file_create/rate&measured=write/rate&p.api=POSIX", ["r-4", "r-1", "r-0"]),
        ("tool=mdtest&p.items_per_task=1", []),
    ],
)
def test_page_and_api_give_the_same_results(client: Client, record, query: str, found: list[str]) -> None:
    listed = client.get(f"/api/v1/results/?{query}").json()["results"]
    content = page_source(client.get(f"/results/?{query}"))
    assert [result["id"] for result in listed] == found
    assert re.findall(r'<a href="/results/(r-\d)/"', content) == found


def test_chosen_values_without_results_stay_in_the_form(client: Client, record) -> None:
    content = page_source(client.get("/results/?tool=ior&p.api=DFS&measured=scan/rate&p.other=1"))
    assert '<option value="DFS" selected>DFS</option>' in content
    assert '<option value="scan/rate" selected>scan/rate</option>' in content
    assert '<input name="p.other" maxlength="200" value="1">' in content
    assert choices(page_source(client.get("/results/?tool=bonnie")), "tool")[-1] == "bonnie"


def test_an_unknown_tool_is_no_error_and_hostile_values_are_escaped(client: Client, record) -> None:
    content = page_source(client.get("/results/?tool=%27%3B--&p.api=%3Cscript%3E"))
    assert "<script>" not in content.split("</head>")[1].replace('<script src="', "")


@pytest.fixture
def several(db) -> None:
    """Two systems of Lustre, one of them with ior too, and one of DAOS whose only result was withdrawn."""
    release = make_release("next")
    make_result(release, "s-1", 1.0, system_name="Alpha")
    make_result(release, "s-2", None, system_name="Alpha", tool="ior")
    make_result(release, "s-3", 1.0, system_name="Beta", vendor="Other")
    daos = {"filesystem_family": "DAOS", "withdrawn_at": timezone.now()}
    make_result(release, "s-4", 777.0, system_name="Gamma", **daos)


def test_systems_are_offered_by_what_was_measured_on_them(client: Client, several) -> None:
    content = page_source(client.get("/systems/"))
    assert choices(content, "tool") == ["IO500 (2)", "IOR (1)"]
    assert choices(content, "filesystem_type") == ["Lustre (2)"]
    assert choices(content, "vendor") == ["Maker (1)", "Other (1)"]
    assert all(name in content for name in ("Alpha", "Beta", "Gamma"))


def test_withdrawn_results_are_neither_counted_nor_best(client: Client, several) -> None:
    older = Result.objects.get(public_id="s-3")
    make_result(older.release, "s-5", 1.5, system_name="Beta", vendor="Other", revises=older)
    content = page_source(client.get("/systems/"))
    cells = re.findall(r"/systems/[^/]+/\">(\w+)</a>.*?</td><td[^>]*>(\d+)</td><td[^>]*>(?:<b>)?([^<]+)<", content)
    assert cells == [("Alpha", "2", "1.00"), ("Beta", "1", "1.50"), ("Gamma", "0", "—")]
    assert "ior, s-2" in page_source(client.get("/results/"))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("tool=ior", ["Alpha"]),
        ("tool=io500&vendor=other", ["Beta"]),
        ("q=beta", ["Beta"]),
        ("filesystem_type=lustre", ["Alpha", "Beta"]),
        ("filesystem_type=DAOS", []),
        ("institution=nobody", []),
    ],
)
def test_systems_of_page_and_api_are_the_same(client: Client, several, query: str, found: list[str]) -> None:
    systems = client.get(f"/api/v1/systems/?{query}").json()["results"]
    assert [system["name"] for system in systems] == found
    content = page_source(client.get(f"/systems/?{query}"))
    assert [name for name in ("Alpha", "Beta", "Gamma") if f">{name}</a>" in content] == found
    assert ("No systems match these filters" in content) == (not found)


def test_a_system_filter_that_can_not_be_understood_is_refused(client: Client, several) -> None:
    assert client.get("/systems/?trust=much").status_code == 400
    assert client.get("/api/v1/systems/?colour=red").json()["code"] == "query.unknown-parameter"
    assert b"<script>x" not in client.get("/systems/?vendor=<script>x").content
