"""The migrated database, of which the database of each test process is a copy."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from tests.migrated import PREFIX, digest_of_sources, migrated_database


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    for name in ("requirements.txt", "registry/migrations/0001_initial.py", "submissions/models/runs.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("as before")
    return tmp_path


@pytest.mark.parametrize(
    "name", ["requirements.txt", "registry/migrations/0001_initial.py", "submissions/models/runs.py"]
)
def test_a_changed_source_changes_the_digest(sources: Path, name: str) -> None:
    before = digest_of_sources(sources)
    (sources / name).write_text("otherwise")
    assert digest_of_sources(sources) != before


def test_a_further_migration_changes_the_digest(sources: Path) -> None:
    before = digest_of_sources(sources)
    (sources / "registry/migrations/0002_more.py").touch()
    assert digest_of_sources(sources) != before


def test_equal_sources_have_equal_digests(sources: Path) -> None:
    before = digest_of_sources(sources)
    (sources / "requirements.txt").write_text("as before")
    assert digest_of_sources(sources) == before


@pytest.mark.django_db
def test_a_migrated_database_is_used_again() -> None:
    used = connection.settings_dict["TEST"]["TEMPLATE"]
    assert migrated_database() == used
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX])
        assert cursor.fetchall() == [(used,)]
