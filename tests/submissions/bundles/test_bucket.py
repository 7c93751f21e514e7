"""Bundles in a bucket instead of a folder, by the settings of a site that has one, on a server that speaks S3."""

from __future__ import annotations

import io
import json
import tarfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from django.core.management import CommandError, call_command
from moto.server import ThreadedMotoServer

from registry import settings as site_settings
from registry.query.stored_bytes import StorageAway, holds_bytes, key_of
from submissions.bundles import scrubbed_copy, storage
from submissions.models import ScrubbedCopy, StoredFault, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


class Bucket:
    """What lies in it, past the registry."""

    def __init__(self, name: str, client: Any) -> None:
        self.name, self.client = name, client

    def stored_keys(self) -> set[str]:
        return {row["Key"] for row in self.client.list_objects_v2(Bucket=self.name).get("Contents", ())}

    def read(self, key: str) -> bytes:
        return self.client.get_object(Bucket=self.name, Key=key)["Body"].read()

    def write(self, key: str, content: bytes) -> None:
        self.client.put_object(Bucket=self.name, Key=key, Body=content)

    def delete(self, key: str) -> None:
        self.client.delete_object(Bucket=self.name, Key=key)

    def flip_bit(self, key: str) -> None:
        content = self.read(key)
        self.write(key, content[:-1] + bytes([content[-1] ^ 1]))


@pytest.fixture
def bucket(address: str, bundles: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Bucket:
    name = f"bundles-{uuid.uuid4().hex}"
    for variable, value in {
        "AWS_ENDPOINT_URL": address,
        "AWS_ACCESS_KEY_ID": "site",
        "AWS_SECRET_ACCESS_KEY": "site",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_MAX_ATTEMPTS": "1",
        "BUNDLE_STORAGE_URL": f"s3://{name}/site",
    }.items():
        monkeypatch.setenv(variable, value)
    client = boto3.client("s3")
    client.create_bucket(Bucket=name)
    stores = {kind: site_settings._bundle_store(kind) for kind in ("received", "public")}
    settings.STORAGES = settings.STORAGES | stores
    return Bucket(name, client)


def received_key(submission: Submission) -> str:
    return f"site/received/{key_of(submission.sha256)}"


def scrubbed() -> str:
    output = io.StringIO()
    try:
        call_command("scrub_storage", stdout=output, stderr=io.StringIO())
    except CommandError as error:
        return f"{output.getvalue()}{error}"
    return output.getvalue()


def test_an_upload_lies_in_the_bucket_is_checked_and_comes_back(
    bucket: Bucket, bundles: Path, cast, client, checked
) -> None:
    submission = checked()
    assert (submission.state, submission.checks.latest("pk").status) == ("checked", "valid")
    assert bucket.stored_keys() == {received_key(submission)}
    client.force_login(cast.alice.account)
    answer = client.get(f"/submissions/{submission.pk}/received/")
    assert b"".join(answer.streaming_content) == bucket.read(received_key(submission))
    assert [path for path in bundles.rglob("*") if path.is_file()] == []
    assert scrubbed().startswith("All 1 stored files are whole")


def test_a_damaged_object_is_named_and_given_to_nobody(bucket: Bucket, cast, checked) -> None:
    submission = checked()
    bucket.flip_bit(received_key(submission))
    assert f"DAMAGED: received {submission.sha256}" in scrubbed()
    refused = cast.alice.get(f"submissions/{submission.pk}/files/received/")
    assert (refused.status_code, refused.json()["code"]) == (500, "storage.damaged")
    bucket.flip_bit(received_key(submission))
    assert scrubbed().startswith("All 1 stored files are whole")
    assert not StoredFault.objects.filter(ended_at=None).exists()


def test_a_missing_object_is_named(bucket: Bucket, cast, checked) -> None:
    submission = checked()
    bucket.delete(received_key(submission))
    assert f"MISSING: received {submission.sha256}" in scrubbed()
    answer = cast.alice.get(f"submissions/{submission.pk}/files/received/")
    assert (answer.status_code, answer.json()["code"]) == (410, "files.gone")


@pytest.mark.parametrize("away", ["no server", "no bucket"])
def test_a_bucket_that_cannot_be_asked_is_no_missing_object(
    bucket: Bucket, checked, settings: Any, monkeypatch: pytest.MonkeyPatch, away: str
) -> None:
    submission = checked()
    if away == "no server":
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    else:
        bucket.delete(received_key(submission))
        bucket.client.delete_bucket(Bucket=bucket.name)
    settings.STORAGES = dict(settings.STORAGES)  # so that a new connection is made
    with pytest.raises(StorageAway):
        holds_bytes(storage.received_storage(), submission.sha256)
    assert "The storage does not answer" in scrubbed()
    assert not StoredFault.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_backup_names_what_is_damaged_or_missing_and_saves_the_rest(
    bucket: Bucket, cast, checked, tmp_path: Path
) -> None:
    undamaged, damaged, missing = checked(), checked(performance=1.5), checked(performance=2.5)
    scrubbed_copy.ensure_scrubbed_copy(undamaged)
    copied = ScrubbedCopy.objects.get()
    bucket.flip_bit(received_key(damaged))
    bucket.delete(received_key(missing))
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("backup", tmp_path / "b", stderr=output, stdout=output)
    assert ended.value.code == 3
    assert f"DAMAGED: received bundle {damaged.sha256}" in output.getvalue()
    assert f"MISSING: received bundle {missing.sha256}" in output.getvalue()
    with tarfile.open(tmp_path / "b") as archive:
        manifest = json.load(archive.extractfile("manifest.json"))
    assert manifest["damaged"] == [f"received {damaged.sha256}"]
    before = {key: bucket.read(key) for key in bucket.stored_keys() - {received_key(damaged)}}
    call_command("flush", interactive=False, verbosity=0)
    for key in bucket.stored_keys():
        bucket.delete(key)
    call_command("restore", tmp_path / "b", stderr=io.StringIO(), stdout=io.StringIO())
    assert {key: bucket.read(key) for key in bucket.stored_keys()} == before
    assert set(before) == {received_key(undamaged), f"site/public/{key_of(copied.sha256)}"}
