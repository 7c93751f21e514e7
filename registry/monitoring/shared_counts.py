"""Counts of what workers do, shared by all processes and hosts: one hash in the broker.

An emptied broker begins again at 0, which Prometheus takes as a restart. A count that cannot be written is lost: what
is counted has been done all the same.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping

from kombu.exceptions import KombuError
from kombu.pools import connections
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from redis.exceptions import RedisError

from registry.celery import app, hurried_connection

log = logging.getLogger(__name__)

KEY = "highwater.counts"
BUCKETS_S = (0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0)
COUNTERS = {
    "highwater_tasks": ("Tasks that ended, by outcome; periodic ones are counted when they fail.", ("task", "outcome")),
    "highwater_checks": ("Checks of submissions by outcome: valid, invalid, unreadable.", ("status",)),
    "highwater_deliveries": ("Attempts to send mail and webhooks, by outcome.", ("kind", "outcome")),
}
"""Name, meaning and labels of each counter; a name that is not here is refused."""
TASK_SECONDS = "highwater_task_seconds"


def count_event(name: str, *labels: str, amount: float = 1) -> None:
    """Add to one counter of COUNTERS; `labels` in its order. Raises LookupError for another name."""
    if len(labels) != len(COUNTERS[name][1]):
        raise LookupError(f"{name} has the labels {COUNTERS[name][1]}")
    _add_amounts({_field_name(name, *labels): amount})


def count_task(task: str, outcome: str, seconds: float) -> None:
    """Count one task that ended, with its time."""
    bound = next((str(bound) for bound in BUCKETS_S if seconds <= bound), "+Inf")
    _add_amounts(
        {
            _field_name("highwater_tasks", task, outcome): 1,
            _field_name(TASK_SECONDS, task, bound): 1,
            _field_name(TASK_SECONDS, task, "sum"): seconds,
        }
    )


def read_counts() -> Iterator[Metric]:
    """All counters and the times of tasks."""
    with app.connection_for_read() as broker:
        broker.ensure_connection(max_retries=1, timeout=2)
        stored: Mapping[bytes, bytes] = broker.default_channel.client.hgetall(KEY)
    counted = {tuple(json.loads(field)): float(value) for field, value in stored.items()}
    for name, (meaning, labels) in COUNTERS.items():
        family = CounterMetricFamily(name, meaning, labels=labels)
        for (counter, *values), value in sorted(counted.items()):
            if counter == name and len(values) == len(labels):
                family.add_metric(values, value)
        yield family
    yield _task_seconds(counted)


def _task_seconds(counted: Mapping[tuple[str, ...], float]) -> HistogramMetricFamily:
    family = HistogramMetricFamily(TASK_SECONDS, "Time that tasks took.", labels=["task"])
    for task in sorted({key[1] for key in counted if key[0] == TASK_SECONDS}):
        total, buckets = 0.0, []
        for bound in [*map(str, BUCKETS_S), "+Inf"]:
            total += counted.get((TASK_SECONDS, task, bound), 0)
            buckets.append((bound, total))
        family.add_metric([task], buckets, counted.get((TASK_SECONDS, task, "sum"), 0))
    return family


def _field_name(*parts: str) -> str:
    return json.dumps(parts)


def _add_amounts(amounts: Mapping[str, float]) -> None:
    try:
        with connections[hurried_connection()].acquire(block=True, timeout=1) as broker:
            pipeline = broker.default_channel.client.pipeline(transaction=False)
            for field, amount in amounts.items():
                pipeline.hincrbyfloat(KEY, field, amount)
            pipeline.execute()
    except (KombuError, RedisError, OSError) as error:
        log.warning("Not counted: %s", error)
