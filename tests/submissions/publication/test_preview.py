"""A list before it is published: exactly what publishing makes, every exclusion explained, nothing stored or leaked."""

from __future__ import annotations

import copy
from datetime import datetime

import pytest
from django.test import Client

from registry.models import ListDefinition, ListEntry, Override, RankedList, Release, Result
from submissions.checks import processing
from submissions.models import Event, Submission
from submissions.review import decisions
from tests.html import page_source
from tests.make_io500 import make_run, pack

PREVIEW = "lists/sc99/io500/preview/"


@pytest.fixture
def accepted(cast, submitted):
    def make(person=None, level: str = "fully", production: bool = False, **changes) -> Submission:
        submission = submitted(person, **changes)
        decisions.decide_run(
            submission, cast.dana.account, "accept", "Satisfied.", reproducibility=level, production=production
        )
        return submission

    return make


@pytest.fixture
def three(accepted, cast):
    """One that ranks, one whose level is too low, one in production."""
    return (
        accepted(performance=2.0),
        accepted(cast.charlie, level="limited", performance=3.0),
        accepted(cast.charlie, production=True, performance=4.0),
    )


def newest(name: str) -> dict:
    return copy.deepcopy(ListDefinition.objects.filter(name=name, body__applies_to__origin="here").last().body)


def test_the_preview_is_what_publishing_makes(cast, release, three) -> None:
    foretold = cast.dana.get(PREVIEW)
    assert foretold.status_code == 200, foretold.content
    assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
    published_entries = ListEntry.objects.filter(ranked_list__name="io500").values_list(
        "rank", "score", "result__public_id"
    )
    assert [(row["rank"], row["score"], row["result"]) for row in foretold.json()["entries"]] == list(published_entries)
    assert len(published_entries) == 1


@pytest.fixture
def repeated(cast, release, tmp_path):
    """A person's three runs of one configuration in one archive, accepted; the first counts."""

    def make(person, *performances: float) -> None:
        runs = [
            make_run(performance=times, started=datetime(2025, 10, day, 9)) for day, times in enumerate(performances, 1)
        ]
        files = {path: text for run in runs for path, text in run.items()}
        answer = person.upload(pack(tmp_path / "runs.tar.gz", files).read_bytes())
        processing.check_submission(answer.json()["id"])
        submission = Submission.objects.get(pk=answer.json()["id"])
        submit_options = {"acknowledge_rules": True, "acknowledge_publication": True, "lists": ("io500",), "primary": 0}
        decisions.submit_run(submission, person.account, release=release.slug, **submit_options)
        submission.refresh_from_db()
        decisions.decide_run(submission, cast.dana.account, "accept", "Satisfied.", reproducibility="fully")

    return make


def test_a_preview_of_single_runs_has_no_range(cast, release, accepted) -> None:
    """1 % apart: by how much either would move in another run is not known."""
    accepted(performance=2.0)
    accepted(cast.charlie, performance=2.02)
    foretold = [(row["rank"], row["rank_low"], row["rank_high"]) for row in cast.dana.get(PREVIEW).json()["entries"]]
    assert foretold == [(1, 1, 1), (2, 2, 2)]
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    published_entries = cast.stranger.get("/api/v1/lists/sc99/io500/").json()["entries"]
    assert [(row["rank"], row["rank_low"], row["rank_high"]) for row in published_entries] == foretold


def test_the_preview_has_the_ranges_that_publishing_writes(cast, release, accepted, repeated) -> None:
    """Two systems 1 % apart whose runs vary by 3 % can't be told apart; the third is far behind."""
    repeated(cast.alice, 2.0, 2.06, 1.94)
    repeated(cast.charlie, 2.02, 2.08, 1.96)
    accepted(cast.charlie, fields={"metadata": '{"system": "another"}'}, performance=1.0)
    client = Client()
    client.force_login(cast.dana.account)
    page = client.get("/releases/sc99/lists/io500/").content.decode()
    foretold = [(row["rank"], row["rank_low"], row["rank_high"]) for row in cast.dana.get(PREVIEW).json()["entries"]]
    assert foretold == [(1, 1, 2), (2, 1, 2), (3, 3, 3)]
    assert page.count("<small>1\N{EN DASH}2</small>") == 2
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    published_entries = cast.stranger.get("/api/v1/lists/sc99/io500/").json()["entries"]
    assert [(row["rank"], row["rank_low"], row["rank_high"]) for row in published_entries] == foretold


def test_each_exclusion_is_explained_and_leads_to_its_submission(cast, release, three) -> None:
    excluded = {row["submission"]: row for row in cast.dana.get(PREVIEW).json()["excluded"]}
    assert {submission: row["code"] for submission, row in excluded.items()} == {
        str(three[1].pk): "reproducibility-too-low",
        str(three[2].pk): "on-production-list",
    }
    assert all(row["why"].endswith(".") for row in excluded.values())


def test_a_preview_stores_nothing(cast, release, three) -> None:
    before = (Event.objects.count(), list(Submission.objects.order_by("pk").values_list("state", "result")))
    assert cast.dana.get(PREVIEW).status_code == 200
    assert cast.dana.client.post(f"/api/v1/{PREVIEW}", {"score": {"id": "x"}}, format="json").status_code == 422
    assert (Result.objects.count(), RankedList.objects.count(), ListEntry.objects.count()) == (0, 0, 0)
    assert (Event.objects.count(), list(Submission.objects.order_by("pk").values_list("state", "result"))) == before


def test_a_list_is_tried_under_a_proposed_definition(cast, release, three) -> None:
    proposed = newest("io500") | {"version": 99}
    proposed["eligible"] = [condition for condition in proposed["eligible"] if condition["fact"] != "reproducibility"]
    tried = cast.dana.post(PREVIEW, {"definition": proposed}).json()
    assert [row["submission"] for row in tried["entries"]] == [str(three[1].pk), str(three[0].pk)]
    assert tried["definition"] == {"name": "io500", "version": 99}
    assert len(cast.dana.get(PREVIEW).json()["entries"]) == 1


def test_a_list_is_tried_under_a_proposed_score(cast, release, three) -> None:
    pilot = {
        "id": "io500-pilot", "score": "SCORE", "status": "pilot", "releases": "none yet", "combine": "geometric",
        "mean": "geometric", "weights": "equal", "source": "a proposal",
        "groups": [{"name": "bandwidth", "required": ["ior-easy-write"], "optional": []},
                   {"name": "rate", "required": ["find"], "optional": []}],
    }  # fmt: skip
    tried = cast.dana.post(PREVIEW, {"score": pilot})
    assert tried.status_code == 200, tried.content
    run = three[0].checks.first().report["runs"][0]
    values_by_operation = {
        (measurement["op"], measurement["printed_unit"]): measurement["printed_value"]
        for measurement in run["measurements"]
    }
    expected = (values_by_operation["ior-easy-write", "GiB/s"] * values_by_operation["find", "kIOPS"]) ** 0.5
    assert tried.json()["entries"][0]["score"] == pytest.approx(expected)
    pilot["groups"][0]["required"] = ["ior-rnd4K-read"]
    without = cast.dana.post(PREVIEW, {"score": pilot}).json()
    assert without["entries"] == []
    assert {row["code"] for row in without["excluded"]} == {"no-score"}


@pytest.mark.parametrize(
    "proposal",
    [
        {"definition": {"name": "io500"}},
        {"definition": []},
        {"definition": "x"},
        {"score": {"id": "x"}},
        {"score": 7},
    ],
)
def test_a_proposal_that_breaks_its_schema_is_refused(cast, release, proposal) -> None:
    refused = cast.dana.post(PREVIEW, proposal)
    assert (refused.status_code, refused.json()["code"]) == (422, "release.proposal-invalid")


def test_a_proposal_must_be_for_the_previewed_list(cast, release) -> None:
    refused = cast.dana.post(PREVIEW, {"definition": newest("ten")})
    assert refused.json()["code"] == "release.proposal-invalid"
    assert cast.dana.get("lists/sc99/none/preview/").json()["code"] == "release.proposal-invalid"


def test_only_reviewers_see_a_preview(cast, release, three) -> None:
    for person in (cast.alice, cast.charlie):
        assert person.get(PREVIEW).status_code == 403
        client = Client()
        client.force_login(person.account)
        assert client.get("/releases/sc99/lists/io500/").status_code == 404
    assert cast.stranger.get(f"/api/v1/{PREVIEW}").status_code == 401


def test_the_page_shows_both_and_takes_a_proposal(cast, release, three) -> None:
    client = Client()
    client.force_login(cast.dana.account)
    page = client.get("/releases/sc99/lists/io500/").content.decode()
    assert "1 listed" in page
    assert "reproducibility-too-low" in page
    assert f"/review/{three[1].pk}/" in page
    refused = client.post("/releases/sc99/lists/io500/", {"definition": "{", "score": ""})
    assert refused.status_code == 422
    assert "This is not JSON" in refused.content.decode()
    assert client.post("/releases/sc99/lists/io500/override/").status_code == 404


def test_the_page_names_releases_and_the_list(cast, release, three) -> None:
    Release.objects.filter(pk=release.pk).update(name="Autumn of 2099")
    client = Client()
    client.force_login(cast.dana.account)
    page = page_source(client.get("/releases/sc99/lists/io500/"))
    assert page.count('<td role="cell">Autumn of 2099</td>') == 3
    assert "/ IO500 Research" in page


def test_an_editor_amends_a_published_list_on_its_page(cast, release, three) -> None:
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    low = Submission.objects.get(pk=three[1].pk).result
    client = Client()
    client.force_login(cast.erin.account)
    assert "Add override" in client.get("/releases/sc99/lists/io500/").content.decode()
    address = "/releases/sc99/lists/io500/override/"
    refused = client.post(address, {"result_id": low.public_id, "action": "include", "reason": ""})
    assert refused.status_code == 422
    assert not Override.objects.exists()
    decision = {"result_id": low.public_id, "action": "include", "reason": "The committee voted for it."}
    assert client.post(address, decision).status_code == 302
    ranked = RankedList.objects.get(name="io500")
    assert ranked.entries.get(result=low).note == "The committee voted for it."
    assert "Amended on" in ranked.note
    assert "The committee voted for it." in client.get("/releases/sc99/lists/io500/").content.decode()
