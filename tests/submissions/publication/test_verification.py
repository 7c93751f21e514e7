"""What was published stays what it was: edits past the application are found, by the operator and by an outsider.

The operator has `manage verify_record`. The outsider has an old checkpoint, the API and an own reader.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from registry.log import appending, log_files, recording
from registry.log.recorded_read import is_damaged
from registry.models import LogCheckpoint, LogOpening, RankedList, Release, Result, Site, System
from registry.query.stored_bytes import key_of
from submissions.bundles.storage import received_storage
from submissions.lifecycle import audit_chain
from submissions.models import Event, Submission
from submissions.publication import amendments
from submissions.publication.verification import derivation, whole_record
from tests.registry.log.second_reader import Disagreement, Head, SecondReader, canonical_json, require_shown
from tests.submissions.publication import random_edits
from tests.submissions.stage import Stage
from validators import VERSION


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


def test_an_unchanged_database_passes_verification_with_counts(logged: Stage) -> None:
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


def rewrite_review(stage: Stage) -> None:
    execute("UPDATE submissions_review SET reason = 'Sound, too.' WHERE submission_id = %s", stage.published.pk)


def hash_chain_again(stage: Stage) -> None:
    """Change the reason of the first row, and write the hashes of all that follow it as the database would."""
    rows = list(Event.objects.filter(submission=stage.published).order_by("id").values())
    rows[0]["reason"] = "Something else."
    previous = ""
    for row in rows:
        previous = audit_chain.hash_of(previous, row)
        sql = "UPDATE submissions_event SET reason = %s, hash = %s WHERE id = %s"
        execute(sql, row["reason"], previous, row["id"])


def delete_last_note(stage: Stage) -> None:
    """A note changes no state, so the chain of hashes does not miss it."""
    note = Event.objects.filter(submission=stage.published).order_by("-id").first()
    assert note is not None
    execute("UPDATE submissions_event SET to_state = from_state WHERE id = %s", note.pk)
    execute("DELETE FROM submissions_event WHERE id = %s", note.pk)


def delete_submission(stage: Stage) -> None:
    tables = ("event", "review", "check", "derivative", "systemsnapshot", "assignment", "comment")
    for table in tables:
        with connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM submissions_{table} WHERE submission_id = %s", [stage.submitted.pk])
    execute("DELETE FROM submissions_submission WHERE id = %s", stage.submitted.pk)


def insert_event(stage: Stage) -> None:
    execute(
        "INSERT INTO submissions_event (submission_id, at, from_state, to_state, reason, hash)"
        " SELECT submission_id, now(), to_state, to_state, 'Never said.', '' FROM submissions_event LIMIT 1"
    )


def change_time_in_note(stage: Stage) -> None:
    """By a second, in the row and in the text, without the key."""
    head, encoded = LogCheckpoint.objects.latest("size").note.rstrip("\n").rsplit(" ", 1)
    content = bytearray(base64.b64decode(encoded))
    content[11] ^= 1
    note = f"{head} {base64.b64encode(content).decode()}\n"
    execute("UPDATE registry_logcheckpoint SET note = %s, signed_at = to_timestamp(%s)", note, content[11])


def edit_submission(name: str, value: str) -> Callable[[Stage], None]:
    def edit_row(stage: Stage) -> None:
        execute(f"UPDATE submissions_submission SET {name} = {value} WHERE id = %s", stage.published.pk)

    return edit_row


def edit_result(name: str, value: str) -> Callable[[Stage], None]:
    def edit_row(stage: Stage) -> None:
        execute(f"UPDATE registry_result SET {name} = {value} WHERE id = %s", stage.published.result_id)

    return edit_row


def exchange_scores(stage: Stage) -> None:
    """Of the entries with the least and the greatest one."""
    least, greatest = (f"(SELECT {way}(score) FROM registry_listentry)" for way in ("min", "max"))
    execute(
        f"UPDATE registry_listentry SET score = CASE score WHEN {least} THEN {greatest} ELSE {least} END"
        f" WHERE score IN ({least}, {greatest}) AND {least} < {greatest}"
    )


def exchange_places(stage: Stage) -> None:
    """Of the first two leaves."""
    for place, other in ((0, 900), (1, 0), (900, 1)):
        execute("UPDATE registry_logleaf SET index = %s WHERE index = %s", other, place)


def exchange_ids(stage: Stage) -> None:
    """What one result has stands under the id of another one."""
    first, second = Result.objects.order_by("score").values_list("public_id", flat=True)[:2]
    Result.objects.filter(public_id=first).update(public_id="x")
    Result.objects.filter(public_id=second).update(public_id=first)
    Result.objects.filter(public_id="x").update(public_id=second)


def exchange_records(stage: Stage) -> None:
    """Salt and text of the records of two results stand with the leaf of the other one."""
    first, second = LogOpening.objects.filter(kind="result").order_by("leaf")[:2]
    texts = (first.salt, first.canonical)
    LogOpening.objects.filter(pk=first.pk).update(salt=second.salt, canonical=second.canonical)
    LogOpening.objects.filter(pk=second.pk).update(salt=texts[0], canonical=texts[1])


def rewrite_decision(stage: Stage) -> None:
    """The reason why an editor put another score on a published list."""
    ranked_list = RankedList.objects.get(release__slug="sc98", name="full")
    public_id = stage.published.require_result().public_id
    amendments.override_result(ranked_list, stage.cast.erin.account, public_id, "score", "A typo.\nSee the run.", 1.5)
    assert verify("--without-bytes")[0]
    execute("UPDATE registry_override SET reason = 'A typo.'")


EDITS: dict[str, tuple[Callable[[Stage], None], str]] = {
    "scores doubled": (double_scores, "score is published as"),
    "frozen list edited": (edit_list, "do not have the digest"),
    "sha256 replaced": (replace_sha256, "bundle_sha256 is published as"),
    "review rewritten": (rewrite_review, "has reason 'Sound, too.', the log 'Sound.'"),
    "chain hashed again": (hash_chain_again, "has reason 'Something else.', the log"),
    "last note deleted": (delete_last_note, "and it is gone."),
    "submission deleted": (delete_submission, "records of it, and it is gone."),
    "event invented": (insert_event, "has no record in the log."),
    "private record changed": (
        lambda stage: execute("UPDATE submissions_privaterecord SET canonical = replace(canonical, '0', '1')"),
        "was changed since",
    ),
    "private record deleted": (
        lambda stage: execute("DELETE FROM submissions_privaterecord WHERE kind = 'decision'"),
        "has no record here",
    ),
    "private record emptied": (
        lambda stage: execute("UPDATE submissions_privaterecord SET salt = NULL, canonical = NULL, erased_at = now()"),
        "was emptied, and it was not erased",
    ),
    "ties forgotten": (
        lambda stage: execute("UPDATE submissions_review SET ties = '[\"Another\"]'"),
        "has ties[0] 'Another', the log 'nothing'",
    ),
    "ties said to be unknown": (
        lambda stage: execute("UPDATE submissions_review SET ties = NULL"),
        "has ties None, the log []",
    ),
    **{
        f"{name} of a decided submission": (edit_submission(name, value), f"has submitted.{name.removesuffix('_id')}")
        for name, value in {
            "account_id": "(SELECT max(id) FROM submissions_account)",
            "institution_id": "NULL",
            "release_id": "NULL",
            "lists": "'[\"ten\"]'",
            "chosen_primary": "7",
            "submitted_at": "now() + interval '1 day'",
            "rules_acknowledged_at": "NULL",
            "publication_acknowledged_at": "NULL",
            "embargo_until": "now()",
        }.items()
    },
    "account of an undecided submission": (
        lambda stage: execute(
            "UPDATE submissions_submission SET account_id = %s WHERE id = %s",
            stage.others.account_id,
            stage.checked.pk,
        ),
        "has account ",
    ),
    "opted_in": (edit_result("opted_in", "NOT opted_in"), "opted_in is published as"),
    "ten_node": (edit_result("ten_node", "ten_node IS NOT TRUE"), "ten_node is published as"),
    "lists": (edit_result("lists", "'[\"ten\"]'"), "lists is published as ['ten']"),
    "summary of a system": (
        lambda stage: execute("UPDATE registry_systemsnapshot SET summary = '{}'"),
        "the summary of its system is not the one of its description",
    ),
    "sha256 of a system": (
        lambda stage: execute("UPDATE registry_systemsnapshot SET sha256 = repeat('0', 64)"),
        "the published description of its system is not the one of its bytes",
    ),
    "report changed": (change_report, "the stored report of its check is not the one of its bytes"),
    "fact changed": (
        lambda stage: execute("UPDATE registry_fact SET text = 'x' WHERE name = 'tool'"),
        "its fact tool is 'x', and the record makes 'io500'",
    ),
    "fact deleted": (
        lambda stage: execute("DELETE FROM registry_fact WHERE name = 'tool'"),
        "its fact tool is nothing, and the record makes 'io500'",
    ),
    "fact invented": (
        lambda stage: execute(
            "INSERT INTO registry_fact (result_id, name, text) SELECT id, 'gpu', 'yes' FROM registry_result"
        ),
        "its fact gpu is 'yes', and the record makes nothing",
    ),
    "parameter changed": (
        lambda stage: execute("UPDATE registry_observedparameter SET text = 'x'"),
        "is not in the description of its system",
    ),
    "parameter deleted": (
        lambda stage: execute("DELETE FROM registry_observedparameter"),
        "of its system is not stored",
    ),
    "definition changed": (
        lambda stage: execute('UPDATE registry_listdefinition SET body = body || \'{"title": "x"}\''),
        "is not the one of its file",
    ),
    "definition invented": (
        lambda stage: execute(
            "INSERT INTO registry_listdefinition (name, version, body)"
            " SELECT name, version + 100, body FROM registry_listdefinition"
        ),
        "is in no file of this release",
    ),
    "catalogue of another release": (
        lambda stage: execute("INSERT INTO registry_catalogueload (digest, loaded_at) VALUES ('x', now())"),
        "run manage load_catalogue",
    ),
    "note of an old checkpoint changed": (
        lambda stage: execute(
            "INSERT INTO registry_logcheckpoint (size, root, note, signed_at) SELECT 0, sha256(''), note, signed_at"
            " FROM registry_logcheckpoint"
        ),
        "the checkpoint of 0 entries has another name, size or root than its row",
    ),
    "time of a checkpoint": (
        lambda stage: execute("UPDATE registry_logcheckpoint SET signed_at = signed_at - interval '1 day'"),
        "is said to be of",
    ),
    "time of a checkpoint, and no signature of it": (
        lambda stage: execute(
            "UPDATE registry_logcheckpoint SET signed_at = signed_at - interval '1 day',"
            " note = regexp_replace(note, '\n[^\n]*\n$', E'\\n')"
        ),
        "and has no time signed",
    ),
    "time in the note of a checkpoint": (change_time_in_note, "the time of the checkpoint is not signed"),
    "key invented": (
        lambda stage: execute(
            "INSERT INTO registry_logkey (verifier_key, first_used_at)"
            " SELECT replace(verifier_key, '+', 'x+'), first_used_at FROM registry_logkey"
        ),
        "The log: ",
    ),
    "first use of a key": (
        lambda stage: execute("UPDATE registry_logkey SET first_used_at = first_used_at - interval '1 day'"),
        "is said to be used since another time",
    ),
    "name of an institution": (
        lambda stage: execute("UPDATE registry_site SET name = name || 'x'"),
        "sites/",
    ),
    "spellings of an institution": (
        lambda stage: execute("UPDATE registry_site SET also_printed_as = '[\"x\"]'"),
        "site.also_printed_as",
    ),
    "name of a system": (lambda stage: execute("UPDATE registry_system SET name = name || 'x'"), "system.name"),
    "a system invented": (
        lambda stage: execute(
            "INSERT INTO registry_system (slug, site_id, name) SELECT slug || '-x', site_id, name || 'x'"
            " FROM registry_system"
        ),
        "it has no record",
    ),
    "a former name invented": (
        lambda stage: execute(
            "UPDATE registry_system SET merged_into_id = (SELECT max(id) FROM registry_system)"
            " WHERE id < (SELECT max(id) FROM registry_system)"
        ),
        "its rows are gone",
    ),
    "manifest of the files": (
        lambda stage: execute("UPDATE registry_edition SET manifest = manifest || '{\"results\": 99}'"),
        "edition.results is 99",
    ),
    "time of the files": (
        lambda stage: execute("UPDATE registry_edition SET as_of = as_of - interval '1 day'"),
        "edition.as_of is",
    ),
    "an edition invented": (
        lambda stage: execute(
            "INSERT INTO registry_edition (name, as_of, manifest) SELECT 'x', as_of, manifest FROM registry_edition"
        ),
        "the log has it as the newest edition, and another one is served",
    ),
    "editions deleted": (
        lambda stage: execute("DELETE FROM registry_edition"),
        "the log has it as the newest edition, and another one is served",
    ),
    "a letter of a name that looks alike": (
        lambda stage: execute("UPDATE registry_site SET name = replace(name, 'a', '\u0430')"),
        "site.name",
    ),
    "an accent of a name written otherwise": (
        lambda stage: execute("UPDATE registry_result SET institution = institution || 'e\u0301'"),
        "result.institution",
    ),
    "a sign of a name that nobody sees": (
        lambda stage: execute("UPDATE registry_system SET name = name || '\u200b'"),
        "system.name",
    ),
    "scores of two entries exchanged": (exchange_scores, "do not have the digest"),
    "ids of two results exchanged": (exchange_ids, "more values differ"),
    "records of two results exchanged": (exchange_records, "was changed since"),
    "reason of a decision": (rewrite_decision, "does not have the reason of the decision about"),
    "places of two leaves exchanged": (exchange_places, "do not have the root of the checkpoint"),
    "name of the log": (
        lambda stage: execute("UPDATE registry_logstate SET origin = 'another/log'"),
        "has another name, size or root than its row",
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_edits_made_in_the_database_are_named(logged: Stage, name: str) -> None:
    edit, named = EDITS[name]
    edit(logged)
    is_whole, lines = verify()
    assert not is_whole
    assert any(named in line for line in lines), lines


def test_things_that_wait_for_a_record_are_one_line(logged: Stage) -> None:
    """After a load or an upgrade everything waits, until a minute has passed."""
    execute("UPDATE registry_logstate SET unheld_since = now()")
    execute(
        "INSERT INTO registry_system (slug, site_id, name) SELECT 'new-' || n, max(site_id), 'New ' || n"
        " FROM registry_system, generate_series(1, 5) AS n GROUP BY n"
    )
    is_whole, lines = verify("--without-bytes")
    waiting = [line for line in lines if line.startswith("No record yet: ")]
    assert (is_whole, len(waiting)) == (False, 1), lines
    assert waiting[0].startswith("No record yet: systems/new-")
    assert waiting[0].endswith(" and 2 more. Run manage append_log, then verify again.")


def publish_with_earlier_rules(stage: Stage) -> None:
    execute("UPDATE submissions_check SET validators_version = '0.9.0' WHERE submission_id = %s", stage.published.pk)


def test_numbers_that_later_rules_read_otherwise_are_no_edits(logged: Stage) -> None:
    publish_with_earlier_rules(logged)
    double_scores(logged)
    change_report(logged)
    submission = Submission.objects.get(pk=logged.published.pk)
    result = submission.require_result()
    outcome = derivation.derive_result(submission)
    assert outcome.breaks == []
    assert "score is read otherwise" in outcome.read_otherwise
    verification = whole_record.Verification()
    breaks = list(verification.find_breaks(lambda text: None))
    assert not any(" is published as " in line for line in breaks if line.startswith(f"{result.public_id}: "))
    assert any("validators_version" in line for line in breaks), "the edited version itself is one"
    later = list(verification.unknown_sentences())
    assert f"By later rules ({VERSION}): score is read otherwise: {result.public_id}." in later
    assert len(later) == len(set(outcome.read_otherwise))
    assert "2 results were derived again from stored bytes (1 of them otherwise by later rules)" in (
        verification.sum_up()
    )


def test_changed_decisions_are_edits_by_any_rules(logged: Stage) -> None:
    publish_with_earlier_rules(logged)
    execute("UPDATE registry_result SET production = NOT production")
    (line,) = derivation.derive_result(Submission.objects.get(pk=logged.published.pk)).breaks
    assert "production is published as" in line


def test_changed_bytes_are_named(logged: Stage) -> None:
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


def test_changed_files_of_the_log_are_named(logged: Stage) -> None:
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


def test_an_earlier_checkpoint_is_checked_for_continuation(logged: Stage, tmp_path: Path) -> None:
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
def test_an_invalid_checkpoint_is_refused(logged: Stage, tmp_path: Path, text: str) -> None:
    (tmp_path / "checkpoint").write_text(text)
    with pytest.raises(CommandError, match="holds no checkpoint"):
        call_command("verify_record", "--checkpoint", str(tmp_path / "checkpoint"))


WITHDRAWAL = "(SELECT max(leaf_id) FROM registry_logopening WHERE act = 'withdrawn')"
HIDINGS = {
    "deleted": f"DELETE FROM registry_logopening WHERE leaf_id = {WITHDRAWAL}",
    "emptied": "UPDATE registry_logopening SET salt = NULL, canonical = NULL, erased_at = now()"
    " WHERE act = 'withdrawn'",
    "emptied under another name": "UPDATE registry_logopening SET salt = NULL, canonical = NULL, erased_at = now(),"
    " subject = 'results/gone' WHERE act = 'withdrawn'",
    "made a private one": "INSERT INTO submissions_privaterecord (leaf_id, kind, row, erased_at)"
    f" VALUES ({WITHDRAWAL}, 'event', 1, now()); DELETE FROM registry_logopening WHERE leaf_id = {WITHDRAWAL}",
}


@pytest.mark.parametrize("name", HIDINGS)
def test_a_deleted_newest_record_is_found(logged: Stage, name: str) -> None:
    """Else the record before it would be the newest, and the tables could be turned back to it."""
    result = Result.objects.filter(pk=logged.published.result_id)
    first_fields = result.values("withdrawn_at", "withdrawn_reason").get()
    result.update(withdrawn_at=timezone.now(), withdrawn_reason="Wrong.")
    recording.record_results([logged.published.result_id], recording.WITHDRAWN)
    assert verify("--without-bytes")[0]
    result.update(**first_fields)
    with connection.cursor() as cursor:
        for sql in HIDINGS[name].split("; "):
            cursor.execute(sql)
    is_whole, lines = verify("--without-bytes")
    assert not is_whole, lines


# The outsider


class Outsider:
    """Somebody without an account, who kept the head of the log when all was well."""

    def __init__(self) -> None:
        self.client = Client(raise_request_exception=False)
        self.earlier: Head | None = None
        self.earlier = SecondReader(self.fetch).head

    def fetch(self, path: str) -> bytes:
        answer = self.client.get(f"/log/{path}")
        if answer.status_code != 200:
            raise Disagreement(f"{path} is not there")
        return answer.content

    def ask(self, path: str) -> Any:
        answer = self.client.get(f"/api/v1/{path}")
        if answer.status_code != 200:
            raise Disagreement(f"{path} answers {answer.status_code}")
        return answer.json()

    def look(self, subjects: list[str]) -> None:
        """Raise Disagreement unless the log goes on and all subjects are shown as it has them."""
        reader = SecondReader(self.fetch)
        assert self.earlier is not None
        reader.require_continues(self.earlier)
        for subject in subjects:
            proof = self.ask(f"{subject}/proof/")
            reader.require_proof(proof)
            self.hold_answer(subject, proof["record"])

    def hold_answer(self, subject: str, record: dict[str, Any]) -> None:
        if subject == "export":
            require_shown(record["edition"], self.ask("export/manifest.json"))
            return
        kind = subject.partition("s/")[0]
        require_shown(record[kind], self.ask(f"{subject}/"), ("entries",) if kind == "list" else ())
        if kind == "result":
            for name in ("distributions", "files"):
                rows = self.ask(f"{subject}/{name}/")["results"]
                self.require_digest(record["parts"][name], rows, name)
            if record["parts"]["system"]:
                self.require_digest(record["parts"]["system"], self.ask(f"{subject}/system/")["document"], "system")

    def require_digest(self, logged: str, document: Any, name: str) -> None:
        if hashlib.sha256(canonical_json(document).encode()).hexdigest() != logged:
            raise Disagreement(f"{name} is not what the log has")


@pytest.fixture
def outsider(logged: Stage) -> Outsider:
    cache.clear()
    return Outsider()


@pytest.fixture
def subjects(logged: Stage) -> list[str]:
    results = Result.objects.order_by("pk").values_list("public_id", flat=True)
    lists = RankedList.objects.exclude(frozen_at=None).values_list("release__slug", "name")
    return [
        *(f"results/{public_id}" for public_id in results),
        *(f"lists/{release}/{name}" for release, name in lists),
        *(f"releases/{slug}" for slug in Release.objects.values_list("slug", flat=True)),
        *(f"sites/{slug}" for slug in Site.objects.exclude(results=None).values_list("slug", flat=True)),
        *(f"systems/{slug}" for slug in System.objects.values_list("slug", flat=True)),
        "export",
    ]


def test_the_second_implementation_reads_the_log(outsider: Outsider, subjects: list[str]) -> None:
    assert len(subjects) == 11
    outsider.look(subjects)


def edit_distributions(stage: Stage) -> None:
    execute(
        "UPDATE registry_result SET snapshot = jsonb_set(snapshot, '{distributions}', %s::jsonb || '[{\"op\": \"x\"}]')"
        " WHERE id = %s",
        json.dumps(stage.published.require_result().snapshot.get("distributions", [])),
        stage.published.result_id,
    )


PUBLIC_EDITS: dict[str, Callable[[Stage], None]] = {
    "scores doubled": double_scores,
    "frozen list edited": edit_list,
    "one score": lambda stage: execute("UPDATE registry_result SET score = 1 WHERE id = %s", stage.published.result_id),
    "an institution": lambda stage: execute("UPDATE registry_result SET institution = 'Elsewhere'"),
    "a printed unit": lambda stage: execute("UPDATE registry_measurement SET printed_unit = 'MB/s' WHERE position = 1"),
    "withdrawn": lambda stage: execute("UPDATE registry_result SET withdrawn_at = now()"),
    "a note of a list": lambda stage: execute("UPDATE registry_rankedlist SET note = 'Amended on 2026-01-01: x'"),
    "a deadline": lambda stage: execute("UPDATE registry_release SET deadline = deadline - interval '9 days'"),
    "the moment of a publication": lambda stage: execute(
        "UPDATE registry_release SET published_at = published_at - interval '1 day' WHERE published_at IS NOT NULL"
    ),
    "versions of an open release": lambda stage: execute(
        "UPDATE registry_release SET benchmark_versions = '[\"x\"]' WHERE published_at IS NULL"
    ),
    "reviewers of a release": lambda stage: execute("UPDATE registry_release SET accepting_reviewers = 3"),
    "a file": lambda stage: execute(
        "DELETE FROM registry_resultfile WHERE path IN (SELECT min(path) FROM registry_resultfile)"
    ),
    "a described system": lambda stage: execute(
        "UPDATE registry_systemsnapshot SET document = document || '{\"x\": 1}'"
    ),
    "distributions": edit_distributions,
    "a name": lambda stage: execute("UPDATE registry_site SET name = name || 'x'"),
    "a system": lambda stage: execute("UPDATE registry_system SET name = name || 'x'"),
    "an edition": lambda stage: execute("UPDATE registry_edition SET manifest = manifest || '{\"results\": 99}'"),
    "a record": lambda stage: execute("UPDATE registry_logopening SET canonical = replace(canonical, '0', '1')"),
    "a salt": lambda stage: execute("UPDATE registry_logopening SET salt = sha256(salt)"),
    "an entry": lambda stage: execute("UPDATE registry_logleaf SET entry = sha256(entry)"),
    "records removed": lambda stage: execute("DELETE FROM registry_logopening"),
    "a letter that looks alike": lambda stage: execute("UPDATE registry_site SET name = replace(name, 'a', '\u0430')"),
    "a sign that nobody sees": lambda stage: execute(
        "UPDATE registry_result SET institution = institution || '\u200b'"
    ),
    "scores of two entries exchanged": exchange_scores,
    "ids of two results exchanged": exchange_ids,
    "records of two results exchanged": exchange_records,
}


DAMAGES = {
    "scores doubled": "UPDATE registry_result SET score = score * 2",
    "no number": "UPDATE registry_result SET score = 'NaN'",
    "no finite value": "UPDATE registry_measurement SET value = 'Infinity'",
    "a snapshot of another kind": "UPDATE registry_result SET snapshot = '[1]'",
    "a snapshot without an object": "UPDATE registry_result SET snapshot = 'null'",
    "scores of another kind": "UPDATE registry_result SET repeated_scores = '\"x\"'",
    "parameters of another kind": "UPDATE registry_result SET parameters = '[[1]]'",
    "evidence of another kind": "UPDATE registry_result SET snapshot = jsonb_set(snapshot, '{evidence}', '[1]')",
    "distributions as a number": "UPDATE registry_result SET snapshot = jsonb_set(snapshot, '{distributions}', '1')",
    "a context of another kind": "UPDATE registry_measurement SET context = '[1]'",
    "a document of another kind": "UPDATE registry_systemsnapshot SET document = '[1]'",
    "a document of nothing": "UPDATE registry_systemsnapshot SET document = '{\"nodes\": 1}'",
    "a record that is no JSON": "UPDATE registry_logopening SET canonical = '{'",
    "a record that is no object": "UPDATE registry_logopening SET canonical = '[1]'",
    "a record that is nothing": "UPDATE registry_logopening SET canonical = ''",
    "a checkpoint that is none": "UPDATE registry_logcheckpoint SET note = 'x'",
    "places beyond the log": "UPDATE registry_logleaf SET index = index + 1000",
}

DAMAGE_CODES = ("record.damaged", "log.malformed-record", "log.away")


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_rows_give_a_coded_error(logged: Stage, name: str) -> None:
    execute(DAMAGES[name])
    cache.clear()
    client = Client()
    public_id = logged.published.require_result().public_id
    for part in ("proof/", "", "system/", "files/", "distributions/"):
        answer = client.get(f"/api/v1/results/{public_id}/{part}")
        body = answer.json()
        assert answer.status_code == 200 or body["code"] in DAMAGE_CODES, (part, body)


def test_unchanged_rows_are_not_reported_as_damaged(logged: Stage) -> None:
    """So that a defect of the code stays loud."""
    public_id = logged.published.require_result().public_id
    assert not is_damaged(f"results/{public_id}")
    frozen = RankedList.objects.filter(entries__result__public_id=public_id).select_related("release").first()
    subject = f"lists/{frozen.release.slug}/{frozen.name}"
    assert not is_damaged(subject)
    double_scores(logged)
    assert is_damaged(f"results/{public_id}")
    execute("UPDATE registry_listentry SET score = score * 2")
    assert is_damaged(subject)
    for missing in ("results/hw-none", "results/", "lists/none/full"):
        assert not is_damaged(missing)


DAMAGES_OF_LISTS = {
    "entries without a number": "UPDATE registry_listentry SET score = 'NaN'",
    "a definition of another kind": "UPDATE registry_listdefinition SET body = '[1]'",
    "a definition of nothing": "UPDATE registry_listdefinition SET body = 'null'",
}


@pytest.mark.parametrize("name", [*DAMAGES, *DAMAGES_OF_LISTS])
def test_damaged_rows_are_named_on_pages_and_in_proofs_of_lists(logged: Stage, name: str) -> None:
    """No page of a result or a list breaks without saying why; what can still be shown is shown."""
    public_id = logged.published.require_result().public_id
    frozen = RankedList.objects.filter(entries__result__public_id=public_id).select_related("release").first()
    list_path = f"lists/{frozen.release.slug}/{frozen.name}/"
    execute((DAMAGES | DAMAGES_OF_LISTS)[name])
    cache.clear()
    client = Client(raise_request_exception=False)
    results = [f"/results/{public_id}/", f"/results/{public_id}/among/", f"/results/{public_id}/members/"]
    for address in (*results, f"/{list_path}", f"/api/v1/{list_path}", f"/api/v1/{list_path}proof/"):
        answer = client.get(address)
        is_coded = answer.status_code == 503 and any(code in answer.content.decode() for code in DAMAGE_CODES)
        assert answer.status_code == 200 or is_coded, (address, answer.status_code)


def test_a_defect_of_the_code_stays_loud(logged: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    public_id = logged.published.require_result().public_id
    monkeypatch.setattr("registry.results.views.page_lead", None)
    answer = Client(raise_request_exception=False).get(f"/results/{public_id}/")
    assert (answer.status_code, "server.error" in answer.content.decode()) == (500, True)


@pytest.mark.parametrize("name", PUBLIC_EDITS)
def test_edits_of_public_rows_are_found_by_an_outsider(
    logged: Stage, outsider: Outsider, subjects: list[str], name: str
) -> None:
    PUBLIC_EDITS[name](logged)
    cache.clear()
    with pytest.raises(Disagreement):
        outsider.look(subjects)
    assert not verify("--without-bytes")[0], "the operator finds it, too"


# Checkpoints of other times, and other logs


@pytest.fixture
def log_folder(logged: Stage) -> Iterator[Path]:
    """The files of the log, which are put back as the database is."""
    folder = Path(log_files.log_storage().path("log"))
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    try:
        yield folder
    finally:
        for path in folder.rglob("*"):
            if path.is_file() and path not in before:
                path.unlink()
        for path, content in before.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)


def append_record(text: str) -> None:
    recording.new_leaves([json.dumps(text)])
    appending.append_waiting()


def test_an_old_checkpoint_that_is_served_again_is_found(logged: Stage, log_folder: Path) -> None:
    old = (log_folder / "checkpoint").read_bytes()
    append_record("One more.")
    reader = Outsider()
    (log_folder / "checkpoint").write_bytes(old)
    with pytest.raises(Disagreement, match="taken back"):
        reader.look([])
    assert "The log: the checkpoint that is served is not the newest that is stored." in verify("--without-bytes")[1]


def test_a_checkpoint_that_is_signed_again_is_seen_by_whoever_has_the_first(
    logged: Stage, log_folder: Path, outsider: Outsider
) -> None:
    """The operator alone cannot tell: it is what the registry does after a crash."""
    LogCheckpoint.objects.all().delete()
    (log_folder / "checkpoint").unlink()
    with time_machine.travel(timezone.now() + timedelta(days=1)):
        appending.append_waiting()
    with pytest.raises(Disagreement, match="two times"):
        outsider.look([])


def test_two_logs_for_two_readers_differ_in_their_checkpoints(logged: Stage, log_folder: Path, tmp_path: Path) -> None:
    """Neither reader sees it alone. Whoever has both checkpoints does; so does the operator with one of them."""
    before = {path: path.read_bytes() for path in log_folder.rglob("*") if path.is_file()}
    with transaction.atomic():
        append_record("Shown to one.")
        first, first_note = SecondReader(Outsider().fetch), (log_folder / "checkpoint").read_text()
        transaction.set_rollback(True)
    for path in log_folder.rglob("*"):
        if path.is_file():
            path.unlink()
    for path, content in before.items():
        path.write_bytes(content)
    append_record("Shown to another.")
    second = SecondReader(Outsider().fetch)
    assert first.head.size == second.head.size
    for reader, other in ((first, second), (second, first)):
        with pytest.raises(Disagreement):
            reader.require_continues(other.head)
    (tmp_path / "checkpoint").write_text(first_note)
    lines = verify("--without-bytes", "--checkpoint", str(tmp_path / "checkpoint"))[1]
    assert any("does not begin with" in line and "checkpoint that was kept" in line for line in lines), lines


# Random edits

COUNT = 30
PARTS_DEEP, COUNT_DEEP = 20, 500
"""Parts have seeds of their own, so that processes share them."""


def require_record_list(proof: dict[str, Any]) -> None:
    """Raise Disagreement unless the list says of the proven record what that says itself, and has the one before it."""
    row, *older = proof["records"][[row["leaf"] for row in proof["records"]].index(proof["leaf"]) :]
    before = next((row["leaf"] for row in older if row["erased_at"] is None), None)
    if proof["record"]["previous"] != before:
        raise Disagreement("the record before it is hidden")
    if row["act"] != proof["record"]["act"] or row["recorded_at"][:19] != proof["record"]["recorded_at"][:19]:
        raise Disagreement("the list of records says something else")


def follow_records(reader_outside: Outsider, reader: SecondReader, subject: str, newest: dict[str, Any]) -> None:
    """Raise Disagreement unless each record before the newest one is in the log where the next one names it."""
    leaf = newest["record"]["previous"]
    while leaf is not None:
        proof = reader_outside.ask(f"{subject}/proof/?leaf={leaf}")
        reader.require_proof(proof)
        require_record_list(proof)
        if proof["leaf"] != leaf or proof["records"] != newest["records"]:
            raise Disagreement("another record than was asked for")
        leaf = proof["record"]["previous"]


def is_found_outside(reader_outside: Outsider, reader: SecondReader, names: list[str]) -> bool:
    cache.clear()
    try:
        for subject in names:
            proof = reader_outside.ask(f"{subject}/proof/")
            reader.require_proof(proof)
            require_record_list(proof)
            reader_outside.hold_answer(subject, proof["record"])
            follow_records(reader_outside, reader, subject, proof)
    except (Disagreement, LookupError, ValueError, TypeError):  # also what is no proof or answer at all
        return True
    return False


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.deep) for part in range(1, PARTS_DEEP))])
def test_random_edits_are_found(
    logged: Stage, outsider: Outsider, subjects: list[str], request: pytest.FixtureRequest, part: int
) -> None:
    """Those of public rows by the outsider, all of them by the operator."""
    source, reader = random.Random(19 + part), SecondReader(outsider.fetch)
    assert not is_found_outside(outsider, reader, subjects), "nothing is edited yet"
    columns = [
        column
        for column in random_edits.columns_of([*random_edits.PUBLIC_TABLES, *random_edits.PRIVATE_TABLES])
        if column.place not in random_edits.NOT_LOGGED
    ]
    outcomes, unseen = Counter[str](), Counter[str]()
    count = COUNT_DEEP if request.config.option.deep else COUNT
    while sum(outcomes.values()) < count:
        column = source.choice(columns)
        with random_edits.undone():
            try:
                with transaction.atomic():
                    row = random_edits.edit_row(column, source)
                if row is None:
                    continue
            except DatabaseError:
                continue  # the database itself refuses it: a condition of the table, or a value that stands twice
            is_public = column.table in random_edits.PUBLIC_TABLES and column.place not in random_edits.NOT_SHOWN
            is_public = is_public and not row.get("subject", "").startswith("log/")  # it has no address of its own
            by_operator = random_edits.is_found_by_operator(column)
            by_outsider = is_public and is_found_outside(outsider, reader, random_edits.subjects_of(column, row))
            outcomes["public" if is_public else "private"] += 1
            if not by_operator or (is_public and not by_outsider):
                unseen[f"{column.place} operator={by_operator} outsider={by_outsider}"] += 1
    print(outcomes, *sorted(unseen.items()), sep="\n")
    assert not unseen


def test_every_table_of_the_public_record_is_edited_or_listed_with_a_reason() -> None:
    tables = {model._meta.db_table for model in apps.get_app_config("registry").get_models()}
    edited = {*random_edits.PUBLIC_TABLES, "registry_logleaf", *random_edits.NAMED_TABLES}
    assert tables == edited | random_edits.UNRECORDED_TABLES.keys()
    assert not edited & random_edits.UNRECORDED_TABLES.keys()


@pytest.mark.deep
def test_an_edit_of_each_logged_column_is_found(logged: Stage) -> None:
    """By the operator: what a table gets new is recorded, or listed with why it is not."""
    source, unseen, edited = random.Random(20), list[str](), 0
    for column in random_edits.columns_of([*random_edits.PUBLIC_TABLES, *random_edits.PRIVATE_TABLES]):
        if column.place in random_edits.NOT_LOGGED:
            continue
        with random_edits.undone(), suppress(DatabaseError):  # what the database itself refuses
            with transaction.atomic():
                row = random_edits.edit_row(column, source)
            if row is not None:
                edited += 1
                unseen += [column.place] * (not random_edits.is_found_by_operator(column))
    assert edited > 80
    assert unseen == []


DAMAGES_OF_RELEASES = {
    "versions as a number": "UPDATE registry_release SET benchmark_versions = '1'",
    "versions within versions": "UPDATE registry_release SET benchmark_versions = '[[1]]'",
    "lists as an object": "UPDATE registry_release SET list_names = '{\"full\": 1}'",
    "lists as a number": "UPDATE registry_release SET list_names = '1'",
    "unknown lists as a list": "UPDATE registry_release SET unknown_lists = '[1]'",
    "no more deadline": "UPDATE registry_release SET deadline = 'infinity'",
    "a day that no calendar has": "UPDATE registry_release SET held_on = 'infinity'",
}


@pytest.mark.parametrize("name", DAMAGES_OF_RELEASES)
def test_damaged_rows_of_a_release_are_named(logged: Stage, name: str) -> None:
    execute(DAMAGES_OF_RELEASES[name])
    cache.clear()
    client = Client(raise_request_exception=False)
    failed = []
    of_one = ("/releases/sc98/", "/api/v1/releases/sc98/", "/api/v1/releases/sc98/proof/", "/lists/sc98/full/")
    for address in (*of_one, "/releases/", "/api/v1/releases/", "/"):
        answer = client.get(address)
        is_coded = answer.status_code == 503 and "record.damaged" in answer.content.decode()
        if not (answer.status_code == 200 or is_coded):
            failed.append((address, answer.status_code))
    assert not failed
