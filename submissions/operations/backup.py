"""One file with the whole site: every table and every bundle, consistent with each other; and back again.

The tables are read in one REPEATABLE READ transaction; the bundles that this snapshot names come after it, which is
consistent because bytes under a sha256 never change. Bytes that are damaged or missing are left out and listed. The
file is a tar, in this order:

    stamp.json               when it was made, and which migrations the tables have
    database/TABLE.copy.gz   the rows as PostgreSQL's COPY writes them; columns are named in the manifest
    received/SHA256          bundles as received
    public/SHA256            scrubbed copies
    manifest.json            size and sha256 of everything above; without it the file is not whole

Tables and bundles pass through in pieces: memory does not grow with the site. docs/operate-data.md tells the walk.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.apps import apps
from django.core.files.storage import Storage
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import DatabaseError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from registry.database import rights
from registry.dumps import db_locks
from registry.log import recording
from registry.log.appending import log_size
from registry.log.overview import RESTORED_SUBJECT
from registry.models import Edition, LogOpening, PublicWrite, RecordChange, Result
from registry.query import stored_bytes
from registry.query.stored_bytes import key_of
from submissions.bundles import quarantine, storage
from submissions.models import (
    MaintenanceRun,
    MembershipPeriod,
    ScrubbedCopy,
    ScrubRun,
    State,
    StoredFault,
    Submission,
    Version,
)
from validators import VERSION

FORMAT = 1
STAMP, MANIFEST = "stamp.json", "manifest.json"
MANIFEST_LIMIT = 256 * 1024 * 1024
"""Bytes; a manifest has about 100 for each bundle."""

_EXCLUDED_TABLES = frozenset(
    {
        "django_session",
        *(
            model._meta.db_table
            for model in (Edition, MaintenanceRun, PublicWrite, RecordChange, ScrubRun, StoredFault)
        ),
    }
)
"""Who is signed in is not carried over: everybody signs in again. Editions of the record are made anew.

What was found in a storage is of that storage: after a restore all of it is read anew.
"""
_FILLED_BY_TRIGGERS = frozenset({MembershipPeriod._meta.db_table})
"""What the database wrote into them while other tables were restored, the backup has by itself."""
_FILLED_BY_MIGRATE = frozenset({"django_content_type", "auth_permission"})
HELD_IN_MEMORY = 8 * 1024 * 1024
"""Bytes of one bundle; of a larger one a copy lies in TMPDIR meanwhile."""
_LOCK_TIMEOUT = "10s"

Progress = Callable[[str], None]


class BackupError(Exception):
    """The backup can't be made or restored; the text says why and what to do."""


# Making one


def make_backup(file: Path, progress: Progress) -> list[str]:
    """Write a backup to `file`, mode 0600; return which bytes are not in it, for they are damaged or missing.

    Each is `KIND SHA256`; the manifest has them, too. Raises BackupError where the file exists or cannot be written, or
    the storage is away; then a new one does not stay.
    """
    if os.path.lexists(file):
        raise BackupError(f"{file} exists already; a backup never overwrites. Give another name.")
    try:
        with _scratch_file(file) as out:
            return _write_backup(out, progress)
    except (OSError, DatabaseError, stored_bytes.StorageAway) as error:
        raise BackupError(f"The backup could not be written: {error}") from error


@contextmanager
def _scratch_file(file: Path) -> Iterator[IO[bytes]]:
    """A scratch file beside `file` that takes its name when all went well; mkstemp gives it mode 0600."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".partial", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.link(name, file)  # unlike a rename, refuses a name that was taken meanwhile
    finally:
        Path(name).unlink()


def _write_backup(out: IO[bytes], progress: Progress) -> list[str]:
    manifest: dict[str, Any] = {"tables": [], "members": {}, "missing": [], "damaged": []}
    with tarfile.open(fileobj=out, mode="w|", format=tarfile.PAX_FORMAT) as archive:
        with db_locks.repeatable_read():
            stamp = json.dumps(_backup_stamp()).encode()
            _add_member(archive, STAMP, io.BytesIO(stamp), len(stamp), manifest)
            for table, columns in _columns_by_table().items():
                _add_table(archive, table, columns, manifest)
            digests_by_kind = {"received": _received_bundles(), "public": _public_files()}
            withdrawn, refused = _withdrawn_digests(), _dropped_by_all()
        progress(f"{len(manifest['tables'])} tables, {sum(table['rows'] for table in manifest['tables'])} rows")
        for kind, digests in digests_by_kind.items():
            for number, digest in enumerate(digests, 1):
                if kind == "received" and digest in refused:
                    progress(f"left out: {digest}, refused because of a private key or a token")
                else:
                    try:
                        _add_bundle(archive, kind, digest, manifest)
                    except stored_bytes.DamagedBytes as damaged:
                        progress(f"DAMAGED: {kind} bundle {digest} ({key_of(digest)}): {damaged.detail}")
                        manifest["damaged"].append(f"{kind} {digest}")
                    except FileNotFoundError:
                        if digest in withdrawn:
                            progress(f"left out: {digest}, withdrawn, which is no longer in the storage")
                        else:
                            progress(f"MISSING: {kind} bundle {digest} is not in the storage ({key_of(digest)})")
                            manifest["missing"].append(f"{kind} {digest}")
                if not number % 1000:
                    progress(f"{number} of {len(digests)} {kind} bundles")
            progress(f"{len(digests)} {kind} bundles")
        content = json.dumps(manifest).encode()
        archive.addfile(_tar_entry(MANIFEST, len(content)), io.BytesIO(content))
    return [*manifest["damaged"], *manifest["missing"]]


def _backup_stamp() -> dict[str, Any]:
    return {
        "format": FORMAT,
        "made_at": timezone.now().isoformat(),
        "version": VERSION,
        "migrations": sorted(map(list, MigrationRecorder(connection).applied_migrations())),
    }


def _add_table(archive: tarfile.TarFile, table: str, columns: list[str], manifest: dict[str, Any]) -> None:
    with tempfile.TemporaryFile() as rows:
        with (
            gzip.GzipFile(filename="", mode="wb", fileobj=rows, mtime=0, compresslevel=3) as packed,
            connection.cursor() as cursor,
        ):
            with cursor.copy(f"COPY {_columns_of(table, columns)} TO STDOUT") as copy:
                for piece in copy:
                    packed.write(piece)
            manifest["tables"].append({"name": table, "columns": columns, "rows": cursor.rowcount})
        size = rows.tell()
        rows.seek(0)
        _add_member(archive, f"database/{table}.copy.gz", rows, size, manifest)


def _add_bundle(archive: tarfile.TarFile, kind: str, digest: str, manifest: dict[str, Any]) -> None:
    """Add stored bytes, once all of them were read and hashed: a tar takes nothing back.

    Raises DamagedBytes, FileNotFoundError, StorageAway; then nothing was added.
    """
    store = _storage_for(kind)
    with tempfile.SpooledTemporaryFile(HELD_IN_MEMORY) as copy:
        for piece in stored_bytes.checked_chunks(stored_bytes.open_bytes(store, digest), store, digest):
            copy.write(piece)
        size = copy.tell()
        copy.seek(0)
        _add_member(archive, f"{kind}/{digest}", copy, size, manifest)


def _add_member(archive: tarfile.TarFile, name: str, content: Any, size: int, manifest: dict[str, Any]) -> None:
    """Add a member and note it in the manifest."""
    hashed = _HashedWriter(content)
    archive.addfile(_tar_entry(name, size), hashed)
    manifest["members"][name] = [size, hashed.digest.hexdigest()]


def _tar_entry(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size, member.mode = size, 0o600
    return member


def _received_bundles() -> list[str]:
    return sorted(_file_digests(Submission.objects.order_by()))


def _file_digests(submissions: QuerySet[Submission]) -> set[str]:
    """The sha256 of every file of every version."""
    bundles = submissions.exclude(sha256="").values_list("sha256", flat=True)
    extra_files = submissions.exclude(beside=[]).values_list("beside", flat=True)
    former = Version.objects.filter(submission__in=submissions).values_list("files", flat=True)
    return {*bundles} | {file["sha256"] for files in (*extra_files, *former) for file in files}


def _withdrawn_digests() -> set[str]:
    """Bundles that an operator may have deleted on request (docs/operate-data.md, "Retention")."""
    submissions = Submission.objects.order_by()
    withdrawn = Q(state=State.WITHDRAWN)
    return _file_digests(submissions.filter(withdrawn)) - _file_digests(submissions.exclude(withdrawn))


def _dropped_by_all() -> set[str]:
    """Bundles that every submission lost because of a private key or a live token."""
    return {sha256 for sha256 in quarantine.dropped_files() if not quarantine.is_held(sha256)}


def _public_files() -> list[str]:
    published = Result.objects.exclude(public_sha256="").order_by().values_list("public_sha256", flat=True)
    return sorted({*published, *ScrubbedCopy.objects.values_list("sha256", flat=True)})


# Restoring one


@dataclass(frozen=True, slots=True)
class Contents:
    """What a whole, undamaged backup says of itself."""

    stamp: dict[str, Any]
    tables: list[dict[str, Any]]
    bundles: int


def restore_backup(file: Path, progress: Progress, *, replace: bool = False) -> None:
    """Bring database and storage to what a backup holds. The whole file is verified before anything is changed.

    A database without any tables gets those of the backup first; tables of an older schema are brought to that of this
    code at the end. Raises BackupError where the file is damaged or of another schema than the tables, and, unless
    `replace`, where the database holds more than the catalogue. Then database and storage are as they were.
    """
    try:
        contents = verify_backup(file)
        progress(f"verified: made {contents.stamp['made_at']}, {contents.bundles} bundles")
        if not MigrationRecorder(connection).applied_migrations():
            _migrate_as(contents.stamp)
        _refuse_other_schema(contents.stamp)
        _refuse_other_tables(contents.tables)
        if not replace and (filled := _filled_tables()):
            raise BackupError(
                f"The database is not empty ({', '.join(filled[:5])}). Restore into a new database; "
                "or add --yes to delete everything that is in this one."
            )
        _restore_contents(file, contents, progress)
        if _migrations_to_come():
            call_command("migrate", verbosity=0)
            progress("migrated from the schema of the backup to that of this version")
        rights.grant_after_migrate()
        _record_restoration(contents.stamp)
    except (OSError, EOFError, tarfile.TarError, DatabaseError) as error:
        raise BackupError(f"Nothing was restored: {error}".strip()) from error


def verify_backup(file: Path) -> Contents:
    """Read a backup to its end and compare everything with its manifest.

    Raises BackupError where it is damaged, cut short or of another format.
    """
    stamp, manifest, sums_by_name = None, None, {}
    for member, content in _archive_members(file):
        hashed = _HashedWriter(content)
        if member.name == MANIFEST:
            manifest = _parse_document(content, member)
            continue
        if member.name == STAMP:
            stamp = _parse_document(hashed, member)
        while hashed.read(storage.CHUNK):
            pass
        sums_by_name[member.name] = [member.size, hashed.digest.hexdigest()]
    if not isinstance(stamp, dict) or stamp.get("format") != FORMAT:
        raise BackupError(f"{file} is no backup that this version of Highwater reads.")
    if not isinstance(manifest, dict):
        raise BackupError(f"{file} ends before its end: it has no manifest. Copy it again.")
    if not _is_complete(manifest):
        raise BackupError(f"{file} is damaged: its manifest can't be read. Use another backup.")
    for name in sorted(manifest["members"].keys() | sums_by_name.keys()):
        if name not in sums_by_name:
            raise BackupError(f"{file} is damaged: {name} is missing. Use another backup.")
        if manifest["members"].get(name) != sums_by_name[name]:
            raise BackupError(f"{file} is damaged: {name} is not what the manifest says. Use another backup.")
    bundles = sum(name.startswith(("received/", "public/")) for name in sums_by_name)
    return Contents(stamp, manifest["tables"], bundles)


def _is_complete(manifest: dict[str, Any]) -> bool:
    """Whether a manifest has everything that is read of it; of a damaged one a key may be another word."""
    members, tables = manifest.get("members"), manifest.get("tables")
    if not isinstance(members, dict) or not isinstance(tables, list):
        return False
    return all(isinstance(table, dict) and {"name", "columns", "rows"} <= table.keys() for table in tables)


def _archive_members(file: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    try:
        with file.open("rb") as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                content = archive.extractfile(member)
                if content is None:
                    raise BackupError(f"{file} is damaged: {member.name} is no plain file.")
                yield member, content
                archive.members = []  # type: ignore[attr-defined]  # tarfile keeps every header it met; one pass needs none
    except (tarfile.TarError, EOFError) as error:
        raise BackupError(f"{file} is damaged, cut short, or no backup: {error}") from error


def _parse_document(content: IO[bytes] | _HashedWriter, member: tarfile.TarInfo) -> Any:
    if member.size > MANIFEST_LIMIT:
        raise BackupError(f"{member.name} is too large.")
    try:
        return json.loads(content.read())
    except ValueError as error:
        raise BackupError(f"The backup is damaged: {member.name} can't be read.") from error


def _migrate_as(stamp: dict[str, Any]) -> None:
    """Make the tables that a backup has. Of migrations that this code does not know `_refuse_other_schema` speaks."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    theirs = {(app, name) for app, name in stamp["migrations"]} & set(graph.nodes)
    if theirs >= set(graph.nodes):
        call_command("migrate", verbosity=0)
    else:
        executor.migrate(sorted(node for node in theirs if not {*graph.node_map[node].children} & {*theirs}))


def _migrations_to_come() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _refuse_other_schema(stamp: dict[str, Any]) -> None:
    ours = set(MigrationRecorder(connection).applied_migrations())
    theirs = {(app, name) for app, name in stamp["migrations"]}
    if newer := sorted(theirs - ours):
        raise BackupError(
            f"The backup has a newer schema than this database ({_migration_names(newer)}; "
            f"made by version {stamp['version']}). "
            "Upgrade the code to that version or a later one and run `manage migrate`; then restore."
        )
    if older := sorted(ours - theirs):
        raise BackupError(
            f"The backup has an older schema: it lacks {_migration_names(older)}. "
            "Restore into a new database without tables: they are made as the backup has them, and then migrated."
        )


def _migration_names(migrations: list[tuple[str, str]]) -> str:
    return ", ".join(f"{app}.{name}" for app, name in migrations[:5])


def _refuse_other_tables(tables: list[dict[str, Any]]) -> None:
    """The names go into SQL, so they must be those of the database; and none of ours may be left out."""
    columns = _columns_in_database()
    theirs = {table["name"]: {*table["columns"]} for table in tables}
    ours = {table: columns[table] for table in theirs.keys() | _models_by_table().keys() if table in columns}
    if theirs != ours:
        raise BackupError(
            "The tables of the backup are not those of the database. Restore with the version that made it."
        )


def _filled_tables() -> list[str]:
    """Tables with what people made. The catalogue, which every start loads, is none of it: nobody publishes alone."""
    filled = []
    private = {table for table, model in _models_by_table().items() if model._meta.app_label != Result._meta.app_label}
    there = _columns_in_database().keys()
    with connection.cursor() as cursor:
        for table in private & there - _FILLED_BY_MIGRATE:
            cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {_quote_name(table)})")  # noqa: S608  # names of our models
            filled += [table] if cursor.fetchone()[0] else []
    return sorted(filled)


def _restore_contents(file: Path, contents: Contents, progress: Progress) -> None:
    """Bundles and rows in one pass and one transaction; bundles that came with a failed one are taken away again."""
    columns = {f"database/{table['name']}.copy.gz": table for table in contents.tables}
    stored: list[tuple[Storage, str]] = []
    try:
        with transaction.atomic(durable=True):
            _empty_tables(contents.tables)
            for member, content in _archive_members(file):
                if member.name in columns:
                    _restore_table(columns[member.name], content)
                elif member.name not in (STAMP, MANIFEST):
                    _restore_bundle(member, content, stored)
            _reset_sequences()
    except BaseException:
        for store, key in stored:
            store.delete(key)
        raise
    rows = sum(table["rows"] for table in contents.tables)
    progress(
        f"restored {rows} rows of {len(columns)} tables; {len(stored)} of {contents.bundles} bundles were not there yet"
    )


@transaction.atomic
def _record_restoration(stamp: dict[str, Any]) -> None:
    """Say in the transparency log that the record is that of a backup, with its time and the entries that it knew."""
    facts = {"restoration": {"backup_made_at": stamp["made_at"], "entries": log_size()}}
    recording.record_own(LogOpening.Kind.RESTORATION, facts, recording.RESTORED, RESTORED_SUBJECT)
    recording.note_unrecorded()


def _empty_tables(restored: list[dict[str, Any]]) -> None:
    """TRUNCATE fires no row triggers. Foreign keys are deferred, so that the order of tables does not matter.

    The reason in `highwater.amend` lets the entries of frozen lists in (registry migration 0004).
    """
    emptied = {table["name"] for table in restored} | (_EXCLUDED_TABLES & _columns_in_database().keys())
    tables = ", ".join(_quote_name(table) for table in sorted(emptied))
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [_LOCK_TIMEOUT])
        cursor.execute("SELECT set_config('highwater.amend', 'restored from a backup', true)")
        cursor.execute(f"TRUNCATE {tables}")


def _restore_table(table: dict[str, Any], content: IO[bytes]) -> None:
    statement = f"COPY {_columns_of(table['name'], table['columns'])} FROM STDIN"
    with gzip.GzipFile(fileobj=content) as rows, connection.cursor() as cursor:
        if table["name"] in _FILLED_BY_TRIGGERS:
            cursor.execute(f"DELETE FROM {_quote_name(table['name'])}")  # noqa: S608  # one of ours
        with cursor.copy(statement) as copy:
            while piece := rows.read(storage.CHUNK):
                copy.write(piece)
        if cursor.rowcount != table["rows"]:
            raise BackupError(f"{table['name']}: {cursor.rowcount} rows came, {table['rows']} were expected.")


def _restore_bundle(member: tarfile.TarInfo, content: IO[bytes], stored: list[tuple[Storage, str]]) -> None:
    kind, _, digest = member.name.partition("/")
    store, key = _storage_for(kind), key_of(digest)
    there = store.exists(key)
    incoming = storage.Incoming(digest, member.size, store)
    try:
        while piece := content.read(storage.CHUNK):
            incoming.write(piece)
        if incoming.sha256 != digest:
            raise BackupError(f"{member.name} is not the bundle that its name says.")
        if not there:
            stored.append((store, key))
        incoming.keep()
    finally:
        incoming.close()


def _reset_sequences() -> None:
    with connection.cursor() as cursor:
        there = _columns_in_database()
        models = [model for table, model in _models_by_table().items() if table in there]
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


# What there is


def _models_by_table() -> dict[str, type[Model]]:
    """Every model with a table of its own, by the table's name, sorted."""
    models_by_table = {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy and model._meta.db_table not in _EXCLUDED_TABLES
    }
    return dict(sorted(models_by_table.items()))


def _columns_by_table() -> dict[str, list[str]]:
    """The columns of every table, without those that PostgreSQL generates."""
    return {
        table: [field.column for field in model._meta.local_concrete_fields if field.column and not field.generated]
        for table, model in _models_by_table().items()
    }


def _columns_in_database() -> dict[str, set[str]]:
    """The columns of every table that there is, without those that PostgreSQL generates."""
    columns_by_table: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND is_generated = 'NEVER'"
        )
        for table, column in cursor:
            columns_by_table.setdefault(table, set()).add(column)
    return columns_by_table


def _columns_of(table: str, columns: list[str]) -> str:
    return f"{_quote_name(table)} ({', '.join(map(_quote_name, columns))})"


def _quote_name(name: str) -> str:
    return connection.ops.quote_name(name)


def _storage_for(kind: str) -> Storage:
    stores = {"received": storage.received_storage, "public": storage.public_storage}
    if kind not in stores:
        raise BackupError(f"The backup holds {kind}/, which this version does not know.")
    return stores[kind]()


class _HashedWriter:
    """A file that is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        piece = self.file.read(size)
        self.digest.update(piece)
        return piece
