"""One release from its call to its corrections: ten real runs, two institutions, three reviewers, one editor.

After each step a table says who sees which run as a submission, and what is public; everybody else gets the 404 of what
is not there, and nobody who is signed out learns more than a 401.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from registry.models import Site
from submissions.checks import processing
from submissions.lifecycle.states import UNFINISHED
from submissions.models import Account, Membership, Submission
from submissions.publication import publish
from submissions.review import decisions
from tests.submissions.cast import COMPLETE, Cast, Person
from tests.submissions.conftest import wait_until

RUNS = {
    # system: archive of shared/data/io500/submissions, who sends it
    "Ness": (701, "alice"),  # of an earlier release, updated for this one
    "Fjord": (455, "alice"),
    "Geest": (462, "alice"),
    "Dune": (49, "alice"),
    "Haar": (541, "alice"),
    "Firth": (762, "bob"),
    "Skerry": (455, "charlie"),  # the same bytes as Fjord's
    "Marsh": (76, "charlie"),
    "Tarn": (674, "charlie"),
    "Voe": (785, "charlie"),  # 20 client nodes, all others 10
}
NORTH = {"alice", "bob"}
SOUTH = {"charlie", "hana"}  # Hana reviews, and works at South Lab
COMMITTEE = {"dana", "gil", "hana"}
EDITOR = {"erin"}
READERS = ("nobody", "charlie", "dana")
LISTS = ["full", "io500", "ten"]
AGREED = {"acknowledge_rules": True, "acknowledge_publication": True}
AGREED_BY_FORM = {"acknowledge_rules": "on", "acknowledge_publication": "on"}
SATISFIED = {"decision": "accept", "reason": "All rules are satisfied.", "reproducibility": "fully"}


@dataclass
class Story:
    people: dict[str, Person]
    stranger: Client
    archives: Path
    ids: dict[str, str] = field(default_factory=dict)

    def owners(self, system: str) -> set[str]:
        """Who shares the institution that sent it."""
        return NORTH if RUNS[system.split()[0]][1] in NORTH else SOUTH

    def call(self, name: str, system: str, verb: str, document: object = None) -> Any:
        return self.people[name].post(f"submissions/{self.ids[system]}/{verb}/", document)

    def done(self, name: str, system: str, verb: str, document: object = None) -> Any:
        answer = self.call(name, system, verb, document)
        assert answer.status_code in (200, 201, 202), answer.content
        return answer.json()

    def refused(self, name: str, system: str, verb: str, document: object = None) -> tuple[int, str]:
        answer = self.call(name, system, verb, document)
        return answer.status_code, answer.json()["code"]

    def browser(self, name: str) -> Client:
        client = Client()
        client.force_login(self.people[name].account)
        return client

    def by_form(self, name: str, address: str, fields: dict[str, Any] | None = None) -> None:
        answer = self.browser(name).post(address, fields or {})
        assert answer.status_code == 302, answer.content.decode()

    def upload(self, system: str) -> None:
        number, name = RUNS[system]
        content = (self.archives / f"submission-{number}.tar.gz").read_bytes()
        answer = self.people[name].upload(content, metadata=f'{{"system": "{system}", "storage_vendor": "Exmaple"}}')
        assert answer.status_code == 202, answer.content
        self.ids[system] = answer.json()["id"]

    def submit(self, system: str, **fields: Any) -> None:
        body = {"release": "sc99", "lists": LISTS} | AGREED | fields
        self.done(RUNS[system.split()[0]][1], system, "submit", body)

    def accept(self, *systems: str, **fields: Any) -> None:
        """Two must accept; neither is of an institution that submits."""
        for system in systems:
            self.done("dana", system, "review", SATISFIED | fields)
            assert self.state(system) == "in_review"
            self.done("gil", system, "review", SATISFIED | fields)
            assert self.state(system) == "accepted"

    def state(self, system: str) -> str:
        return Submission.objects.get(pk=self.ids[system]).state

    def revise(self, system: str, **fields: Any) -> str:
        """Begins a revision of a published run, under a name of its own in this story."""
        revision = self.done(RUNS[system][1], system, "revise", fields)
        self.ids[f"{system} again"] = revision["id"]
        processing.check_submission(revision["id"])
        return f"{system} again"

    # What is seen

    def sees(self, committee: str, nobody_else: str = "") -> None:
        """Runs in `committee` are seen by their institution, reviewers and the editor, the others not by reviewers."""
        submitted, unsubmitted = committee.split(", "), [system for system in nobody_else.split(", ") if system]
        assert set(submitted + unsubmitted) == set(self.ids)
        may = {
            system: self.owners(system) | EDITOR | (COMMITTEE if system in submitted else set()) for system in self.ids
        }
        for name, person in self.people.items():
            listed = {row["id"] for row in person.get("submissions/?page_size=200").json()["results"]}
            assert listed == {id for system, id in self.ids.items() if name in may[system]}, name
            for system in ("Fjord", "Tarn"):
                status = person.get(f"submissions/{self.ids[system]}/history/").status_code
                assert status == (200 if name in may[system] else 404), (system, name)
        assert self.stranger.get("/api/v1/submissions/").status_code == 401

    def public(self, *systems: str) -> None:
        """Exactly these systems of the story stand in the record, for whoever reads it."""
        for name in READERS:
            reader = self.stranger if name == "nobody" else self.browser(name)
            rows = reader.get("/api/v1/results/?page_size=200").json()["results"]
            assert sorted(row["system"] for row in rows) == sorted(systems), name
            page = reader.get("/results/?page_size=200").content.decode()
            assert {run for run in RUNS if f">{run}<" in page} == set(systems), name

    def ranked(self, name: str, release: str = "sc99") -> list[tuple[int, str, bool]]:
        entries = self.stranger.get(f"/api/v1/lists/{release}/{name}/").json()["entries"]
        return [(row["rank"], row["system"], row["new"]) for row in entries]

    def award(self, list_name: str, kind: str) -> list[str]:
        rows = self.stranger.get("/api/v1/releases/sc99/awards/").json()["awards"]
        return [
            entry["system"]
            for row in rows
            if (row["list"], row["award"]) == (list_name, kind)
            for entry in row["winners"]
        ]


@pytest.fixture
def story(cast: Cast, definitions, shared: Path) -> Story:
    people = {name: getattr(cast, name) for name in ("alice", "bob", "charlie", "dana", "erin")}
    for name in ("gil", "hana"):
        people[name] = Person(Account.objects.create(username=name, role="reviewer"))
    Membership.objects.create(account=people["hana"].account, institution=Site.objects.get(slug="south-lab"))
    return Story(people, Client(), shared / "data" / "io500" / "submissions")


def test_a_release_from_its_call_to_its_corrections(story: Story, start_worker) -> None:
    calls_open(story)
    ten_runs_arrive_and_a_worker_checks_them(story, start_worker)
    one_stands_already_in_an_earlier_release(story)
    most_are_submitted_and_one_is_withdrawn(story)
    reviewers_decide_but_not_about_their_own_institution(story)
    changes_are_asked_for_and_made(story)
    the_older_result_is_updated_for_another_list(story)
    with time_machine.travel(timezone.now() + timedelta(days=6)):
        one_comes_after_the_deadline(story)
        the_lists_are_looked_at_before_they_are_public(story)
        the_release_is_published(story)
    with time_machine.travel(timezone.now() + timedelta(days=10)):
        the_embargo_ends(story)
        a_result_is_corrected(story)
        a_result_is_withdrawn_and_keeps_its_page(story)
    call_command("verify_history")


def calls_open(story: Story) -> None:
    """The earlier one by API, this one on the page of editors, whom nobody else may follow."""
    deadline, publishes = timezone.now() + timedelta(days=1), timezone.now() + timedelta(days=2)
    document = {"slug": "sc98", "name": "SC98", "deadline": deadline, "publishes": publishes, "lists": LISTS}
    assert story.people["dana"].post("releases/", document).status_code == 403
    assert story.people["erin"].post("releases/", document).status_code == 201
    lists = [*LISTS, "production", "ten-production"]
    document = {"slug": "sc99", "name": "SC99", "deadline": moment(days=5), "lists": lists, "accepting_reviewers": 2}
    assert story.browser("dana").post("/review/releases/new/", document).status_code == 404
    story.by_form("erin", "/review/releases/new/", document)
    assert b"SC99" in story.stranger.get("/releases/").content


def moment(**ahead: int) -> str:
    return f"{timezone.now() + timedelta(**ahead):%Y-%m-%dT%H:%M:%SZ}"


def ten_runs_arrive_and_a_worker_checks_them(story: Story, start_worker: Callable[..., Any]) -> None:
    for system in RUNS:
        story.upload(system)
    worker = start_worker(processes=2)
    wait_until(lambda: not Submission.objects.filter(state__in=UNFINISHED).exists())
    worker.kill()
    assert {story.state(system) for system in RUNS} == {"checked"}
    sees_as_pages(story, "Fjord", NORTH | EDITOR)
    story.public()


def sees_as_pages(story: Story, system: str, may: set[str]) -> None:
    for name in story.people:
        for address in ("", "received/"):
            answer = story.browser(name).get(f"/submissions/{story.ids[system]}/{address}")
            assert answer.status_code == (200 if name in may else 404), (name, address)
    assert story.stranger.get(f"/submissions/{story.ids[system]}/").status_code == 302


def one_stands_already_in_an_earlier_release(story: Story) -> None:
    story.submit("Ness", release="sc98")
    story.done("dana", "Ness", "review", SATISFIED)
    assert story.people["alice"].post("releases/sc98/publish/").status_code == 403
    assert story.people["erin"].post("releases/sc98/publish/", {"allow_empty": True}).status_code == 200
    story.sees("Ness", nobody_else="Fjord, Geest, Dune, Haar, Firth, Skerry, Marsh, Tarn, Voe")
    story.public("Ness")


def most_are_submitted_and_one_is_withdrawn(story: Story) -> None:
    for system in ("Fjord", "Geest", "Dune", "Skerry", "Marsh"):
        story.submit(system)
    story.submit("Voe", lists=["full", "io500"])
    story.submit("Haar", embargo_until=moment(days=8))
    answered = story.people["bob"].put(f"submissions/{story.ids['Firth']}/answers/", COMPLETE)
    assert answered.status_code == 200
    fields = {"release": "sc99", "lists": ["full", "production", "ten-production"]} | AGREED_BY_FORM
    address = f"/submissions/{story.ids['Firth']}/"
    assert story.browser("charlie").post(f"{address}submit/", fields).status_code == 404
    story.by_form("bob", f"{address}submit/", fields)
    assert story.refused("bob", "Dune", "withdraw", {"reason": " "})[0] in (400, 422)
    story.by_form("bob", f"/submissions/{story.ids['Dune']}/withdraw/", {"reason": "The wrong file system."})
    story.sees("Ness, Fjord, Geest, Dune, Haar, Firth, Skerry, Marsh, Voe", nobody_else="Tarn")
    decisions.prepare_for_review(story.ids["Fjord"])
    sees_as_pages(story, "Fjord", NORTH | COMMITTEE | EDITOR)
    story.public("Ness")


def reviewers_decide_but_not_about_their_own_institution(story: Story) -> None:
    for system in ("Skerry", "Marsh", "Voe"):
        assert story.refused("hana", system, "review", SATISFIED) == (403, "review.conflict-of-interest")
    assert story.refused("alice", "Fjord", "review", SATISFIED) == (403, "permission.denied")
    assert story.refused("charlie", "Fjord", "review", SATISFIED) == (404, "submission.not-found")
    same = story.browser("gil").get(f"/review/{story.ids['Skerry']}/").content.decode()
    assert f"/review/{story.ids['Fjord']}/" in same
    own = story.browser("charlie").get(f"/submissions/{story.ids['Skerry']}/").content.decode()
    assert story.ids["Fjord"] not in own
    story.done("hana", "Fjord", "comments", {"text": "Is that GekkoFS?", "audience": "committee"})
    story.done("dana", "Fjord", "comments", {"text": "Which stripe count?", "audience": "submitter"})
    comments = story.people["alice"].get(f"submissions/{story.ids['Fjord']}/comments/").content.decode()
    assert ("GekkoFS" in comments, "stripe count" in comments) == (False, True)
    story.accept("Fjord", "Skerry", "Voe", "Haar")
    story.accept("Firth", production=True)
    story.by_form("dana", f"/review/{story.ids['Marsh']}/start/")
    rejection = {"decision": "reject", "reproducibility": "undefined", "reason": "The data were never persistent."}
    story.by_form("dana", f"/review/{story.ids['Marsh']}/decide/", rejection)
    assert story.refused("gil", "Marsh", "review", SATISFIED) == (409, "state.conflict")
    page = story.browser("charlie").get(f"/submissions/{story.ids['Marsh']}/").content.decode()
    assert "The data were never persistent." in page
    story.public("Ness")


def changes_are_asked_for_and_made(story: Story) -> None:
    review = {"decision": "request_changes", "reason": "Is the vendor misspelt?", "findings": ["io500.metadata"]}
    story.done("gil", "Geest", "review", review)
    assert story.state("Geest") == "changes_requested"
    corrected = {"system": "Geest", "storage_vendor": "Example", "client_nodes": "10"}
    assert story.browser("charlie").post(f"/submissions/{story.ids['Geest']}/edit/", corrected).status_code == 404
    story.by_form("bob", f"/submissions/{story.ids['Geest']}/edit/", corrected)
    processing.check_submission(story.ids["Geest"])
    story.submit("Geest")
    story.accept("Geest")


def the_older_result_is_updated_for_another_list(story: Story) -> None:
    """With new answers, which are reviewed; what was published stays as it is until the release is published."""
    update = story.revise("Ness", reason="It is in production now.", answers=COMPLETE)
    story.submit(update, lists=["full", "production", "ten-production"])
    story.accept(update, production=True)
    story.sees("Ness, Ness again, Fjord, Geest, Dune, Haar, Firth, Skerry, Marsh, Voe", nobody_else="Tarn")
    story.public("Ness")
    assert story.ranked("io500", "sc98") == [(1, "Ness", True)]


def one_comes_after_the_deadline(story: Story) -> None:
    body = {"release": "sc99", "lists": LISTS} | AGREED
    assert story.refused("charlie", "Tarn", "submit", body) == (422, "submit.release-closed")
    excuse = {"release": "sc99", "reason": "The machine stood still for a week."}
    assert story.refused("charlie", "Tarn", "late", excuse)[0] == 403
    story.done("erin", "Tarn", "late", excuse)
    story.submit("Tarn")
    story.accept("Tarn")
    edit = {"storage_vendor": "Other"}
    assert story.refused("alice", "Fjord", "revalidate", {"metadata": edit}) == (409, "edit.deadline-passed")


def the_lists_are_looked_at_before_they_are_public(story: Story) -> None:
    preview = "lists/sc99/ten/preview/"
    for name in story.people:
        expected = 200 if name in COMMITTEE | EDITOR else 403
        assert story.people[name].get(preview).status_code == expected, name
    assert story.stranger.get(f"/api/v1/{preview}").status_code == 401
    foretold = story.people["dana"].get(preview).json()
    assert [row["system"] for row in foretold["entries"]] == ["Fjord", "Skerry", "Geest", "Tarn"]
    assert story.stranger.get("/lists/sc99/ten/").status_code == 404
    story.public("Ness")


def the_release_is_published(story: Story) -> None:
    assert story.browser("dana").post("/releases/sc99/publish/").status_code == 404
    story.by_form("erin", "/releases/sc99/publish/", {"confirm": "sc99", "allow_empty": "on"})
    story.public("Ness", "Fjord", "Geest", "Tarn", "Voe", "Firth", "Skerry")
    assert story.ranked("ten") == [(1, "Fjord", True), (1, "Skerry", True), (3, "Geest", True), (4, "Tarn", True)]
    assert story.ranked("io500")[:2] == [(1, "Voe", True), (2, "Fjord", True)]
    assert story.ranked("production") == [(1, "Ness", False), (2, "Firth", True)]
    assert story.award("ten", "overall") == ["Fjord", "Skerry"]
    assert story.award("io500", "overall") == ["Voe"]
    assert story.ranked("io500", "sc98") == [(1, "Ness", True)]
    again = story.people["erin"].post("releases/sc99/publish/", {"allow_empty": True}).json()
    assert (again["results"], again["embargoed"]) == (7, 1)
    everything = "Ness, Ness again, Fjord, Geest, Dune, Haar, Firth, Skerry, Marsh, Tarn, Voe"
    story.sees(everything)  # what is published keeps its private side private


def the_embargo_ends(story: Story) -> None:
    """By both clocks: the database did not travel with us."""
    Submission.objects.filter(embargo_until__lt=timezone.now()).update(embargo_until=Now())
    publish.publish_due()
    story.public("Ness", "Fjord", "Geest", "Tarn", "Voe", "Firth", "Skerry", "Haar")
    assert [(rank, system) for rank, system, _ in story.ranked("ten")] == [
        (1, "Fjord"), (1, "Skerry"), (3, "Haar"), (4, "Geest"), (5, "Tarn"),
    ]  # fmt: skip
    assert "the embargo ended" in story.stranger.get("/lists/sc99/ten/").content.decode()


def a_result_is_corrected(story: Story) -> None:
    """As a revision within its release, which no deadline holds up; the frozen list keeps its entry."""
    assert story.refused("alice", "Skerry", "revise", {"reason": "Not mine."}) == (404, "submission.not-found")
    before = story.ranked("ten")
    metadata = {"system": "Skerry", "storage_vendor": "Example"}
    correction = story.revise("Skerry", reason="The vendor was misspelt.", metadata=metadata)
    story.submit(correction)
    story.accept(correction)
    publish.publish_due()
    assert story.ranked("ten") == before
    older = story.stranger.get(f"/api/v1/results/{result_of(story, 'Skerry')}/").json()
    assert (older["revised_by"], older["storage_vendor"]) == (result_of(story, correction), "Exmaple")
    newest = story.stranger.get(f"/results/{result_of(story, correction)}/").content.decode()
    assert "<s>Exmaple</s>" in newest


def result_of(story: Story, system: str) -> str:
    return Submission.objects.get(pk=story.ids[system]).result.public_id


def a_result_is_withdrawn_and_keeps_its_page(story: Story) -> None:
    story.done("charlie", "Tarn", "withdraw", {"reason": "The drives were faulty."})
    page = story.stranger.get(f"/results/{result_of(story, 'Tarn')}/")
    assert (page.status_code, "The drives were faulty." in page.content.decode()) == (200, True)
    states = {system: story.state(system) for system in story.ids}
    assert states == dict.fromkeys(story.ids, "published") | {
        "Dune": "withdrawn", "Marsh": "rejected", "Tarn": "withdrawn",
    }  # fmt: skip
    history = story.people["charlie"].get(f"submissions/{story.ids['Tarn']}/history/").json()["results"]
    assert [row["to_state"] for row in history if row["from_state"] != row["to_state"]] == [
        "received", "processing", "checked", "submitted", "in_review", "accepted", "published", "withdrawn",
    ]  # fmt: skip
    assert datetime.fromisoformat(history[0]["at"]) < datetime.fromisoformat(history[-1]["at"])
