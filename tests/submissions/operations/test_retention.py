"""What an interrupted request left behind goes after an hour; nothing else ever does."""

from __future__ import annotations

import os
import time
from pathlib import Path

from submissions.bundles.storage import Incoming
from submissions.operations import retention
from tests.submissions.cast import leftovers


def left_behind(path: Path, hours: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    then = time.time() - hours * 3600
    os.utime(path, (then, then))
    return path


def test_old_leftovers_are_deleted_and_new_ones_kept(bundles: Path) -> None:
    old = [
        left_behind(bundles / "received" / "incoming" / "a", 2),
        left_behind(bundles / "received" / "check" / "b", 2),
    ]
    young = left_behind(bundles / "received" / "incoming" / "c", 0.5)
    assert retention.delete_old_leftovers() == 2
    assert not any(path.exists() for path in old)
    assert young.exists()


def test_received_bytes_of_any_age_are_kept(bundles: Path) -> None:
    incoming = Incoming("run.tar.gz")
    incoming.write(b"a run")
    left_behind(bundles / "received" / incoming.keep(), 24 * 365)
    assert retention.delete_old_leftovers() == 0
    assert len(leftovers(bundles)) == 1


def test_an_empty_storage_needs_no_tidying() -> None:
    assert retention.delete_old_leftovers() == 0
