"""Received bytes: whole or not there, under their hash, private to the service."""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from pathlib import Path

import pytest
from django.core.files.storage import InMemoryStorage, storages

from submissions.bundles import storage
from submissions.bundles.storage import Incoming, key_of, local_path
from submissions.errors import StorageFull, StorageUnavailable, TooLarge
from tests.submissions.cast import leftovers

CONTENT = b"a run"


def test_bytes_are_stored_under_their_hash(bundles: Path) -> None:
    incoming = Incoming("run.tar.gz")
    incoming.write(b"abc")
    key = incoming.keep()
    incoming.close()
    # The sha256 of "abc" as FIPS 180-2 gives it.
    assert key == "ba/78/ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert (bundles / "received" / key).read_bytes() == b"abc"
    assert len(leftovers(bundles)) == 1


def test_received_bytes_are_readable_by_the_service_only(bundles: Path) -> None:
    incoming = Incoming("run.tar.gz")
    incoming.write(CONTENT)
    file = bundles / "received" / incoming.keep()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_uploads_that_are_not_stored_are_deleted(bundles: Path) -> None:
    incoming = Incoming("run.tar.gz")
    incoming.write(CONTENT)
    incoming.close()
    assert leftovers(bundles) == []


def test_the_same_bytes_again_change_nothing(bundles: Path) -> None:
    keys = set()
    for _ in range(2):
        incoming = Incoming("run.tar.gz")
        incoming.write(CONTENT)
        keys.add(incoming.keep())
        incoming.close()
    assert len(keys) == 1
    assert [path.read_bytes() for path in leftovers(bundles)] == [CONTENT]


def test_one_byte_over_the_limit_is_refused(bundles: Path) -> None:
    incoming = Incoming("run.tar.gz", limit=4)
    incoming.write(b"1234")
    with pytest.raises(TooLarge) as refusal:
        incoming.write(b"5")
    incoming.close()
    assert (refusal.value.status, refusal.value.code) == (413, "bundle.too-large")
    assert leftovers(bundles) == []


def test_a_full_disk_is_reported_without_partial_files(tmp_path: Path, settings) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], capture_output=True)
    if mounted.returncode:
        pytest.skip("a small disk can't be mounted here (needs root)")
    try:
        options = dict(settings.STORAGES["received"]["OPTIONS"], location=str(disk / "received"))
        settings.STORAGES = {**settings.STORAGES, "received": {**settings.STORAGES["received"], "OPTIONS": options}}
        incoming = Incoming("run.tar.gz")
        with pytest.raises(StorageFull) as refusal:
            for _ in range(100):
                incoming.write(os.urandom(4096))
            incoming.keep()
        incoming.close()
        assert (refusal.value.status, refusal.value.retry_after_s) == (503, 60)
        assert leftovers(disk) == []
    finally:
        subprocess.run(["umount", disk], check=True)


def test_an_unwritable_storage_is_reported(tmp_path: Path, settings) -> None:
    (tmp_path / "file").write_text("in the way")
    options = dict(settings.STORAGES["received"]["OPTIONS"], location=str(tmp_path / "file" / "received"))
    settings.STORAGES = {**settings.STORAGES, "received": {**settings.STORAGES["received"], "OPTIONS": options}}
    with pytest.raises(StorageUnavailable) as refusal:
        Incoming("run.tar.gz")
    assert (refusal.value.status, refusal.value.code) == (503, "storage.unavailable")


def test_an_object_storage_gets_the_whole_file(settings, bundles: Path) -> None:
    settings.STORAGES = {
        **settings.STORAGES,
        "received": {"BACKEND": "django.core.files.storage.InMemoryStorage", "OPTIONS": {}},
    }
    assert isinstance(storages["received"], InMemoryStorage)
    incoming = Incoming("run.tar.gz")
    incoming.write(CONTENT)
    key = incoming.keep()
    incoming.close()
    assert key == key_of(hashlib.sha256(CONTENT).hexdigest())
    with local_path(key) as path:
        assert path.read_bytes() == CONTENT
    assert not path.exists()
    storage.remove_bytes(key)
    assert not storages["received"].exists(key)
