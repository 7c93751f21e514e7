"""Least rights: with which role of PostgreSQL a process, and a request, speaks to the database.

Migrations, backups and other commands log in as the owner of the tables. Web and workers set DATABASE_APP_ROLE, which
owns nothing and can't rewrite what is final. A reader whom nobody knows is served with DATABASE_PUBLIC_ROLE, which
reads the public record and nothing else. A role that is not set changes nothing. Web and workers should log in as a
member of both roles that has no rights of its own: `RESET ROLE` then gives nothing back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, TypeVar

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model
from psycopg import sql

_of_process = ""
_of_request: ContextVar[str] = ContextVar("database role of the request", default="")

View = TypeVar("View", bound=Callable[..., Any])
APPEND_ONLY = (
    *("submissions_event", "submissions_review", "submissions_judgement", "submissions_checklistact"),
    *("submissions_disposition", "submissions_check", "submissions_version", "submissions_stepcomment"),
    *("submissions_privaterecord", "submissions_receiptkey"),
    *("registry_measurement", "registry_logcheckpoint", "registry_logopening", "registry_logkey"),
)
"""Tables to which the application adds rows, and changes and deletes none."""
READ_ONLY = ("django_migrations", "registry_listdefinition", "registry_catalogueload")
"""Tables that commands of the owner fill: the application reads them."""
CHANGED_COLUMNS = {
    "registry_logleaf": ("index",),
    "registry_override": ("action", "score", "reason", "decided_by", "decided_at"),
    # Where things went, by later acts; the pseudonym of an account that was erased.
    "registry_identitychange": ("moved", "decided_by", "undone_at", "undone_by", "undone_reason"),
    # A system without results goes when its anonymous one gets its name, and is taken from erasures then.
    "registry_erasure": ("erased_by", "system_id"),
    "submissions_tie": ("ended_at", "ended_by_id", "reason"),
    "registry_result": (
        # Names that were withheld, and names that were merged.
        *("site_id", "system_id", "platform_id", "institution", "system_name", "filesystem_type", "filesystem_family"),
        *("filesystem_name", "storage_vendor", "vendor", "parameters", "snapshot", "public_sha256", "bundle_sha256"),
        "revision_reason",
        # What happened to it since.
        *("withdrawn_at", "withdrawn_reason", "later_evidence", "copy_withheld_at"),
        *("archive_missing_since", "archive_damaged_since", "copy_missing_since", "copy_damaged_since"),
    ),
}
"""Tables of which the application deletes nothing, with the columns that it may change: never a score or a rate."""
ERASURES = "registry_erasure"
"""Marks that a command of the owner adds, with the erasure itself."""
SETTING_OF = {"application": "DATABASE_APP_ROLE", "public": "DATABASE_PUBLIC_ROLE"}
PUBLIC_APP = "registry"
"""Tables of this app are the public record."""
WITHHELD = "WITHHELD_COLUMNS"
"""Attribute of a public model: columns that the public role does not read, and that public routes leave out."""
WITHHELD_TABLES = ("registry_stepsdue",)
"""Tables of the record's app that only workers and commands read."""
PUBLIC_ROWS = {
    "registry_identitychange": "public",
    # When a private leaf was noted, and between which public ones, would tell of what it is.
    "registry_logleaf": "index IS NULL OR EXISTS (SELECT FROM registry_logopening WHERE leaf_id = registry_logleaf.id)",
}
"""Which rows the public role reads, of tables that have others too; every other role goes on as if there were none."""


def reads_private(view: View) -> View:
    """A view of the record's app that counts rows of private tables, for those who run the site."""
    view.reads_private = True  # type: ignore[attr-defined]  # read by registry/serving/request_role.py
    return view


def limit_process() -> None:
    """Speak with the role of the application from now on, on every connection of this process."""
    global _of_process
    _of_process = settings.DATABASE_APP_ROLE


def use_public() -> None:
    """Serve the rest of this request with the role that reads the public record alone."""
    _of_request.set(settings.DATABASE_PUBLIC_ROLE)


def use_application(**_: object) -> None:
    """Go back to the role of the process; when a request begins, and when its answer was sent."""
    _of_request.set("")


def current_role() -> str:
    """The role to speak with now; "" for that of DATABASE_URL."""
    return _of_request.get() or _of_process


def are_set() -> bool:
    """Whether a setting names a role: else no statement is spent on them."""
    return bool(settings.DATABASE_APP_ROLE or settings.DATABASE_PUBLIC_ROLE)


def grant_statements() -> list[sql.Composed]:
    """SQL that makes the roles which the settings name and gives each its rights; run again, it changes nothing.

    For the owner of the tables, which must be allowed to make roles where they are not there yet.
    """
    statements: list[sql.Composed] = []
    application, public = settings.DATABASE_APP_ROLE, settings.DATABASE_PUBLIC_ROLE
    for role in filter(None, (application, public)):
        statements += _role_statements(role)
    if application and public:
        literals = {"application": sql.Literal(application), "public": sql.Literal(public)}
        statements.append(sql.SQL(_FROM_STRANGERS).format(**literals))
    if application:
        everything = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {} TO {}"
        statements.append(_with_schema(everything, application))
        statements.append(_with_schema("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA {} TO {}", application))
        statements += [_on_table("REVOKE UPDATE, DELETE ON {} FROM {}", table, application) for table in APPEND_ONLY]
        for table, columns in CHANGED_COLUMNS.items():
            statements.append(_on_table("REVOKE UPDATE, DELETE ON {} FROM {}", table, application))
            names = sql.SQL(", ").join(map(sql.Identifier, columns))
            grant = sql.SQL("GRANT UPDATE ({}) ON {} TO {}")
            statements.append(grant.format(names, sql.Identifier(table), sql.Identifier(application)))
        read_only = "REVOKE INSERT, UPDATE, DELETE ON {} FROM {}"
        statements += [_on_table(read_only, table, application) for table in READ_ONLY]
        statements.append(_on_table("REVOKE INSERT ON {} FROM {}", ERASURES, application))
    if public:
        statements.append(_with_schema("REVOKE ALL ON ALL TABLES IN SCHEMA {} FROM {}", public))
        for model in sorted(apps.get_app_config(PUBLIC_APP).get_models(), key=lambda model: model._meta.db_table):
            if model._meta.db_table not in WITHHELD_TABLES:
                statements.append(_reading_statement(model, public))
        for table, condition in PUBLIC_ROWS.items():
            statements.append(_row_statement(table, condition, public))
    return statements


def _reading_statement(model: type[Model], role: str) -> sql.Composed:
    """A table whose columns are all public is granted whole."""
    table = model._meta.db_table
    withheld: tuple[str, ...] = getattr(model, WITHHELD, ())
    if not withheld:
        return _on_table("GRANT SELECT ON {} TO {}", table, role)
    columns = [str(field.column) for field in model._meta.concrete_fields if field.column not in withheld]
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL("GRANT SELECT ({}) ON {} TO {}").format(names, sql.Identifier(table), sql.Identifier(role))


def _row_statement(table: str, condition: str, role: str) -> sql.Composed:
    digest = hashlib.sha256(f"{role} {condition}".encode()).hexdigest()[:16]
    return sql.SQL(_FOR_STRANGERS).format(
        table=sql.Identifier(table),
        name=sql.Literal(table),
        role=sql.Identifier(role),
        condition=sql.SQL(condition),
        policy=sql.Identifier(f"strangers_{digest}"),
        policy_name=sql.Literal(f"strangers_{digest}"),
        role_name=sql.Literal(role),
    )


def login_statements(login: str) -> list[sql.Composed]:
    """SQL that makes a log-in for web and workers: a member of their roles, which has no rights until it takes one."""
    roles = [role for role in (settings.DATABASE_APP_ROLE, settings.DATABASE_PUBLIC_ROLE) if role]
    take_own = sql.SQL("ALTER ROLE {} LOGIN NOINHERIT")
    members = [sql.SQL("GRANT {} TO {}").format(sql.Identifier(role), sql.Identifier(login)) for role in roles]
    return [_make_role(login), take_own.format(sql.Identifier(login)), *members]


_FOR_STRANGERS = """
DO $rows$ DECLARE former record; BEGIN
    IF EXISTS (SELECT FROM pg_policies WHERE tablename = {name} AND policyname = {policy_name}) THEN
        RETURN;
    END IF;
    FOR former IN
        SELECT policyname FROM pg_policies WHERE tablename = {name} AND roles = ARRAY[{role_name}::name]
    LOOP
        EXECUTE format('DROP POLICY %I ON {table}', former.policyname);
    END LOOP;
    IF NOT EXISTS (SELECT FROM pg_policies WHERE tablename = {name} AND policyname = 'everybody') THEN
        CREATE POLICY everybody ON {table} USING (true) WITH CHECK (true);
    END IF;
    CREATE POLICY {policy} ON {table} AS RESTRICTIVE FOR SELECT TO {role} USING ({condition});
    ALTER TABLE {table} ENABLE ROW LEVEL SECURITY;
END $rows$
"""
"""Which rows a role reads. The owner is bound by no policy, and everybody else by one that lets all rows pass."""
_FROM_EVERYBODY = """
DO $take$ BEGIN
    IF has_database_privilege({role}, current_database(), 'TEMPORARY') THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
    END IF;
    IF has_schema_privilege({role}, 'public', 'CREATE') THEN
        REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    END IF;
END $take$
"""
"""A database lets everybody make temporary tables, and one that began before PostgreSQL 15 tables and functions."""
_FROM_STRANGERS = """
DO $take$ DECLARE called record; BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RETURN;
    END IF;
    FOR called IN
        SELECT oid::regprocedure AS function, proname ~ '^pg_' AS is_lock FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
        AND proname ~ '^(lo_|loread$|lowrite$|pg_(try_)?advisory_)'
        AND (has_function_privilege({public}, oid, 'EXECUTE')
            OR proname ~ '^pg_' AND NOT has_function_privilege({application}, oid, 'EXECUTE'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', called.function);
        IF called.is_lock THEN
            EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I, %s', called.function, {application},
                (SELECT relowner::regrole FROM pg_class WHERE oid = 'public.django_migrations'::regclass));
        END IF;
    END LOOP;
END $take$
"""
"""Large objects fill the disk, and locks hold up publication and uploads. Only a superuser takes these rights."""

_OWNS_TABLES = """
SELECT EXISTS (
    SELECT FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_has_role(who.oid, relowner, 'MEMBER')
)
FROM pg_roles who WHERE who.rolname = coalesce(nullif(%s, ''), session_user)
"""


def owns_tables(login: str = "") -> bool:
    """Whether a log-in, by default that of this connection, may do what an owner of tables may, as any of its roles."""
    with connection.cursor() as cursor:
        cursor.execute(_OWNS_TABLES, [login])
        return any(owns for (owns,) in cursor.fetchall())


def lacking_roles() -> list[str]:
    """What the settings leave at the rights of DATABASE_URL: `application`, `public`."""
    return [name for name, setting in SETTING_OF.items() if not getattr(settings, setting)]


def _role_statements(role: str) -> list[sql.Composed]:
    member = sql.SQL("GRANT {} TO CURRENT_USER").format(sql.Identifier(role))
    taken = sql.SQL(_FROM_EVERYBODY).format(role=sql.Literal(role))
    return [_make_role(role), member, _with_schema("GRANT USAGE ON SCHEMA {} TO {}", role), taken]


def _make_role(role: str) -> sql.Composed:
    return sql.SQL(
        "DO $make$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {}) "
        "THEN CREATE ROLE {} NOLOGIN; END IF; END $make$"
    ).format(sql.Literal(role), sql.Identifier(role))


def _with_schema(statement: str, role: str) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier("public"), sql.Identifier(role))


def _on_table(statement: str, table: str, role: str) -> sql.Composed:
    return sql.SQL(statement).format(sql.Identifier(table), sql.Identifier(role))


def grant_after_migrate(**_: object) -> None:
    """New tables get their rights with the migration that made them."""
    if are_set():
        run_all(grant_statements())


def run_all(statements: list[sql.Composed]) -> None:
    """Run them in one transaction: nobody meanwhile sees rights that are taken and not yet given again."""
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
