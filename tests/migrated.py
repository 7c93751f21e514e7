"""A database with all migrations, made once: that takes as long as a hundred tests, and a copy of it a moment."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection

ROOT = Path(__file__).resolve().parent.parent
PREFIX = "migrated_"
SOURCES = (
    "requirements.txt",
    *(f"{app}/{part}" for app in ("registry", "submissions") for part in ("migrations", "models")),
)
"""What decides which tables migrations make: those of others too, and what ours import."""
_LOCK = 20_260_101


def migrated_database() -> str:
    """The name of the database. It is made where there is none of these migrations yet, and former ones go."""
    name = PREFIX + digest_of_sources(ROOT)
    with connection._nodb_cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [_LOCK])  # until the end of the connection
        cursor.execute("SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [PREFIX])
        present = {row[0] for row in cursor.fetchall()}
        if name not in present:
            for former in present:
                cursor.execute(f"DROP DATABASE {former} WITH (FORCE)")
            _make(cursor, name)
    return name


def digest_of_sources(root: Path) -> str:
    """What tells whether sources have changed: the paths and the bytes of all files."""
    digest = hashlib.sha256()
    for source in SOURCES:
        for file in sorted([*root.glob(source), *(root / source).rglob("*.py")]):
            if file.is_file():
                digest.update(f"{file.relative_to(root)} {file.stat().st_size} ".encode() + file.read_bytes())
    return digest.hexdigest()[:16]


def _make(cursor: Any, name: str) -> None:
    """Under another name until all migrations are in it, so that a half-made one is never copied."""
    unfinished, usual = f"{PREFIX}unfinished", connection.settings_dict["NAME"]
    cursor.execute(f"CREATE DATABASE {unfinished}")
    connection.close()
    connection.settings_dict["NAME"] = unfinished
    try:
        call_command("migrate", verbosity=0, interactive=False, run_syncdb=True)
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual
    cursor.execute(f"ALTER DATABASE {unfinished} RENAME TO {name}")
