"""Until the deadline what was submitted can be edited, after it only what somebody asked for or admitted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from submissions.bundles import scrubbed_copy
from submissions.checks import processing
from submissions.models import Submission
from submissions.review import decisions
from tests.submissions.cast import submit_to

SAID = {"metadata": {"system": "Fjord"}}
AGAIN = {"release": "sc99", "lists": ["full"], "acknowledge_rules": True, "acknowledge_publication": True}


def close(release) -> None:
    release.deadline = timezone.now() - timedelta(seconds=1)
    release.save()


def state(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.state


def edits(cast, submission: Submission) -> list[tuple[int, str | None]]:
    """What answers, metadata and files are answered with."""
    file = {"file": SimpleUploadedFile("io500.sh", b"#!/bin/sh")}
    answers = (
        cast.alice.put(f"submissions/{submission.pk}/answers/", {"usage": "production"}),
        cast.alice.client.post(f"/api/v1/submissions/{submission.pk}/files/", file, format="multipart"),
        cast.alice.post(f"submissions/{submission.pk}/revalidate/", SAID),
    )
    return [(answer.status_code, answer.json().get("code")) for answer in answers]


def test_changed_answers_keep_the_state_submitted(cast, submitted) -> None:
    submission = submitted()
    assert cast.bob.put(f"submissions/{submission.pk}/answers/", {"usage": "production"}).status_code == 200
    assert (state(submission), submission.answers) == ("submitted", {"usage": "production"})


def test_other_changes_require_submitting_again(cast, submitted) -> None:
    submission = submitted()
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/", SAID).status_code == 202
    processing.check_submission(submission.pk)
    assert state(submission) == "checked"
    assert "Taken back to be edited." in [event.reason for event in submission.events.all()]
    assert cast.alice.post(f"submissions/{submission.pk}/submit/", AGAIN).status_code == 200


def test_a_submission_under_review_cannot_be_changed(cast, submitted) -> None:
    submission = submitted()
    decisions.start_review(submission, cast.dana.account)
    assert [status for status, _ in edits(cast, submission)] == [409, 409, 409]
    assert state(submission) == "in_review"


def test_a_submission_cannot_be_changed_after_the_deadline(cast, release, submitted) -> None:
    submission = submitted()
    close(release)
    assert edits(cast, submission) == [(409, "edit.deadline-passed")] * 3
    assert (state(submission), submission.answers, submission.version) == ("submitted", {}, 1)


def test_a_deadline_passes_while_an_edit_is_checked(cast, release, submitted) -> None:
    """The edit came in time, so the run can still be submitted; it can't be edited once more."""
    submission = submitted()
    cast.alice.post(f"submissions/{submission.pk}/revalidate/", SAID)
    close(release)
    processing.check_submission(submission.pk)
    assert edits(cast, submission) == [(409, "edit.deadline-passed")] * 3
    assert cast.alice.post(f"submissions/{submission.pk}/submit/", AGAIN).status_code == 200


def test_a_late_edit_in_time_is_submitted_by_form(cast, client, release, submitted) -> None:
    submission = submitted()
    cast.alice.post(f"submissions/{submission.pk}/revalidate/", SAID)
    close(release)
    processing.check_submission(submission.pk)
    client.force_login(cast.alice.account)
    client.post(f"/submissions/{submission.pk}/submit/", AGAIN | {"acknowledge_rules": "on"})
    assert state(submission) == "submitted"


def test_a_run_that_left_its_release_cannot_return_late(cast, release, submitted) -> None:
    submission = submitted()
    cast.alice.post(f"submissions/{submission.pk}/revalidate/", {"release": "", "lists": []})
    processing.check_submission(submission.pk)
    close(release)
    cast.alice.post(f"submissions/{submission.pk}/revalidate/", {"release": "sc99"} | SAID)
    processing.check_submission(submission.pk)
    refused = cast.alice.post(f"submissions/{submission.pk}/submit/", AGAIN)
    assert (refused.status_code, refused.json()["code"]) == (422, "submit.release-closed")


def test_requested_changes_are_made_after_the_deadline(cast, release, submitted) -> None:
    submission = submitted()
    decisions.decide_run(submission, cast.dana.account, "request_changes", "Name the system.")
    close(release)
    assert [status for status, _ in edits(cast, submission)][0::2] == [200, 409]
    processing.check_submission(submission.pk)
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/", SAID).status_code == 202


def test_a_run_never_submitted_has_no_deadline(cast, release, checked) -> None:
    submission = checked(fields={"release": "sc99"})
    close(release)
    assert [status for status, _ in edits(cast, submission)][:2] == [200, 202]


def test_a_copy_of_replaced_files_is_renewed(cast, submitted) -> None:
    submission = submitted()
    stale = Submission.objects.get(pk=submission.pk)
    edits(cast, submission)
    copy = scrubbed_copy.ensure_scrubbed_copy(stale)
    assert {"path": "io500.sh", "reason": "not-agreed"} in copy.report["left_out"]


@pytest.mark.parametrize(("closed", "told"), [(False, "You can edit it until then"), (True, "Editing is closed.")])
def test_the_page_shows_the_deadline(cast, client, release, submitted, closed, told) -> None:
    submission = submitted()
    if closed:
        release.deadline = timezone.now() - timedelta(seconds=70)
        release.save()
    client.force_login(cast.alice.account)
    page = client.get(f"/submissions/{submission.pk}/").content.decode()
    assert told in page
    assert "anywhere on earth" in page


def test_late_entries_can_be_edited(cast, release, checked) -> None:
    submission = checked()
    close(release)
    decisions.admit_late(submission, cast.erin.account, release="sc99", reason="The portal was down.")
    submit_to(release, submission, cast.alice)
    assert [status for status, _ in edits(cast, submission)][:2] == [200, 202]
