"""Nine questions that people have, asked of the shipped record as a person would: from /studies/, by links, and by one
call. What an answer should be is computed here from single results, or stands in the documents."""

from __future__ import annotations

import html
import json
import re
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from registry.models import Measurement, Result
from registry.studies import people_questions
from registry.studies.people_questions import QuestionsError, list_questions

pytestmark = pytest.mark.django_db
IDS = [row["id"] for row in list_questions()]


@pytest.fixture(autouse=True)
def record(loaded: None) -> None:
    """The shipped catalogue."""


def links(client: Client, address: str) -> list[str]:
    page = client.get(address)
    assert page.status_code == 200, address
    return [html.unescape(link) for link in re.findall(r'href="([^"]+)"', page.content.decode())]


def follow(client: Client, *steps: str) -> str:
    """The text of the last page; each step has to be a link of the page before it."""
    assert len(steps) <= 3
    for address, following in pairwise(steps):
        assert following in links(client, address), f"{following} is no link of {address}"
    page = client.get(steps[-1])
    assert page.status_code == 200, steps[-1]
    return " ".join(re.sub(r"<[^>]+>", " ", html.unescape(page.content.decode())).split())


def question(identifier: str) -> dict[str, Any]:
    return next(row for row in list_questions() if row["id"] == identifier)


def client_nodes_of(result: Result) -> int | None:
    """As printed, else as counted in its archive."""
    return result.client_nodes or result.snapshot.get("measured_client_nodes")


def answer_of(client: Client, identifier: str) -> tuple[str, dict[str, Any]]:
    """The page that the list of questions leads to, and the answer of the one call."""
    row = question(identifier)
    text = follow(client, "/studies/", row["page"])
    call = client.get(row["call"])
    assert call.status_code == 200, call.content
    return text, call.json()


@pytest.mark.parametrize("identifier", IDS)
def test_each_question_has_a_page_and_an_api_call(client, identifier: str) -> None:
    row = question(identifier)
    listed = links(client, "/studies/")
    assert {row["page"], row["call"]} <= set(listed)
    assert client.get(row.get("own_page", row["page"])).status_code == 200


def test_metadata_per_target_lists_unknown_facts(client) -> None:
    text, document = answer_of(client, "metadata-per-target")
    assert document["rows"] == []
    missing = {row["name"]: row["results"] for row in document["missing_facts"]}
    on_the_list = Result.objects.filter(entries__ranked_list__name="production", filesystem_family="Lustre").distinct()
    small = [result.public_id for result in on_the_list if (clients := client_nodes_of(result)) and clients < 20]
    assert document["candidates"] == len(small) == 3
    assert missing == {"metadata_targets": 3}
    assert f"{document['candidates']} results meet the conditions as far as they are known" in text
    assert "metadata targets of" in text


def test_reads_of_drives_of_two_generations_are_compared(client) -> None:
    """85.3 GB/s over 24 drives; less than 200 over 32."""
    text, document = answer_of(client, "drive-reads")
    rows = {(row["fabric"], row["direct_io"]): (row["value"], row["qualifier"]) for row in document["rows"]}
    assert rows["InfiniBand HDR", "true"] == (pytest.approx(85.3 / 24), None)
    assert rows["InfiniBand NDR", "false"] == (6.25, "below")
    assert "less than 6.25" in text


def test_two_results_of_one_system_are_titled_by_it(client) -> None:
    text, document = answer_of(client, "two-results")
    facts = {fact["name"]: fact["values"] for group in document["configuration"] for fact in group["differences"]}
    assert (facts["data_servers"], facts["metadata_servers"]) == ([["62"], ["147"]], [["1"], ["4"]])
    assert "Mistral, ISC20" in text and "Mistral, ISC21" in text


def test_shared_tunables_report_that_none_is_described(client) -> None:
    text, document = answer_of(client, "shared-tunables")
    assert (len(document["results"]), document["described"]) == (10, 0)
    best = Result.objects.filter(filesystem_family="Lustre", tool="io500").exclude(trust="reported")
    assert document["results"][0]["value"] == max(best.exclude(score=None).values_list("score", flat=True))
    assert len({row["system"] for row in document["results"]}) == 10
    assert "No tunables are known." in text


def test_versions_count_results_of_unknown_version(client) -> None:
    text, document = answer_of(client, "versions")
    versions = [row["filesystem_version"] for row in document["rows"] if row["filesystem_version"]]
    assert versions[0] == "0.6" and versions.index("1.3.101") < versions.index("1.13.101")
    gaps = [row for row in document["gaps"] if row["name"] == "filesystem_version"]
    scored = Result.objects.filter(filesystem_family="DAOS", tool="io500").exclude(score=None)
    without = scored.exclude(facts__name="filesystem_version")
    assert sum(row["results"] for row in gaps) == without.count() > 20
    assert all(row["why"] in text for row in gaps)


def test_a_result_is_placed_among_similar_ones(client) -> None:
    """Lustre on 5 to 20 clients: the best score of each other system, by hand."""
    page = question("among-its-like")["page"]
    text, document = answer_of(client, "among-its-like")
    own = Result.objects.get(public_id=document["result"])
    best: dict[int, float] = {}
    others = Result.objects.filter(filesystem_family="Lustre", tool="io500").exclude(system=own.system_id)
    for other in others.exclude(trust="reported"):
        if 5 <= (client_nodes_of(other) or 0) <= 20 and other.score is not None:
            best[other.system_id] = max(best.get(other.system_id, 0.0), other.score)
    score = next(row for row in document["numbers"] if row["op"] == "score")
    assert score["better"] == sum(value > own.score for value in best.values()) > 10
    assert (score["best"], score["median"]) == (max(best.values()), statistics.median(best.values()))
    assert "Better results" in text
    follow(client, "/results/?q=mistral", f"/results/{own.public_id}/", page)


def test_tcp_reduces_writes_by_two_fifths(client) -> None:
    """36.5 to 63.4 GB/s buffered, 35.7 to 58.9 direct, in the table of the slide."""
    text, document = answer_of(client, "tcp-rdma")
    rate = {(row["fabric"], row["direct_io"]): row["value"] for row in document["rows"]}
    tcp, infiniband = "200 Gb/s Ethernet, TCP", "InfiniBand HDR"
    ratios = [rate[tcp, cache] / rate[infiniband, cache] for cache in ("true", "false")]
    assert ratios == [pytest.approx(35.7 / 58.9), pytest.approx(36.5 / 63.4)]
    assert all(0.57 < ratio < 0.61 for ratio in ratios)
    assert tcp in text


def test_hard_is_given_as_a_share_of_easy_by_file_system(client) -> None:
    _, document = answer_of(client, "hard-easy")
    shares: dict[str, list[float]] = {}
    values: dict[tuple[int, str], float] = {}
    rows = Measurement.objects.filter(stat="phase", quantity="bandwidth", result__trust="imported")
    for pk, family, op, value in rows.values_list("result", "result__filesystem_family", "op", "value"):
        values[pk, op] = value
        both = (pk, "ior-hard-write"), (pk, "ior-easy-write")
        if (pk, op) in both and set(both) <= values.keys():
            shares.setdefault(family, []).append(values[both[0]] / values[both[1]])
    for family in ("Lustre", "BeeGFS", "IBM Storage Scale"):
        (row,) = [row for row in document["rows"] if row["filesystem"] == family and row["trust"] == "imported"]
        assert row["count"] == len(shares[family])
        assert row["value"] in (None, pytest.approx(statistics.median(shares[family])))


def test_a_history_of_a_system_is_two_clicks_away(client) -> None:
    text, document = answer_of(client, "upgrade")
    assert document["series"], "the record has several results of it"
    assert "Mistral" in text


def test_every_address_opens_an_editable_query() -> None:
    for row in list_questions():
        for address in filter(None, (row["page"], row.get("own_page"))):
            split = urlsplit(address)
            assert not set(split.query) & set(" []"), address
            assert not split.query or parse_qs(split.query, strict_parsing=True)


@pytest.mark.parametrize("change", [{"page": "studies/"}, {"own": "Alone."}, {"id": "Two Words"}, {"extra": 1}])
def test_a_file_of_questions_that_breaks_its_schema_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]
) -> None:
    row = {"id": "one", "question": "Which one is best?", "page": "/studies/", "how": "By looking."}
    (tmp_path / "people.1.json").write_text(json.dumps({"version": 1, "questions": [row | change]}))
    monkeypatch.setattr(people_questions, "QUESTIONS", tmp_path)
    with pytest.raises(QuestionsError):
        list_questions.__wrapped__()
