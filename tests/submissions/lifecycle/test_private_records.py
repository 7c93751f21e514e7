"""What happens to a submission is recorded in the log as it happens: for its owner, and for nobody else."""

from __future__ import annotations

import hashlib
import json

import pytest
from django.db import transaction

from registry.log import appending, recording
from registry.models import LogLeaf, LogOpening
from submissions.lifecycle import private_records, states
from submissions.models import Check, Event, PrivateRecord, Review, State, Submission
from submissions.review import decisions

pytestmark = pytest.mark.django_db


def kinds_of(submission: Submission) -> list[tuple[str, int]]:
    return sorted(PrivateRecord.objects.filter(submission=submission).values_list("kind", "row"))


def rows_of(submission: Submission) -> list[tuple[str, int]]:
    rows = [("receipt", version) for version in range(1, submission.version + 1)]
    for kind, model in (("event", Event), ("check", Check), ("decision", Review)):
        rows += [(kind, row.pk) for row in model.objects.filter(submission=submission)]
    return sorted(rows)


def test_every_step_to_publication_is_recorded_once(published) -> None:
    assert len(rows_of(published)) > 6
    assert kinds_of(published) == rows_of(published)
    public = LogOpening.objects.order_by("leaf").values_list("subject", "act")
    assert ("results/hw-1", "published") in public
    assert {subject for subject, act in public if act == "published"} >= {"results/hw-1", "lists/sc99/full"}
    assert recording.record_unrecorded() == 0 or not LogOpening.objects.filter(
        subject="results/hw-1", act="first-recorded"
    )


def test_a_private_record_has_the_values_of_its_row(published) -> None:
    for record in PrivateRecord.objects.filter(submission=published).select_related("leaf"):
        assert hashlib.sha256(bytes(record.salt) + record.canonical.encode()).digest() == bytes(record.leaf.entry)
        document = json.loads(record.canonical)
        assert document["act"] == "happened"
        assert document[record.kind]["submission"] == str(published.pk)
    check = json.loads(PrivateRecord.objects.filter(kind="check").latest("leaf").canonical)["check"]
    row = Check.objects.get(pk=check["number"])
    assert check["report_sha256"] == private_records.report_digests([row])[row.pk]
    Check.objects.filter(pk=row.pk).update(report=row.report | {"status": "valid?"})
    assert check["report_sha256"] != private_records.report_digests([row])[row.pk]


def test_a_rolled_back_event_is_not_recorded(checked) -> None:
    submission = checked()
    before = kinds_of(submission), LogLeaf.objects.count()
    with transaction.atomic():
        states.note_event(submission, None, "Nothing.")
        assert LogLeaf.objects.count() == before[1] + 1
        transaction.set_rollback(True)
    assert (kinds_of(submission), LogLeaf.objects.count()) == before


def test_a_withdrawal_is_recorded_with_its_reason(published, cast) -> None:
    decisions.withdraw_run(published, cast.alice.account, "A wrong clock.")
    record = json.loads(LogOpening.objects.filter(subject="results/hw-1").latest("leaf").canonical)
    assert (record["act"], record["result"]["withdrawn_reason"]) == ("withdrawn", "A wrong clock.")


def test_earlier_events_are_recorded_when_the_log_begins(published) -> None:
    """As after an upgrade; the guard on leaves is for rows, and TRUNCATE is what a restore does."""
    PrivateRecord.objects.all().delete()
    LogOpening.objects.all().delete()
    appending.append_waiting()
    assert kinds_of(published) == [row for row in rows_of(published) if row != ("receipt", 0)]
    acts = {json.loads(text)["act"] for text in PrivateRecord.objects.values_list("canonical", flat=True)}
    assert acts == {"first-recorded"}
    assert LogOpening.objects.filter(subject="results/hw-1", act="first-recorded").exists()
    assert not LogLeaf.objects.filter(index=None).exists()


def test_private_records_are_visible_to_the_owner_only(published, cast) -> None:
    rows = cast.alice.get(f"submissions/{published.pk}/records/").json()["results"]
    assert len(rows) == len(kinds_of(published))
    for row in rows:
        assert hashlib.sha256(bytes.fromhex(row["salt"]) + row["canonical"].encode()).hexdigest() == row["leaf"]
        assert json.loads(row["canonical"]) == row["record"]
    for person in (cast.charlie, cast.stranger):
        assert person.get(f"submissions/{published.pk}/records/").status_code in (401, 403, 404)


def test_a_receipt_carries_the_proof_of_its_bytes(checked, cast) -> None:
    submission = checked()
    assert cast.alice.get(f"submissions/{submission.pk}/receipt/").json()["proof"]["leaf_index"] is None
    appending.append_waiting()
    proof = cast.alice.get(f"submissions/{submission.pk}/receipt/").json()["proof"]
    assert proof["record"]["receipt"]["sha256"] == submission.sha256
    assert 0 <= proof["leaf_index"] < proof["tree_size"] and proof["inclusion_proof"]


def test_records_name_people_by_number_alone(published, cast) -> None:
    texts = "".join(PrivateRecord.objects.values_list("canonical", flat=True))
    for person in (cast.alice, cast.dana, cast.erin):
        assert person.account.username not in texts
    assert "@" not in texts


def test_a_draft_has_no_receipt(cast, release) -> None:
    answer = cast.alice.post("submissions/", {"draft": True})
    drafts = Submission.objects.filter(state=State.DRAFT)
    assert PrivateRecord.objects.filter(submission__in=drafts, kind="receipt").count() == 0, answer.content
