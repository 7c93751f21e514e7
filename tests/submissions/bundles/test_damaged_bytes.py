"""One bit of a stored file flips: whoever reads it notices, gives it to nobody, and has it looked at."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import InMemoryStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from registry.query.stored_bytes import CHUNK, DamagedBytes, checked_chunks, key_of
from submissions import tasks
from submissions.bundles import scrubbed_copy, storage
from submissions.checks import processing
from submissions.models import State, StoredFault, Submission
from tests.submissions.bundles.stored import flip_bit

pytestmark = pytest.mark.django_db


def received(bundles: Path, submission: Submission) -> Path:
    return bundles / "received" / key_of(submission.sha256)


def public(bundles: Path, submission: Submission) -> Path:
    return bundles / "public" / key_of(submission.result.public_sha256)


def read(response) -> bytes:
    return b"".join(response.streaming_content)


def test_a_download_carries_the_digest_of_its_bytes(published, client, cast) -> None:
    answer = client.get(f"/results/{published.result.public_id}/copy.tar.gz")
    content = read(answer)
    digest = hashlib.sha256(content).digest()
    assert answer["Repr-Digest"] == f"sha-256=:{base64.b64encode(digest).decode()}:"
    assert answer["Content-Length"] == str(len(content))
    assert digest.hex() == published.result.public_sha256
    client.force_login(cast.alice.account)
    private = client.get(f"/submissions/{published.pk}/received/")
    assert hashlib.sha256(read(private)).hexdigest() == published.sha256
    assert "attachment" in private["Content-Disposition"]


def test_damaged_bytes_are_never_served(published, bundles, client, cast) -> None:
    flip_bit(public(bundles, published))
    flip_bit(received(bundles, published))
    answer = client.get(f"/results/{published.result.public_id}/copy.tar.gz")
    assert answer.status_code == 500 and b"storage.damaged" in answer.content
    client.force_login(cast.alice.account)
    for address in ("received/", "versions/1/run.tar.gz/", "files/", "files/?path=result.txt"):
        refused = client.get(f"/submissions/{published.pk}/{address}")
        assert (address, refused.status_code) == (address, 500)
        assert b"storage.damaged" in refused.content
    by_api = cast.alice.get(f"submissions/{published.pk}/files/received/")
    assert (by_api.status_code, by_api.json()["code"]) == (500, "storage.damaged")


def test_the_end_of_a_long_damaged_file_is_never_sent(bundles) -> None:
    content = bytes(range(256)) * (CHUNK // 128)
    sha256 = hashlib.sha256(content + b"end").hexdigest()
    store = storage.public_storage()
    store.save(key_of(sha256), ContentFile(content + b"End"))
    pieces = checked_chunks(store.open(key_of(sha256)), store, sha256)
    assert next(pieces) + next(pieces) == content
    with pytest.raises(DamagedBytes):
        next(pieces)


def test_a_read_error_of_the_disk_is_damage(bundles) -> None:
    class WornFile(ContentFile):
        def read(self, size: int = -1) -> bytes:
            raise OSError(5, "Input/output error")

    with pytest.raises(DamagedBytes, match="can't read"):
        list(checked_chunks(WornFile(b"x"), storage.public_storage(), "0" * 64))


def test_a_check_of_damaged_bytes_reports_the_damage(cast, archive, bundles, check) -> None:
    submission = Submission.objects.get(pk=cast.alice.upload(archive()).json()["id"])
    before = flip_bit(received(bundles, submission))
    checked = check(submission.pk)
    assert checked.state == State.INVALID
    assert [finding["code"] for finding in checked.checks.get().report["findings"]] == ["storage.damaged"]
    assert checked.checks.get().report["runs"] == []
    again = cast.alice.upload(before)
    assert (again.status_code, again.json()["id"]) == (200, str(submission.pk))
    assert cast.alice.post(f"submissions/{submission.pk}/revalidate/").status_code == 202
    assert check(submission.pk).state == State.CHECKED


def test_no_copy_is_made_of_damaged_bytes(checked, bundles) -> None:
    submission = checked()
    flip_bit(received(bundles, submission))
    with pytest.raises(DamagedBytes):
        scrubbed_copy.ensure_scrubbed_copy(submission)


def test_a_damaged_file_beside_the_bundle_is_noticed(checked, cast, bundles, check) -> None:
    submission = checked()
    job = SimpleUploadedFile("job.out", b"some lines of a job\n" * 20)
    sent = cast.alice.client.post(f"/api/v1/submissions/{submission.pk}/files/", {"file": job}, format="multipart")
    assert sent.status_code < 300, sent.content
    submission.refresh_from_db()
    flip_bit(bundles / "received" / key_of(submission.beside[0]["sha256"]))
    assert check(submission.pk).checks.first().report["findings"][0]["code"] == "storage.damaged"


def test_a_download_that_finds_damage_records_it(published, bundles, client, monkeypatch) -> None:
    sent = []
    monkeypatch.setattr("submissions.lifecycle.task_queue.enqueue", lambda task, place: sent.append((task, place)))
    before = flip_bit(public(bundles, published))
    client.get(f"/results/{published.result.public_id}/copy.tar.gz")
    assert sent == [("examine_bytes", f"public:{published.result.public_sha256}")]
    tasks.examine_bytes(sent[0][1])
    assert StoredFault.objects.get().fault == "damaged"
    page = Client().get(f"/results/{published.result.public_id}/").content.decode()
    assert "The public copy of the files is damaged" in page and "copy.tar.gz" not in page
    assert Client().get(f"/api/v1/results/{published.result.public_id}/").json()["copy_damaged_since"]
    public(bundles, published).write_bytes(before)


def test_bytes_of_another_storage_are_hashed_too(published, bundles, settings, client) -> None:
    """A storage that is no folder, as S3 is none."""
    content = public(bundles, published).read_bytes()
    settings.STORAGES = settings.STORAGES | {
        name: {"BACKEND": "django.core.files.storage.InMemoryStorage"} for name in ("public", "received")
    }
    store, key = storage.public_storage(), key_of(published.result.public_sha256)
    assert isinstance(store, InMemoryStorage)
    store.save(key, ContentFile(content))
    address = f"/results/{published.result.public_id}/copy.tar.gz"
    assert read(client.get(address)) == content
    with storage.stored_path(published.result.public_sha256, store) as path:
        assert path.read_bytes() == content
    store.delete(key)
    store.save(key, ContentFile(content[:-1] + bytes([content[-1] ^ 1])))
    assert client.get(address).status_code == 500
    with pytest.raises(DamagedBytes), storage.stored_path(published.result.public_sha256, store):
        raise AssertionError("damaged bytes were given")


def test_processing_does_not_retry_damaged_bytes(cast, archive, bundles, monkeypatch) -> None:
    submission = Submission.objects.get(pk=cast.alice.upload(archive()).json()["id"])
    flip_bit(received(bundles, submission))
    processing.check_submission(submission.pk)
    submission.refresh_from_db()
    assert (submission.attempts, submission.state) == (1, State.INVALID)
