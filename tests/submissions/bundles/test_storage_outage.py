"""A storage that is away, or takes no deletion: nothing is called missing for it, and nothing else stops."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.files.storage import FileSystemStorage, Storage

from registry.models import Result
from submissions import tasks
from submissions.bundles import quarantine
from submissions.checks import processing
from submissions.damage import presence
from submissions.models import SecretFile, Submission
from tests.submissions.bundles.test_quarantine import KEY

pytestmark = pytest.mark.django_db


class AwayError(Exception):
    """What a storage library raises; no OSError."""


class AwayStorage(Storage):
    """A storage behind a network that is down."""

    def __init__(self, **options) -> None:
        pass

    def _away(self, *args, **kwargs):
        raise AwayError

    exists = open = save = delete = listdir = size = get_modified_time = _away


class UndeletableStorage(FileSystemStorage):
    """A storage that may be read and not written."""

    def delete(self, name) -> None:
        raise PermissionError


@pytest.fixture
def storage_is(settings, bundles) -> Callable[[type[Storage]], None]:
    """Changes what is between this site and its stored bytes."""

    def change(kind: type[Storage]) -> None:
        backend = {"BACKEND": f"{__name__}.{kind.__name__}"}
        settings.STORAGES = settings.STORAGES | {
            name: settings.STORAGES[name] | backend for name in ("received", "public")
        }

    return change


def test_an_unreachable_storage_is_no_missing_file(published, storage_is, client, cast) -> None:
    storage_is(AwayStorage)
    presence.note_missing_bytes()
    result = Result.objects.get(pk=published.result_id)
    assert (result.archive_missing_since, result.copy_missing_since) == (None, None)
    client.force_login(cast.alice.account)
    assert client.get(f"/submissions/{published.pk}/").status_code == 200
    assert client.get(f"/submissions/{published.pk}/received/").status_code == 503
    assert cast.alice.get(f"submissions/{published.pk}/files/received/").status_code == 503
    assert client.get(f"/results/{published.result.public_id}/copy.tar.gz").status_code == 503


def test_an_unmounted_folder_is_no_missing_file(published, bundles, client, cast) -> None:
    for folder in list(bundles.iterdir()):
        folder.rename(folder.with_name(f"{folder.name}-unmounted"))
        folder.mkdir()
    assert presence.note_missing_bytes() == 0
    result = Result.objects.get(pk=published.result_id)
    assert (result.archive_missing_since, result.copy_missing_since) == (None, None)
    assert client.get(f"/results/{published.result.public_id}/copy.tar.gz").status_code == 503
    assert cast.alice.get(f"submissions/{published.pk}/files/received/").status_code == 503


def test_tidying_continues_after_a_file_that_cannot_be_deleted(cast, archive, storage_is) -> None:
    submission_id = cast.alice.upload(archive(extra={"results/job.out": KEY.encode()})).json()["id"]
    processing.check_submission(submission_id)
    storage_is(AwayStorage)
    tasks.tidy()


def test_a_check_is_stored_where_the_bytes_can_not_be_deleted(
    cast, archive, storage_is, django_capture_on_commit_callbacks
) -> None:
    submission_id = cast.alice.upload(archive(extra={"results/job.out": KEY.encode()})).json()["id"]
    storage_is(UndeletableStorage)
    with django_capture_on_commit_callbacks(execute=True):
        processing.check_submission(submission_id)
    assert Submission.objects.get(pk=submission_id).state == "invalid"


def test_withholding_needs_no_storage(published, cast, storage_is, client) -> None:
    row = SecretFile.objects.create(
        submission=published, account=published.account, sha256=published.sha256, where="x", outcome="reported"
    )
    storage_is(AwayStorage)
    quarantine.withhold_file(row, cast.erin.account, "It is real.")
    assert client.get(f"/results/{published.result.public_id}/copy.tar.gz").status_code == 409
