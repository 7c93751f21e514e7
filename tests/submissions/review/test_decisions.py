"""Submitting, reviewing, withdrawing: each refusal with its code, each decision with its reason."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.utils import timezone

from registry.models import Release, Result
from submissions.bundles import public_files, scrubbed_copy
from submissions.models import Membership, Review, ScrubbedCopy, Submission
from submissions.publication import publish, releases
from submissions.review import decisions
from submissions.review import queue as review_queue
from tests.make_io500 import make_run, pack
from tests.submissions.conftest import somebody_waits, wait_until

EXAMPLE = Path(__file__).resolve().parents[3] / "collectors" / "data" / "example-run.1.json"
ASKED = {"release": "sc99", "lists": ["io500", "ten"], "acknowledge_rules": True, "acknowledge_publication": True}


def submit(person, submission: Submission, **changes):
    document = {name: value for name, value in (ASKED | changes).items() if value is not ...}
    return person.post(f"submissions/{submission.pk}/submit/", document)


def test_a_checked_run_is_submitted(cast, release, checked) -> None:
    submission = checked()
    answer = submit(cast.alice, submission, lists=["IO500", "ten", "io500"])
    assert answer.status_code == 200, answer.content
    submission.refresh_from_db()
    assert (submission.state, submission.release, submission.lists) == ("submitted", release, ["io500", "ten"])
    assert submission.rules_acknowledged_at and submission.publication_acknowledged_at
    assert answer.json()["history"][-1]["to_state"] == "submitted"


def test_a_colleague_may_submit_an_upload(cast, release, checked) -> None:
    assert submit(cast.bob, checked()).status_code == 200


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"acknowledge_rules": False}, 422, "submit.not-acknowledged"),
        ({"acknowledge_publication": False}, 422, "submit.not-acknowledged"),
        ({"acknowledge_publication": ...}, 400, "request.invalid"),
        ({"release": "sc98"}, 422, "intake.unknown-release"),
        ({"release": ...}, 400, "request.invalid"),
        ({"lists": ["best"]}, 422, "submit.list-not-of-release"),
        ({"lists": []}, 422, "submit.list-not-of-release"),
        ({"lists": "io500"}, 400, "request.invalid"),
        ({"lists": ["x"] * 21}, 400, "request.invalid"),
        ({"embargo_until": "2020-01-01T00:00:00Z"}, 422, "submit.embargo-past"),
        ({"embargo_until": "soon"}, 400, "request.invalid"),
        ({"primary": 1}, 422, "submit.no-such-run"),
        ({"primary": -1}, 400, "request.invalid"),
        ({"primary": 10**9}, 400, "request.invalid"),
    ],
)
def test_submissions_that_cannot_be_submitted_are_refused(cast, release, checked, changes, status, code) -> None:
    submission = checked()
    answer = submit(cast.alice, submission, **changes)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    submission.refresh_from_db()
    assert (submission.state, submission.release) == ("checked", None)


def test_a_refused_list_names_the_lists_of_the_release(cast, release, checked) -> None:
    releases.change_release(release, lists=["ten", "full"])
    assert "ten, full" in submit(cast.alice, checked(), lists=["io500"]).json()["hint"]


@pytest.mark.parametrize(
    "changes",
    [
        {"opens": timedelta(days=1)},
        {"deadline": timedelta(seconds=-1)},
    ],
)
def test_a_closed_release_accepts_no_submission(cast, release, checked, changes) -> None:
    for field, distance in changes.items():
        setattr(release, field, timezone.now() + distance)
    release.save()
    answer = submit(cast.alice, checked())
    assert (answer.status_code, answer.json()["code"]) == (422, "submit.release-closed")


def test_a_published_release_accepts_no_submission(cast, release, checked) -> None:
    submission = checked()
    assert cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).status_code == 200
    assert submit(cast.alice, submission).json()["code"] == "submit.release-closed"


def test_an_invalid_run_is_not_submitted(cast, release, checked) -> None:
    answer = submit(cast.alice, checked(short="ior-easy-write"), release="nowhere")
    assert (answer.status_code, answer.json()["code"]) == (409, "state.conflict")


def test_a_run_is_submitted_once(cast, release, checked) -> None:
    submission = checked()
    assert [submit(cast.alice, submission).status_code for _ in range(2)] == [200, 409]


def test_a_test_upload_is_never_submitted(cast, release, checked) -> None:
    assert submit(cast.alice, checked(fields={"test": "true"})).json()["code"] == "submit.test"


@pytest.mark.parametrize("around", ["", "bundle/data/results/"])
@pytest.mark.parametrize(("local", "status", "code"), [(True, 200, None), (False, 422, "submit.example")])
def test_the_example_of_the_collector_is_accepted_by_demo_lists_only(
    cast, release, checked, settings, around, local, status, code
) -> None:
    settings.INSECURE_LOCAL, settings.SECURE_SSL_REDIRECT = local, False
    files = json.loads(EXAMPLE.read_text())["files"]
    answer = submit(cast.alice, checked(extra={f"{around}EXAMPLE.txt": files["EXAMPLE.txt"].encode()}))
    assert (answer.status_code, answer.json().get("code")) == (status, code)


def test_a_file_named_like_the_example_is_no_example(cast, release, checked, settings) -> None:
    settings.INSECURE_LOCAL, settings.SECURE_SSL_REDIRECT = False, False
    files = {
        "EXAMPLE.txt": b"An example of what we measured.\n",
        "example.txt": b"This run is an example of Highwater.",
    }
    assert submit(cast.alice, checked(extra=files)).status_code == 200


def test_an_account_without_an_institution_cannot_submit(cast, release, checked) -> None:
    cast.charlie.account.memberships.all().delete()
    assert submit(cast.charlie, checked(cast.charlie)).json()["code"] == "submit.no-institution"


def test_an_account_of_two_institutions_must_choose(cast, release, checked) -> None:
    south = cast.charlie.account.memberships.get().institution
    Membership.objects.create(account=cast.alice.account, institution=south)
    submission = checked()
    refused = submit(cast.alice, submission)
    assert refused.json()["code"] == "submit.no-institution"
    assert "south-lab" in refused.json()["hint"]


def test_the_submitter_chooses_one_of_several_runs(cast, release, tmp_path) -> None:
    files = {f"one/{name}": content for name, content in make_run(performance=1.5, folder="results").items()}
    files |= {f"two/{name}": content for name, content in make_run(performance=2.5, folder="results").items()}
    from submissions.checks import processing

    pk = cast.alice.upload(pack(tmp_path / "two.tar.gz", files).read_bytes()).json()["id"]
    processing.check_submission(pk)
    submission = Submission.objects.get(pk=pk)
    assert submission.checks.get().report["primary"] is None
    assert cast.alice.get(f"submissions/{pk}/").json()["tool"] is None
    if submission.state == "invalid":
        pytest.fail(str(cast.alice.get(f"submissions/{pk}/findings/").json()))
    assert submit(cast.alice, submission).json()["code"] == "review.primary-needed"
    chosen = submit(cast.alice, submission, primary=1).json()
    assert (chosen["primary"], chosen["tool"]) == (1, "io500")
    assert chosen["scores"] == chosen["runs"][1]["scores"]


# Checking again, answering, withdrawing


def test_a_run_is_checked_again_with_new_metadata(cast, release, checked) -> None:
    submission = checked(short="ior-easy-write")
    answer = cast.alice.post(
        f"submissions/{submission.pk}/revalidate/",
        {"metadata": {"system": "Fjord"}, "release": "sc99", "lists": ["ten"]},
    )
    assert (answer.status_code, answer.json()["state"]) == (202, "received")
    submission.refresh_from_db()
    assert (submission.metadata, submission.release, submission.lists) == ({"system": "Fjord"}, release, ["ten"])
    assert submission.attempts == 0


def test_invalid_metadata_are_refused(cast, checked) -> None:
    submission = checked()
    answer = cast.alice.post(f"submissions/{submission.pk}/revalidate/", {"metadata": {"system": 5}})
    assert answer.json()["code"] == "intake.metadata-invalid"
    submission.refresh_from_db()
    assert submission.state == "checked"


def test_answers_are_stored_unchanged(cast, checked) -> None:
    submission = checked()
    answers = {"usable_capacity": {"value": 5, "unit": "TiB"}, "trust": "The file system was idle."}
    assert cast.bob.put(f"submissions/{submission.pk}/answers/", answers).status_code == 200
    assert cast.alice.get(f"submissions/{submission.pk}/").json()["answers"] == answers


@pytest.mark.parametrize("answers", [[], "text", 5, {"feedback": "x" * 300_000}, {"feedback": "\0"}])
def test_answers_are_one_object_of_limited_size(cast, checked, answers) -> None:
    refused = cast.alice.put(f"submissions/{checked().pk}/answers/", answers)
    assert (refused.status_code, refused.json()["code"]) == (422, "answers.invalid")


def test_withdrawing_needs_a_reason(cast, checked) -> None:
    submission = checked()
    path = f"submissions/{submission.pk}/withdraw/"
    assert cast.alice.post(path, {"reason": "  "}).status_code == 400
    assert cast.alice.post(path, {"reason": "Wrong file."}).json()["state"] == "withdrawn"
    assert cast.alice.post(path, {"reason": "Again."}).json()["code"] == "state.conflict"


# Reviewing


@pytest.mark.parametrize(
    ("decision", "state"),
    [("accept", "accepted"), ("request_changes", "changes_requested"), ("reject", "rejected")],
)
def test_a_reviewer_decides_with_a_reason(cast, submitted, decision, state) -> None:
    submission = submitted()
    document = {"decision": decision, "reproducibility": "fully", "production": False, "reason": "As the rules say."}
    answer = cast.dana.post(f"submissions/{submission.pk}/review/", document)
    assert (answer.status_code, answer.json()["state"]) == (200, state)
    review = Review.objects.get()
    assert (review.reviewer, review.reproducibility, review.reason) == (cast.dana.account, "fully", "As the rules say.")
    assert submission.events.last().reason == "As the rules say."


@pytest.mark.parametrize(
    "document",
    [
        {"decision": "accept"},
        {"decision": "accept", "reproducibility": "fully", "reason": ""},
        {"decision": "accept", "reproducibility": "fully", "reason": " \n "},
        {"decision": "approve", "reason": "x"},
        {"decision": "accept", "reason": "x", "reproducibility": "best"},
        {"decision": "accept", "reason": "x", "reproducibility": "fully", "production": "perhaps"},
        {"reason": "x"},
    ],
)
def test_an_incomplete_decision_is_refused(cast, submitted, document) -> None:
    submission = submitted()
    answer = cast.dana.post(f"submissions/{submission.pk}/review/", document)
    assert (answer.status_code, answer.json()["code"]) == (400, "request.invalid")
    assert not Review.objects.exists()


def test_reviewers_do_not_review_runs_of_their_institution(cast, submitted) -> None:
    submission = submitted()
    Membership.objects.create(account=cast.dana.account, institution=submission.institution)
    answer = cast.dana.post(
        f"submissions/{submission.pk}/review/", {"decision": "accept", "reproducibility": "fully", "reason": "x"}
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "review.conflict-of-interest")


def test_reviewers_do_not_review_their_own_runs(cast, submitted) -> None:
    submission = submitted(cast.dana)
    answer = cast.dana.post(
        f"submissions/{submission.pk}/review/", {"decision": "accept", "reproducibility": "fully", "reason": "x"}
    )
    assert answer.json()["code"] == "review.conflict-of-interest"
    assert not review_queue.review_queue(cast.dana.account).exists()


def test_a_second_decision_is_refused(cast, submitted) -> None:
    submission = submitted()
    document = {"decision": "accept", "reproducibility": "fully", "reason": "x"}
    statuses = [cast.dana.post(f"submissions/{submission.pk}/review/", document).status_code for _ in range(2)]
    assert statuses == [200, 409]
    assert Review.objects.count() == 1


def test_a_run_with_changes_requested_is_submitted_again(cast, submitted) -> None:
    submission = submitted()
    cast.dana.post(
        f"submissions/{submission.pk}/review/", {"decision": "request_changes", "reason": "Name the system."}
    )
    assert submit(cast.alice, submission).status_code == 200


def test_the_queue_is_ordered_by_waiting_time(cast, submitted) -> None:
    first, second = submitted(performance=1.5), submitted(performance=2.5)
    assert list(review_queue.review_queue(cast.dana.account)) == [first, second]
    decisions.start_review(first, cast.dana.account)
    assert list(review_queue.review_queue(cast.dana.account)) == [first, second]
    decisions.decide_run(first, cast.dana.account, "accept", "Fine.")
    assert list(review_queue.review_queue(cast.dana.account)) == [second]
    assert not review_queue.review_queue(cast.alice.account).exists()


def test_an_award_says_where_the_run_cannot_rank(cast, submitted) -> None:
    submission = submitted(lists=("full", "io500", "ten", "production"), client_nodes=12)
    review = {"decision": "accept", "production": True, "reproducibility": "undefined", "reason": "In production."}
    answer = cast.dana.post(f"submissions/{submission.pk}/review/", review)
    excluded = {name: why["code"] for name, why in answer.json()["excluded"].items()}
    assert excluded == {
        "io500": "on-production-list", "ten": "not-ten-client-nodes", "production": "answers-incomplete"
    }  # fmt: skip


def test_submitting_creates_a_scrubbed_copy_and_checks_for_the_lists(cast, submitted) -> None:
    submission = submitted()
    decisions.prepare_for_review(str(submission.pk))
    submission.refresh_from_db()
    assert submission.checks.count() == 2
    assert submission.checked_at > submission.submitted_at
    files = cast.alice.get(f"submissions/{submission.pk}/files/").json()
    assert files["received"]["sha256"] == submission.sha256
    assert files["derivative"]["sha256"] not in ("", submission.sha256)
    assert files["derivative"]["files"]


def test_a_run_accepted_before_its_lists_were_checked_is_published_with_their_rules(cast, release, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    for _ in range(2):  # the second finds nothing to do
        decisions.prepare_for_review(str(submission.pk))
    submission.refresh_from_db()
    assert (submission.state, submission.checks.count()) == ("accepted", 2)
    assert submission.checked_at > submission.submitted_at
    publish.publish_release(release, cast.erin.account, allow_empty=True)
    uploaded, published = submission.checks.earliest("made_at").report["runs"][0], Result.objects.get().snapshot
    before, after = (
        {rule["code"] for rule in report["rules"] if rule["outcome"] == "not_evaluated"}
        for report in (uploaded, published)
    )
    assert before > after


def test_a_run_accepted_after_its_lists_were_checked_keeps_that_check(cast, submitted) -> None:
    submission = submitted()
    decisions.prepare_for_review(str(submission.pk))
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    reviewed_check = submission.checks.latest("made_at")
    decisions.prepare_for_review(str(submission.pk))
    assert submission.checks.latest("made_at") == reviewed_check


def test_a_run_accepted_before_its_lists_were_checked_is_queued_again(cast, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
    scrubbed_copy.ensure_scrubbed_copy(submission)
    long_ago = timezone.now() - timedelta(hours=1)
    Submission.objects.filter(pk=submission.pk).update(queued_at=long_ago)
    assert list(decisions.unprepared_submissions()) == [submission]
    decisions.prepare_for_review(str(submission.pk))
    assert not decisions.unprepared_submissions().exists()


def test_personal_traces_of_a_bundle_are_a_warning_after_scrubbing(cast, submitted, client) -> None:
    dump = b"PATH=/bin\nHOME=/home/alice\nSHELL=/bin/sh\nUSER=alice\nTERM=vt\nMachine : Linux cn0417\n"
    telling = submitted(extra={"results/job.out": dump})
    before = cast.alice.get(f"submissions/{telling.pk}/findings/").json()["results"]
    public_files.agree_to_files(telling, cast.alice.account, ["results/job.out"])
    decisions.prepare_for_review(telling.pk)
    (finding,) = [
        each
        for each in cast.alice.get(f"submissions/{telling.pk}/findings/").json()["results"]
        if each["code"] == "bundle.personal"
    ]
    assert finding["level"] == "warning"
    assert "environment (5)" in finding["message"]
    assert "bundle.personal" not in [each["code"] for each in before]
    client.force_login(cast.alice.account)
    assert "bundle.personal" in client.get(f"/submissions/{telling.pk}/").content.decode()


def test_a_bundle_without_personal_traces_has_no_such_warning(cast, submitted) -> None:
    quiet = submitted()
    ScrubbedCopy.objects.create(submission=quiet, sha256="0" * 64, size=1, report={"removed": [], "left_out": []})
    codes = [each["code"] for each in cast.alice.get(f"submissions/{quiet.pk}/findings/").json()["results"]]
    assert "bundle.personal" not in codes


# After the deadline


@pytest.fixture
def closed(release):
    Release.objects.filter(pk=release.pk).update(deadline=timezone.now() - timedelta(hours=1))
    release.refresh_from_db()
    return release


LATE = {"release": "sc99", "reason": "The machine stood still on the last day."}


def test_an_editor_permits_a_late_run_with_a_recorded_reason(cast, closed, checked) -> None:
    submission = checked()
    assert submit(cast.alice, submission).json()["code"] == "submit.release-closed"
    first = cast.erin.post(f"submissions/{submission.pk}/late/", LATE)
    assert first.status_code == 200, first.content
    assert (first.json()["decided_by"], first.json()["reason"]) == ("erin", LATE["reason"])
    again = cast.fay.post(f"submissions/{submission.pk}/late/", LATE | {"reason": "Another."})
    assert again.json() == first.json()
    assert submit(cast.alice, submission).status_code == 200


def test_a_late_entry_permits_one_run_in_one_release(cast, closed, checked) -> None:
    admitted, other = checked(), checked(performance=2.0)
    cast.erin.post(f"submissions/{admitted.pk}/late/", LATE)
    assert submit(cast.alice, other).json()["code"] == "submit.release-closed"
    releases.create_release("isc99", timezone.now() + timedelta(seconds=1))
    Release.objects.filter(slug="isc99").update(deadline=timezone.now() - timedelta(hours=1))
    assert submit(cast.alice, admitted, release="isc99").json()["code"] == "submit.release-closed"


@pytest.mark.parametrize(
    ("change", "code"), [({"reason": " "}, None), ({"release": "nowhere"}, "intake.unknown-release")]
)
def test_a_late_entry_needs_a_reason_and_a_release(cast, closed, checked, change, code) -> None:
    refused = cast.erin.post(f"submissions/{checked().pk}/late/", LATE | change)
    assert refused.status_code in (400, 422)
    assert code is None or refused.json()["code"] == code


def test_a_published_release_permits_no_late_run(cast, closed, checked) -> None:
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    assert cast.erin.post(f"submissions/{checked().pk}/late/", LATE).status_code == 409


def test_an_editor_does_not_permit_late_runs_of_the_own_institution(cast, closed, checked) -> None:
    submission = checked()
    Membership.objects.create(account=cast.erin.account, institution=submission.institution)
    assert cast.erin.post(f"submissions/{submission.pk}/late/", LATE).json()["code"] == "review.conflict-of-interest"


def test_changes_that_reviewers_asked_for_may_come_after_the_deadline(cast, release, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "request_changes", "Name the system.")
    Release.objects.filter(pk=release.pk).update(deadline=timezone.now() - timedelta(seconds=1))
    assert submit(cast.alice, submission).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_submitting_during_publication_is_refused(cast, release, checked) -> None:
    """It waits for the release and then finds it published; without waiting it would be submitted to nowhere."""
    submission = checked()

    def ask() -> str:
        try:
            return submit(cast.alice, submission).json().get("code", "submitted")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Release.objects.select_for_update().get(pk=release.pk)
            future = pool.submit(ask)
            wait_until(somebody_waits, 20)
            Release.objects.filter(pk=release.pk).update(published_at=timezone.now())
        assert future.result(30) == "submit.release-closed"
    submission.refresh_from_db()
    assert submission.state == "checked"
