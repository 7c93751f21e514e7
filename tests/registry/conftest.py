"""Where real data lies."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of collected real data; the test is skipped where it is not there."""
    folder = Path(os.environ.get("HIGHWATER_SHARED") or Path(__file__).resolve().parents[3] / "shared")
    if not folder.is_dir():
        pytest.skip("real data is not here; set HIGHWATER_SHARED")
    return folder
