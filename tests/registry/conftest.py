"""What several files of these tests share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from django.core.cache import cache

from tests.migrated import copied, loaded_database


@pytest.fixture(scope="module", autouse=True)
def empty_cache() -> None:
    """What one file's tests keep in the cache is of their record, which the next file does not have."""
    cache.clear()


@pytest.fixture(scope="module")
def loaded(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The catalogue, there once for a file; each test works in a transaction of its own on top of it.

    It is in a database of its own: what else the file committed before is not there.
    """
    copy = ExitStack()
    with django_db_blocker.unblock():
        copy.enter_context(copied(loaded_database()))
    yield
    with django_db_blocker.unblock():
        copy.close()
