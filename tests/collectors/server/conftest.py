"""What tests of `verify` share."""

from __future__ import annotations

import pytest


@pytest.fixture
def reader(collector, peer):
    """The collector of somebody without an account."""
    collector.environ["HIGHWATER_URL"] = peer.url
    return collector
