"""*Verified* never stands alone over violated rules: every place that names the level of a result says how many."""

from __future__ import annotations

import csv
import html
import io
import json
import re
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from registry.citation import cards
from registry.models import Result
from registry.query.responses import trust_levels
from registry.query.responses.rule_outcomes import count_outcomes
from tests.html import page_source
from tests.registry.record import make_list, make_measurement, make_platform, make_release, make_result

ONE_RULE, TWO_RULES = "verified, 1 rule violated", "verified, 2 rules violated"
LABELS = {"hw-1": ONE_RULE, "hw-2": TWO_RULES, "hw-3": "verified", "hw-4": "derived"}
OUTCOMES = {
    "hw-1": ("satisfied", "violated", "needs_human"),
    "hw-2": ("violated", "not_evaluated", "violated"),
    "hw-3": ("satisfied", "needs_human", "not_evaluated"),
    "hw-4": ("violated",),
}


def rules(outcomes: tuple[str, ...]) -> list[dict[str, str]]:
    return [{"code": f"io500.{number}", "outcome": name, "why": ""} for number, name in enumerate(outcomes)]


@pytest.fixture
def record(db) -> dict[str, Result]:
    """Three verified results on one frozen list, two of which violate rules, and a derived one that does."""
    release = make_release("sc26", imported=False, deadline=timezone.now(), published_at=timezone.now())
    results = {}
    for number, (public_id, outcomes) in enumerate(OUTCOMES.items()):
        is_derived = public_id == "hw-4"
        results[public_id] = make_result(
            release,
            public_id,
            50.0 - number,
            trust=Result.Trust.DERIVED if is_derived else Result.Trust.VERIFIED,
            system_name=f"Machine {number}",
            bundle_sha256="" if is_derived else f"{number}" * 64,
            bandwidth_gib_per_s=50.0 - number,
            rate_kiops=60.0 - number,
            snapshot={"rules": rules(outcomes)},
            platform=make_platform(f"platform-{number}", f"Platform {number}"),
        )
        make_measurement(results[public_id], value_gib_per_s=9.0 - number)
    verified = [result for result in results.values() if result.trust == Result.Trust.VERIFIED]
    make_list(release, "full", verified, trust=Result.Trust.VERIFIED)
    return results


def page_text(client, path: str) -> str:
    """The text of a page, without markup, in one line."""
    source = re.sub(r"<(script|style).*?</\1>", " ", page_source(client.get(path)), flags=re.S)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", source)).split())


def test_the_database_counts_what_is_counted_from_the_rules(record) -> None:
    counts = dict(Result.objects.values_list("public_id", "rules_violated"))
    assert counts == {"hw-1": 1, "hw-2": 2, "hw-3": 0, "hw-4": 1}
    by_hand = {name: count_outcomes(result.snapshot["rules"])["violated"] for name, result in record.items()}
    assert by_hand == counts


@pytest.mark.parametrize(
    "snapshot", [{}, {"rules": []}, {"rules": None}, {"rules": "violated"}, {"rules": [{}, None, 7]}]
)
def test_without_outcomes_the_number_is_unknown(db, snapshot) -> None:
    make_result(make_release("sc26"), "hw-1", snapshot=snapshot)
    assert Result.objects.get().rules_violated is None


def test_rows_of_a_query_and_of_python_have_the_same_label(record) -> None:
    rows = Result.objects.annotate(label=trust_levels.label_expression())
    assert {row.public_id: row.label for row in rows} == LABELS
    assert {row.public_id: trust_levels.label_of(row) for row in rows} == LABELS


@pytest.mark.parametrize(
    "path",
    [
        "/results/", "/search/?q=machine", "/systems/site-one-machine-0/", "/sites/site-one/",
        "/results/hw-1/", "/compare/?results=hw-1,hw-3", "/compare/?results=hw-3,hw-1", "/platforms/platform-0/",
        "/explore/?tool=io500", "/parameters/shared/?by=score&tool=io500",
    ],
)  # fmt: skip
def test_pages_say_it_beside_the_word(client, record, path) -> None:
    answer = client.get(path)
    if answer.status_code == 404:
        pytest.fail(f"{path} is no page")
    assert ONE_RULE in page_text(client, path)


def test_a_list_says_it_at_its_head_and_in_its_rows(client, record) -> None:
    text = page_text(client, "/lists/sc26/full/")
    assert "verified, 2 with violated rules" in text
    assert [text.count(words) for words in ("1 rule violated", "2 rules violated")] == [1, 1]


def test_a_study_says_it_beside_the_level(client, record) -> None:
    text = page_text(client, "/study/?metric=score&x=system")
    assert "derivedverified, 2 with violated rules" in text
    bandwidth = page_text(client, "/study/?metric=ior-easy-write.bandwidth.phase&x=system&trust=verified")
    assert "verified, 2 with violated rules" in bandwidth and "B/s, verified." not in bandwidth
    for question in ("trust=derived", "trust=verified&system=Machine+2"):
        assert "violated" not in page_text(client, f"/study/?metric=score&x=system&{question}")


def test_a_ranking_says_it_at_its_head_and_in_its_rows(client, record) -> None:
    text = page_text(client, "/ranking/?formula=score")
    assert "verified, 2 with violated rules" in text
    assert [text.count(words) for words in ("1 rule violated", "2 rules violated")] == [1, 1]
    shortened = page_text(client, "/ranking/?formula=score&limit=1")
    assert "verified, at least 1 with violated rules" in shortened
    rows = client.get("/api/v1/ranking/?formula=score").json()["rows"]
    assert {row["result"]: row["trust_label"] for row in rows} == LABELS
    alone = page_text(client, "/ranking/?formula=score&trust=derived")
    assert "derived" in alone and "violated" not in alone


def test_a_list_without_violated_rules_says_nothing_of_them(client, record) -> None:
    release = make_release("sc27", "2027-05-01", imported=False, deadline=timezone.now(), published_at=timezone.now())
    make_list(release, "full", [record["hw-3"]], trust=Result.Trust.VERIFIED)
    assert "violated" not in page_text(client, "/lists/sc27/full/")


def test_a_copied_list_is_called_what_it_is(client, record) -> None:
    make_list(make_release("sc01"), "full", [record["hw-4"]])
    assert "violated" not in page_text(client, "/lists/sc01/full/")


@pytest.mark.parametrize("path", ["results/", "lists/sc26/full/"])
def test_rows_of_the_api_and_of_csv_have_number_and_label(client, record, path) -> None:
    answer = client.get(f"/api/v1/{path}").json()
    rows = answer["results"] if "results" in answer else answer["entries"]
    labels_by_id = {row.get("id") or row["result"]: (row["rules_violated"], row["trust_label"]) for row in rows}
    assert {name: label for name, (_, label) in labels_by_id.items()} == {name: LABELS[name] for name in labels_by_id}
    assert labels_by_id["hw-1"][0] == 1 and labels_by_id["hw-2"][0] == 2
    lines = list(csv.DictReader(io.StringIO(client.get(f"/api/v1/{path}?format=csv").content.decode())))
    assert {line.get("id") or line["result"]: line["trust_label"] for line in lines} == {
        name: LABELS[name] for name in labels_by_id
    }


def test_answers_about_single_results_have_the_label(client, record) -> None:
    sides = client.get("/api/v1/compare/?results=hw-2,hw-3").json()["results"]
    assert [side["trust_label"] for side in sides] == [TWO_RULES, "verified"]
    answer = client.get("/api/v1/results/hw-2/").json()
    assert (answer["trust"], answer["trust_label"]) == ("verified", TWO_RULES)
    assert [place["trust_label"] for place in answer["lists"]] == [TWO_RULES]


def test_hits_of_a_search_have_it(client, record) -> None:
    hits = client.get("/api/v1/search/?q=machine").json()["results"]
    labels_by_id = {hit["title"]: hit["summary"] for hit in hits if hit["kind"] == "result"}
    assert labels_by_id["Machine 0, io500"] == f"Site One, Lustre 2.15, sc26, {ONE_RULE}, score 50.00"


@pytest.mark.parametrize(
    ("path", "begins"),
    [
        ("results/hw-1", f"{ONE_RULE}: rank 1"),
        ("results/hw-3", "verified: rank 3"),
        ("lists/sc26/full", "verified, 2 with violated rules: Full"),
        ("releases/sc26/awards/full/overall", f"{ONE_RULE}: highest score"),
    ],
)
def test_badges_say_it_with_the_level(client, record, path, begins) -> None:
    root = ElementTree.fromstring(client.get(f"/{path}/badge.svg").content)
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[-1].startswith(begins)


def test_citation_statement_certificate_and_json_ld_say_it(client, record) -> None:
    sentence = client.get("/api/v1/results/hw-1/citation/").json()["sentence"]
    assert f"({ONE_RULE}: checked by the rules and reviewed; " in sentence
    page = page_source(client.get("/results/hw-1/"))
    block = re.search(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)
    assert block is not None and json.loads(block[1])["description"] == sentence
    assert f"#1 on the Full list at sc26 ({ONE_RULE})" in page_text(client, "/results/hw-1/")
    assert (
        f"{ONE_RULE}: computed from the list"
        in client.get("/releases/sc26/awards/full/overall/certificate.svg").content.decode()
    )


def test_the_picture_beside_a_link_says_it() -> None:
    card = cards.Card("Sea", "North Lab", Result.Trust.VERIFIED, "12.50", "score", "1 rule violated")
    assert f">{ONE_RULE}<" in cards.draw_card(card)
