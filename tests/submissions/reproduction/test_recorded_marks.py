"""A mark of reproduction has a record in the log: anybody finds an edit of it, and an erasure takes its text away."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client

from registry.loading.erasing import erase_results
from registry.log import appending, recording, verification
from registry.models import LogOpening, Reproduction
from tests.registry.log.second_reader import Disagreement, SecondReader, require, require_shown
from tests.submissions.cast import Cast
from tests.submissions.reproduction.conftest import Publish, read_marks

pytestmark = pytest.mark.django_db


def breaks_of_marks() -> list[str]:
    lines = chain(verification.opening_breaks(), verification.table_breaks())
    return [line for line in lines if "reproductions/" in line or line.startswith("The log:")]


def test_a_mark_is_recorded_as_the_api_has_it(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    opening = LogOpening.objects.get(subject=f"reproductions/{again.public_id}")
    record = json.loads(opening.canonical or "")
    (mark,) = read_marks(cast, original)["marks"]
    assert (record["type"], record["act"], mark["outcome"]) == ("reproduction", "published", "agrees")
    require_shown(record["reproduction"], mark)
    assert breaks_of_marks() == []


def fetch(path: str) -> bytes:
    answer = Client().get(f"/log/{path}")
    require(answer.status_code == 200, path)
    return answer.content


def require_as_logged(reader: SecondReader, public_id: str) -> dict[str, Any]:
    """What anybody proves of a mark, by the API and the files of the log alone: its proof."""
    cache.clear()
    client = Client(raise_request_exception=False)
    proof = client.get(f"/api/v1/reproductions/{public_id}/proof/")
    answer = client.get(f"/api/v1/reproductions/{public_id}/")
    require((proof.status_code, answer.status_code) == (200, 200), f"{proof.status_code} {answer.status_code}")
    document: dict[str, Any] = proof.json()
    reader.require_proof(document)
    require_shown(document["record"]["reproduction"], answer.json())
    return document


def test_anybody_proves_a_mark_by_its_address(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    appending.append_waiting()
    facts = require_as_logged(SecondReader(fetch), again.public_id)["record"]["reproduction"]
    assert (facts["result"], facts["original"], facts["outcome"]) == (again.public_id, original.public_id, "agrees")
    assert facts["judged_at"] == Reproduction.objects.get().judged_at.isoformat().replace("+00:00", "Z")
    assert (
        not {"shares_members_with", "counted"} & Client().get(f"/api/v1/reproductions/{again.public_id}/").json().keys()
    )


@pytest.mark.parametrize("address", ["", "proof/", "proof/?leaf=00"])
def test_a_result_that_reproduces_nothing_has_neither_mark_nor_proof(
    cast: Cast, publish: Publish, address: str
) -> None:
    original = publish(cast.alice)
    assert Client().get(f"/api/v1/reproductions/{original.public_id}/{address}").status_code == 404


EDITS = {
    "an outcome": "UPDATE registry_reproduction SET outcome = 'not reproduced'",
    "a kind": "UPDATE registry_reproduction SET kind = 'repeated'",
    "a ratio": "UPDATE registry_reproduction SET ratio = ratio * 2",
    "an interval": "UPDATE registry_reproduction SET low = 0.1",
    "a reason": "UPDATE registry_reproduction SET why = 'x'",
    "a number": "UPDATE registry_reproduction SET numbers = '[]'",
    "a fact that must match": "UPDATE registry_reproduction SET musts = musts || '[{}]'",
    "what differs": "UPDATE registry_reproduction SET differences = '[{\"differences\": []}]'",
    "a day": "UPDATE registry_reproduction SET judged_at = judged_at - interval '1 day'",
    "another original": "UPDATE registry_reproduction SET original_id ="
    " (SELECT id FROM registry_result WHERE id NOT IN (SELECT result_id FROM registry_reproduction"
    " UNION SELECT original_id FROM registry_reproduction))",
    "no mark": "DELETE FROM registry_reproduction",
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_mark_is_found(cast: Cast, publish: Publish, name: str) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    if name == "another original":
        publish(cast.alice, (50, 51, 52))
    appending.append_waiting()
    reader = SecondReader(fetch)
    require_as_logged(reader, again.public_id)
    with connection.cursor() as cursor:
        cursor.execute(EDITS[name])
        assert cursor.rowcount == 1
    with pytest.raises(Disagreement):
        require_as_logged(reader, again.public_id)
    assert any(line.startswith(f"reproductions/{again.public_id}: ") for line in breaks_of_marks())


def test_a_mark_that_was_written_past_the_registry_has_no_record(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    other = publish(cast.charlie)
    recording.note_unrecorded()
    recording.record_unrecorded()
    Reproduction.objects.create(result=other, original=original, kind="reproduced", outcome="agrees")
    assert any(line.startswith(f"reproductions/{other.public_id}: it has no record") for line in breaks_of_marks())


def test_a_mark_older_than_its_records_is_recorded_once(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    openings = LogOpening.objects.filter(subject=f"reproductions/{again.public_id}")
    openings.delete()
    for _ in range(2):
        recording.note_unrecorded()
        recording.record_unrecorded()
        Reproduction.objects.update(why="Rewritten past the registry.")
    assert openings.get().act == "first-recorded"
    assert any("reproduction.why is" in line for line in breaks_of_marks())


@pytest.mark.parametrize("erased", ["result", "original"])
def test_an_erasure_takes_the_text_of_the_record_away(cast: Cast, publish: Publish, erased: str) -> None:
    original = publish(cast.alice)
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    leaf = LogOpening.objects.get(subject=f"reproductions/{again.public_id}").leaf
    appending.append_waiting()
    erase_results([again if erased == "result" else original], "person", "erin")
    opening = LogOpening.objects.get(leaf=leaf)
    assert (opening.salt, opening.canonical, opening.subject) == (None, None, "names/erased")
    for address in ("", "proof/", f"proof/?leaf={leaf}"):
        assert Client().get(f"/api/v1/reproductions/{again.public_id}/{address}").status_code == 404
    assert breaks_of_marks() == []
