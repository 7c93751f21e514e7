"""Appending to the log: places, files, checkpoint, in this order; a crash anywhere leaves a whole log."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
import time_machine
from django.db import DatabaseError, transaction
from django.test import override_settings
from django.utils import timezone

from registry.log import appending, log_files, recording, tiles
from registry.log.merkle_tree import root_of_entries
from registry.models import LogCheckpoint, LogLeaf, LogOpening, LogState, Platform
from tests.registry.record import stored_in

PARTS = ("_give_places", "write_tiles", "_publish_checkpoint")


@pytest.fixture
def stored(db: None, tmp_path: Path) -> Iterator[Path]:
    Platform.objects.all().delete()  # each of the catalogue would get a record of its name
    with override_settings(STORAGES=stored_in(tmp_path)):
        yield tmp_path / "log"


def add(count: int) -> None:
    recording.new_leaves([f'"{number} of {LogLeaf.objects.count()}"' for number in range(count)])


def checkpoint(folder: Path) -> tuple[int, bytes]:
    _, size, root = (folder / "checkpoint").read_text().split("\n")[:3]
    return int(size), base64.b64decode(root)


def entries_in_files(folder: Path, size: int) -> list[bytes]:
    entries: list[bytes] = []
    for index in range(-(-size // 256)):
        path = folder / "tile" / tiles.tile_path("entries", index, min(256, size - index * 256))
        entries += tiles.unpack_entries(path.read_bytes())
    return entries


def assert_whole(folder: Path) -> None:
    """What the checkpoint signs is what the files and the database have, and tiles hold the hashes of that."""
    size, root = checkpoint(folder)
    entries = entries_in_files(folder, size)
    assert root == root_of_entries(entries)
    in_database = LogLeaf.objects.filter(index__lt=size).order_by("index").values_list("entry", flat=True)
    assert [bytes(entry) for entry in in_database] == entries
    path = folder / "tile" / tiles.tile_path(0, 0, min(size, 256))
    assert path.read_bytes()[:32] == hashlib.sha256(b"\x00" + entries[0]).digest()


def test_waiting_leaves_are_appended_and_signed(stored: Path) -> None:
    add(5)
    done = appending.append_waiting()
    assert done is not None
    assert (done.appended, done.size) == (
        7,
        7,
    )  # the key of the log is recorded with the first, twice: for checkpoints and for their times
    assert_whole(stored)
    assert LogLeaf.objects.filter(index=None).count() == 0


def test_no_checkpoint_is_signed_without_new_leaves(stored: Path) -> None:
    appending.append_waiting()
    before = (stored / "checkpoint").read_bytes()
    assert appending.append_waiting().appended == 0
    assert (stored / "checkpoint").read_bytes() == before
    assert LogCheckpoint.objects.count() == 1


def test_leaves_of_one_minute_come_in_random_order(stored: Path) -> None:
    add(60)
    appending.append_waiting()
    assert list(LogLeaf.objects.order_by("pk").values_list("index", flat=True)) != list(range(62))


def test_tiles_grow_over_their_edges(stored: Path) -> None:
    for count in (253, 1, 1, 255, 300):
        add(count)
        appending.append_waiting()
        assert_whole(stored)
    assert (stored / "tile/0/000").stat().st_size == 256 * 32
    assert not (stored / "tile/0/000.p").exists()
    assert (stored / "tile/1/000.p/3").stat().st_size == 3 * 32


def test_lost_files_are_written_again(stored: Path) -> None:
    add(600)
    appending.append_waiting()
    files = {path: path.read_bytes() for path in stored.rglob("*") if path.is_file()}
    for path in files:
        path.unlink()
    appending.append_waiting()
    assert {path: path.read_bytes() for path in stored.rglob("*") if path.is_file()} == files


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("done_before", [False, True])
def test_a_crash_leaves_a_valid_log_and_the_next_run_continues(
    stored: Path, monkeypatch: pytest.MonkeyPatch, part: str, done_before: bool
) -> None:
    """Before or after each step; after the tests of S3 and kill this is the cheap part of both."""
    add(300)
    appending.append_waiting()
    signed = checkpoint(stored)
    add(300)
    step = getattr(appending, part)

    def crash(*args: object) -> None:
        if done_before:
            step(*args)
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(appending, part, crash)
        with pytest.raises(MemoryError):
            appending.append_waiting()
    if not (part == "_publish_checkpoint" and done_before):
        assert checkpoint(stored) == signed
    assert_whole(stored)
    appending.append_waiting()
    assert checkpoint(stored)[0] == 602
    assert_whole(stored)


def test_a_row_without_its_file_is_signed_again(stored: Path) -> None:
    add(3)
    appending.append_waiting()
    before = (stored / "checkpoint").read_bytes()
    add(3)
    appending.append_waiting()
    (stored / "checkpoint").write_bytes(before)
    appending.append_waiting()
    assert checkpoint(stored)[0] == 8
    assert_whole(stored)


def test_a_restored_database_takes_over_leaves_of_the_files(stored: Path) -> None:
    add(300)
    appending.append_waiting()
    with transaction.atomic():
        add(200)
        appending._give_places()
        appending.write_tiles(302, 502)
        appending._publish_checkpoint(LogState.objects.get().origin, 502)
        transaction.set_rollback(True)
    add(10)
    lost = checkpoint(stored)
    assert appending.append_waiting().size == 512
    assert root_of_entries(entries_in_files(stored, 512)[:502]) == lost[1]
    assert_whole(stored)


def test_a_waiting_leaf_of_a_restored_database_keeps_its_index(stored: Path) -> None:
    appending.append_waiting()
    add(5)
    with transaction.atomic():
        appending._give_places()
        appending.write_tiles(2, 7)
        appending._publish_checkpoint(LogState.objects.get().origin, 7)
        placed = dict(LogLeaf.objects.values_list("pk", "index"))
        transaction.set_rollback(True)
    assert LogLeaf.objects.filter(index=None).count() == 5
    appending.append_waiting()
    assert dict(LogLeaf.objects.values_list("pk", "index")) == placed


def test_a_log_with_another_beginning_is_refused(stored: Path, client) -> None:
    add(3)
    appending.append_waiting()
    saved = {path: path.read_bytes() for path in stored.rglob("*") if path.is_file()}
    with transaction.atomic():
        add(4)
        appending.append_waiting()
        forked = {path: path.read_bytes() for path in stored.rglob("*") if path.is_file()}
        transaction.set_rollback(True)
    for path in forked:
        path.unlink()
    for path, content in saved.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    add(4)
    appending.append_waiting()
    for path, content in forked.items():
        path.write_bytes(content)
    add(1)
    with pytest.raises(appending.LogForked, match="does not begin as the database does"):
        appending.append_waiting()
    assert LogLeaf.objects.filter(index=None).count() == 1
    assert "Nothing is being appended" in client.get("/log/").content.decode()


def test_a_checkpoint_of_another_key_is_refused(stored: Path) -> None:
    appending.append_waiting()
    (stored / "checkpoint").write_text("other.example.org/log\n1\nAAAA\n\n— other.example.org/log AAAA\n")
    with pytest.raises(appending.LogForked, match="not one of this registry"):
        appending.append_waiting()


def test_the_row_of_a_checkpoint_has_the_time_that_is_signed(stored: Path) -> None:
    before = int(timezone.now().timestamp())
    appending.append_waiting()
    *_, timed, _ = (stored / "checkpoint").read_text().split("\n")
    signed_s = int.from_bytes(base64.b64decode(timed.split()[2])[4:12], "big")
    assert before <= signed_s <= timezone.now().timestamp()
    assert LogCheckpoint.objects.get().signed_at.timestamp() == signed_s


def test_a_restored_database_takes_over_the_signed_time(stored: Path) -> None:
    with transaction.atomic(), time_machine.travel("2026-11-28T22:54:34Z"):
        appending.append_waiting()
        transaction.set_rollback(True)
    appending.append_waiting()
    times = list(LogCheckpoint.objects.order_by("size").values_list("signed_at", flat=True))
    assert len(times) == 2
    assert f"{times[0]:%Y-%m-%dT%H:%M:%S.%fZ}" == "2026-11-28T22:54:34.000000Z"


def test_a_checkpoint_with_a_changed_time_is_refused(stored: Path) -> None:
    appending.append_waiting()
    head, timed = (stored / "checkpoint").read_text().rstrip("\n").rsplit(" ", 1)
    content = bytearray(base64.b64decode(timed))
    content[11] ^= 1
    (stored / "checkpoint").write_text(f"{head} {base64.b64encode(content).decode()}\n")
    with pytest.raises(appending.LogForked, match="not one of this registry"):
        appending.append_waiting()


def test_a_new_key_is_recorded_and_signs(stored: Path, settings) -> None:
    appending.append_waiting()
    settings.SECRET_KEY = "another secret key, for a test of keys that change"
    assert appending.append_waiting().appended == 2
    keys = [opening.canonical for opening in LogOpening.objects.filter(kind="key")]
    assert len(keys) == 4
    assert LogState.objects.get().origin == (stored / "checkpoint").read_text().split("\n")[0]
    assert appending.append_waiting().appended == 0


@pytest.mark.parametrize("change", [{"entry": b"x" * 32}, {"index": 7}, {"index": None}])
def test_the_database_refuses_to_change_a_leaf(stored: Path, change: dict[str, object]) -> None:
    appending.append_waiting()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        LogLeaf.objects.update(**change)


def test_the_database_refuses_to_delete_a_leaf(stored: Path) -> None:
    appending.append_waiting()
    with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
        LogLeaf.objects.all().delete()


def test_file_names_are_those_of_the_web_addresses(stored: Path, client) -> None:
    add(300)
    appending.append_waiting()
    for path in stored.rglob("*"):
        if path.is_file():
            answer = client.get(f"/log/{path.relative_to(stored)}")
            assert answer.content == path.read_bytes()
    assert log_files.read_file("tile/0/000") is not None


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://registry.example.org", "registry.example.org/log"),
        ("https://registry.example.org:8443", "registry.example.org:8443/log"),
        ("http://127.0.0.1:8000", "local-"),
        ("http://localhost:8000", "local-"),
        ("", "local-"),
    ],
)
def test_the_log_is_named_after_its_host_once(stored: Path, settings, address: str, name: str) -> None:
    settings.SITE_URL = address
    appending.append_waiting()
    origin = LogState.objects.get().origin
    assert origin.startswith(name) and origin.endswith("/log")
    settings.SITE_URL = "https://moved.example.org"
    add(1)
    appending.append_waiting()
    assert (stored / "checkpoint").read_text().split("\n")[0] == origin


def test_a_database_older_than_the_log_takes_over_its_files(stored: Path) -> None:
    with transaction.atomic():
        add(300)
        appending.append_waiting()
        signed = checkpoint(stored)
        transaction.set_rollback(True)
    assert LogLeaf.objects.count() == 0
    assert appending.append_waiting().size == 304
    assert root_of_entries(entries_in_files(stored, 304)[:302]) == signed[1]
    assert_whole(stored)


def test_a_checkpoint_of_the_database_is_not_rewritten(stored: Path) -> None:
    add(2)
    appending.append_waiting()
    add(1)
    LogCheckpoint.objects.create(size=5, root=b"another tree of this size, in all", note="x", signed_at=timezone.now())
    with pytest.raises(appending.LogForked, match="another checkpoint of 5 entries"):
        appending.append_waiting()
    assert LogCheckpoint.objects.get(size=5).note == "x"
    assert checkpoint(stored)[0] == 4
