"""The databases that tests copy: the migrated one for each process, and that of the catalogue for some files."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection

from registry.models import Result, Site
from tests.migrated import PREFIX, copied, digest_of_sources, loaded_database, migrated_database


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


@pytest.mark.django_db(transaction=True)
def test_a_copy_goes_with_all_that_was_left_in_it() -> None:
    usual, template = connection.settings_dict["NAME"], connection.settings_dict["TEST"]["TEMPLATE"]
    for _ in range(2):
        with copied(template):
            assert not Site.objects.exists()
            Site.objects.create(slug="left", name="Left")
    assert connection.settings_dict["NAME"] == usual
    assert not Site.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_copy_replaces_that_of_an_interrupted_run() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {connection.settings_dict['NAME']}_copy")
    with copied(connection.settings_dict["TEST"]["TEMPLATE"]):
        assert not Site.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_catalogue_is_loaded_once() -> None:
    loaded = loaded_database()
    assert loaded_database() == loaded
    with copied(loaded):
        assert Result.objects.exists()
    assert not Result.objects.exists()
