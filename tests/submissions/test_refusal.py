"""A private key or a live token: the upload is refused, its bytes are deleted, and what happened stays told."""

from __future__ import annotations

import hashlib
import io
from pathlib import Path

import pytest

from submissions import backup, processing, refusal, tasks
from submissions.models import RefusedBundle, Submission
from submissions.storage import key_of, received

from .test_storage import leftovers

pytestmark = pytest.mark.django_db

# Put together here, so that no file of the project holds one.
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEY = "-----BEGIN {0}-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END {0}-----\n".format("PRIVATE KEY")


@pytest.fixture
def refused(cast, archive, django_capture_on_commit_callbacks):
    """A submission of Alice's with this text in a file, after its check."""

    def make(text: str = KEY) -> Submission:
        content = archive(extra={"results/job.out": f"done\n{text}\n".encode()})
        answer = cast.alice.upload(content)
        assert answer.status_code == 202
        with django_capture_on_commit_callbacks(execute=True):
            processing.process(answer.json()["id"])
        return Submission.objects.get(pk=answer.json()["id"])

    return make


@pytest.mark.parametrize("text", [KEY, TOKEN])
def test_the_bytes_are_deleted_and_the_history_says_why(refused, bundles: Path, text: str) -> None:
    submission = refused(text)
    assert submission.state == "invalid"
    assert leftovers(bundles) == []
    check = submission.checks.get()
    assert [finding["code"] for finding in check.report["findings"]] == ["bundle.secret"]
    assert check.report["runs"] == []
    assert submission.events.order_by("id").last().reason == refusal.REASON
    assert RefusedBundle.objects.get().sha256 == submission.sha256


def test_nothing_that_is_kept_or_shown_holds_the_secret(refused, cast) -> None:
    submission = refused(TOKEN)
    shown = cast.alice.get(f"submissions/{submission.pk}/").content.decode()
    assert "bundle.secret" in shown
    assert TOKEN[4:] not in shown + str(submission.checks.get().report)


@pytest.mark.parametrize("name", ["alice", "charlie"])
def test_the_same_bytes_again_are_refused_at_once_whoever_sends_them(refused, cast, archive, bundles, name) -> None:
    refused()
    again = getattr(cast, name).upload(archive(extra={"results/job.out": f"done\n{KEY}\n".encode()}))
    assert (again.status_code, again.json()["code"]) == (422, "bundle.secret")
    assert leftovers(bundles) == []
    assert Submission.objects.count() == 1


def test_checking_again_says_the_same_without_the_bytes(refused, cast) -> None:
    submission = refused()
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/", {}).status_code == 202
    processing.process(submission.pk)
    submission.refresh_from_db()
    assert submission.state == "invalid"
    assert [finding["code"] for finding in submission.checks.first().report["findings"]] == ["bundle.secret"]


def test_bytes_that_came_a_moment_before_the_refusal_go_with_it(
    refused, cast, archive, bundles: Path, django_capture_on_commit_callbacks
) -> None:
    content = archive(extra={"results/job.out": f"done\n{KEY}\n".encode()})
    other = cast.charlie.upload(content).json()["id"]
    refused()
    with django_capture_on_commit_callbacks(execute=True):
        processing.process(other)
    assert Submission.objects.get(pk=other).state == "invalid"
    assert leftovers(bundles) == []


def test_what_a_killed_worker_left_is_deleted_by_the_scheduler(bundles: Path) -> None:
    content = b"left behind"
    sha256 = hashlib.sha256(content).hexdigest()
    path = bundles / "received" / key_of(sha256)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    RefusedBundle.objects.create(sha256=sha256)
    tasks.tidy()
    assert not received().exists(key_of(sha256))


def test_a_check_that_keeps_nothing_tells_it_too(refused, archive) -> None:
    """What a check of held bytes calls."""
    content = archive(extra={"results/job.out": KEY.encode()})
    received().save("held", io.BytesIO(content))
    report = processing.check_file("held", {"name": "x.tgz", "release": {}, "list": None, "metadata": {}})
    assert [finding["code"] for finding in report["findings"]] == ["bundle.secret"]


def test_a_backup_does_not_miss_what_was_refused(refused) -> None:
    submission = refused()
    assert submission.sha256 in backup._refused()


def test_a_run_without_secrets_keeps_its_bytes(checked, bundles: Path) -> None:
    submission = checked(extra={"results/job.out": b"password=hunter22\nssh-ed25519 AAAAC3NzaC1lZDI1NTE5\n"})
    assert submission.state == "checked"
    assert len(leftovers(bundles)) == 1
