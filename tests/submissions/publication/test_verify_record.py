"""`manage verify_record`: whole where nothing was touched; every edit past the application is named."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from registry.log import appending, log_files
from registry.models import LogCheckpoint
from registry.query.stored_bytes import key_of
from submissions.bundles.storage import received_storage
from tests.submissions.stage import Stage


@pytest.fixture(autouse=True)
def bundles(stage, db) -> None:
    """Everything lies where the stage put it; no trigger refuses, as for somebody with the rights of the owner."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")


@pytest.fixture(scope="module")
def logged(stage: Stage, django_db_blocker: Any) -> Stage:
    """The stage, with all that is published in the log."""
    with django_db_blocker.unblock():
        appended = appending.append_waiting()
    assert appended is not None and appended.size > 4
    return stage


def verify(*arguments: str) -> tuple[bool, list[str]]:
    """Whether the command says whole, and its lines."""
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("verify_record", *arguments, stdout=out, stderr=err)
    except CommandError as error:
        assert "is not whole" in str(error), error
        return False, out.getvalue().splitlines()
    assert "numbers from stored bytes: 0 of" in err.getvalue() or arguments
    return True, out.getvalue().splitlines()


def execute(sql: str, *parameters: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        assert cursor.rowcount, "the edit of the test changed nothing"


def test_the_untouched_record_is_whole_and_says_what_it_read(logged: Stage) -> None:
    is_whole, lines = verify()
    assert (is_whole, len(lines)) == (True, 1), lines
    assert "2 results were derived again from stored bytes" in lines[0]


def double_scores(stage: Stage) -> None:
    execute("UPDATE registry_result SET score = score * 2")
    execute("UPDATE registry_measurement SET value = value * 2, printed_value = printed_value * 2")


def edit_list(stage: Stage) -> None:
    execute("UPDATE registry_listentry SET score = score * 2 WHERE position = 1")


def replace_sha256(stage: Stage) -> None:
    execute("UPDATE submissions_submission SET sha256 = %s WHERE id = %s", stage.others.sha256, stage.published.pk)


def change_report(stage: Stage) -> None:
    execute(
        "UPDATE submissions_check SET report = replace(report::text, '\"value\": ', '\"value\": 9')::jsonb"
        " WHERE submission_id = %s",
        stage.published.pk,
    )


EDITS: dict[str, tuple[Callable[[Stage], None], str]] = {
    "scores doubled": (double_scores, "score is published as"),
    "frozen list edited": (edit_list, "do not have the digest"),
    "sha256 replaced": (replace_sha256, "bundle_sha256 is published as"),
    "report changed": (change_report, "the stored report of its check is not the one of its bytes"),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits_past_the_application_are_named(logged: Stage, name: str) -> None:
    edit, named = EDITS[name]
    edit(logged)
    is_whole, lines = verify()
    assert not is_whole
    assert any(named in line for line in lines), lines


def test_bytes_that_changed_are_named(logged: Stage) -> None:
    path = Path(received_storage().path(key_of(logged.published.sha256)))
    content = path.read_bytes()
    try:
        path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        is_whole, lines = verify()
        assert not is_whole
        assert any("the stored bytes of" in line for line in lines), lines
        path.unlink()
        is_whole, lines = verify()
        assert not is_whole
        assert any("stored bytes of it are gone" in line for line in lines), lines
        assert "Not derived again: 1 result, its bytes are gone." in lines
    finally:
        path.write_bytes(content)


def test_files_of_the_log_that_changed_are_named(logged: Stage) -> None:
    for name in ("tile/0/000.p/{size}", "tile/entries/000.p/{size}", "checkpoint"):
        path = Path(log_files.log_storage().path(f"log/{name.format(size=appending.log_size())}"))
        content = path.read_bytes()
        try:
            path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
            is_whole, lines = verify("--without-bytes")
        finally:
            path.write_bytes(content)
        assert not is_whole, name
        assert lines[0].startswith("The log"), lines


def test_an_earlier_checkpoint_is_continued_or_not(logged: Stage, tmp_path: Path) -> None:
    earlier = tmp_path / "checkpoint"
    earlier.write_text(LogCheckpoint.objects.latest("size").note)
    assert verify("--without-bytes", "--checkpoint", str(earlier))[0]
    size, root = appending.log_size(), base64.b64encode(bytes(32)).decode()
    for other_size in (size, size - 1, size + 1):
        earlier.write_text(f"some.log\n{other_size}\n{root}\n\n\u2014 some.log AAAA\n")
        is_whole, lines = verify("--without-bytes", "--checkpoint", str(earlier))
        assert not is_whole
        assert any("checkpoint that was kept" in line for line in lines), lines


@pytest.mark.parametrize("text", ["", "no note", "a\nb\nc\n\n"])
def test_what_is_no_checkpoint_is_refused(logged: Stage, tmp_path: Path, text: str) -> None:
    (tmp_path / "checkpoint").write_text(text)
    with pytest.raises(CommandError, match="holds no checkpoint"):
        call_command("verify_record", "--checkpoint", str(tmp_path / "checkpoint"))
