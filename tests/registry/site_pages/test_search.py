"""Search: what people type, in the shipped record and the site's own texts; and what hostile text does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client

from registry.models import IdentityChange, Result, SearchText, Site, System
from registry.query import public_record
from registry.query.row_sources import StandInSource
from registry.site_pages.search import find, question, record_hits, texts
from registry.site_pages.search.hits import mark_words
from tests.html import page_source
from tests.registry.record import make_release, make_result

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def _searched(loaded: object, django_db_blocker: Any) -> Iterator[None]:
    """The texts of the site beside the record, as long as the record is there."""
    with django_db_blocker.unblock():
        texts.load_texts()
    yield
    with django_db_blocker.unblock():
        SearchText.objects.all().delete()


def answer_for(text: str, **query: str) -> dict[str, Any]:
    response = Client().get("/api/v1/search/", {"q": text, **query})
    assert response.status_code == 200, response.content
    document: dict[str, Any] = response.json()
    return document


def paths(answer: dict[str, Any], kind: str) -> list[str]:
    return [row["url"].removeprefix("http://testserver") for row in answer["results"] if row["kind"] == kind]


KNOWN_ANSWERS = {
    "SC25": ("release", "/releases/SC25/"),
    "production list": ("list", "/lists/SC25/production/"),
    "10-node": ("list", "/lists/SC25/ten-production/"),
    "max_rpcs_in_flight": ("parameter", "/parameters/lustre.client.osc.max_rpcs_in_flight/"),
    "stonewall_s": ("parameter", "/docs/benchmarks/io500/#parameter-stonewall_s"),
    "ior_easy_blocksize": ("parameter", "/docs/benchmarks/io500/#parameter-ior_easy_blocksize"),
    "iodepth": ("parameter", "/docs/benchmarks/fio/#parameter-iodepth"),
    "how to cite": ("document", "/docs/citing/"),
    "stonewall": ("rule", "/docs/rules/#io500.stonewall"),
    "io500.stonewall.short": ("rule", "/docs/findings/#io500.stonewall.short"),
    "ORNL": ("site", "/sites/oak-ridge-national-laboratory/"),
    "Leibniz": ("site", "/sites/lrz/"),
    "Jülich": ("system", "/systems/jsc-juron/"),
    "juelich": ("system", "/systems/forschungszentrum-juelich-fzj-juwels/"),
    "leonardo 2023": ("result", "/results/io500-645/"),
    "Cloudbrain": ("system", "/systems/pengcheng-laboratory-pengcheng-cloudbrain-ii-on-atlas-900/"),
    "TCP InfiniBand": ("study", "/studies/ksocklnd-to-ko2iblnd/"),
    "isc 25": ("release", "/releases/ISC25/"),
    "super muc": ("system", "/systems/lrz-supermuc-ng-phase2/"),
    "stone wall": ("rule", "/docs/rules/#io500.stonewall"),
    "772": ("result", "/results/io500-772/"),
    "roce vs infiniband": ("study", "/studies/e1000-fabric-direct/"),
    "hyperthreading": ("parameter", "/parameters/cpu.smt/"),
    "how do I submit": ("document", "/docs/faq/#how-do-i-submit-a-run"),
    "how do I compare two results": ("document", "/docs/faq/#how-do-i-compare-two-results"),
    "verified vs imported": ("document", "/docs/faq/#what-do-verified-derived-and-imported-mean"),
    "withdraw a result": ("document", "/docs/faq/#can-i-correct-or-withdraw-a-published-result"),
    "delete account": ("document", "/docs/faq/#how-do-i-delete-my-account"),
    "GDPR": ("document", "/docs/accounts/#personal-data"),
    "change point": ("document", "/docs/glossary/#performance-change"),
    "performance regression": ("document", "/docs/glossary/#performance-change"),
    "slow ost": ("document", "/docs/stragglers/"),
    "ten node challenge": ("list", "/lists/SC25/ten-production/"),
    "reviewer": ("document", "/docs/review/"),
    "API key": ("document", "/docs/glossary/#token"),
    "privacy": ("document", "/docs/data-terms/#personal-data"),
    "license": ("document", "/docs/data-terms/#derived-results"),
    "rate limit": ("rule", "/docs/problems/#request.throttled"),
    "auth.failed": ("rule", "/docs/problems/#auth.failed"),
    "ZIB": ("site", "/sites/zuse-institute-berlin/"),
    "INFN": ("site", "/sites/istituto-nazionale-di-fisica-nucleare/"),
    "E1000 HPE": ("platform", "/platforms/clusterstor-e1000/"),
}


@pytest.mark.usefixtures("_searched")
def test_typical_searches_find_their_page() -> None:
    missing = {
        text: address for text, (kind, address) in KNOWN_ANSWERS.items() if address not in paths(answer_for(text), kind)
    }
    assert missing == {}


@pytest.mark.usefixtures("_searched")
def test_a_prefix_finds_the_hits_of_its_word() -> None:
    full_word, beginning = answer_for("Lustre"), answer_for("Lustr")
    assert full_word["counts"] == beginning["counts"]
    assert full_word["counts"]["results"] > 100
    assert full_word["counts"]["systems"] > 50
    # Those of that name first, then those that run it.
    assert "lustre" in paths(full_word, "system")[0]


@pytest.mark.usefixtures("_searched")
def test_a_short_word_is_not_found_inside_of_another() -> None:
    assert answer_for("fio")["counts"]["systems"] == 0  # not Gefion


@pytest.mark.usefixtures("_searched")
def test_synonyms_are_searched_unless_switched_off() -> None:
    answer = answer_for("ORNL")
    assert "Oak Ridge National Laboratory" in answer["also_searched"]
    literal = answer_for("ORNL", literally="true")
    assert literal["also_searched"] == []
    assert literal["counts"]["sites"] == 0


@pytest.mark.usefixtures("_searched")
def test_a_misspelt_word_is_answered_with_its_correction() -> None:
    for typed, intended in (("arora", "aurora"), ("pencheng", "pengcheng"), ("nurin", "nurion")):
        answer = answer_for(typed)
        assert answer["searched_instead"] == intended
        assert any(intended in path for path in paths(answer, "system"))
    assert "Nothing found for “nurin”" in Client().get("/search/", {"q": "nurin"}).content.decode()


@pytest.mark.usefixtures("_searched")
def test_neighbours_are_joined_unless_searched_literally() -> None:
    assert find.find_everything("isc 25").question.synonyms == ["isc25"]
    assert find.find_everything("isc 25", literally=True).question.synonyms == []
    assert find.find_everything("isc lists 25").question.synonyms == []


@pytest.mark.usefixtures("_searched")
def test_letters_that_changed_places_are_put_back() -> None:
    for typed, intended in (("leonrado", "leonardo"), ("frotnera", "frontera"), ("aruora", "aurora")):
        assert answer_for(typed)["searched_instead"] == intended


@pytest.mark.usefixtures("_searched")
def test_a_question_is_answered_with_the_name_in_it() -> None:
    answer = answer_for("what limits Aurora")
    assert answer["searched_instead"] == "aurora"
    assert paths(answer, "system")[0] == paths(answer_for("Aurora"), "system")[0]
    assert answer_for("what limits Aurora", literally="true")["counts"]["systems"] == 0
    assert answer_for("leonardo beside aurora")["searched_instead"] == "leonardo"


@pytest.mark.usefixtures("_searched")
def test_an_unknown_abbreviation_is_not_replaced_by_another() -> None:
    """TUM was answered with TU Dresden, Tucson and TuringData."""
    answer = answer_for("TUM")
    assert answer["searched_instead"] is None
    assert sum(answer["counts"].values()) == 0


@pytest.mark.usefixtures("_searched")
def test_a_question_with_one_word_too_many_is_answered_without_it() -> None:
    """The fallback was "read", for the University of Reading."""
    answer = answer_for("random read iops")
    assert answer["searched_instead"] == "random read"
    assert answer["counts"]["documents"] > 0


@pytest.mark.usefixtures("_searched")
def test_erased_names_hide_no_suggestion() -> None:
    site = Site.objects.get(slug="lrz")
    System.objects.create(slug=public_record.ERASED_SLUG, name="Nurinn", site=site)
    assert answer_for("nurin")["searched_instead"] == "nurion"


@pytest.mark.usefixtures("_searched")
def test_filters_narrow_results_and_search_nothing_else() -> None:
    answer = answer_for("fs:lustre release:SC23")
    assert answer["counts"]["results"] == answer_for("release:SC23 fs:LUSTRE")["counts"]["results"] > 0
    assert {row["kind"] for row in answer["results"]} == {"result"}
    assert all("SC23" in row["summary"] for row in answer["results"])
    refused = Client().get("/api/v1/search/", {"q": "trust:perfect"})
    assert (refused.status_code, refused.json()["code"]) == (400, "query.invalid-value")
    assert Client().get("/search/", {"q": "trust:perfect"}).status_code == 400


@pytest.mark.usefixtures("_searched")
def test_one_kind_shows_more_of_it_and_counts_all() -> None:
    everything, results = answer_for("Lustre"), answer_for("Lustre", kind="results")
    assert results["counts"] == everything["counts"]
    assert {row["kind"] for row in results["results"]} == {"result"}
    assert len(results["results"]) == 100
    for address in ("/search/", "/api/v1/search/"):
        assert Client().get(address, {"q": "x", "kind": "persons"}).status_code == 400


HOSTILE = (
    *("%", "_", "'; DROP TABLE registry_result; --", "a" * 200, "<script>alert(1)</script>", "\\", ":*", "!& |", "<->"),
    *("\u202eabc", "é" * 100, "“Aurora”", "北京", "a:b:c", "fs:", "the of to", " ".join("abcdefghijklmnop")),
    *("\x02x\x03", "''", "$1", "a\u0301", "fs:" * 60, "ﬀ", "\U0001f600", "%%", "{}", "\ud7ff", "x" + "\u0300" * 150),
)


@pytest.mark.usefixtures("_searched")
def test_hostile_text_is_a_search_like_any_other() -> None:
    for text in HOSTILE:
        assert Client().get("/api/v1/search/", {"q": text}).status_code == 200, text
    page = Client().get("/search/", {"q": "<script>alert(1)</script>"})
    assert page.status_code == 200
    assert b"<script>alert" not in page.content


@pytest.mark.parametrize("query", [{"q": "a" * 201}, {"q": "a\0b"}, {"query": "a"}])
def test_invalid_searches_are_refused(query: dict[str, str]) -> None:
    assert Client().get("/api/v1/search/", query).status_code == 400


def test_an_empty_search_asks_for_search_terms() -> None:
    assert sum(answer_for("")["counts"].values()) == 0
    assert "Nothing" not in Client().get("/search/").content.decode()


@pytest.mark.usefixtures("_searched")
def test_a_withdrawn_result_is_not_found() -> None:
    assert "/results/io500-645/" in paths(answer_for("leonardo"), "result")
    Result.objects.filter(public_id="io500-645").update(withdrawn_at="2026-01-01T00:00Z", withdrawn_reason="test")
    assert "/results/io500-645/" not in paths(answer_for("leonardo"), "result")


def test_search_texts_are_rewritten_only_when_changed() -> None:
    SearchText.objects.all().delete()
    assert texts.load_texts() is True
    assert texts.load_texts() is False
    rows = list(texts.list_texts())
    assert SearchText.objects.count() == len(rows)
    SearchText.objects.update(digest="of before")
    assert texts.load_texts() is True
    assert {row.kind for row in rows} == {"document", "parameter", "rule", "study"}


def test_every_text_has_an_address_that_answers() -> None:
    pages = {row.url.partition("#")[0] for row in texts.list_texts()}
    documents = [page for page in sorted(pages) if page.startswith("/docs/")]
    assert len(documents) > 60
    assert {page: Client().get(page).status_code for page in documents} == dict.fromkeys(documents, 200)


def test_every_parameter_of_runs_has_a_row_with_its_anchor() -> None:
    addresses = [row.url for row in texts.list_texts() if row.place.startswith("parameter of ")]
    assert len(addresses) > 150
    for page, anchors in groupby(addresses, key=lambda address: address.partition("#")[0]):
        source = Client().get(page).content.decode()
        for anchor in anchors:
            assert source.count(f'<td id="{anchor.partition("#")[2]}"><code>') == 1, anchor


def test_names_in_the_table_of_synonyms_are_there_once() -> None:
    folded = question.fold_texts([name for group in question.load_synonyms() for name in group])
    assert len(folded) == len(set(folded))


def test_highlights_surround_words_and_are_escaped() -> None:
    assert mark_words("Café <b>Lustre</b> & Lustreish", ["lustre", "cafe"]) == (
        "<mark>Café</mark> &lt;b&gt;<mark>Lustre</mark>&lt;/b&gt; &amp; <mark>Lustreish</mark>"
    )
    assert mark_words("cut \x02here\x03 not there", []) == "cut <mark>here</mark> not there"
    # A letter of a name, as in "stonewall_s", marks no other words.
    assert mark_words("stonewall_s: seconds", ["stonewall", "s"]) == "<mark>stonewall</mark>_s: seconds"
    assert mark_words("北京", ["北"]) == "<mark>北京</mark>"


def test_folding_removes_case_accents_and_punctuation() -> None:
    assert question.fold_words("Forschungszentrum JÜLICH, (10-node) osc.max_rpcs\N{RIGHT SINGLE QUOTATION MARK}x") == (
        *("forschungszentrum", "julich", "10", "node", "osc", "max", "rpcs", "x"),
    )


@pytest.mark.usefixtures("_searched")
def test_the_id_of_a_result_finds_it_in_any_case() -> None:
    assert paths(answer_for("IO500-645"), "result") == ["/results/io500-645/"]
    assert Client().get("/search/", {"q": "IO500-645"})["Location"] == "/results/io500-645/"
    for made_up in ("demo-1", "Demo-1"):
        assert Client().get("/search/", {"q": made_up}).status_code == 200
        assert paths(answer_for(made_up), "result") == []


@pytest.mark.usefixtures("_searched")
def test_a_value_in_quotes_may_have_spaces() -> None:
    quoted = answer_for('site:"Oak Ridge National Laboratory"')
    assert quoted["counts"]["results"] > 0
    assert answer_for("fs:lustre")["counts"] == answer_for('FS:"Lustre"')["counts"]
    for unfinished in ('fs:"', 'fs:""', '"fs:lustre', 'site:"Oak Ridge'):
        assert Client().get("/api/v1/search/", {"q": unfinished}).status_code == 200


@pytest.mark.usefixtures("_searched")
def test_a_filter_that_nothing_meets_says_which_value_is_unknown() -> None:
    (row,) = answer_for("fs:lustr release:SC23")["unknown_values"]
    assert (row["name"], row["value"]) == ("filesystem_type", "lustr")
    assert any(name.casefold() == "lustre" for name in row["nearest"])
    page = Client().get("/search/", {"q": "fs:lustr"}).content.decode()
    assert "No result has filesystem_type=lustr." in page
    assert "or the documents" not in page, "no document was searched"
    assert answer_for("fs:lustre")["unknown_values"] == []


@pytest.mark.usefixtures("_searched")
def test_words_after_the_tenth_are_named_as_not_searched() -> None:
    words = "one two three four five six seven eight nine ten Aurora Frontier"
    assert answer_for(words)["not_searched"] == ["aurora", "frontier"]
    assert "not: <b>aurora frontier</b>" in Client().get("/search/", {"q": words}).content.decode()
    assert answer_for("Aurora")["not_searched"] == []


@pytest.mark.usefixtures("_searched")
def test_a_kind_without_hits_has_a_note() -> None:
    page = Client().get("/search/", {"q": "fs:lustre", "kind": "platforms"}).content.decode()
    assert "None of the hits is of this kind: platforms." in page
    assert "None of the hits" not in Client().get("/search/", {"q": "fs:lustre"}).content.decode()


def head_field(query: dict[str, str], status: int = 200) -> str:
    """The field in the head of every page, as the page of a search has it."""
    answer = Client().get("/search/", query)
    assert answer.status_code == status
    field = re.search(r'<input [^>]*id="q"[^>]*>', answer.content.decode())
    assert field
    return field.group()


@pytest.mark.usefixtures("_searched")
def test_the_field_in_the_head_has_the_words_of_the_search() -> None:
    assert 'value="Lustre &lt;b&gt; &quot;two&quot;"' in head_field({"q": 'Lustre <b> "two"'})
    assert 'value="trust:perfect"' in head_field({"q": "trust:perfect"}, 400)
    assert f'value="{"a" * 200}"' in head_field({"q": "a" * 300}, 400)
    assert "value" not in head_field({})
    assert "value" not in re.findall(r'<input [^>]*id="q"[^>]*>', Client().get("/lists/?q=x").content.decode())[0]


@pytest.mark.usefixtures("_searched")
def test_new_words_are_searched_in_the_chosen_kind() -> None:
    field = '<input type="hidden" name="kind" value="systems">'
    assert page_source(Client().get("/search/", {"q": "lustre", "kind": "systems"})).count(field) == 1
    assert field not in page_source(Client().get("/search/", {"q": "lustre"}))


@pytest.mark.usefixtures("_searched")
def test_links_of_a_search_keep_its_kind_and_the_tray() -> None:
    links = re.findall(r'href="([^"]*)"', page_source(Client().get("/search/?q=ORNL&kind=sites&r=io500-645")))
    assert "?q=ORNL&amp;literally=true&amp;kind=sites&amp;r=io500-645" in links
    links = re.findall(r'href="([^"]*)"', page_source(Client().get("/search/?q=fs:lustre&kind=sites&r=io500-645")))
    assert links.count("?q=fs%3Alustre&amp;r=io500-645") == 2


@pytest.mark.usefixtures("_searched")
def test_invisible_characters_are_removed_from_words() -> None:
    assert "\u202e" not in Client().get("/search/", {"q": "\u202eLustre"}).content.decode()
    assert answer_for("\u202eLustre")["counts"] == answer_for("Lustre")["counts"]


@pytest.mark.usefixtures("_searched")
def test_private_names_are_neither_found_nor_suggested() -> None:
    Site.objects.create(slug="auroro", name="Auroro")  # has an account, and no result
    answer = answer_for("auroro")
    assert answer["searched_instead"] == "aurora"
    assert "auroro" not in " ".join(paths(answer, "site") + paths(answer, "system"))


@pytest.mark.parametrize("public", [True, False])
def test_a_former_name_leads_on_where_it_stood_in_the_record(public: bool) -> None:
    result = make_result(make_release("sc30"), "hw-former", institution="Fjord Lab", system_name="Wolverine")
    System.objects.create(slug="quokka", name="Quokka", site=result.site, merged_into=result.system)
    IdentityChange.objects.create(
        **{"kind": "system", "action": "merge", "from_slug": "quokka", "to_slug": result.system.slug},
        **{"reason": "The same machine.", "public": public},
    )
    assert paths(answer_for("Wolverine"), "system") == [f"/systems/{result.system.slug}/"]
    assert paths(answer_for("Quokka"), "system") == [f"/systems/{result.system.slug}/"] * public


@pytest.mark.usefixtures("_searched")
def test_a_withdrawn_result_shows_no_rank() -> None:
    system = System.objects.get(slug="jsc-juron")
    assert "list" in {row["kind"] for row in answer_for("juron")["results"]}
    Result.objects.filter(system=system).update(withdrawn_at="2026-01-01T00:00Z", withdrawn_reason="test")
    assert "list" not in {row["kind"] for row in answer_for("juron")["results"]}


@pytest.mark.parametrize("query", [{"literally": "yes"}, {"kind": ["sites", "systems"]}, {"literally": "1"}])
def test_unknown_options_are_refused(query: dict[str, Any]) -> None:
    for address in ("/api/v1/search/", "/search/"):
        assert Client().get(address, {"q": "Aurora", **query}).status_code == 400, address


@pytest.mark.usefixtures("loaded")
def test_a_hit_needs_all_words_of_one_interpretation() -> None:
    ornl, lrz = "/sites/oak-ridge-national-laboratory/", "/sites/lrz/"
    for readings, expected in (
        ([("oak", "ridge"), ("oak",)], {ornl}),
        ([("ridge", "nowhere"), ("ridge", "oak")], {ornl}),
        ([("ridge", "nowhere"), ("lrz",)], {lrz}),
        ([("ridge", "nowhere"), ("ridge", "elsewhere")], set()),
        ([], set()),
    ):
        query = question.Question("", readings, [], QueryDict())
        assert {hit.url for hit in record_hits.find_sites(query, 10).hits} == expected, readings


@pytest.mark.usefixtures("_searched")
@pytest.mark.parametrize("text", [*KNOWN_ANSWERS, "lustre", "center", "university lustre", "io500 2020", "1", "a o"])
def test_names_of_many_rows_are_looked_for_as_those_of_few(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    by_ids = find.find_everything(text)
    monkeypatch.setattr(record_hits, "MOST_IDS", -1)
    assert record_hits.name_ids(question.parse_text(text)) == {}
    by_queries = find.find_everything(text)
    assert {kind: (hits.hits, hits.count) for kind, hits in by_ids.kinds.items()} == {
        kind: (hits.hits, hits.count) for kind, hits in by_queries.kinds.items()
    }


@pytest.mark.usefixtures("_searched")
def test_ids_are_known_of_names_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    two_words = question.parse_text("center ridge", literally=True)
    everything = record_hits.name_ids(two_words)
    assert {kind for kind, _ in everything} == {record_hits.SITE, record_hits.SYSTEM, record_hits.RELEASE}
    many = everything[record_hits.SITE, "center"]
    assert len(many) > len(everything[record_hits.SITE, "ridge"]) > 0
    monkeypatch.setattr(record_hits, "MOST_IDS", len(many))
    assert sorted(record_hits.name_ids(two_words)[record_hits.SITE, "center"]) == sorted(many)
    monkeypatch.setattr(record_hits, "MOST_IDS", len(many) - 1)
    assert (record_hits.SITE, "center") not in record_hits.name_ids(two_words)


@pytest.mark.usefixtures("_searched")
def test_other_sources_have_names_of_their_own() -> None:
    elsewhere = replace(question.parse_text("center"), source=StandInSource({}))
    assert record_hits.name_ids(elsewhere) == {}


@pytest.mark.usefixtures("_searched")
def test_many_words_cost_few_queries(django_assert_max_num_queries) -> None:
    find.find_everything("x")
    with django_assert_max_num_queries(30):
        find.find_everything("one two three four five six seven eight nine ten")


@pytest.mark.usefixtures("_searched")
def test_results_are_shown_with_their_best_rank() -> None:
    page = Client().get("/search/?q=summit").content.decode()
    assert "<small>rank 1, IO500, SC18" in page
    rows = record_hits.find_results(question.parse_text("summit"), 10).rows
    assert rows and all(row["ranked_on"].startswith("rank ") for row in rows)


def test_a_system_has_its_results_and_highest_score() -> None:
    release = make_release("next")
    make_result(release, "hw-1", 12.5, system_name="Lonely")
    make_result(release, "hw-2", 30.25, system_name="Lonely")
    make_result(release, "hw-3", None, system_name="Lonesome")
    hits = record_hits.find_systems(question.parse_text("lone"), 10).hits
    assert {hit.title: hit.summary for hit in hits} == {
        "Lonely": "2 results, highest score 30.25",
        "Lonesome": "1 result",
    }


def test_a_result_on_no_list_has_no_rank() -> None:
    result = make_result(make_release("next"), "hw-1", system_name="Lonely")
    rows = record_hits.find_results(question.parse_text("lonely"), 10).rows
    assert [(row["id"], row["ranked_on"]) for row in rows] == [(result.public_id, "")]


@pytest.mark.usefixtures("_searched")
def test_parameters_of_runs_are_no_findings() -> None:
    rules = [row["url"] for row in answer_for("stonewall", kind="rules")["results"]]
    assert rules
    assert [url for url in rules if "#parameter-" in url] == []


def test_texts_of_tables_have_no_empty_cells_and_no_blank_before_a_comma() -> None:
    reader = texts._PageReader()
    reader.feed(
        "<h1>Rates</h1><p>It stops at a <a href='/x/'>stonewall</a>, after <code>300</code> s.</p>"
        "<table><tr><td>write</td><td></td><td></td><td>s<sup>2</sup></td></tr></table>"
    )
    reader.close()
    assert reader.sections == [
        ("", "Rates", "It stops at a stonewall, after 300 s. \N{MIDDLE DOT} write \N{MIDDLE DOT} s2")
    ]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SC25", "Lists"),
        ("10-node", "Lists"),
        ("fio", "Documents"),
        ("LRZ", "Sites"),
        ("how do I submit", "Documents"),
        ("isc 25", "Lists"),
    ],
)
@pytest.mark.usefixtures("_searched")
def test_the_kind_with_the_name_that_was_typed_comes_first(text: str, first: str) -> None:
    page = Client().get("/search/", {"q": text}).content.decode()
    assert re.findall(r"<h2>([A-Z][a-z ]+)", page)[0].strip() == first


@pytest.mark.usefixtures("_searched")
def test_a_word_between_two_names_hides_no_hit() -> None:
    assert "/studies/ksocklnd-to-ko2iblnd/" in paths(answer_for("TCP vs InfiniBand"), "study")
    assert question.parse_text("vs").words == ("vs",)
