"""Steps and verdicts on runs are found again from the results: the operator finds a row that somebody edited."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection

from registry.models import RunVerdict, Step, StepsDue, System
from registry.timeseries import detected_steps
from submissions.publication.verification import derived_rows
from tests.registry.record import make_nights, make_release

pytestmark = pytest.mark.django_db
FALL = [50.0, 50.5, 49.8, 50.2, 45.0, 45.3, 44.9]


@pytest.fixture
def system() -> System:
    """One whose numbers fell once, with the step and the verdicts that a worker stored."""
    make_nights(make_release("T1"), FALL)
    system = System.objects.get()
    detected_steps.mark_due([system.pk])
    detected_steps.detect_steps(system.pk)
    assert (Step.objects.count(), RunVerdict.objects.count()) == (1, len(FALL))
    return system


def stored_rows() -> list[Any]:
    return [*Step.objects.order_by("pk").values(), *RunVerdict.objects.order_by("pk").values()]


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        assert cursor.rowcount


def test_steps_as_a_worker_stored_them_fit(system: System) -> None:
    before = stored_rows()
    assert list(derived_rows.step_breaks()) == []
    assert stored_rows() == before


EDITS = {
    "a level": "UPDATE registry_step SET level_after = level_after * 2",
    "how likely chance is": "UPDATE registry_step SET chance = chance / 2",
    "a day": "UPDATE registry_step SET day = day - 1",
    "a direction": "UPDATE registry_step SET better = NOT better",
    "a unit": "UPDATE registry_step SET printed_unit = 'MB/s'",
    "a step that is gone": "UPDATE registry_step SET gone_at = now()",
    "a result before it": "UPDATE registry_step SET before_id = (SELECT min(id) FROM registry_result)",
    "a step deleted": "DELETE FROM registry_step",
    "a verdict": "UPDATE registry_runverdict SET verdict = 'lower', better = false"
    " WHERE verdict <> 'lower' AND result_id = (SELECT max(result_id) FROM registry_runverdict)",
    "runs before it": "UPDATE registry_runverdict SET earlier = earlier + 1",
    "a reason": "UPDATE registry_runverdict SET reason = 'x'",
    "verdicts deleted": "DELETE FROM registry_runverdict",
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edited_step_or_verdict_is_named(system: System, name: str) -> None:
    execute(EDITS[name])
    edited = stored_rows()
    lines = list(derived_rows.step_breaks())
    assert lines and all(line.startswith(f"systems/{system.slug}: its ") for line in lines), lines
    assert stored_rows() == edited, "nothing is mended"


def test_a_system_that_waits_for_a_worker_is_left_out(system: System) -> None:
    execute(EDITS["a level"])
    StepsDue.objects.create(system=system)
    assert list(derived_rows.step_breaks()) == []
