"""Backup and restore on the real database: everything comes back, and nothing half."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.utils import timezone

from registry.loading.catalogue_loader import load_catalogue
from registry.models import Edition, ListEntry, LogOpening, RecordChange, Release, Result, Site
from submissions.bundles import scrubbed_copy, storage
from submissions.models import Account, ScrubbedCopy, Submission
from submissions.operations import backup
from tests.file_modes import bound_by_modes
from tests.registry.record import make_list, make_release, make_result
from tests.submissions.bundles.stored import flip_bit
from tests.submissions.bundles.test_quarantine import KEY

pytestmark = pytest.mark.django_db(transaction=True)

SKIPPED = (
    *("django_session", "django_migrations", "registry_edition", "registry_recordchange"),
    "registry_publicwrite",
    *("submissions_maintenancerun", "submissions_scrubrun", "submissions_storedfault", "registry_logstate"),
)
# A restoration is recorded in the transparency log; no row but these two is added by it.
_RESTORATIONS = "SELECT leaf_id FROM registry_logopening WHERE kind = 'restoration'"
ADDED_BY_RESTORE = {
    "registry_logopening": f"WHERE leaf_id NOT IN ({_RESTORATIONS})",
    "registry_logleaf": f"WHERE id NOT IN ({_RESTORATIONS})",
}


def every_row() -> dict[str, list[str]]:
    """All rows of all tables of the database as text, whatever Django knows of them, but what a restore adds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        tables = sorted(name for (name,) in cursor.fetchall() if name not in SKIPPED)
        rows_by_table = {}
        for table in tables:
            cursor.execute(f'SELECT t::text FROM "{table}" t {ADDED_BY_RESTORE.get(table, "")} ORDER BY 1')
            rows_by_table[table] = [row for (row,) in cursor.fetchall()]
    return rows_by_table


def every_bundle(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "incoming" not in path.parts
    }


def wipe(folder: Path) -> None:
    """An empty database and storage, as after `migrate`."""
    call_command("flush", interactive=False, verbosity=0)
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()


def rewritten(file: Path, to: Path, change: Callable[[str, bytes], bytes | None]) -> Path:
    """The same tar with members changed, or left out where `change` gives None."""
    with tarfile.open(file) as source, tarfile.open(to, "w") as target:
        for member in source:
            content = change(member.name, source.extractfile(member).read())
            if content is not None:
                member.size = len(content)
                target.addfile(member, io.BytesIO(content))
    return to


@pytest.fixture
def site(checked, cast, bundles: Path) -> Path:
    """Two submissions of which one has a derivative, and a frozen list; returns the folder of bundles."""
    first = checked()
    checked(person=cast.charlie, performance=1.5)
    scrubbed_copy.ensure_scrubbed_copy(first)
    release = make_release("SC98")
    make_list(release, "full", [make_result(release, "hw-1", 50.0)], trust=Result.Trust.VERIFIED)
    Site.objects.create(slug="odd", name="tab\there, newline\nthere, \\N and ünïcode")
    return bundles


@pytest.fixture
def catalogue(site: Path) -> None:
    """The whole catalogue beside what was submitted."""
    load_catalogue()


@pytest.fixture
def file(site: Path, tmp_path: Path) -> Path:
    call_command("backup", tmp_path / "site.backup", stderr=io.StringIO(), stdout=io.StringIO())
    return tmp_path / "site.backup"


def restore(file: Path, **options: bool) -> str:
    output = io.StringIO()
    call_command("restore", file, stderr=output, stdout=output, **options)
    return output.getvalue()


def refused(file: Path, **options: bool) -> str:
    with pytest.raises(CommandError) as caught:
        restore(file, **options)
    return str(caught.value)


def test_a_restore_brings_back_all_rows_and_files(site: Path, catalogue: None, file: Path) -> None:
    rows, bytes_before = every_row(), every_bundle(site)
    assert len(bytes_before) == 3
    assert len(rows["registry_result"]) > 100
    wipe(site)
    assert every_row() != rows
    Edition.objects.create(name="0" * 16, as_of=timezone.now(), manifest={})
    restore(file)
    assert every_row() == rows
    opening = LogOpening.objects.get(kind="restoration")
    restoration = json.loads(opening.canonical)["restoration"]
    assert datetime.fromisoformat(restoration["backup_made_at"]).replace(microsecond=0) <= opening.recorded_at
    assert not Edition.objects.exists() and RecordChange.objects.exists()  # files of what is there now are due
    assert every_bundle(site) == bytes_before


def test_new_rows_after_a_restore_get_new_numbers(site: Path, file: Path) -> None:
    wipe(site)
    restore(file)
    highest = max(Account.objects.values_list("pk", flat=True))
    assert Account.objects.create(username="new").pk > highest


def test_a_frozen_list_is_frozen_again_after_a_restore(site: Path, file: Path) -> None:
    wipe(site)
    restore(file)
    entry = ListEntry.objects.filter(ranked_list__trust="verified", ranked_list__frozen_at__isnull=False).first()
    with pytest.raises(Exception, match="frozen"), transaction.atomic():
        entry.delete()


def test_search_finds_restored_results(site: Path, file: Path) -> None:
    wipe(site)
    restore(file)
    assert Result.objects.exclude(search=None).exists()


def test_only_the_owner_may_read_a_backup(file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in file.parent.iterdir() if "partial" in path.name] == []


def test_a_backup_never_overwrites(site: Path, tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_bytes(b"precious")
    with pytest.raises(CommandError, match="exists already"):
        call_command("backup", taken, stderr=io.StringIO())
    assert taken.read_bytes() == b"precious"


def test_a_backup_is_of_one_moment(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is committed by others while the tables are read is not in it, in any table."""
    reading = backup._add_table
    other = connection.copy()

    def interrupted(archive, table, columns, manifest) -> None:
        reading(archive, table, columns, manifest)
        with other.cursor() as cursor:
            cursor.execute("UPDATE submissions_submission SET filename = 'later', metadata = '{}'")
            cursor.execute("UPDATE submissions_account SET first_name = 'later'")

    rows = every_row()
    monkeypatch.setattr(backup, "_add_table", interrupted)
    backup.make_backup(tmp_path / "b", lambda text: None)
    other.close()
    assert every_row() != rows
    restore(tmp_path / "b", yes=True)
    assert every_row() == rows


def test_bytes_of_a_withdrawn_submission_may_be_missing(site: Path, tmp_path: Path) -> None:
    submission = Submission.objects.first()
    Submission.objects.filter(pk=submission.pk).update(state="withdrawn")
    storage.remove_bytes(storage.key_of(submission.sha256))
    output = io.StringIO()
    call_command("backup", tmp_path / "b", stderr=output, stdout=io.StringIO())
    assert f"left out: {submission.sha256}" in output.getvalue()
    rows, bundles = every_row(), every_bundle(site)
    wipe(site)
    restore(tmp_path / "b")
    assert (every_row(), every_bundle(site)) == (rows, bundles)


def test_bytes_needed_by_another_account_may_not_be_missing(site: Path, tmp_path: Path) -> None:
    first, second = Submission.objects.order_by("id")
    Submission.objects.filter(pk=first.pk).update(state="withdrawn")
    Submission.objects.filter(pk=second.pk).update(sha256=first.sha256)
    storage.remove_bytes(storage.key_of(first.sha256))
    output = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("backup", tmp_path / "b", stderr=output, stdout=io.StringIO())
    assert f"MISSING: received bundle {first.sha256}" in output.getvalue()


def test_a_damaged_bundle_is_named_and_the_rest_is_saved(site: Path, tmp_path: Path) -> None:
    damaged, copied = Submission.objects.first(), ScrubbedCopy.objects.get()
    flip_bit(site / "received" / storage.key_of(damaged.sha256))
    flip_bit(site / "public" / storage.key_of(copied.sha256))
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("backup", tmp_path / "b", stderr=output, stdout=output)
    assert ended.value.code == 3
    assert f"DAMAGED: received bundle {damaged.sha256}" in output.getvalue()
    assert f"DAMAGED: public bundle {copied.sha256}" in output.getvalue()
    with tarfile.open(tmp_path / "b") as archive:
        manifest = json.load(archive.extractfile("manifest.json"))
        assert [name for name in archive.getnames() if name.endswith((damaged.sha256, copied.sha256))] == []
    assert sorted(manifest["damaged"]) == [f"public {copied.sha256}", f"received {damaged.sha256}"]
    rows = every_row()
    wipe(site)
    restore(tmp_path / "b")
    assert every_row() == rows
    assert len(every_bundle(site)) == 1


def test_files_that_may_not_be_read_are_named_and_the_rest_is_saved(site: Path, tmp_path: Path) -> None:
    closed, copied = Submission.objects.first(), ScrubbedCopy.objects.get()
    (site / "received" / storage.key_of(closed.sha256)).chmod(0)
    (site / "public" / storage.key_of(copied.sha256)).parent.chmod(0)
    with pytest.raises(SystemExit) as ended, bound_by_modes():
        call_command("backup", tmp_path / "b", stderr=io.StringIO(), stdout=io.StringIO())
    assert ended.value.code == 3
    with tarfile.open(tmp_path / "b") as archive:
        manifest = json.load(archive.extractfile("manifest.json"))
        bundles = [name for name in archive.getnames() if name.startswith(("received/", "public/"))]
    assert sorted(manifest["damaged"]) == [f"public {copied.sha256}", f"received {closed.sha256}"]
    assert manifest["missing"] == [] and len(bundles) == 1


def test_an_unreachable_storage_prevents_a_backup(site: Path, tmp_path: Path) -> None:
    (site / "received").rename(site / "unmounted")
    (site / "received").mkdir()
    with pytest.raises(CommandError, match="storage does not answer"):
        call_command("backup", tmp_path / "b", stderr=io.StringIO())
    assert not (tmp_path / "b").exists()


def test_a_restore_replaces_the_catalogue_of_a_new_site(site: Path, file: Path) -> None:
    rows = every_row()
    wipe(site)
    load_catalogue()
    call_command("load_demo", stdout=io.StringIO())
    restore(file)
    assert every_row() == rows


def test_a_restore_into_a_used_database_needs_an_option(site: Path, file: Path) -> None:
    rows = every_row()
    Account.objects.create(username="later")
    with_later = every_row()
    assert "not empty" in refused(file)
    assert every_row() == with_later
    restore(file, yes=True)
    assert every_row() == rows


@pytest.mark.parametrize("name", ["stamp.json", "database/registry_result.copy.gz", "received/", "manifest.json"])
def test_one_changed_byte_is_refused_before_anything_changes(site: Path, file: Path, name: str) -> None:
    with tarfile.open(file) as archive:
        member = next(member for member in archive if member.name.startswith(name))
    content = bytearray(file.read_bytes())
    content[member.offset_data + member.size // 2] ^= 1
    file.write_bytes(content)
    rows, bundles = every_row(), every_bundle(site)
    refused(file, yes=True)
    assert (every_row(), every_bundle(site)) == (rows, bundles)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.8])
def test_a_file_that_was_cut_short_is_refused(site: Path, file: Path, share: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: int(len(content) * share)])
    rows = every_row()
    refused(file, yes=True)
    assert every_row() == rows


def test_a_backup_without_one_of_its_bundles_is_refused(file: Path, tmp_path: Path) -> None:
    damaged = rewritten(file, tmp_path / "x", lambda name, content: None if name.startswith("public/") else content)
    assert "is missing" in refused(damaged, yes=True)


def test_other_files_are_no_backup(site: Path, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"hello" * 1000)
    assert "no backup" in refused(tmp_path / "x")
    assert "No such file" in refused(tmp_path / "absent")


def stamped(file: Path, to: Path, change: Callable[[list], list]) -> Path:
    def restamp(name: str, content: bytes) -> bytes:
        if name != "stamp.json":
            return content
        stamp = json.loads(content)
        return json.dumps(stamp | {"migrations": change(stamp["migrations"])}).encode()

    restamped = rewritten(file, to.with_suffix(".part"), restamp)
    return rewritten(restamped, to, lambda name, content: remade(restamped, name, content))


def remade(file: Path, name: str, content: bytes) -> bytes:
    """The manifest of a file whose stamp was exchanged."""
    if name != "manifest.json":
        return content
    with tarfile.open(file) as archive:
        stamp = archive.extractfile("stamp.json").read()
    manifest = json.loads(content)
    manifest["members"]["stamp.json"] = [len(stamp), hashlib.sha256(stamp).hexdigest()]
    return json.dumps(manifest).encode()


def test_a_backup_of_a_newer_schema_says_upgrade_first(file: Path, tmp_path: Path) -> None:
    newer = stamped(file, tmp_path / "x", lambda applied: [*applied, ["registry", "0999_later"]])
    message = refused(newer, yes=True)
    assert "registry.0999_later" in message
    assert "Upgrade the code" in message


def test_a_backup_of_an_older_schema_names_the_release_to_use(file: Path, tmp_path: Path) -> None:
    older = stamped(file, tmp_path / "x", lambda applied: [pair for pair in applied if pair[0] != "admin"])
    assert "into a new database without tables" in refused(older, yes=True)


def test_a_restore_that_fails_in_the_middle_changes_nothing(
    site: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wipe(site)
    rows = every_row()

    def fail() -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(backup, "_reset_sequences", fail)
    assert "the disk is gone" in refused(file)
    assert every_row() == rows
    assert every_bundle(site) == {}
    assert not Release.objects.exists()


def test_missing_files_are_named_and_the_rest_is_saved(site: Path, checked, cast, tmp_path: Path) -> None:
    intact, lost = Submission.objects.order_by("received_at")[:2]
    refused = checked(extra={"results/job.out": KEY.encode()})
    assert not storage.received_storage().exists(storage.key_of(refused.sha256))
    storage.remove_bytes(storage.key_of(lost.sha256))
    output = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("backup", tmp_path / "partial.backup", stderr=output, stdout=output)
    assert ended.value.code == 3
    lines = output.getvalue()
    assert f"MISSING: received bundle {lost.sha256}" in lines
    assert f"left out: {refused.sha256}" in lines
    assert intact.sha256 not in lines
    rows = every_row()
    wipe(site)
    restore(tmp_path / "partial.backup")
    assert every_row() == rows
    assert storage.received_storage().exists(storage.key_of(intact.sha256))
    assert not storage.received_storage().exists(storage.key_of(lost.sha256))


def test_a_refused_file_that_is_still_stored_is_in_no_backup(site: Path, checked, tmp_path: Path) -> None:
    """A worker was killed before the deletion. Public copies are saved, whatever was refused."""
    refused = checked(extra={"results/job.out": KEY.encode()})
    key = storage.key_of(refused.sha256)
    for store in (storage.received_storage(), storage.public_storage()):
        store.save(key, ContentFile(b"in truth the bytes of this name"))
    copied = Submission.objects.exclude(pk=refused.pk).exclude(derivative=None).first()
    ScrubbedCopy.objects.filter(submission=copied).update(sha256=refused.sha256)
    output = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("backup", tmp_path / "made.backup", stdout=output, stderr=output)
    assert f"DAMAGED: public bundle {refused.sha256}" in output.getvalue()
    assert f"left out: {refused.sha256}" in output.getvalue()
