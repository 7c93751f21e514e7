"""The pages and the API of parameters: what each is, its defaults, and the values that the record has seen."""

from __future__ import annotations

import html

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import ObservedParameter, Result
from registry.query.facts import observed_parameters
from tests.html import page_source
from tests.make_system import make_class, make_parameter, make_system
from tests.registry.record import make_release, make_result
from validators.parameters import parameters

pytestmark = pytest.mark.django_db

RIF = "lustre.client.osc.max_rpcs_in_flight"


@pytest.fixture
def observed() -> Result:
    """A result on whose ten nodes seven OSCs have the default and one has more, and `dirty_ratio` is 10."""
    result = make_result(make_release("SC99"), "hw-1")
    described = [
        make_parameter(RIF, [(8, 7), (64, 1)]),
        make_parameter("vm.sysctl", 10, key="vm.dirty_ratio"),
        make_parameter("lustre.client.jobid_var", "<script>alert(1)</script>"),
    ]
    document = make_system(node_classes=[make_class(parameters=described)])
    ObservedParameter.objects.bulk_create(
        ObservedParameter(result=result, **columns) for columns in observed_parameters.observed_rows(document)
    )
    return result


def text(address: str) -> str:
    page = Client().get(address)
    assert page.status_code == 200, address
    return page_source(page)


@pytest.mark.parametrize("id", sorted(parameters()))
def test_every_parameter_has_a_page(id: str) -> None:
    content = text(f"/parameters/{id}/")
    assert f'<h1><span class="mono">{id}</span></h1>' in content
    assert html.escape(parameters()[id].meaning) in content.replace("&quot;", '"')
    for place in parameters()[id].paths:
        assert place.path in content


def test_a_page_shows_source_privilege_and_redaction() -> None:
    content = text("/parameters/lustre.client.llite.max_cached_mb/")
    assert "procfs; Lustre up to 2.13" in content
    assert "debugfs, root only; Lustre from 2.14 on" in content
    assert "lctl get_param -n llite.*.max_cached_mb" in content
    assert "none up to Lustre 2.13, before it moved to debugfs" in content
    assert "as it is" in content
    assert "known entries only" not in content


def test_a_page_has_the_default_of_each_release() -> None:
    content = text("/parameters/lustre.client.llite.max_read_ahead_mb/")
    for cell in (
        '<th scope="row">2.5 to 2.8</th><td>40 MiB</td>',
        '<th scope="row">2.14 to 2.15</th><td>1/32 of the memory, at most 1024 MiB</td>',
    ):
        assert cell in content
    assert "None is known." in text("/parameters/lustre.server.threads/")
    assert "Default by release" not in text("/parameters/kernel.version/")


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ("mem.dimms", "as it is; serial numbers and asset tags are never read"),
        ("kernel.cmdline", "only known parameters; the rest can hold keys and tokens"),
        ("lnet.selftest", "only as a file that the site adds"),
    ],
)
def test_a_page_shows_what_is_published(id: str, words: str) -> None:
    assert f"<dt>Published</dt><dd>{words}</dd>" in text(f"/parameters/{id}/")


def test_parameters_that_are_never_read_have_a_reason() -> None:
    content = text("/parameters/lustre.server.job_stats/")
    assert "Never read" in content
    assert "never; it is not read" in content


def test_a_page_shows_the_values_seen_and_marks_the_default(observed: Result) -> None:
    content = text(f"/parameters/{RIF}/")
    eight, more = (row for row in content.split("<tr>") if f"p.{RIF}=" in row)
    assert ">8</a>" in eight and "Lustre 2.5 to 2.17" in eight and ">70<" in eight
    assert ">64</a>" in more and "Lustre" not in more and ">10<" in more


def test_the_values_seen_lead_to_their_results(observed: Result) -> None:
    content = text("/parameters/vm.sysctl/")
    address = html.unescape(content.split('<a href="/results/?')[1].split('"')[0])
    assert address == "p.vm.sysctl%2Fvm.dirty_ratio=10"
    assert "/results/hw-1/" in text(f"/results/?{address}")


def test_a_hostile_value_is_text(observed: Result) -> None:
    content = text("/parameters/lustre.client.jobid_var/")
    assert "<script>alert" not in content
    assert "&lt;script&gt;alert" in content


def test_values_of_withdrawn_results_are_left_out(observed: Result) -> None:
    Result.objects.filter(pk=observed.pk).update(withdrawn_at=timezone.now())
    assert "No published result contains it yet." in text(f"/parameters/{RIF}/")


def test_a_page_without_results_has_a_note() -> None:
    assert "No published result contains it yet." in text(f"/parameters/{RIF}/")
    assert "so no values are kept." in text("/parameters/lustre.client.osc.grant/")


def test_a_page_costs_one_query(observed: Result, django_assert_num_queries) -> None:
    with django_assert_num_queries(1):
        text(f"/parameters/{RIF}/")
    with django_assert_num_queries(0):
        text("/parameters/")


def test_the_index_lists_every_parameter_by_group() -> None:
    content = text("/parameters/")
    assert "198 parameters" in content
    assert content.count('<a class="mono" href="/parameters/') == 198
    assert content.index("Lustre client") < content.index("lustre.client.osc.checksums")


@pytest.mark.parametrize(
    ("query", "shown", "hidden"),
    [
        ("q=read_ahead", "lustre.client.llite.max_read_ahead_mb", "cpu.model"),
        ("q=DIRTY+pages", "lustre.client.osc.max_dirty_mb", "lustre.client.osc.active"),
        ("q=/proc/cmdline", "kernel.cmdline", "kernel.version"),
        ("group=cpu", "cpu.model", "bios.nps"),
        ("group=cpu&q=governor", "cpu.governor", "cpu.model"),
    ],
)
def test_the_index_is_filtered_by_words_and_group(query: str, shown: str, hidden: str) -> None:
    content = text(f"/parameters/?{query}")
    assert f'href="/parameters/{shown}/"' in content
    assert f'href="/parameters/{hidden}/"' not in content


@pytest.mark.parametrize("query", ["q=xyzzy", "group=nothing", 'q="><script>', "q=%00"])
def test_a_search_without_hits_is_reported(query: str) -> None:
    content = text(f"/parameters/?{query}")
    assert "No parameters match these filters." in content
    assert "<script>" not in content


def test_a_wrong_id_gets_the_nearest() -> None:
    page = Client().get("/parameters/lustre.client.osc.checksum/")
    assert page.status_code == 404
    assert '<a href="/parameters/lustre.client.osc.checksums/">' in page.content.decode()


@pytest.mark.parametrize("id", ["..", "%00", "a" * 3000, "\N{RIGHT-TO-LEFT OVERRIDE}", "<script>"])
def test_a_hostile_id_is_a_plain_404(id: str) -> None:
    assert Client().get(f"/parameters/{id}/").status_code == 404
    assert Client().get(f"/api/v1/parameters/{id}/").status_code == 404


def test_the_api_lists_every_parameter_with_its_defaults() -> None:
    answer = Client().get("/api/v1/parameters/").json()
    assert answer["version"] == "1"
    assert [row["id"] for row in answer["results"]] == list(parameters())
    row = next(row for row in answer["results"] if row["id"] == RIF)
    assert row["unit"] == "count"
    assert row["lustre_defaults"] == [{"first": "2.5", "value": 8}]
    assert row["url"].endswith(f"/api/v1/parameters/{RIF}/")


def test_the_api_filters_by_group() -> None:
    answer = Client().get("/api/v1/parameters/?group=cpu&group=accelerator").json()
    assert {row["group"] for row in answer["results"]} == {"cpu", "accelerator"}
    assert Client().get("/api/v1/parameters/?grupp=cpu").status_code == 400


def test_the_api_gives_the_values_seen(observed: Result) -> None:
    answer = Client().get(f"/api/v1/parameters/{RIF}/").json()
    assert answer["meaning"] == parameters()[RIF].meaning
    assert answer["values_seen"] == [
        {"key": "", "role": "client", "value": 8, "text": "8", "results": 1, "instances": 70},
        {"key": "", "role": "client", "value": 64, "text": "64", "results": 1, "instances": 10},
    ]


def test_the_api_refuses_a_wrong_id_with_the_nearest() -> None:
    answer = Client().get("/api/v1/parameters/cpu.modell/")
    assert answer.status_code == 404
    assert answer.json()["code"] == "record.no-parameter"
    assert "cpu.model" in answer.json()["hint"]
