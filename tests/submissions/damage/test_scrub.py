"""All stored bytes are read and hashed; what is damaged or missing is marked, told, and ends when it is right again."""

from __future__ import annotations

import io
import os
from datetime import timedelta
from pathlib import Path

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from registry.models import Result
from registry.query.stored_bytes import key_of
from submissions.damage import scrub, stored_faults
from submissions.models import Account, ScrubRun, StoredFault, Submission
from tests.file_modes import bound_by_modes
from tests.submissions.bundles.stored import flip_bit

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def letters(settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"


@pytest.fixture
def archive_path(published, bundles: Path) -> Path:
    return bundles / "received" / key_of(published.sha256)


@pytest.fixture
def copy_path(published, bundles: Path) -> Path:
    return bundles / "public" / key_of(published.result.public_sha256)


def scrubbed() -> str:
    output = io.StringIO()
    try:
        call_command("scrub_storage", stdout=output, stderr=io.StringIO())
    except CommandError as error:
        return f"{output.getvalue()}{error}"
    return output.getvalue()


def figures(client) -> dict[tuple[str, str], float]:
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(client.get("/metrics").content.decode())
        for sample in family.samples
    }


def test_undamaged_bytes_are_reported_as_whole(published, archive_path, copy_path, client) -> None:
    size = archive_path.stat().st_size + copy_path.stat().st_size
    assert scrubbed() == f"All 2 stored files are whole: {size} bytes.\n"
    assert mail.outbox == []
    samples = figures(client)
    assert samples["highwater_scrub_objects", "whole"] == 2
    assert samples["highwater_storage_faults", "damaged"] == 0
    assert 0 <= samples["highwater_scrub_age_seconds", ""] < 60


def test_each_flipped_bit_is_found_marked_and_mailed(published, archive_path, copy_path, client, cast) -> None:
    Account.objects.filter(pk=cast.fay.account.pk).update(email="fay@example.org")
    flip_bit(archive_path, archive_path.stat().st_size - 1)
    copy_path.unlink()
    output = scrubbed()
    assert f"DAMAGED: received {published.sha256}" in output
    assert f"MISSING: public {published.result.public_sha256}" in output
    assert "1 files are damaged and 1 missing" in output
    result = Result.objects.get(pk=published.result_id)
    assert result.archive_damaged_since and result.copy_missing_since
    assert (result.archive_missing_since, result.copy_damaged_since) == (None, None)
    page = client.get(f"/results/{result.public_id}/").content.decode()
    assert "The stored archive is damaged" in page
    (letter,) = mail.outbox
    assert published.sha256 in letter.body and letter.bcc == ["fay@example.org"]
    samples = figures(client)
    assert samples["highwater_storage_faults", "damaged"] == 1
    assert samples["highwater_storage_faults", "missing"] == 1
    scrubbed()
    assert len(mail.outbox) == 1, "a fault is told once"


def test_sending_the_same_bytes_again_ends_a_fault(published, archive_path, cast, client) -> None:
    before = flip_bit(archive_path)
    scrubbed()
    assert cast.alice.upload(before).status_code == 200
    scrub.continue_nightly()
    assert StoredFault.objects.get().ended_at
    facts = client.get(f"/api/v1/results/{published.result.public_id}/").json()
    assert facts["archive_damaged_since"] is None


def test_known_damage_is_not_read_every_night(published, archive_path, monkeypatch) -> None:
    flip_bit(archive_path)
    scrubbed()
    read = []
    monkeypatch.setattr(stored_faults, "examine_bytes", lambda *place: read.append(place))
    stored_faults.end_repaired_faults()
    assert read == []


def test_the_page_shows_damage_to_the_owner(checked, bundles, cast, client) -> None:
    submission = checked()
    flip_bit(bundles / "received" / key_of(submission.sha256))
    scrubbed()
    client.force_login(cast.alice.account)
    page = client.get(f"/submissions/{submission.pk}/").content.decode()
    assert "The stored bytes are not those that came" in page and "storage.damaged" in page


def test_a_scrub_runs_in_batches_and_continues_after_a_restart(checked, monkeypatch) -> None:
    for performance in (1.0, 1.1, 1.2):
        checked(performance=performance)
    monkeypatch.setattr(scrub, "PAGE", 1)
    monkeypatch.setattr(scrub, "HOUR_UTC", 0)
    run = ScrubRun.objects.create()
    ends = iter([0.0, 1.0, 2.0, 3.0, 9.0])
    monkeypatch.setattr(scrub.time, "monotonic", lambda: next(ends))
    scrub._read_on(run, 2.5)
    assert ScrubRun.objects.get().objects_read == 3
    monkeypatch.undo()
    scrub.continue_nightly()
    again = ScrubRun.objects.get()
    assert (again.pk, again.objects_read) == (run.pk, 3) and again.ended_at


def test_the_scrub_runs_once_a_night(checked) -> None:
    checked()
    now = timezone.now().replace(hour=scrub.HOUR_UTC, minute=5)
    first = scrub._begin_if_due(now)
    ScrubRun.objects.filter(pk=first.pk).update(began_at=now, ended_at=now)
    assert scrub._begin_if_due(now + timedelta(hours=12)) is None
    assert scrub._begin_if_due(now + timedelta(hours=23, minutes=50)) is None
    assert scrub._begin_if_due(now + timedelta(hours=24)) is not None


def test_unneeded_bytes_may_be_missing(checked, bundles) -> None:
    submission = checked()
    Submission.objects.filter(pk=submission.pk).update(state="withdrawn")
    (bundles / "received" / key_of(submission.sha256)).unlink()
    (bundles / "received" / "ab").mkdir()
    assert "All 0 stored files are whole" in scrubbed()


def test_an_unreachable_storage_marks_no_damage(published, bundles) -> None:
    for folder in list(bundles.iterdir()):
        folder.rename(folder.with_name(f"{folder.name}-unmounted"))
        folder.mkdir()
    assert "The storage does not answer" in scrubbed()
    scrub.continue_nightly()
    assert not StoredFault.objects.exists()
    assert ScrubRun.objects.get().ended_at is None


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def replace_by_endless_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def replace_by_dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "nowhere")


def empty_file(path: Path) -> None:
    os.truncate(path, 0)


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (replace_by_folder, "missing"),
        (replace_by_pipe, "missing"),
        (replace_by_endless_link, "missing"),
        (replace_by_dangling_link, "missing"),
        (empty_file, "damaged"),
    ],
)
def test_one_unreadable_file_does_not_stop_the_scrub(published, archive_path, spoil, fault) -> None:
    spoil(archive_path)
    scrubbed()
    assert StoredFault.objects.get().fault == fault
    assert ScrubRun.objects.get().ended_at is not None


@pytest.mark.parametrize("place", ["file", "folder"])
def test_a_file_that_may_not_be_read_is_damaged(published, archive_path, copy_path, cast, place) -> None:
    closed = archive_path if place == "file" else archive_path.parent
    mode = closed.stat().st_mode
    closed.chmod(0)
    with bound_by_modes():
        assert f"received {published.sha256}" in scrubbed()
        scrub.continue_nightly()
        assert cast.alice.get(f"submissions/{published.pk}/files/received/").json()["code"] == "storage.damaged"
    fault = StoredFault.objects.get()
    assert (fault.sha256, fault.fault, fault.ended_at) == (published.sha256, "damaged", None)
    assert ScrubRun.objects.get().objects_read == 1, "the copy was read"
    closed.chmod(mode)
    with bound_by_modes():
        scrub.continue_nightly()
    assert StoredFault.objects.get().ended_at


def test_a_storage_that_may_not_be_entered_is_away(published, bundles) -> None:
    with bound_by_modes():
        for mode in (0o600, 0):
            (bundles / "received").chmod(mode)
            assert "The storage does not answer" in scrubbed()
    (bundles / "received").chmod(0o700)
    assert not StoredFault.objects.exists()
