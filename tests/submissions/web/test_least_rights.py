"""Strangers are served by a role without rights on private tables; the application rewrites no history."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, ProgrammingError, connection, transaction
from django.http import HttpRequest, HttpResponse
from django.test import Client, override_settings
from django.urls import URLPattern, path
from django.utils import timezone

from registry import api_urls, page_urls
from registry.database import rights
from registry.lists.io500_site import urls as io500_urls
from registry.log import appending, recording
from registry.models import Edition, Erasure, IdentityChange, LogLeaf, Result, System
from registry.serving import request_role
from submissions.models import Account, Event, Review, Submission
from submissions.publication.publish import publish_release
from tests.registry.record import stored_in
from tests.submissions.publication.test_anonymity import accepted, anonymous, take_back  # noqa: F401

pytestmark = pytest.mark.django_db


def leak(request: HttpRequest) -> HttpResponse:
    """A public view with a mistake."""
    return HttpResponse(str(Account.objects.count()))


leak.__module__ = "registry.site_pages.mistaken"
urlpatterns = [path("leak/", leak)]
FORGERIES = (
    "UPDATE registry_result SET score = score * 2",
    "UPDATE registry_result SET withdrawn_at = NULL, rate_kiops = 1",
    "DELETE FROM registry_result",
    "UPDATE registry_measurement SET value = value * 2",
    "DELETE FROM registry_measurement",
    "UPDATE registry_logleaf SET entry = 'x'",
    "DELETE FROM registry_logleaf",
    "UPDATE registry_logopening SET canonical = '{}'",
    "DELETE FROM registry_logopening",
    "UPDATE registry_logcheckpoint SET note = ''",
    "UPDATE submissions_event SET reason = 'other'",
    "DELETE FROM submissions_event",
    "UPDATE submissions_review SET reason = 'other'",
    "DELETE FROM submissions_review",
    "UPDATE submissions_judgement SET note = 'other'",
    "UPDATE submissions_check SET report = '{}'",
    "DELETE FROM submissions_check",
    "UPDATE submissions_version SET files = '[]'",
    "UPDATE submissions_privaterecord SET canonical = '{}'",
    "DELETE FROM submissions_privaterecord",
    "UPDATE submissions_stepcomment SET note = 'other'",
    "UPDATE submissions_tie SET vendor = 'other'",
    "UPDATE submissions_tie SET since = now()",
    "UPDATE submissions_receiptkey SET public_key = 'x'",
    "UPDATE registry_logkey SET verifier_key = 'x'",
    "UPDATE registry_logkey SET first_used_at = now()",
    "UPDATE registry_override SET result_id = 1",
    "UPDATE registry_override SET list_name = 'ten'",
    "UPDATE registry_identitychange SET from_slug = 'other'",
    "UPDATE registry_identitychange SET reason = 'other'",
    "UPDATE registry_identitychange SET made_at = now()",
    "UPDATE registry_identitychange SET public = false",
    "UPDATE registry_erasure SET category = 'law'",
    "INSERT INTO registry_erasure (result_id, category, erased_at) SELECT id, 'law', now() FROM registry_result",
    "UPDATE registry_listdefinition SET body = '{}'",
    "INSERT INTO registry_listdefinition SELECT * FROM registry_listdefinition",
    "DELETE FROM registry_catalogueload",
    "TRUNCATE registry_result CASCADE",
    "ALTER TABLE registry_result OWNER TO CURRENT_USER",
)
"""What changes a published record, a leaf of the log or a decision behind the back of both."""


@pytest.fixture
def public_role(settings, db) -> Iterator[str]:
    """A role of this test's database, with its rights; requests of strangers use it."""
    role = f"{connection.settings_dict['NAME']}_public"[:63]
    with override_settings(DATABASE_PUBLIC_ROLE=role):
        # A table whose constraints are still to be checked takes no policy.
        execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")
        rights.run_all(rights.grant_statements())
        yield role
        rights.use_application()


@pytest.fixture
def as_application(settings, db, monkeypatch) -> Iterator[None]:
    """This process speaks with a role of the application."""
    role = f"{connection.settings_dict['NAME']}_app"[:63]
    with override_settings(DATABASE_APP_ROLE=role):
        rights.run_all(rights.grant_statements())
        monkeypatch.setattr(rights, "_of_process", role)
        yield
        monkeypatch.setattr(rights, "_of_process", "")
        connection.take_role()


@pytest.fixture
def as_login(public_role, as_application) -> Iterator[str]:
    """This connection has logged in as web and workers do: a member of both roles, which owns nothing."""
    login = f"{connection.settings_dict['NAME']}_login"[:63]
    application, rights._of_process = rights._of_process, ""
    call_command("grant_rights", "--login", login, verbosity=0)
    rights._of_process = application
    execute(f'SET SESSION AUTHORIZATION "{login}"')
    connection._role = None
    yield login
    execute("RESET SESSION AUTHORIZATION")


@pytest.fixture
def as_stranger(public_role, as_application) -> Iterator[None]:
    """This connection speaks with the role of readers whom nobody knows."""
    rights.use_public()
    yield
    rights.use_application()


def execute(statement: str) -> None:
    """By a cursor that takes no role before."""
    with connection.connection.cursor() as cursor:
        cursor.execute(statement)


def require_denied(statement: str) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege), transaction.atomic():
        execute(statement)


def addresses(result: Result) -> list[str]:
    """One address of each public route; of a value that is not known here a page that is not there."""
    values = {
        "public_id": result.public_id, "id": result.public_id, "release": "sc99", "list": "full", "name": "full",
        "tool": "io500", "benchmark": "io500", "code": "io500.stonewall", "version": "1", "format": "json",
        "year": "2023",
    }  # fmt: skip

    def fill(pattern: URLPattern, prefix: str) -> str:
        route = str(pattern.pattern)
        slug = "north-lab" if "sites" in route else result.system.slug

        def value_of(parameter: re.Match[str]) -> str:
            kind, name = parameter[1] or "str:", parameter[2]
            return "1" if kind == "int:" else slug if name == "slug" else values.get(name, "1")

        return prefix + re.sub(r"<(\w+:)?(\w+)>", value_of, route)

    parts = (("/", page_urls), ("/api/v1/", api_urls), ("/", io500_urls))
    return [fill(pattern, prefix) for prefix, module in parts for pattern in module.urlpatterns]


def statuses(paths: list[str]) -> dict[str, int]:
    cache.clear()
    client, by_path = Client(), {}
    for address in paths:
        answer = client.get(address)
        if answer.streaming:
            b"".join(answer.streaming_content)
        by_path[address] = answer.status_code
    return by_path


def test_every_public_route_reads_no_private_table(published, public_role, settings) -> None:
    paths = addresses(published.result)
    assert len(paths) > 120 and not any("<" in address for address in paths), paths
    with override_settings(DATABASE_PUBLIC_ROLE=""):
        expected = statuses(paths)
    assert sum(status == 200 for status in expected.values()) > 60, expected
    assert statuses(paths) == expected


READABLE = Path(__file__).parent / "readable_columns.txt"
"""Lines of `table: where it is shown`, and below each its columns; one shown nowhere has a reason behind it."""


def readable_columns(role: str) -> dict[str, set[str]]:
    """By table the columns that a role may read."""
    tables: dict[str, set[str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
            " AND has_column_privilege(%s, format('%%I', table_name)::regclass, column_name, 'SELECT')",
            [role],
        )
        for table, column in cursor.fetchall():
            tables.setdefault(table, set()).add(column)
    return tables


def justified_columns() -> dict[str, set[str]]:
    tables: dict[str, set[str]] = {}
    table = ""
    for line in READABLE.read_text().splitlines():
        if not line.startswith("    "):
            table, _, reason = line.partition(": ")
            tables[table] = set()
        elif " - " in line:
            column, _, reason = line.strip().partition(" - ")
            tables[table].add(column)
        else:
            tables[table] |= {*line.strip().split(", ")}
        assert reason, line
    return tables


def test_each_column_that_strangers_read_is_shown_or_justified(public_role) -> None:
    assert readable_columns(public_role) == justified_columns()


def test_private_columns_are_read_by_no_stranger(as_stranger) -> None:
    private = [
        (model._meta.db_table, field.column)
        for model in apps.get_app_config("registry").get_models()
        for field in model._meta.concrete_fields
        if field.help_text.startswith("Private")
    ]
    assert {("registry_erasure", "erased_by"), ("registry_identitychange", "undone_by")} <= {*private}
    private += [("registry_override", "decided_by"), ("registry_logstate", "unheld_since")]
    private.remove(("registry_erasure", "system_id"))  # justified in readable_columns.txt
    for table, column in private:
        require_denied(f'SELECT "{column}" FROM "{table}"')
        require_denied(f'SELECT count(*) FROM "{table}" WHERE "{column}" IS NULL')


@pytest.fixture
def acts(published) -> tuple[IdentityChange, IdentityChange]:
    """Two merges into the published result's system: of a name that stood in the record, and of one that never did."""
    system = published.result.system
    merges = []
    for slug, public in (("north-lab-old", True), ("north-lab-secret", False)):
        System.objects.create(slug=slug, name=slug, site=system.site, merged_into=system)
        act = IdentityChange.objects.create(
            kind="system", action="merge", from_slug=slug, from_name=slug, to_slug=system.slug, to_name=system.name,
            reason="one machine", decided_by="erin", public=public,
        )  # fmt: skip
        merges.append(act)
    return merges[0], merges[1]


def test_acts_on_names_that_never_stood_in_the_record_are_read_by_no_stranger(acts, as_stranger) -> None:
    shown_act, secret = acts
    assert [*IdentityChange.objects.values_list("pk", flat=True)] == [shown_act.pk]
    rights.use_application()
    assert {*IdentityChange.objects.values_list("pk", flat=True)} == {shown_act.pk, secret.pk}


def test_leaves_of_private_things_are_read_by_no_stranger(published, as_stranger, tmp_path) -> None:
    rights.use_application()
    with override_settings(STORAGES=stored_in(tmp_path)):
        recording.new_leaves(['"a private thing"'])
        appending.append_waiting()
    every, opened = LogLeaf.objects.count(), LogLeaf.objects.filter(opening__isnull=False).count()
    assert every > opened > 0
    rights.use_public()
    assert LogLeaf.objects.count() == opened


def test_public_routes_show_merges_and_erasures_without_private_columns(acts, public_role, cast) -> None:
    system = Result.objects.get().system
    paths = [*addresses(Result.objects.get()), "/systems/north-lab-old/", "/api/v1/systems/north-lab-secret/"]
    paths += [f"/api/v1/name-changes/{act.pk}/" for act in acts]
    with override_settings(DATABASE_PUBLIC_ROLE=""):
        expected = statuses(paths)
    assert statuses(paths) == expected
    assert expected[f"/api/v1/name-changes/{acts[0].pk}/"] == 200
    assert expected["/systems/north-lab-old/"] in (301, 302, 308)
    assert expected["/api/v1/systems/north-lab-secret/"] == 404
    erased = Result.objects.get()
    Erasure.objects.create(
        result=erased, category="law", erased_at=timezone.now(), erased_by="erin", system=system, system_key="k"
    )
    with override_settings(DATABASE_PUBLIC_ROLE=""):
        gone = statuses(paths)
    assert statuses(paths) == gone and gone[f"/results/{erased.public_id}/"] == 410


def require_refusal(client: Client) -> None:
    with (
        override_settings(ROOT_URLCONF=__name__),
        pytest.raises(ProgrammingError, match="permission denied"),
        transaction.atomic(),
    ):
        client.get("/leak/")
    rights.use_application()


def test_a_public_view_that_reads_a_private_table_gets_an_error(public_role) -> None:
    require_refusal(Client())
    assert Account.objects.count() >= 0


def test_an_invalid_cookie_or_token_gives_no_rights(public_role) -> None:
    require_refusal(Client(headers={"cookie": "sessionid=made-up"}))
    require_refusal(Client(headers={"authorization": "Token made-up"}))


def test_signed_in_accounts_see_their_own_page_frame(published, public_role, cast) -> None:
    client = Client()
    client.force_login(cast.alice.account)
    page = client.get(f"/results/{published.result.public_id}/")
    assert page.status_code == 200 and "alice" in page.content.decode()
    assert client.get("/submissions/").status_code == 200
    assert cast.alice.get("submissions/").status_code == 200


def test_metrics_are_counted_with_the_rights_of_the_application(public_role) -> None:
    text = Client().get("/metrics").content.decode()
    assert "highwater_source_up{" in text and "} 0.0" not in [
        line[line.index("}") :] for line in text.splitlines() if line.startswith("highwater_source_up")
    ]


def test_the_public_role_cannot_write(published, public_role) -> None:
    rights.use_public()
    for statement in (
        "DELETE FROM registry_result",
        "UPDATE registry_result SET score = 1",
        "TRUNCATE registry_result",
    ):
        with (
            pytest.raises(DatabaseError, match="permission denied"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    rights.use_application()


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT lo_create(0)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT lo_put(1, 0, 'x')",
        "SELECT lowrite(0, 'x')",
        "SELECT pg_advisory_lock(2003267701)",
        "SELECT pg_advisory_xact_lock(1, 2)",
        "SELECT pg_try_advisory_lock_shared(1)",
        "SELECT pg_advisory_unlock_all()",
        "CREATE TEMPORARY TABLE mine (number int)",
        "CREATE TABLE public.mine (number int)",
        "CREATE FUNCTION public.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE SCHEMA mine",
    ],
)
def test_the_public_role_keeps_and_locks_nothing(as_stranger, statement) -> None:
    require_denied(statement)


def test_no_role_makes_tables_where_everybody_could(public_role, as_application) -> None:
    """A schema that began before PostgreSQL 15 lets everybody make functions that the owner may call unseen."""
    execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    application, rights._of_process = rights._of_process, ""
    rights.run_all(rights.grant_statements())
    rights._of_process = application
    for role in (public_role, application):
        require_denied(f'SET ROLE "{role}"; CREATE TABLE public.mine (number int)')
        require_denied(f'SET ROLE "{role}"; CREATE TEMPORARY TABLE mine (number int)')


def test_a_rollback_restores_no_rights(public_role) -> None:
    """SET ROLE is undone by a rollback: the connection must not believe that it still holds."""
    for use, denied in ((rights.use_public, True), (rights.use_application, False)):
        use()
        with pytest.raises(KeyError), transaction.atomic():
            Result.objects.count()
            raise KeyError
        if denied:
            with pytest.raises(ProgrammingError), transaction.atomic():
                Account.objects.count()
        else:
            assert Account.objects.count() >= 0


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE submissions_event SET reason = 'other'",
        "DELETE FROM submissions_event",
        "TRUNCATE submissions_event CASCADE",
        "ALTER TABLE submissions_event DISABLE TRIGGER ALL",
        "DROP TRIGGER event_is_final ON submissions_event",
        "UPDATE submissions_review SET reason = 'other'",
        "DELETE FROM submissions_review",
        "DELETE FROM registry_logleaf",
        "TRUNCATE registry_logleaf CASCADE",
        "ALTER TABLE registry_logleaf DISABLE TRIGGER ALL",
        "ALTER TABLE registry_listentry DISABLE TRIGGER ALL",
        "DELETE FROM submissions_tie",
        "DELETE FROM registry_identitychange",
        "DELETE FROM registry_logkey",
        "DELETE FROM registry_override",
        "DELETE FROM submissions_receiptkey",
        "DELETE FROM registry_logcheckpoint",
        "DELETE FROM django_migrations",
        *FORGERIES,
    ],
)
def test_the_application_role_cannot_rewrite_protected_tables(as_application, statement) -> None:
    refused = pytest.raises(DatabaseError, match=r"permission denied|must be owner")
    with refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


def test_the_application_works_with_its_role(release, as_application, cast, request) -> None:
    """From upload to publication, as web and workers do it."""
    submission: Submission = request.getfixturevalue("published")
    assert submission.result and Event.objects.filter(submission=submission).count() > 5
    assert Review.objects.get().ties == []
    assert Client().get("/lists/sc99/full/").status_code == 200


def test_the_application_names_an_anonymous_result(release, as_application, cast, anonymous) -> None:  # noqa: F811
    publish_release(release, cast.erin.account, allow_empty=True)
    assert Result.objects.get().institution != "North Lab"
    assert take_back(cast.alice, anonymous).status_code == 200
    assert Result.objects.get().institution == "North Lab"


def test_the_public_pages_are_the_same_for_a_login_that_owns_nothing(published, as_login) -> None:
    paths = addresses(published.result)
    Edition.objects.create(name="first", as_of=timezone.now(), manifest={"files": []})
    answers = statuses(paths)
    assert sum(status == 200 for status in answers.values()) > 60, answers
    assert {address for address, status in answers.items() if status >= 500} <= {"/readyz", "/healthz"}  # no worker
    assert not rights.owns_tables()


def test_a_login_that_owns_nothing_changes_no_record_as_any_of_its_roles(published, as_login) -> None:
    """With SQL of one's own choice on its connection, as a hole in a query would give."""
    before = Result.objects.values_list("score", flat=True).get()
    takes = [f'SET ROLE "{getattr(settings, name)}"' for name in rights.SETTING_OF.values()]
    for statement in FORGERIES:
        for take in ("SELECT 1", "RESET ROLE", *takes):
            require_denied(f"{take}; {statement}")
    assert Result.objects.values_list("score", flat=True).get() == before


def test_a_login_becomes_nobody_but_its_two_roles(as_login) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_get_userbyid(relowner) FROM pg_class WHERE relname = 'registry_result'")
        (owner,) = cursor.fetchone()
    require_denied(f'SET ROLE "{owner}"')
    require_denied("RESET ROLE; SELECT count(*) FROM submissions_account")
    require_denied("RESET ROLE; SELECT count(*) FROM registry_result")


def test_the_application_works_from_upload_to_withdrawal_on_that_login(release, as_login, cast, request) -> None:
    submission: Submission = request.getfixturevalue("published")
    reply = cast.alice.post(f"submissions/{submission.pk}/withdraw/", {"reason": "wrong disks"})
    assert reply.status_code == 200, reply.content
    submission.refresh_from_db()
    assert submission.require_result().withdrawn_reason == "wrong disks"


def test_waiting_leaves_are_appended_by_a_login_that_owns_nothing(published, as_login, tmp_path) -> None:
    with override_settings(STORAGES=stored_in(tmp_path)):
        first = appending.append_waiting()
        recording.new_leaves(['"a further leaf"'])
        second = appending.append_waiting()
    assert first is not None and second is not None and second.size == first.size + 1
    assert f"\n{second.size}\n" in (tmp_path / "log" / "checkpoint").read_text()


def test_no_login_is_made_of_who_owns_the_tables_or_of_a_role(public_role, as_application) -> None:
    rights._of_process = ""
    with connection.cursor() as cursor:
        cursor.execute("SELECT session_user")
        (owner,) = cursor.fetchone()
    for login, message in ((owner, "owns tables"), (public_role, "is one of the roles")):
        with pytest.raises(CommandError, match=message):
            call_command("grant_rights", "--login", login)
    assert rights.owns_tables()


def test_a_login_needs_both_roles(public_role) -> None:
    with pytest.raises(CommandError, match="Not set: application"):
        call_command("grant_rights", "--login", "somebody")


def test_grants_are_printed_and_may_be_run_again(settings) -> None:
    output = io.StringIO()
    with override_settings(DATABASE_APP_ROLE="printed_app", DATABASE_PUBLIC_ROLE="printed_public"):
        call_command("grant_rights", "--print", stdout=output)
    text = output.getvalue()
    assert 'GRANT SELECT ON "registry_result" TO "printed_public"' in text
    assert 'SELECT ON "submissions_' not in text and "auth_" not in text and "account_" not in text
    assert 'REVOKE UPDATE, DELETE ON "submissions_event" FROM "printed_app"' in text


def test_without_roles_the_deploy_check_warns(settings) -> None:
    assert not rights.are_set()
    (warning,) = request_role.warn_of_rights()
    assert warning.id == "registry.W003" and "application, public" in warning.msg
    assert Client().get("/").status_code == 200
