"""What several files of these tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from registry.loading.catalogue_loader import load_catalogue
from tests.registry.record import empty


@pytest.fixture(scope="module")
def loaded(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The catalogue, loaded once for a file; each test works in a transaction of its own on top of it."""
    with django_db_blocker.unblock():
        load_catalogue()
    yield
    with django_db_blocker.unblock():
        empty()
