"""A copy that somebody changed, and recorded as loaded, is found: the data files make another one."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from registry.log import recording, verification
from registry.models import CatalogueLoad, Result
from submissions.publication.verification import copied_rows
from tests.registry.conftest import loaded  # noqa: F401
from tests.registry.record import make_release, make_result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

A_COPY = "(SELECT id FROM registry_result WHERE trust = 'imported' AND score > 0 ORDER BY id LIMIT 1)"
EDITS = {
    "a score": (f"UPDATE registry_result SET score = score * 2 WHERE id = {A_COPY}", "result.score is "),
    "a name": (f"UPDATE registry_result SET system_name = 'Fjord' WHERE id = {A_COPY}", "result.system is 'Fjord'"),
    "a measurement": (
        "UPDATE registry_measurement SET value = value * 2 WHERE id = (SELECT min(id) FROM registry_measurement)",
        "result.measurements[0].value is ",
    ),
    "an entry": (
        "UPDATE registry_listentry SET score = 1 WHERE id = (SELECT min(id) FROM registry_listentry)",
        "list.entries[0].score is 1.0",
    ),
    "a day": (
        "UPDATE registry_release SET held_on = held_on + 1 WHERE id = (SELECT min(id) FROM registry_release)",
        "release.held_on is ",
    ),
}


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(sql)
        assert cursor.rowcount == 1
        cursor.execute("SET LOCAL session_replication_role = DEFAULT")


def test_unchanged_copies_pass_and_stay_as_they_are() -> None:
    before = dict(Result.objects.values_list("pk", "institution"))
    assert copied_rows.copy_breaks() == ([], 0)
    assert dict(Result.objects.values_list("pk", "institution")) == before
    assert CatalogueLoad.objects.count() == 1


def test_edited_copies_are_found() -> None:
    """Also with a record that says so: `loaded` may change any value of a copy."""
    for sql, _sentence in EDITS.values():
        execute(sql)
    recording.note_unrecorded()
    recording.record_unrecorded()
    assert list(verification.table_breaks()) == [], "the log has the edited values"
    sentences, unknown = copied_rows.copy_breaks()
    for name, (_sql, sentence) in EDITS.items():
        assert any(sentence in line and "the data files make" in line for line in sentences), (name, sentences)
    assert (len(sentences), unknown) == (len(EDITS), 0), sentences


def test_copies_of_other_files_are_counted_and_invented_results_named() -> None:
    """An archive that an operator imported is no copy of the data files; a verified result has a submission."""
    release = make_release("sc30", "2030-11-01")
    make_result(release, "io500-9999")
    make_result(release, "hw-77", trust=Result.Trust.VERIFIED, bundle_sha256="0" * 64)
    assert copied_rows.copy_breaks()[1] == 1
    out = io.StringIO()
    with pytest.raises(CommandError):
        call_command("verify_record", "--without-bytes", stdout=out, stderr=io.StringIO())
    assert "Not covered: 1 copied results are not in the data files of this release." in out.getvalue()
    assert "results/hw-77: it is verified, and no submission here became it." in out.getvalue()


def test_copies_of_an_earlier_load_are_unknown() -> None:
    CatalogueLoad.objects.update(digest="x")
    with pytest.raises(copied_rows.CopiesUnknown, match="of this release"):
        copied_rows.copy_breaks()
