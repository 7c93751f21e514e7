"""The real archives that benchmarks send: those of the shared data, in order of their number."""

from __future__ import annotations

import os
from pathlib import Path

SHARED = Path(os.environ.get("HIGHWATER_SHARED", Path(__file__).resolve().parent.parent.parent / "shared"))


def archives() -> list[Path]:
    """submission-3.tar.gz, submission-4.tar.gz, ...; empty where the shared data is not there."""
    paths = (SHARED / "data" / "io500" / "submissions").glob("submission-*.tar.gz")
    return sorted(paths, key=lambda path: int(path.name.split("-")[1].split(".")[0]))
