"""What became of a step: who may say it, what everybody reads, and that of two at once one is told."""

from __future__ import annotations

import threading
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from registry.models import Result, Site, Step, System
from registry.timeseries import detected_steps
from submissions.accounts import ties
from submissions.change_points import triage
from submissions.errors import StepChanged
from submissions.models import Account, StepComment
from submissions.publication import anonymizer
from tests.registry.record import make_nights, make_release
from tests.submissions.conftest import somebody_waits, wait_until

pytestmark = pytest.mark.django_db
FALL = [50.0, 50.5, 49.8, 50.2, 45.0, 45.3, 44.9]
SLUG = "north-lab-test-system-a"
HISTORY = f"/systems/{SLUG}/history/"
SAID = {"state": "explained", "note": "The kernel was updated.", "version": 0}


@pytest.fixture
def step(cast) -> Step:
    """A step on a system of North Lab, of which Alice and Bob are members."""
    make_nights(make_release("T1"), FALL, institution="North Lab")
    return find()


def find() -> Step:
    detected_steps.mark_due([System.objects.get().pk])
    detected_steps.detect_steps(System.objects.get().pk)
    return Step.objects.get()


def browser(person: Any) -> Client:
    client = Client()
    client.force_login(person.account)
    return client


def page_of(step: Step) -> str:
    return f"/account/steps/{step.pk}/"


# What everybody reads


def test_state_and_note_are_on_page_api_and_feed(cast, step, client) -> None:
    assert ">New</td>" in client.get(HISTORY).content.decode()
    assert cast.alice.post(f"steps/{step.pk}/", SAID).status_code == 200
    for address in (HISTORY, f"{HISTORY}feed.atom"):
        assert "Explained: The kernel was updated." in client.get(address).content.decode()
    ((api_step,),) = [row["steps"] for row in client.get(f"/api/v1{HISTORY}").json()["series"]]
    assert (api_step["id"], api_step["state"], api_step["note"]) == (step.pk, "explained", "The kernel was updated.")


def test_names_in_the_history_are_shown_to_permitted_accounts(cast, step, client) -> None:
    cast.alice.post(f"steps/{step.pk}/", SAID)
    cast.dana.post(f"steps/{step.pk}/", SAID | {"state": "investigating", "note": "", "version": 1})
    (last, first) = cast.bob.get(f"steps/{step.pk}/").json()["history"]
    assert (first["by"], first["from_state"], first["state"]) == ("alice", "new", "explained")
    assert (last["by"], last["from_state"], last["state"], last["note"]) == ("dana", "explained", "investigating", "")
    assert "alice" in browser(cast.bob).get(page_of(step)).content.decode()
    for address in (HISTORY, f"/api/v1{HISTORY}", f"{HISTORY}feed.atom"):
        assert "alice" not in client.get(address).content.decode()


def test_a_note_is_a_line_of_text_without_personal_traces(cast, step, client) -> None:
    fields = SAID | {"note": "<b>Tuned</b>\n by  jane@north.example"}
    cast.alice.post(f"steps/{step.pk}/", fields)
    page = client.get(HISTORY).content.decode()
    assert "Explained: &lt;b&gt;Tuned&lt;/b&gt; by " in page
    assert "jane" not in page


def test_judgements_are_kept_when_results_move_the_step(cast, step, client) -> None:
    cast.alice.post(f"steps/{step.pk}/", SAID)
    Result.objects.filter(public_id="hw-5").update(withdrawn_at=timezone.now())
    make_nights(make_release("T2"), [45.1, 45.0], first=8, institution="North Lab")
    assert find().after.public_id == "hw-6"
    assert "The kernel was updated." in client.get(HISTORY).content.decode()


# Who may


@pytest.mark.parametrize(
    ("person", "status"),
    [("alice", 200), ("bob", 200), ("charlie", 403), ("dana", 200), ("erin", 200), ("fay", 200)],
)
def test_members_and_reviewers_judge_a_step(cast, step, person, status) -> None:
    speaker = getattr(cast, person)
    listed = [row["id"] for row in speaker.get("steps/").json()["results"]]
    assert listed == ([step.pk] if status == 200 else [])
    assert speaker.get(f"steps/{step.pk}/").status_code == status
    assert browser(speaker).get(page_of(step)).status_code == status
    answer = speaker.post(f"steps/{step.pk}/", SAID)
    assert answer.status_code == status, answer.json()
    assert StepComment.objects.count() == Step.objects.get().version == (status == 200)


def test_a_reviewer_with_a_vendor_tie_cannot_judge_a_step(cast, step) -> None:
    Result.objects.filter(pk=step.after_id).update(storage_vendor="HPE")
    for account in Account.objects.all():
        ties.declare_ties(account, ["Hewlett Packard Enterprise"])
    for person, status in ((cast.alice, 200), (cast.dana, 403)):
        answer = person.post(f"steps/{step.pk}/", SAID | {"version": Step.objects.get().version})
        assert answer.status_code == status, answer.json()
    assert answer.json()["code"] == "review.conflict-of-interest"
    page = browser(cast.dana).post(page_of(step), SAID | {"version": 1})
    assert (page.status_code, "tied to HPE" in page.content.decode()) == (403, True)


def test_judging_a_step_needs_signing_in(cast, step, client) -> None:
    assert cast.stranger.post(f"/api/v1/steps/{step.pk}/", SAID, format="json").status_code == 401
    assert client.post(page_of(step), SAID)["Location"].startswith("/login/")
    assert client.get("/account/steps/")["Location"].startswith("/login/")
    assert Step.objects.get().state == "new"


def test_a_vanished_or_unknown_step_is_not_found(cast, step) -> None:
    Result.objects.filter(public_id="hw-7").update(withdrawn_at=timezone.now())
    find()
    for pk in (step.pk, step.pk + 1):
        assert cast.alice.post(f"steps/{pk}/", SAID).json()["code"] == "step.not-found"
        assert browser(cast.alice).get(f"/account/steps/{pk}/").status_code == 404
    assert cast.alice.get("steps/").json()["results"] == []


def test_steps_of_an_anonymous_system_cannot_be_judged(cast, step) -> None:
    Site.objects.filter(slug="north-lab").update(slug=anonymizer.SLUG)
    for person in (cast.alice, cast.dana, cast.fay):
        assert person.get("steps/").json()["results"] == []
        assert person.post(f"steps/{step.pk}/", SAID).json()["code"] == "permission.denied"


# What may be said


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"state": "new"}, 422, "step.refused"),
        ({"state": "solved"}, 422, "step.refused"),
        ({"note": ""}, 422, "step.refused"),
        ({"note": " \n "}, 422, "step.refused"),
        ({"note": "\u202e\u200b"}, 422, "step.refused"),
        ({"note": "x" * 501}, 422, "step.refused"),
        ({"note": "x" * 5000}, 400, "request.invalid"),
        ({"version": 1}, 409, "step.changed"),
        ({"version": -1}, 400, "request.invalid"),
        ({"version": None}, 400, "request.invalid"),
    ],
)
def test_invalid_judgements_are_refused(cast, step, said, status, code) -> None:
    answer = cast.alice.post(f"steps/{step.pk}/", SAID | said)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not StepComment.objects.exists()
    assert Step.objects.values_list("state", "note", "version").get() == ("new", "", 0)


def test_a_judgement_of_an_old_version_is_refused_on_the_page(cast, step) -> None:
    alice, bob = browser(cast.alice), browser(cast.bob)
    assert alice.post(page_of(step), SAID)["Location"] == page_of(step)
    late = bob.post(page_of(step), SAID | {"state": "false_alarm", "note": "A slow drive in the client."})
    page = late.content.decode()
    assert (late.status_code, "step.changed" in page) == (409, True)
    assert "It is <b>explained</b>: The kernel was updated." in page
    assert "A slow drive in the client." in page
    assert 'name="version" value="1"' in page
    assert bob.post(page_of(step), {"state": "accepted"}).status_code == 422
    assert Step.objects.get().note == "The kernel was updated."


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_judgements_is_refused(cast, step) -> None:
    problems: list[object] = []

    def say() -> None:
        try:
            triage.set_state(
                triage.get_change_point(cast.bob.account, step.pk), cast.bob.account, "accepted", "As it is.", 0
            )
        except StepChanged as problem:
            problems.append(problem)
        connection.close()

    with transaction.atomic():
        triage.set_state(
            triage.get_change_point(cast.alice.account, step.pk), cast.alice.account, "explained", "Kernel.", 0
        )
        other = threading.Thread(target=say)
        other.start()
        wait_until(somebody_waits)
    other.join(30)
    assert len(problems) == 1
    assert Step.objects.values_list("state", "note", "version").get() == ("explained", "Kernel.", 1)
    assert StepComment.objects.get().account == cast.alice.account


# The list


def test_the_list_is_by_state_and_system_newest_first_in_pages(cast, step, monkeypatch) -> None:
    make_nights(make_release("T2"), FALL, first=11, institution="South Lab", system_name="Gale")
    gale = System.objects.get(name="Gale")
    detected_steps.mark_due([gale.pk])
    newer = detected_steps.detect_steps(gale.pk).begun[0]
    cast.alice.post(f"steps/{step.pk}/", SAID)

    def listed(query: str = "") -> list[int]:
        return [row["id"] for row in cast.dana.get(f"steps/{query}").json()["results"]]

    assert listed() == [newer.pk, step.pk]
    assert (listed("?state=explained"), listed("?state=new")) == ([step.pk], [newer.pk])
    assert listed(f"?system={gale.slug}") == [newer.pk]
    page = browser(cast.dana).get("/account/steps/?state=&system=").content.decode()
    assert page.index("Gale") < page.index("Test system A")
    assert page_of(step) in page
    assert "Older changes" not in page
    monkeypatch.setattr("submissions.change_points.views.PAGE_ROWS", 1)
    monkeypatch.setattr("submissions.change_points.api.PAGE", 1)
    following = cast.dana.get("steps/").json()["next"]
    older_page = f'href="?{urlsplit(following).query}"'
    assert older_page in browser(cast.dana).get("/account/steps/").content.decode()
    assert [row["id"] for row in cast.dana.client.get(following).json()["results"]] == [step.pk]


def test_the_list_costs_the_same_queries_for_many_rows(cast, step, django_assert_max_num_queries) -> None:
    client = browser(cast.alice)
    client.get("/account/steps/")
    with django_assert_max_num_queries(4):  # session, account, steps with their results; nothing for each
        assert client.get("/account/steps/").status_code == 200


@pytest.mark.parametrize("query", ["?state=solved", "?cursor=x", "?cursor=7", "?colour=red"])
def test_invalid_filters_of_steps_are_refused(cast, step, query) -> None:
    assert cast.alice.get(f"steps/{query}").status_code == 400
    assert browser(cast.alice).get(f"/account/steps/{query}").status_code == 400


def test_a_system_that_is_not_there_is_not_found_on_the_page(cast, step) -> None:
    assert browser(cast.alice).get("/account/steps/?system=nothing").status_code == 404
