"""Steps as rows of the record: found once, the same while results come and go, never new twice."""

from __future__ import annotations

import threading

import pytest
from django.db import connection, transaction
from django.utils import timezone

from registry.models import Release, Result, Step, StepsDue, System
from registry.timeseries import detected_steps, series
from tests.registry.record import make_measurement, make_nights, make_release, make_result

pytestmark = pytest.mark.django_db
FALL = [50.0, 50.5, 49.8, 50.2, 45.0, 45.3, 44.9]


@pytest.fixture
def release() -> Release:
    return make_release("T1")


def found() -> detected_steps.StepChanges:
    """What is found once the system is due."""
    system = System.objects.get()
    detected_steps.mark_due([system.pk])
    return detected_steps.detect_steps(system.pk)


def told(step: Step) -> tuple[str, str, bool]:
    return step.before.public_id, step.after.public_id, step.gone_at is None


def test_a_change_point_is_stored_once_with_the_values_of_the_page(release) -> None:
    make_nights(release, FALL)
    changed = found()
    (step,) = Step.objects.all()
    assert (changed.begun, changed.gone) == ([step], [])
    assert (told(step), str(step.day), step.better, step.state) == (("hw-4", "hw-5", True), "2026-03-05", False, "new")
    assert (step.op, step.stat, step.unit, step.printed_unit) == ("write", "max", "B/s", "GiB/s")
    assert step.ratio == pytest.approx(0.9, abs=0.005)
    (row,) = series.of_system(step.system).rows[0]["steps"]
    assert (
        detected_steps.row_of(step).items()
        >= {name: row[name] for name in ("day", "before", "after", "chance")}.items()
    )


def test_a_second_detection_changes_nothing(release, django_assert_num_queries) -> None:
    make_nights(release, FALL)
    found()
    before = Step.objects.values().get()
    system = System.objects.get()
    detected_steps.mark_due([system.pk])
    with django_assert_num_queries(9):  # a savepoint, the system, due, results, numbers, verdicts, steps, done; release
        assert detected_steps.detect_steps(system.pk) == detected_steps.StepChanges()
    assert Step.objects.values().get() == before
    assert not StepsDue.objects.exists()


def test_systems_that_are_not_due_are_skipped(release) -> None:
    make_nights(release, FALL)
    assert detected_steps.detect_steps(System.objects.get().pk) == detected_steps.StepChanges()
    assert not Step.objects.exists()


def test_more_results_move_a_step_and_it_stays_the_same(release) -> None:
    """A value between the levels stands below the step first, for want of others; later it is nearer to those above."""
    make_nights(release, [50.0, 50.2, 49.9, 50.1, 50.0, 50.1, 47.55, 45.1, 45.0])
    found()
    step = Step.objects.get()
    Step.objects.update(state="investigating", version=1)
    make_nights(release, [44.9, 45.1, 45.0, 45.0, 45.1, 44.9], first=10)
    changed = found()
    moved = Step.objects.get()
    assert (changed.begun, changed.gone, moved.pk, moved.state) == ([], [], step.pk, "investigating")
    assert (told(step)[1], told(moved)[1]) == ("hw-7", "hw-8")


def test_a_step_whose_result_is_withdrawn_is_the_same_before_the_next(release) -> None:
    make_nights(release, [*FALL, 45.1])
    found()
    Result.objects.filter(public_id="hw-5").update(withdrawn_at=timezone.now())
    assert found() == detected_steps.StepChanges()
    assert told(Step.objects.get()) == ("hw-4", "hw-6", True)


def test_a_revised_result_keeps_the_step(release) -> None:
    nights = make_nights(release, FALL)
    found()
    make_measurement(
        make_result(release, "hw-5r", None, tool="ior", parameters=nights[4].parameters, revises=nights[4]),
        "write", 45.0, stat="max",
    )  # fmt: skip
    assert found() == detected_steps.StepChanges()
    assert told(Step.objects.get()) == ("hw-4", "hw-5r", True)


def test_a_vanished_change_point_returns_with_its_identity(release) -> None:
    make_nights(release, FALL)
    found()
    (step,) = Step.objects.all()
    Result.objects.filter(public_id="hw-7").update(withdrawn_at=timezone.now())
    gone = found()
    assert (gone.begun, gone.gone) == ([], [step])
    assert not told(Step.objects.get())[2]
    assert found() == detected_steps.StepChanges()
    make_nights(release, [44.8], first=8)
    back = found()
    assert (back.begun, back.gone) == ([step], [])
    assert told(Step.objects.get()) == ("hw-4", "hw-5", True)


def test_a_change_in_the_other_direction_is_another_change_point(release) -> None:
    make_nights(release, FALL)
    found()
    (fall,) = Step.objects.all()
    Result.objects.filter(public_id__in=["hw-5", "hw-6", "hw-7"]).update(withdrawn_at=timezone.now())
    make_nights(release, [55.0, 55.2, 54.9], first=8)
    changed = found()
    assert changed.gone == [fall]
    assert [(step.better, step.pk == fall.pk) for step in changed.begun] == [(True, False)]


def test_a_rise_and_a_fall_are_two_change_points(release) -> None:
    make_nights(release, [*FALL, 50.1, 49.9, 50.0, 50.3])
    found()
    assert [(step.better, step.after.public_id) for step in Step.objects.order_by("day")] == [
        (False, "hw-5"), (True, "hw-8"),
    ]  # fmt: skip


def test_other_series_of_the_same_day_have_steps_of_their_own(release) -> None:
    for night, value in zip(make_nights(release, FALL), FALL, strict=True):
        make_measurement(night, "read", value * 2, stat="max", context={"file_size_KiB": 4})
        make_measurement(night, "read", value * 3, stat="max", context={"file_size_KiB": 8, "scope": "all"})
    found()
    assert sorted(Step.objects.values_list("op", "context__file_size_KiB")) == [
        ("read", 4), ("read", 8), ("write", None),
    ]  # fmt: skip
    assert found() == detected_steps.StepChanges()


def test_older_change_points_outside_the_window_are_kept(release, monkeypatch) -> None:
    make_nights(release, FALL)
    found()
    make_nights(release, [45.2, 45.0, 44.8, 45.1], first=8)
    monkeypatch.setattr(series, "MOST_RESULTS", 7)
    assert found() == detected_steps.StepChanges()
    assert told(Step.objects.get()) == ("hw-4", "hw-5", True)


def test_results_arriving_during_detection_make_the_system_due_again(release, monkeypatch) -> None:
    make_nights(release, FALL)
    system = System.objects.get()
    detected_steps.mark_due([system.pk])
    look = series.of_system

    def look_and_publish(*arguments: object) -> series.SystemSeriesSet:
        system_series = look(*arguments)
        detected_steps.mark_due([system.pk])
        return system_series

    monkeypatch.setattr(series, "of_system", look_and_publish)
    detected_steps.detect_steps(system.pk)
    assert detected_steps.due_systems() == [system.pk]


def test_all_systems_with_six_results_are_due_when_the_catalogue_changed(release) -> None:
    make_nights(release, FALL)
    make_result(release, "hw-lonely", system_name="Lonely")
    detected_steps.mark_all_due()
    assert detected_steps.due_systems() == [System.objects.get(name="Test system A").pk]


@pytest.mark.django_db(transaction=True)
def test_concurrent_detections_store_once_and_do_not_block_publishing(release) -> None:
    make_nights(release, FALL)
    system = System.objects.get()
    detected_steps.mark_due([system.pk])
    answers = []

    def look_and_publish() -> None:
        detected_steps.mark_due([system.pk])
        answers.append(detected_steps.detect_steps(system.pk))
        make_result(release, "hw-8", None)
        connection.close()

    with transaction.atomic():
        assert len(detected_steps.detect_steps(system.pk).begun) == 1
        other = threading.Thread(target=look_and_publish)
        other.start()
        other.join(10)
        assert Result.objects.filter(public_id="hw-8").exists()
    other.join()
    assert answers == [detected_steps.StepChanges()]
    assert detected_steps.due_systems() == [system.pk]


def test_change_points_of_unknown_scale_are_removed_without_notice(release) -> None:
    """Steps that were found while unknown counted as equal: gone at the next look, and none is new."""
    nights = make_nights(release, FALL)
    found()
    step = Step.objects.get()
    Step.objects.update(series="0" * 32, state="investigating", version=1)  # as named before lists and scale counted
    assert found() == detected_steps.StepChanges()
    (same_step,) = Step.objects.all()
    assert (same_step.pk, same_step.series, same_step.state, same_step.gone_at) == (
        step.pk,
        step.series,
        "investigating",
        None,
    )
    Result.objects.filter(pk__in=[night.pk for night in nights]).update(client_nodes=None)
    changed = found()
    assert (changed.begun, changed.gone) == ([], [same_step])
    assert not told(Step.objects.get())[2]
