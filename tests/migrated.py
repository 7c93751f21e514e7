"""Databases that tests copy: with all migrations, and with the catalogue. Each is made once, as that takes long."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

from registry.loading.catalogue_loader import load_catalogue

ROOT = Path(__file__).resolve().parent.parent
PREFIX, LOADED = "migrated_", "loaded_"
SOURCES = (
    "requirements.txt",
    *(f"{app}/{part}" for app in ("registry", "submissions") for part in ("migrations", "models")),
)
"""What decides which tables migrations make: those of others too, and what ours import."""
_LOCK = 20_260_101


def migrated_database() -> str:
    """The name of the database. It is made where there is none of these migrations yet, and former ones go."""
    return _made_once(PREFIX, digest_of_sources(ROOT), "", _migrate)


def loaded_database() -> str:
    """The name of a database with the catalogue, which the processes of one run share; those of former runs go."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", f"of_{os.getpid()}")
    return _made_once(LOADED, run[:16], connection.settings_dict["TEST"]["TEMPLATE"], _load)


@contextmanager
def copied(template: str) -> Iterator[None]:
    """The block works on a copy of a database; what it leaves there goes with the copy."""
    name = f"{connection.settings_dict['NAME']}_copy"
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")  # of a run that was interrupted
        cursor.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    try:
        with _connected_to(name):
            yield
    finally:
        with connection._nodb_cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def digest_of_sources(root: Path) -> str:
    """What tells whether sources have changed: the paths and the bytes of all files."""
    digest = hashlib.sha256()
    for source in SOURCES:
        for file in sorted([*root.glob(source), *(root / source).rglob("*.py")]):
            if file.is_file():
                digest.update(f"{file.relative_to(root)} {file.stat().st_size} ".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _made_once(prefix: str, version: str, template: str, fill: Callable[[], Any]) -> str:
    """Under another name until all is in it, so that a half-made one is never copied."""
    name, unfinished = prefix + version, f"{prefix}unfinished"
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])  # until the end of the connection
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [prefix])
        present = {row[0] for row in cursor.fetchall()}
        if name not in present:
            for former in present:
                cursor.execute(f"DROP DATABASE {former} WITH (FORCE)")
            cursor.execute(f"CREATE DATABASE {unfinished}" + (f" TEMPLATE {template}" if template else ""))
            with _connected_to(unfinished):
                fill()
            cursor.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")
    return name


@contextmanager
def _connected_to(name: str) -> Iterator[None]:
    usual = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = name
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


def _migrate() -> None:
    call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)


def _load() -> None:
    load_catalogue()
    with connection.cursor() as cursor:  # a copy knows what this one knows of its tables, and plans by that
        cursor.execute("ANALYZE")
