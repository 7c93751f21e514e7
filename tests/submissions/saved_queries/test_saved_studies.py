"""Saving studies: Alice saves and shares one, Charlie opens it and can not remove it."""

from __future__ import annotations

import pytest
from django.test import Client

from registry.models import Result, SavedStudy
from registry.query.facts import fact_index
from registry.studies import saved_queries
from submissions.accounts import personal_data, tokens
from tests.registry.record import make_release, make_result

QUESTION = "metric=score&x=client_nodes&tool=io500"


@pytest.fixture
def alice(cast) -> Client:
    return _signed_in(cast.alice)


def _signed_in(person) -> Client:
    client = Client()
    client.force_login(person.account)
    return client


@pytest.fixture(autouse=True)
def scored(db) -> Result:
    result = make_result(make_release("T1"), "hw-1", 12.5, client_nodes=16)
    fact_index.rebuild_facts([result.pk])
    return result


def save(client: Client, **changes: str):
    return client.post("/study/save/", {"title": "Scores by clients", "question": QUESTION} | changes)


def test_a_saved_study_is_public(alice, client) -> None:
    address = save(alice)["Location"]
    assert address.startswith("/studies/scores-by-clients-")
    content = client.get(address).content.decode()
    assert "<b>12.5</b>" in content and "Remove this study" not in content
    study = client.get(f"/api/v1{address}").json()
    assert (study["title"], study["kind"], study["rows"][0]["value"]) == ("Scores by clients", "saved", 12.5)
    assert study["slug"] in [result["slug"] for result in client.get("/api/v1/studies/").json()["results"]]
    assert "Scores by clients" in client.get("/studies/").content.decode()


def test_a_live_study_follows_new_results_and_a_fixed_one_does_not(alice, client, scored) -> None:
    live, frozen = save(alice)["Location"], save(alice, keep="as-of")["Location"]
    later = make_result(scored.release, "hw-2", 99.0, client_nodes=32)
    fact_index.rebuild_facts([later.pk])
    # In one transaction the database's clock stands still, so the result says itself that it came later.
    Result.objects.filter(pk=later.pk).update(recorded_at="2100-01-01T00:00:00Z")
    values = {
        address: [row["value"] for row in client.get(f"/api/v1{address}").json()["rows"]] for address in (live, frozen)
    }
    assert values == {live: [12.5, 99.0], frozen: [12.5]}


def test_only_the_author_removes_a_saved_study(alice, cast) -> None:
    address = save(alice)["Location"]
    assert "Remove this study" in alice.get(address).content.decode()
    assert _signed_in(cast.charlie).post(f"{address}remove/").status_code == 404
    assert Client().post(f"{address}remove/").status_code == 302  # to sign in
    assert SavedStudy.objects.exists()
    assert alice.post(f"{address}remove/")["Location"] == "/studies/"
    assert alice.get(address).status_code == 404


def test_a_study_is_saved_read_and_removed_by_api(cast, client) -> None:
    body = {"title": "Scores by clients", "question": QUESTION, "keep": "as-of"}
    answer = cast.alice.post("studies/", body)
    assert answer.status_code == 201, answer.content
    study = answer.json()
    public_study = client.get(study["url"]).json()
    assert (study["kind"], study["place"], public_study["rows"][0]["value"]) == ("saved", "saved by alice", 12.5)
    assert public_study["as_of"] is not None
    path = f"/api/v1/studies/{study['slug']}/"
    assert cast.charlie.client.delete(path).status_code == 404
    assert cast.alice.client.delete("/api/v1/studies/claims/").status_code == 404
    assert cast.alice.client.delete(path).status_code == 204
    assert client.get(study["url"]).status_code == 404


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"title": ""}, "request.invalid"),
        ({"question": "metric=none&x=client_nodes"}, "study.unknown-metric"),
        ({"keep": "for ever"}, "request.invalid"),
    ],
)
def test_invalid_studies_are_refused_by_the_api_with_a_code(cast, changes, code) -> None:
    answer = cast.alice.post("studies/", {"title": "Scores", "question": QUESTION} | changes)
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert not SavedStudy.objects.exists()


def test_saving_by_api_needs_a_token_that_may_write(cast) -> None:
    _, key = tokens.create_token(cast.alice.account, "reads", ["read"])
    refused = Client().post(
        "/api/v1/studies/",
        {"title": "Scores", "question": QUESTION},
        content_type="application/json",
        headers={"Authorization": f"Token {key}"},
    )
    assert (refused.status_code, refused.json()["code"]) == (403, "permission.scope")
    assert not SavedStudy.objects.exists()


def test_erasing_an_account_removes_its_name_from_saved_studies(alice, cast) -> None:
    save(alice)
    assert [study["question"] for study in personal_data.export_account(cast.alice.account)["savedstudy"]] == [QUESTION]
    pseudonym = personal_data.erase_account(cast.alice.account)
    assert SavedStudy.objects.get().saved_by == pseudonym


def test_a_ranking_is_saved_shared_and_removed(alice, cast, client) -> None:
    address = alice.post("/ranking/save/", {"title": "By clients", "question": "formula=score/client_nodes"})[
        "Location"
    ]
    assert address.startswith("/rankings/by-clients-")
    content = client.get(address).content.decode()
    assert "Unofficial" in content and "Remove this ranking" not in content
    ranking = client.get(f"/api/v1{address}").json()
    assert (ranking["title"], ranking["official"], ranking["rows"][0]["value"]) == ("By clients", False, 12.5 / 16)
    assert "By clients" in client.get("/rankings/").content.decode()
    assert [result["slug"] for result in client.get("/api/v1/rankings/").json()["results"]] == [ranking["slug"]]
    # a ranking is no study
    assert client.get(f"/api/v1/studies/{ranking['slug']}/").status_code == 404
    assert "By clients" not in client.get("/studies/").content.decode()
    assert alice.post(f"/studies/{ranking['slug']}/remove/").status_code == 404
    assert _signed_in(cast.charlie).post(f"{address}remove/").status_code == 404
    assert alice.post(f"{address}remove/")["Location"] == "/rankings/"
    assert client.get(address).status_code == 404


def test_a_ranking_is_saved_by_api(cast, client) -> None:
    body = {"title": "By clients", "question": "formula=score/client_nodes"}
    ranking = cast.alice.post("rankings/", body).json()
    assert client.get(ranking["url"]).json()["counts"] == {"imported": {"ranked": 1, "missing": 0}}
    refused = cast.alice.post("rankings/", body | {"question": "formula=score/nothing"})
    assert (refused.status_code, refused.json()["code"]) == (400, "ranking.unknown-name")
    assert cast.alice.client.delete(f"/api/v1/rankings/{ranking['slug']}/").status_code == 204
    assert not SavedStudy.objects.exists()


def test_saving_needs_an_account(client) -> None:
    assert "Sign in to save" in client.get(f"/study/?{QUESTION}").content.decode()
    assert save(client)["Location"].startswith("/login/")
    assert not SavedStudy.objects.exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"title": ""},
        {"title": "  "},
        {"title": "\u202e\u200b"},
        {"title": "x" * 121},
        {"question": ""},
        {"question": "metric=none&x=client_nodes"},
        {"question": "metric=score&x=nothing"},
        {"question": f"{QUESTION}&q={'x' * 5000}"},
    ],
)
def test_invalid_studies_are_not_saved(alice, changes) -> None:
    assert save(alice, **changes).status_code == 400
    assert not SavedStudy.objects.exists()


def test_the_number_of_saved_studies_is_limited(alice, monkeypatch) -> None:
    monkeypatch.setattr(saved_queries, "MOST_SAVED", 1)
    assert save(alice).status_code == 302
    answer = save(alice)
    assert answer.status_code == 400 and "study.too-many-saved" in answer.content.decode()


def test_a_title_is_escaped_and_never_takes_the_place_of_a_curated_study(alice, client) -> None:
    address = save(alice, title="<script>alert(1)</script> claims")["Location"]
    assert "<script>alert" not in client.get(address).content.decode() + client.get("/studies/").content.decode()
    assert save(alice, title="claims")["Location"] != "/studies/claims/"


def test_a_form_without_its_token_is_refused(cast) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(cast.alice.account)
    assert save(strict).status_code == 403
