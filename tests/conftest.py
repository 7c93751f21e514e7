"""What every test may use, and the last line of a run: how many real-data tests ran and how many were skipped."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("HIGHWATER_SHARED") or ROOT.parent / "shared")

_real_data: Counter[str] = Counter()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared data: real submissions, real outputs, expected values. Skips where it is not there."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"no shared data at {SHARED} (set HIGHWATER_SHARED)")
    return SHARED


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whoever asks for shared data is a real-data test."""
    for item in items:
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.real_data)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if "real_data" in report.keywords and (report.when == "call" or report.skipped):
        _real_data["skipped" if report.skipped else "ran"] += 1


def pytest_unconfigure(config: pytest.Config) -> None:
    """After everything else that pytest prints; workers of a distributed run stay silent."""
    if not hasattr(config, "workerinput") and not config.option.collectonly:
        print(f"real-data tests: {_real_data['ran']} ran, {_real_data['skipped']} skipped")
