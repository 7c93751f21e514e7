"""What an account and an institution may store within a day; of several uploads at once none slips through."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.db import connection
from django.db.models import F
from django.utils import timezone

from submissions.lifecycle import quotas
from submissions.models import QuotaUse, State, Submission
from tests.submissions.cast import leftovers

pytestmark = pytest.mark.django_db


def content(number: int, size: int = 1000) -> bytes:
    return f"no result {number:06d}\n".encode().ljust(size, b"x")


def send(person, number: int, size: int = 1000):
    return person.upload(content(number, size), name="a.txt")


def test_the_bytes_of_an_account_in_a_day_are_limited(cast, settings, bundles: Path) -> None:
    settings.UPLOAD_BYTES_PER_DAY = 2500
    assert [send(cast.charlie, number).status_code for number in range(2)] == [202, 202]
    refused = send(cast.charlie, 3)
    assert (refused.status_code, refused.json()["code"]) == (429, "quota.account-bytes")
    assert "2000 of 2500 bytes" in refused.json()["detail"]
    assert 86_000 < int(refused["Retry-After"]) <= 86_400
    assert len(leftovers(bundles)) == 2  # nothing of it was kept
    assert send(cast.alice, 4).status_code == 202  # another account
    assert send(cast.charlie, 5, 500).status_code == 202  # what is left may be used


@pytest.mark.parametrize("name", ["UPLOAD_BYTES_PER_DAY", "INSTITUTION_BYTES_PER_DAY"])
def test_a_quota_is_filled_to_its_last_byte(cast, settings, name: str) -> None:
    setattr(settings, name, 2500)
    send(cast.alice, 1, 2000)
    assert send(cast.alice, 2, 501).status_code == 429
    assert send(cast.alice, 3, 500).status_code == 202
    assert send(cast.alice, 4, 20).status_code == 429


def test_the_same_bytes_again_are_the_same_submission_and_cost_nothing(cast, settings) -> None:
    settings.UPLOAD_BYTES_PER_DAY = 1500
    assert send(cast.charlie, 1).status_code == 202
    assert send(cast.charlie, 1).status_code == 200
    assert QuotaUse.objects.count() == 1


def test_the_quota_is_free_after_retry_after(cast, settings) -> None:
    settings.UPLOAD_BYTES_PER_DAY = 2000
    send(cast.charlie, 1)
    QuotaUse.objects.update(at=timezone.now() - timedelta(hours=20))
    send(cast.charlie, 2)
    refused = send(cast.charlie, 3)
    wait_s = int(refused["Retry-After"])
    assert timedelta(hours=3.9) < timedelta(seconds=wait_s) <= timedelta(hours=4)
    QuotaUse.objects.update(at=F("at") - timedelta(seconds=wait_s + 1))
    assert send(cast.charlie, 3).status_code == 202


@pytest.mark.parametrize("days", [-400, -2, 2, 300])
def test_a_host_whose_clock_is_wrong_counts_as_the_others_do(cast, settings, days: int) -> None:
    settings.UPLOAD_BYTES_PER_DAY = 1500
    send(cast.charlie, 1)
    with time_machine.travel(timezone.now() + timedelta(days=days), tick=True):
        assert send(cast.charlie, 2).status_code == 429
        assert quotas.delete_old_uses() == 0
        send(cast.alice, 3)
    QuotaUse.objects.update(at=F("at") - timedelta(days=1))
    assert [send(person, 4).status_code for person in (cast.charlie, cast.alice)] == [202, 202]


def test_a_file_larger_than_the_quota_has_no_retry_after(cast, settings) -> None:
    settings.UPLOAD_BYTES_PER_DAY = 500
    refused = send(cast.charlie, 1)
    assert refused.status_code == 429 and "Retry-After" not in refused


def test_members_of_an_institution_share_what_it_may_store(cast, settings) -> None:
    settings.INSTITUTION_BYTES_PER_DAY = 2500
    assert [send(person, number).status_code for number, person in enumerate((cast.alice, cast.bob))] == [202, 202]
    assert send(cast.bob, 3).json()["code"] == "quota.institution-bytes"


def test_replacing_files_counts_as_well(cast, checked, settings) -> None:
    submission = checked()
    settings.UPLOAD_BYTES_PER_DAY = submission.size + 1500
    address = f"/api/v1/submissions/{submission.pk}/files/"
    from tests.submissions.editing.test_files import put

    assert put(cast.alice, submission, content(1), "note.txt").status_code == 202
    refused = put(cast.alice, submission, content(2), "note.txt")
    assert refused.json()["code"] == "quota.account-bytes", address


def test_the_number_of_waiting_submissions_is_limited(cast, settings) -> None:
    settings.UNCHECKED_PER_ACCOUNT = 2
    assert [send(cast.charlie, number).status_code for number in range(2)] == [202, 202]
    refused = send(cast.charlie, 3)
    assert (refused.status_code, refused.json()["code"], refused["Retry-After"]) == (429, "quota.unchecked", "60")
    Submission.objects.filter(state=State.RECEIVED).update(state=State.INVALID)
    assert send(cast.charlie, 3).status_code == 202


def test_an_unset_quota_is_unlimited(cast, settings) -> None:
    settings.UPLOAD_BYTES_PER_DAY = settings.INSTITUTION_BYTES_PER_DAY = settings.UNCHECKED_PER_ACCOUNT = 0
    assert [send(cast.alice, number).status_code for number in range(3)] == [202] * 3


def test_uploads_are_refused_below_the_reserve_of_free_space(cast, settings, bundles: Path) -> None:
    settings.FREE_SPACE_FLOOR_BYTES = shutil.disk_usage(bundles.parent).total * 2
    refused = send(cast.alice, 1)
    assert (refused.status_code, refused.json()["code"]) == (503, "storage.full")
    assert leftovers(bundles) == []
    settings.FREE_SPACE_FLOOR_BYTES = 0
    assert send(cast.alice, 1).status_code == 202


def test_old_usage_rows_are_deleted(cast) -> None:
    send(cast.alice, 1)
    QuotaUse.objects.update(at=timezone.now() - timedelta(hours=25))
    send(cast.alice, 2)
    assert quotas.delete_old_uses() == 1
    assert QuotaUse.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_uploads_do_not_exceed_a_quota(cast, settings) -> None:
    settings.UPLOAD_BYTES_PER_DAY, settings.INSTITUTION_BYTES_PER_DAY = 3000, 4000

    def upload(number: int) -> int:
        try:
            return send((cast.alice, cast.bob)[number % 2], number).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(upload, range(12)))
    assert sorted(statuses) == [202] * 4 + [429] * 8
    assert Submission.objects.count() == 4


def test_the_upload_page_shows_the_exceeded_quota(cast, settings, client) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    settings.UPLOAD_BYTES_PER_DAY = 10
    client.force_login(cast.alice.account)
    page = client.post("/submissions/new/", {"bundle": SimpleUploadedFile("a.txt", content(1))})
    assert "as many bytes as it may within a day" in page.content.decode() or "0 of 10 bytes" in page.content.decode()
