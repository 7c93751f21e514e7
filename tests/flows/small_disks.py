"""Small file systems of their own, which a test can fill without harm to anybody else."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(folder: Path, size_mib: int) -> Iterator[None]:
    """A file system in memory; the test is skipped where we may not mount one."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size_mib}m,mode=755", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(command).returncode != 0:
        pytest.skip("small disks need the right to mount: run it as root")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill_for_a_moment(folder: Path, seconds: float, *, free_bytes: int = 0) -> None:
    """Leave so many bytes free on the disk of a folder, for so long."""
    filling = folder / "filling"
    try:
        with filling.open("wb") as file:
            free = shutil.disk_usage(folder).free
            with contextlib.suppress(OSError):  # others write too, and were faster
                os.posix_fallocate(file.fileno(), 0, max(free - free_bytes, 1))
            threading.Event().wait(seconds)
    finally:
        filling.unlink(missing_ok=True)
