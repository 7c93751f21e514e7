"""Publication without a name: who asks and decides, that no route names what is anonymous, and how it gets its name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable

import pytest
from django.core import mail as outbox

from registry.dumps import editions
from registry.log import appending
from registry.models import Fact, LogOpening, ObservedParameter, RankedList, Result, Site, System
from registry.timeseries import detected_steps
from submissions.checks import processing
from submissions.editing import edit
from submissions.models import Account, Check, PrivateRecord, Submission
from submissions.notifications import subscriptions, webhooks
from submissions.publication import anonymizer
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.html import page_source
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system
from tests.submissions.cast import COMPLETE, Cast, Person, submit_to
from tests.submissions.publication.test_embargo import OF_A_KIND, crawl, found, page_of
from tests.submissions.receiver import told_after

SAID = {"system": "Zsystem", "storage_vendor": "Maker", "filesystem_name": "zmount", "note": "Znote"}
WORDS = ["North Lab", "north-lab", "alice", "Zsystem", "zsystem", "zmount", "Znote", "Zanswer", "Zreason", "Zasked"]
MORE = (
    "/lists/feed.atom", "/releases/feed.atom", "/search/?q=lab",
    "/sites/anonymous/", "/api/v1/sites/anonymous/", "/api/v1/results/hw-1/", "/api/v1/results/hw-1/files/",
    "/results/hw-1/copy.tar.gz", "/results/hw-1/badge.svg", "/api/v1/results/hw-1/system/",
    "/api/v1/results/hw-1/distributions/", "/releases/sc99/awards/full/overall/certificate.svg",
    "/releases/sc99/awards/full/overall/badge.svg", "/api/v1/releases/sc99/awards/", "/lists/sc99/full/badge.svg",
    "/api/v1/analysis/full/", "/api/v1/results/hw-1/proof/", "/api/v1/lists/sc99/full/proof/", "/log/",
    *(f"/api/v1/results/hw-1/citation/?format={form}" for form in ("json", "bibtex", "cff", "datacite", "ro-crate")),
    "/api/v1/study/?metric=score&x=institution", "/api/v1/study/?metric=score&x=system&format=csv",
)  # fmt: skip


def accept(submission: Submission, cast: Cast) -> None:
    decisions.decide_run(submission, cast.dana.account, "accept", "Zreason", reproducibility="limited")


@pytest.fixture
def accepted(cast: Cast, submitted) -> Callable[..., Submission]:
    """A run of Alice's with texts of its own, accepted for the full list."""

    def make(person: Person | None = None, **changes: object) -> Submission:
        submission = submitted(
            person, lists=("full",), answers=COMPLETE | {"trust": f"Zanswer {COMPLETE['trust']}"}, **changes
        )
        Submission.objects.filter(pk=submission.pk).update(metadata=SAID)
        submission.refresh_from_db()
        decisions.prepare_for_review(str(submission.pk))
        accept(submission, cast)
        return submission

    return make


def ask(person: Person, submission: Submission, reason: str = "Zasked"):
    return person.post(f"submissions/{submission.pk}/anonymity/", {"reason": reason})


def decide(person: Person, submission: Submission, granted: bool = True):
    document = {"granted": granted, "reason": "Zreason"}
    return person.post(f"submissions/{submission.pk}/anonymity/decision/", document)


def take_back(person: Person, submission: Submission):
    return person.client.delete(f"/api/v1/submissions/{submission.pk}/anonymity/")


@pytest.fixture
def anonymous(cast: Cast, accepted) -> Submission:
    """Accepted, asked for and granted."""
    submission = accepted()
    assert ask(cast.alice, submission).json() == {
        "asked": True, "reason": "Zasked", "granted": None, "decision": "", "lifted_at": None,
    }  # fmt: skip
    assert decide(cast.erin, submission).json()["granted"] is True
    return submission


# What is public


@pytest.mark.django_db(transaction=True)
def test_no_route_names_an_anonymous_result(cast: Cast, anonymous, every_nth) -> None:
    publication_publish.publish_release(anonymous.release, cast.erin.account, allow_empty=True)
    editions.build_if_due()
    appending.append_waiting()
    words = [*WORDS, str(anonymous.pk), anonymous.derivative.sha256, anonymous.sha256]
    client = page_of(cast, "charlie")
    pages = crawl(client, len(every_nth(OF_A_KIND, 2)))
    for path in MORE:
        answer = client.get(path)
        assert answer.status_code in (200, 404), path
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        pages[path] = json.dumps(dict(answer.headers)).encode() + body
    assert found(pages, words) == set()
    result = cast.stranger.get("/api/v1/results/hw-1/").json()
    assert (result["institution"], result["system"], result["public_sha256"]) == ("Anonymous", "System of hw-1", "")
    assert (result["score"] > 0, result["trust"], result["vendor"]) == (True, "verified", "Maker")
    assert result["bundle_sha256"] == ""
    assert cast.stranger.get(f"/api/v1/search/?q={anonymous.sha256}").json()["results"] == []
    assert cast.stranger.get("/api/v1/sites/north-lab/").status_code == 404


def test_public_salts_do_not_open_the_receipt_of_anonymous_bytes(cast: Cast, anonymous) -> None:
    """Whoever has the bytes can write the receipt down, and finds it in the log with the owner's salt alone."""
    publication_publish.publish_release(anonymous.release, cast.erin.account, allow_empty=True)
    receipt = PrivateRecord.objects.get(submission=anonymous, kind="receipt")
    text, entry = receipt.canonical.encode(), bytes(receipt.leaf.entry)
    assert hashlib.sha256(bytes(receipt.salt) + text).digest() == entry
    salts = [b"", *(bytes(salt) for salt in LogOpening.objects.values_list("salt", flat=True))]
    assert entry not in {hashlib.sha256(salt + text).digest() for salt in salts}


def test_public_pages_mark_an_anonymous_result(cast: Cast, anonymous) -> None:
    publication_publish.publish_release(anonymous.release, cast.erin.account, allow_empty=True)
    nobody = page_of(cast, "nobody")
    assert "<b>Published anonymously</b>, as the submitter asked" in page_source(nobody.get("/results/hw-1/"))
    assert "of several institutions" in page_source(nobody.get("/sites/anonymous/"))
    (entry,) = cast.stranger.get("/api/v1/lists/sc99/full/").json()["entries"]
    assert (entry["institution"], entry["rank"]) == ("Anonymous", 1)
    sentence = cast.stranger.get("/api/v1/results/hw-1/citation/").json()["sentence"]
    assert sentence.startswith("System of hw-1, Anonymous: IO500, rank 1 on the Full list of SC99 (verified")


def test_the_described_system_of_an_anonymous_result_is_withheld(cast: Cast, release, tmp_path) -> None:
    bag = pack(tmp_path / "bag.tar.gz", make_bag(make_run(), make_system()))
    answer = cast.alice.upload(bag.read_bytes(), metadata=json.dumps(SAID))
    processing.check_submission(answer.json()["id"])
    submission = Submission.objects.get(pk=answer.json()["id"])
    submit_to(release, submission, cast.alice)
    accept(submission, cast)
    ask(cast.alice, submission)
    decide(cast.erin, submission)
    publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    assert cast.stranger.get("/api/v1/results/hw-1/system/").status_code == 404
    assert not ObservedParameter.objects.exists()
    assert take_back(cast.alice, submission).status_code == 200
    assert cast.stranger.get("/api/v1/results/hw-1/system/").status_code == 200
    assert ObservedParameter.objects.exists()


def test_an_anonymous_system_ranks_once_and_apart_from_named_ones(cast: Cast, accepted) -> None:
    first, second, named = (accepted(performance=performance) for performance in (1.0, 2.0, 3.0))
    for submission in (first, second):
        ask(cast.alice, submission)
        decide(cast.erin, submission)
    publication_publish.publish_release(named.release, cast.erin.account, allow_empty=True)
    systems = dict(Result.objects.values_list("public_id", "system__name"))
    assert systems == {"hw-1": "System of hw-1", "hw-2": "System of hw-1", "hw-3": "Zsystem"}
    assert [row["institution"] for row in cast.stranger.get("/api/v1/lists/sc99/full/").json()["entries"]] == [
        "North Lab", "Anonymous", "Anonymous",
    ]  # fmt: skip  # the full list takes every run


# Who asks and decides


def test_a_pending_request_for_anonymity_delays_publication(cast: Cast, accepted) -> None:
    submission = accepted()
    ask(cast.alice, submission)
    asks = "Accepted submissions without a decision on anonymous publication: 1. They are left out."
    assert (False, asks) in publication_publish.publication_checklist(submission.release)
    assert publication_publish.publish_release(submission.release, cast.erin.account, allow_empty=True).results == 0
    decide(cast.erin, submission)
    publication_publish.publish_due()
    assert Result.objects.get().institution == "Anonymous"
    assert RankedList.objects.get(name="full").note.endswith("hw-1: published later than the list.")


def test_refused_anonymity_needs_consent_before_publishing_by_name(cast: Cast, accepted) -> None:
    submission = accepted()
    ask(cast.alice, submission)
    assert decide(cast.erin, submission, granted=False).json()["granted"] is False
    assert publication_publish.publish_release(submission.release, cast.erin.account, allow_empty=True).results == 0
    assert take_back(cast.bob, submission).json()["asked"] is False
    publication_publish.publish_due()
    assert Result.objects.get().institution == "North Lab"


@pytest.mark.parametrize(
    ("name", "asks", "decides", "takes_back"),
    [
        ("alice", 200, 403, 200), ("bob", 200, 403, 200), ("charlie", 404, 404, 404), ("dana", 403, 403, 403),
        ("erin", 403, 200, 403), ("fay", 403, 200, 403),
    ],
)  # fmt: skip
def test_anonymity_is_asked_and_decided_by_permitted_accounts(
    cast: Cast, submitted, name, asks, decides, takes_back
) -> None:
    submission, person = submitted(), getattr(cast, name)
    assert ask(person, submission).status_code == asks
    ask(cast.alice, submission)
    assert decide(person, submission).status_code == decides
    assert take_back(person, submission).status_code == takes_back


def test_refusals_have_codes(cast: Cast, submitted) -> None:
    submission = submitted()
    assert decide(cast.erin, submission).json()["code"] == "anonymity.not-asked"
    assert take_back(cast.alice, submission).json()["code"] == "anonymity.not-asked"
    assert ask(cast.alice, submission, " ").status_code in (400, 422)
    ask(cast.alice, submission)
    decide(cast.erin, submission)
    assert decide(cast.erin, submission, granted=False).json()["code"] == "anonymity.not-asked"
    assert ask(cast.alice, submission).json()["granted"] is True
    decisions.withdraw_run(submission, cast.alice.account, "Wrong.")
    submission.refresh_from_db()
    assert ask(cast.alice, submission).json()["code"] == "state.conflict"


@pytest.mark.parametrize(("granted", "words"), [(False, "refused"), (True, "granted")])
def test_the_decision_is_mailed_to_the_submitter_with_the_reason(cast: Cast, accepted, granted, words) -> None:
    Account.objects.filter(username="alice").update(email="alice@example.org")
    submission = accepted()
    ask(cast.alice, submission)
    told_after(seconds=6)
    outbox.outbox.clear()
    decide(cast.erin, submission, granted=granted)
    told_after(seconds=12)
    (letter,) = outbox.outbox
    assert letter.subject == f"Highwater: your submission {str(submission.pk)[:8]} has news"
    assert f"Anonymous publication {words}: Zreason" in letter.body


def test_a_decision_and_an_acceptance_share_one_email(cast: Cast, submitted, receiver) -> None:
    Account.objects.filter(username="alice").update(email="alice@example.org")
    submission = submitted()
    ask(cast.alice, submission)
    told_after(seconds=6)
    outbox.outbox.clear()
    webhooks.add_webhook(cast.alice.account, receiver.url)
    decide(cast.erin, submission, granted=False)
    accept(submission, cast)
    told_after(seconds=12)
    (letter,) = outbox.outbox
    assert letter.subject == f"Highwater: your submission {str(submission.pk)[:8]} was accepted"
    assert "Anonymous publication refused: Zreason" in letter.body
    assert receiver.types == ["submission.accepted"]


def test_requests_and_decisions_are_in_the_history(cast: Cast, anonymous) -> None:
    take_back(cast.alice, anonymous)
    reasons = [
        (event.actor.username, event.reason) for event in anonymous.events.order_by("id") if "nonym" in event.reason
    ]
    assert reasons == [
        ("alice", "Asked to be published anonymously: Zasked"),
        ("erin", "Anonymous publication granted: Zreason"),
        ("alice", "Anonymous publication is no longer asked for."),
    ]


def test_anonymity_is_requested_and_decided_on_pages(cast: Cast, submitted) -> None:
    submission = submitted()
    alice, erin = page_of(cast, "alice"), page_of(cast, "erin")
    anonymity_path, page = f"/submissions/{submission.pk}/anonymity/", f"/submissions/{submission.pk}/"
    assert alice.post(anonymity_path, {"reason": ""}).status_code == 422
    assert alice.post(anonymity_path, {"reason": "Zasked"}).status_code == 302
    assert "<b>Not decided yet.</b>" in page_source(alice.get(page))
    decided = f"/review/{submission.pk}/anonymity/"
    assert "Zasked" in page_source(erin.get(f"/review/{submission.pk}/"))
    assert page_of(cast, "dana").post(decided, {"granted": "yes", "reason": "R"}).status_code == 404
    assert erin.post(decided, {"granted": "no", "reason": "Zrefused"}).status_code == 302
    assert "<b>Refused</b>: Zrefused It is not published until you agree" in page_source(alice.get(page))
    assert erin.post(decided, {"granted": "yes", "reason": "R"}).status_code == 409
    assert alice.post(anonymity_path, {"take_back": "yes"}).status_code == 302
    assert not Submission.objects.filter(anonymity__isnull=False).exists()


# Getting the name


def test_naming_a_result_amends_lists_and_changes_no_number(cast: Cast, anonymous) -> None:
    publication_publish.publish_release(anonymous.release, cast.erin.account, allow_empty=True)
    before = cast.stranger.get("/api/v1/results/hw-1/").json()
    digest = RankedList.objects.get(name="full").digest
    assert Result.objects.get().bundle_sha256 == ""
    assert take_back(cast.alice, anonymous).json()["lifted_at"]
    assert Result.objects.get().bundle_sha256 == anonymous.sha256
    acts = LogOpening.objects.filter(subject="results/hw-1").order_by("leaf").values_list("act", flat=True)
    assert list(acts) == ["published", "named"]
    after = cast.stranger.get("/api/v1/results/hw-1/").json()
    assert (after["institution"], after["system"], after["filesystem_name"]) == ("North Lab", "Zsystem", "zmount")
    assert after["measurements"] == before["measurements"]
    assert (after["score"], after["published_at"], after["revision"]) == (
        before["score"], before["published_at"], before["revision"],
    )  # fmt: skip
    assert any("Zanswer" in row["answer"] for row in after["answers"]["rows"])
    assert cast.stranger.get("/api/v1/results/hw-1/files/").json()["results"]
    ranked = RankedList.objects.get(name="full")
    assert ranked.note.endswith("hw-1: named by its submitter.")
    assert (ranked.digest != digest, ranked.entries.get().institution, ranked.entries.get().rank) == (
        True, "North Lab", 1,
    )  # fmt: skip
    assert set(System.objects.values_list("name", flat=True)) == {"Zsystem"}
    assert Fact.objects.filter(result__public_id="hw-1", text="North Lab").exists()
    page = page_source(page_of(cast, "nobody").get("/results/hw-1/"))
    assert "named by its submitter on" in page
    assert take_back(cast.alice, anonymous).json()["code"] == "anonymity.not-asked"


def test_naming_a_result_publishes_no_later_check(cast: Cast, anonymous) -> None:
    publication_publish.publish_release(anonymous.release, cast.erin.account, allow_empty=True)
    last = Check.objects.filter(submission=anonymous).latest("made_at")
    Check.objects.create(
        submission=anonymous, version=last.version, status=last.status, errors=0, warnings=0, report={"runs": []},
        validators_version="9.9.9", seconds=0,
    )  # fmt: skip
    assert take_back(cast.alice, anonymous).status_code == 200
    assert Result.objects.get().snapshot["versions"]["validators"] == last.validators_version


def test_a_revision_stays_anonymous_and_is_named_with_what_it_revises(cast: Cast, anonymous) -> None:
    publication_publish.publish_release(anonymous.release, cast.erin.account, allow_empty=True)
    anonymous.refresh_from_db()
    revision = edit.start_revision(anonymous, cast.alice.account, "Znote was wrong.")
    assert ask(cast.alice, revision).json()["code"] == "anonymity.named-already"
    processing.check_submission(str(revision.pk))
    revision.refresh_from_db()
    submit_to(anonymous.release, revision, cast.alice)
    accept(revision, cast)
    publication_publish.publish_due()
    assert set(Result.objects.values_list("public_id", "institution")) == {("hw-1", "Anonymous"), ("hw-2", "Anonymous")}
    pages = {path: page_of(cast, "nobody").get(path).content for path in ("/results/hw-2/", "/api/v1/results/hw-2/")}
    assert not found(pages, WORDS)
    subscriptions.subscribe(cast.charlie.account, Result.objects.get(public_id="hw-1").system.slug)
    assert take_back(cast.alice, anonymous).status_code == 200
    assert set(Result.objects.values_list("institution", "system__name")) == {("North Lab", "Zsystem")}
    assert detected_steps.due_systems() == [Result.objects.get(public_id="hw-1").system_id]
    assert not cast.charlie.account.following.exists()


# What is taken out


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Acme", True), ("acme scratch", True), ("/lustre/x", True), ("node7.acme.org", True), ("me@host", True),
        ("lab7.sh", True),
        ("ANS", True), ("ansible", False), ("ior-easy-write", False), ("GiB/s", False), ("4.1.0", False),
        ("university storage", False),
    ],
)  # fmt: skip
def test_a_text_that_may_tell_who_ran_it_is_withheld(text, told) -> None:
    site = Site(slug="acme", name="Acme National Storage", also_printed_as=[])
    without = anonymizer.Anonymizer(frozenset({"acme national storage", *anonymizer._distinctive_words([site.name])}))
    assert without.document({"note": text}) == {"note": "withheld" if told else text}


def test_words_of_the_registry_containing_a_name_are_kept() -> None:
    without = anonymizer.Anonymizer(frozenset({"easy", "score"}))
    run = {"scores": {"SCORE": {"value": 1.0}}, "hashes": {}, "parameters": {"easy": 1, "nodes": 2, "dir": "easy"},
           "measurements": [{"op": "ior-easy-write", "unit": "B/s", "context": {"job": "easy"}}]}  # fmt: skip
    assert without.run(run) == {
        "scores": {"SCORE": {"value": 1.0}}, "hashes": {}, "parameters": {"nodes": 2, "dir": "withheld"},
        "measurements": [{"op": "ior-easy-write", "unit": "B/s", "context": {"job": "withheld"}}],
        "parameter_sources": {}, "printed_at": {}, "described_parameters": {},
    }  # fmt: skip


def test_options_that_tell_who_ran_it_are_left_out() -> None:
    without = anonymizer.Anonymizer(frozenset({"acme"}))
    given_options = {"settings": {"global": {"api": "DFS --dfs.pool=$DFS_POOL", "acme-flag": "1", "datadir": None}},
                     "options": [["t", "acme1"], ["o", None]], "left_out": ["acme"]}  # fmt: skip
    run = {"scores": {}, "hashes": {}, "parameters": {}, "given_options": given_options}
    assert without.run(run)["given_options"] == {
        "settings": {"global": {"api": "DFS --dfs.pool=$DFS_POOL", "datadir": None}},
        "options": [["o", None]], "left_out": [],
    }  # fmt: skip
