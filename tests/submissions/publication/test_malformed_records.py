"""Somebody who writes to the tables adds texts that are no records: `verify_record` names them and goes on."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from registry.log import appending, recording
from registry.log.overview import CLOCK_SUBJECT
from registry.models import LogOpening
from submissions.models import PrivateRecord, Submission

pytestmark = pytest.mark.django_db

ENVELOPE = '"version":1,"act":"explained","recorded_at":"2026-11-29T18:00:00Z","previous":null'
NOT_IN_FORM = (
    *("", "no JSON", "[]", "7", "null", '{"type":"clock"}', "[" * 100_000, '{"type":[],"act":{},"recorded_at":7}'),
    '{"type":"clock","act":"explained","recorded_at":"29 November"}',
    '{"type":"clock","act":"explained","recorded_at":"2026-11-29T18:00:00"}',
)
CLOCKS = (
    *("7", "[]", "null", '{"reason":5,"entries":[1]}', '{"reason":"Any.","entries":7}', '{"entries":[1]}'),
    *('{"reason":"a\\u001b[2Jb","entries":[1]}', f'{{"reason":"{"x" * 501}","entries":[1]}}'),
)
LISTED = (
    '{"reason":"Any.","entries":["a",null,[],1.5,true]}',
    f'{{"reason":"Any.","entries":[{"9" * 400}]}}',
    '{"reason":"Any.","entries":[]}',
)


def add_opening(canonical: str, kind: str = LogOpening.Kind.CLOCK, subject: str = CLOCK_SUBJECT) -> None:
    """Add a text and the leaf that is made of it."""
    ((leaf, salt),) = recording.new_leaves([canonical])
    now = timezone.now().replace(microsecond=0)
    LogOpening.objects.create(
        leaf=leaf, kind=kind, act="explained", recorded_at=now, subject=subject, salt=salt, canonical=canonical
    )


def clock(facts: str) -> str:
    return f'{{"type":"clock",{ENVELOPE},"clock":{facts}}}'


def verify(capsys: Any) -> str:
    capsys.readouterr()
    with pytest.raises(CommandError, match="The record is not whole"):
        call_command("verify_record", "--without-bytes")
    return capsys.readouterr().out


@pytest.mark.parametrize("canonical", [*NOT_IN_FORM, *map(clock, CLOCKS), *map(clock, LISTED)])
def test_the_page_of_the_log_stands_beside_a_malformed_explanation(client: Any, canonical: str) -> None:
    add_opening(canonical)
    assert client.get("/log/").status_code == 200


def test_texts_that_are_no_records_are_named(capsys: Any) -> None:
    for number, canonical in enumerate(NOT_IN_FORM):
        add_opening(canonical, subject=f"log/{number}")
        ((leaf, salt),) = recording.new_leaves([canonical])
        PrivateRecord.objects.create(leaf=leaf, kind="naming", row=number, salt=salt, canonical=canonical)
    add_opening("no JSON", subject="log/\x1b[2Jclock")
    assert appending.append_waiting()
    output = verify(capsys)
    for number in range(len(NOT_IN_FORM)):
        assert f"log/{number}: its record of " in output
        assert f"The record of the naming {number} is none in its form." in output
    assert "\x1b" not in output
    assert "log/?[2Jclock: its record of " in output


def test_records_without_their_facts_are_named(capsys: Any) -> None:
    subjects = [f"results/hw-{kind}-{number}" for kind in LogOpening.Kind for number in range(4)]
    for subject in subjects * 2:
        kind, facts = subject.split("-")[1], ("7", "null", "[]", "{}")[int(subject[-1])]
        add_opening(f'{{"type":"{kind}",{ENVELOPE},"{kind}":{facts}}}', kind, subject)
    assert appending.append_waiting()
    output = verify(capsys)
    for subject in subjects:
        assert f"{subject}: the row of its record says something else than the record." in output


def test_private_texts_that_are_no_records_are_named(checked: Any, capsys: Any) -> None:
    submission: Submission = checked(performance=9.0)
    facts = (
        *("[]", '{"submission":"x","number":1,"to_state":"draft"}', '{"submission":"ID","number":1,"to_state":[]}'),
        *('{"submission":"ID","number":"1","to_state":"draft"}', '{"submission":"ID","number":1}'),
        f'{{"submission":"ID","number":{"9" * 30},"to_state":"draft"}}',
    )
    events = [f'{{"type":"event",{ENVELOPE},"event":{text}}}'.replace("ID", str(submission.pk)) for text in facts]
    for number, canonical in enumerate([*NOT_IN_FORM, f'{{"type":"event",{ENVELOPE}}}', *events]):
        ((leaf, salt),) = recording.new_leaves([canonical])
        PrivateRecord.objects.create(
            leaf=leaf, submission=submission, kind="event", row=90000 + number, salt=salt, canonical=canonical
        )
    assert appending.append_waiting()
    output = verify(capsys)
    for number in range(len(NOT_IN_FORM) + 1 + len(events)):
        assert f"Submission {submission.pk}: the record of its event {90000 + number} is none in its form." in output
