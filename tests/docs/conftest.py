"""Tests of the documentation need no services: `./dev.py check` runs them without any."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="module")
def empty_cache() -> None:
    """There is no cache to empty."""
