"""Citations: what may be said of results and lists, in formats that their own readers understand."""

from __future__ import annotations

import datetime as dt
import json
import re

import pytest
import yaml
from datacite import schema45
from django.utils import timezone

from registry.citation import formats, messaging
from registry.models import RankedList, Result
from tests.registry.record import make_definition, make_list, make_release, make_result

HOSTILE = 'A {B}\\ & 50% "C": #$_~^\n\x85- d: <i>\U0001f30a'
WORK = formats.Work(
    id="result hw-1",
    title=HOSTILE,
    statement=HOSTILE,
    brief=HOSTILE,
    author=HOSTILE,
    author_address="https://registry.example.org/sites/site-one/",
    trust="verified",
    version="revision 1",
    published="2027-11-18",
    address="https://registry.example.org/results/hw-1/",
    home="https://registry.example.org/",
    terms="https://registry.example.org/docs/data-terms/",
)
ONE_LINE = 'A {B}\\ & 50% "C": #$_~^ - d: <i>\U0001f30a'


def test_hostile_texts_are_escaped_in_cff() -> None:
    read = yaml.safe_load(formats.format_cff(WORK))
    assert (read["title"], read["authors"]) == (ONE_LINE, [{"name": ONE_LINE}])
    assert (read["cff-version"], str(read["date-released"])) == ("1.2.0", "2027-11-18")


def test_hostile_texts_are_escaped_in_datacite_and_ro_crate() -> None:
    read = json.loads(formats.format_datacite(WORK))
    assert (read["titles"], read["publicationYear"]) == ([{"title": ONE_LINE}], "2027")
    graph = {node["@id"]: node for node in json.loads(formats.ro_crate(WORK))["@graph"]}
    root = graph[graph["ro-crate-metadata.json"]["about"]["@id"]]
    assert (root["@id"], root["name"]) == ("https://registry.example.org/results/hw-1/", ONE_LINE)
    assert all(root[name]["@id"] in graph for name in ("author", "publisher", "license"))
    addresses = [graph[root[name]["@id"]]["url"] for name in ("author", "publisher")]
    assert addresses == ["https://registry.example.org/sites/site-one/", "https://registry.example.org/"]


def test_hostile_texts_are_escaped_in_bibtex() -> None:
    title = re.search(r"^  title = \{\{(.*)\}\},$", formats.format_bibtex(WORK), re.MULTILINE)
    assert title is not None
    assert title[1] == (
        r'A \{B\}\textbackslash{} \& 50\% "C": \#\$\_\textasciitilde{}\textasciicircum{} - d: <i>' + "\U0001f30a"
    )


@pytest.fixture
def record(db, settings) -> None:
    """A verified result on two lists, its newer revision, an imported, a withdrawn and a reported one."""
    settings.SITE_URL = "https://registry.example.org"
    release = make_release("SC99", imported=False, deadline=timezone.now(), published_at=timezone.now())
    day = dt.datetime(2027, 11, 18, 9, tzinfo=dt.UTC)
    verified = {"trust": Result.Trust.VERIFIED, "bundle_sha256": "0" * 64, "published_at": day}
    best = make_result(release, "hw-1", 50.0, **verified)
    second = make_result(release, "hw-2", 40.0, system_name="Test system B", **verified)
    make_result(release, "hw-3", 41.0, system_name="Test system B", revises=second, revision=2, **verified)
    ranked = make_list(release, "full", [best, second], trust=Result.Trust.VERIFIED, title="Full", frozen=False)
    facts = {"frozen_at": day, "digest": "0123456789abcdef" * 4, "note": "Said.\nAmended on 2027-11-18: hw-1: a typo."}
    RankedList.objects.filter(pk=ranked.pk).update(**facts)
    old = make_release("SC98", "2026-11-01")
    copied = make_result(old, "io500-1", 10.0, withdrawn_at=day, withdrawn_reason="Said so")
    make_list(old, "full", [copied])
    make_list(old, "early", [copied], frozen=False)
    source_fields = {"trust": Result.Trust.REPORTED, "source": "A paper, table 3", "snapshot": {"label": "row 2"}}
    make_result(None, "paper-1", None, **source_fields)


def cite(client, path: str, form: str = ""):
    return client.get(f"/api/v1/{path}/citation/" + (f"?format={form}" if form else ""))


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (
            "results/hw-1",
            "Test system A, Site One: IO500, rank 1 on the Full list of SC99 (verified: checked by the rules and "
            "reviewed; Highwater, result hw-1, revision 1).",
        ),
        (
            "results/hw-2",
            "Test system B, Site One: IO500, rank 2 on the Full list of SC99 (verified: checked by the rules and "
            "reviewed; Highwater, result hw-2, revision 1). Revised by result hw-3.",
        ),
        (
            "results/io500-1",
            "Test system A, Site One: IO500, rank 1 on the Full list of SC98 (imported: a copy of what was published "
            "elsewhere, not checked here; Highwater, result io500-1, revision 1). Withdrawn on 2027-11-18.",
        ),
        (
            "results/paper-1",
            "A paper, table 3, row 2, of Test system A, Site One (reported: a number of the source named, not checked; "
            "Highwater, result paper-1, revision 1).",
        ),
        (
            "lists/sc99/full",
            "Full list of SC99, complete (verified: checked by the rules and reviewed; Highwater, list SC99/full, "
            "frozen 2027-11-18, amendments: 1, sha256 0123456789abcdef).",
        ),
    ],
)
def test_the_citation_follows_the_published_data(client, record, path, sentence) -> None:
    assert cite(client, path).json()["sentence"] == sentence


@pytest.mark.parametrize(
    ("form", "media_type"),
    [
        ("text", "text/plain"),
        ("bibtex", "application/x-bibtex"),
        ("cff", "application/yaml"),
        ("datacite", "application/vnd.datacite.datacite+json"),
        ("ro-crate", "application/ld+json"),
    ],
)
@pytest.mark.parametrize("path", ["results/hw-1", "lists/SC99/full"])
def test_every_format_names_the_permanent_address(client, record, form, media_type, path) -> None:
    answer = cite(client, path, form)
    assert (answer.status_code, answer["Content-Type"]) == (200, f"{media_type}; charset=utf-8")
    assert f"https://registry.example.org/{path}/" in answer.content.decode()


@pytest.mark.parametrize(
    "path", ["results/hw-1", "results/hw-2", "results/hw-3", "results/io500-1", "results/paper-1", "lists/SC99/full"]
)
def test_datacite_keeps_the_schema_of_datacite(client, record, path) -> None:
    document = json.loads(cite(client, path, "datacite").content)
    assert [error.message for error in schema45.validator.iter_errors(document)] == []


@pytest.mark.parametrize(
    "wrong",
    [{"publisher": "Highwater"}, {"publicationYear": 2027}, {"creators": []}, {"dates": [{"date": "2027-11-18"}]}],
)
def test_the_datacite_schema_refuses_invalid_documents(wrong) -> None:
    assert schema45.validator.is_valid(json.loads(formats.format_datacite(WORK)))
    assert not schema45.validator.is_valid(json.loads(formats.format_datacite(WORK)) | wrong)


def test_revisions_name_each_other(client, record) -> None:
    (relation,) = json.loads(cite(client, "results/hw-3", "datacite").content)["relatedIdentifiers"]
    assert relation["relationType"] == "IsNewVersionOf"
    assert relation["relatedIdentifier"] == "https://registry.example.org/results/hw-2/"


def test_an_imported_copy_has_no_invented_date(client, record) -> None:
    assert "date-released" not in yaml.safe_load(cite(client, "results/io500-1", "cff").content)
    assert cite(client, "results/io500-1").json()["published"] == "2026-11"


@pytest.mark.parametrize(
    ("path", "form", "status", "code"),
    [
        ("results/hw-1", "ris", 406, "request.not-acceptable"),
        ("results/nothing", "bibtex", 404, "record.no-result"),
        ("lists/sc99/none", "cff", 404, "record.no-list"),
        ("lists/sc98/early", "", 409, "citation.not-frozen"),
    ],
)
def test_refusals_have_codes(client, record, path, form, status, code) -> None:
    answer = cite(client, path, form)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(("path", "queries"), [("results/hw-1", 3), ("lists/sc99/full", 1)])
def test_a_citation_costs_few_queries(client, record, django_assert_num_queries, path, queries) -> None:
    with django_assert_num_queries(queries):
        assert cite(client, path, "bibtex").status_code == 200


@pytest.mark.parametrize("path", ["results/hw-1", "lists/SC99/full"])
def test_pages_have_the_sentence_and_the_formats(client, record, path) -> None:
    page = client.get(f"/{path}/").content.decode()
    assert cite(client, path).json()["sentence"] in page
    assert all(f'"/api/v1/{path}/citation/?format={form}"' in page for form in formats.FORMATS)


def test_a_list_that_is_not_frozen_offers_no_citation(client, record) -> None:
    page = client.get("/lists/SC98/early/")
    assert page.status_code == 200
    assert "/citation/" not in page.content.decode()


# Public statements


def test_each_place_of_a_result_is_a_ready_sentence(client, record) -> None:
    assert cite(client, "results/hw-1").json()["places"] == ["#1 on the Full list at SC99 (verified)"]


def test_a_result_that_was_withdrawn_has_no_place_to_quote(client, record) -> None:
    answer = cite(client, "results/io500-1").json()
    assert answer["places"] == []
    assert messaging.WITHDRAWN in answer["rules"] and messaging.NAME_LIST not in answer["rules"]


def test_equal_scores_share_the_rank_of_a_statement(client, db) -> None:
    release = make_release("SC97")
    pair = [make_result(release, f"io500-{number}", 7.0, system_name=f"S{number}") for number in (1, 2)]
    make_list(release, "full", [*pair, make_result(release, "io500-3", 6.0, system_name="S3")], title="Full")
    assert cite(client, "results/io500-2").json()["places"] == ["shared #1 on the Full list at SC97 (imported)"]
    assert cite(client, "results/io500-3").json()["places"] == ["#3 on the Full list at SC97 (imported)"]


def test_a_derived_result_on_an_imported_list_is_placed_by_the_trust_of_the_list(client, db) -> None:
    release = make_release("SC97")
    result = make_result(release, "io500-1", 7.0, trust=Result.Trust.DERIVED)
    make_list(release, "production", [result], title="Production")
    answer = cite(client, "results/io500-1").json()
    assert answer["places"] == ["#1 on the Production list at SC97 (imported)"]
    assert messaging.REBUILT in answer["rules"] and messaging.ORIGINAL in answer["rules"]


def test_a_derived_result_on_an_imported_list_is_cited_as_derived(client, db) -> None:
    """Its page says derived; only the rank is of the copied list, and the sentence says so."""
    release = make_release("SC97")
    make_list(
        release, "production", [make_result(release, "io500-1", 7.0, trust=Result.Trust.DERIVED)], title="Production"
    )
    answer = cite(client, "results/io500-1").json()
    assert "rank 1 on the imported Production list of SC97 (derived: read by our readers" in answer["sentence"]
    assert "imported: a copy" not in answer["sentence"]
    assert answer["rules"][0].startswith("Say the level of trust: derived (")


def test_a_list_that_ranks_a_measurement_is_of_its_release(client, db) -> None:
    release = make_release("v9", name="Round 9")
    definition = make_definition("speed")
    definition.body = {"ranks": {"op": "read"}}
    definition.save()
    make_list(release, "speed", [make_result(release, "m-1", 7.0)], title="Speed", definition=definition)
    assert cite(client, "results/m-1").json()["places"] == ["#1 on the Speed list of Round 9 (imported)"]


@pytest.mark.parametrize(
    ("trust", "extra", "level"),
    [
        (Result.Trust.DERIVED, {messaging.NO_RANK, messaging.REBUILT}, "derived (read by our readers"),
        (Result.Trust.REPORTED, {messaging.DOCUMENT}, "reported (a number of a paper"),
    ],
)
def test_a_result_on_no_list_is_quoted_without_a_rank(client, db, trust, extra, level) -> None:
    make_result(None, "x-1", 5.0, trust=trust)
    answer = cite(client, "results/x-1").json()
    assert answer["places"] == []
    assert level in answer["rules"][0]
    assert set(answer["rules"][1:]) == extra | {messaging.PUBLISHED, messaging.ENDORSED}


def test_pages_of_results_and_lists_have_the_rules_beside_the_citation(client, record) -> None:
    result, ranked = (client.get(path).content.decode() for path in ("/results/hw-2/", "/lists/SC99/full/"))
    assert "“#2 on the Full list at SC99 (verified)”" in result
    for page in (result, ranked):
        assert messaging.ONE_LIST in page and messaging.ENDORSED in page
        assert 'href="/docs/citing/#public-statements"' in page
    assert messaging.REVISED in result


def test_the_rules_of_an_incomplete_list_mark_it(client, db) -> None:
    release = make_release("SC97")
    make_list(release, "full", [make_result(release, "io500-1", 7.0)], complete=False)
    assert messaging.FIRST_RANKS in cite(client, "lists/sc97/full").json()["rules"]


def test_hostile_names_are_escaped_in_statements() -> None:
    place = {
        "rank": 1,
        "shared": False,
        "title": HOSTILE,
        "release_name": "A\nB",
        "is_scored": True,
        "trust_label": "verified",
    }
    assert messaging.place_statement(place) == f"#1 on the {ONE_LINE} list at A B (verified)"
