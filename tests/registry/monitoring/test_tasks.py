"""Tasks are counted in the broker with outcome and time; ticks that went well leave neither count nor line."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from celery import shared_task

from registry.celery import app
from registry.monitoring import shared_counts, tasks


@shared_task(name="tests.sails")
def sails(fails: bool = False) -> None:
    logging.getLogger("tests.sails").info("at sea")
    if fails:
        raise RuntimeError("aground")


@pytest.fixture(autouse=True)
def empty_counts() -> Iterator[None]:
    with app.connection_for_write() as broker:
        broker.default_channel.client.delete(shared_counts.KEY)
        yield
        broker.default_channel.client.delete(shared_counts.KEY)


def samples() -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in shared_counts.read_counts()
        for sample in family.samples
    }


def test_outcome_and_time_of_a_task_are_counted() -> None:
    sails.apply()
    sails.apply()
    sails.apply(kwargs={"fails": True})
    sampled = samples()
    assert sampled["highwater_tasks_total", "tests.sails", "succeeded"] == 2
    assert sampled["highwater_tasks_total", "tests.sails", "failed"] == 1
    assert sampled["highwater_task_seconds_bucket", "tests.sails", "60.0"] == 3
    assert sampled["highwater_task_seconds_count", "tests.sails"] == 3


def test_only_failing_periodic_tasks_are_logged(settings, caplog: pytest.LogCaptureFixture) -> None:
    settings.CELERY_BEAT_SCHEDULE = {"sails": {"task": "tests.sails", "schedule": 2.0}}
    caplog.set_level(logging.INFO, tasks.log.name)
    sails.apply()
    assert samples() == {} and [record for record in caplog.records if record.name == tasks.log.name] == []
    sails.apply(kwargs={"fails": True})
    assert samples()["highwater_tasks_total", "tests.sails", "failed"] == 1
    assert [record.message for record in caplog.records if record.name == tasks.log.name] == ["tests.sails failed"]


def test_log_lines_of_a_task_name_it(caplog: pytest.LogCaptureFixture) -> None:
    from registry.monitoring.log_lines import AddContext

    handled: list[dict] = []

    class Keeps(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            handled.append(record.fields)

    handler = Keeps()
    handler.addFilter(AddContext())
    logger = logging.getLogger("tests.sails")
    logger.setLevel(logging.INFO)
    logger.addHandler(handler)
    sails.apply(task_id="a-task")
    logger.removeHandler(handler)
    assert handled == [{"task": "tests.sails", "task_id": "a-task"}]


def test_an_undeclared_counter_is_refused() -> None:
    with pytest.raises(LookupError):
        shared_counts.count_event("highwater_ships", "x")
    with pytest.raises(LookupError):
        shared_counts.count_event("highwater_checks", "valid", "twice")


def test_an_unreachable_broker_stops_no_task(monkeypatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(app.conf, "broker_write_url", "redis+socket:///nonexistent?virtual_host=0")
    shared_counts.count_event("highwater_checks", "valid")
    assert "Not counted" in caplog.text


def connections_made() -> int:
    """How often somebody connected to the broker, this question included."""
    with app.connection_for_read() as broker:
        return broker.default_channel.client.info("stats")["total_connections_received"]


def test_counts_share_a_connection() -> None:
    shared_counts.count_event("highwater_checks", "valid")
    before = connections_made()
    of_question = connections_made() - before
    for _ in range(5):
        shared_counts.count_event("highwater_checks", "valid")
    assert connections_made() - before == 2 * of_question
    assert samples()["highwater_checks_total", "valid"] == 6


def test_events_count_after_the_broker_cut_the_connection() -> None:
    shared_counts.count_event("highwater_checks", "valid")
    with app.connection_for_write() as broker:
        broker.default_channel.client.execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
    shared_counts.count_event("highwater_checks", "valid")
    shared_counts.count_event("highwater_checks", "valid")
    assert samples()["highwater_checks_total", "valid"] >= 2
