"""Figures for Prometheus, counted when they are asked for.

SOURCES are callables that yield metric families, by the name that `highwater_source_up` reports them under; another
app adds its own when it is ready. A source that fails hides no other. Alerts rest on the names: they stay.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Iterator

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import Count
from django.utils import timezone
from kombu.exceptions import OperationalError
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from registry.celery import app, scheduler_last_sent
from registry.database import rights
from registry.log.overview import log_overview
from registry.models import RankedList, Release, Result
from registry.monitoring import request_counts, shared_counts
from registry.web.caching import kept_value
from validators import VERSION

log = logging.getLogger(__name__)

Source = Callable[[], Iterable[Metric]]


def record_metrics() -> Iterator[Metric]:
    """How much the public record holds."""
    results = GaugeMetricFamily("highwater_results", "Results in the public record.", labels=["trust"])
    counts = kept_value("results-by-trust-1", count_by_trust)
    for trust in Result.Trust.values:
        results.add_metric([trust], counts.get(trust, 0))
    yield results
    yield GaugeMetricFamily("highwater_releases", "Releases.", value=Release.objects.count())
    yield GaugeMetricFamily("highwater_ranked_lists", "Ranked lists.", value=RankedList.objects.count())


def count_by_trust() -> dict[str, int]:
    """How many results of each level of trust the record has, withdrawn ones too."""
    return dict(Result.objects.order_by().values_list("trust").annotate(Count("id")))


def queue_metrics() -> Iterator[Metric]:
    """Tasks that wait in the broker."""
    waiting = GaugeMetricFamily("highwater_queue_length", "Tasks that wait for a worker.", labels=["queue"])
    with app.connection_for_read() as broker:
        broker.ensure_connection(max_retries=1, timeout=2)
        for queue in app.amqp.queues:
            waiting.add_metric([queue], broker.default_channel.client.llen(queue))
    yield waiting


def scheduler_metrics() -> Iterator[Metric]:
    """How long ago the scheduler, of which there is one per registry, sent a task."""
    last = scheduler_last_sent()
    if last is not None:
        words = "Seconds since the scheduler sent a task."
        yield GaugeMetricFamily("highwater_scheduler_silent_seconds", words, value=max(0.0, time.time() - last))


def clock_metrics() -> Iterator[Metric]:
    """How far the clock of this host is from that of the database, to either side."""
    with connection.cursor() as cursor:
        asked_s = time.time()
        cursor.execute("SELECT extract(epoch FROM clock_timestamp())::float8")
        ahead_s = (asked_s + time.time()) / 2 - cursor.fetchone()[0]
    words = "Seconds between the clock of this web host and that of the database."
    yield GaugeMetricFamily("highwater_clock_apart_seconds", words, value=abs(ahead_s))


def cache_metrics() -> Iterator[Metric]:
    """Whether the cache answers; without it pages are made anew and nobody is throttled."""
    cache.get("metrics")
    return iter(())


def log_metrics() -> Iterator[Metric]:
    """How long the transparency log is, what waits for it, and whether something is wrong with it."""
    overview, now = log_overview(), timezone.now()
    waiting_s = (now - overview.waits_since).total_seconds() if overview.waits_since else 0.0
    yield GaugeMetricFamily("highwater_log_entries", "Entries of the log that are signed.", value=overview.size)
    yield GaugeMetricFamily("highwater_log_waiting", "Entries that wait to be appended.", value=overview.waiting)
    yield GaugeMetricFamily(
        "highwater_log_waiting_seconds", "Age of the oldest entry that waits; 0: none does.", value=max(0.0, waiting_s)
    )
    if overview.signed_at is not None:
        age_s = (now - overview.signed_at).total_seconds()
        words = "Age of the newest checkpoint; none is signed while nothing happens."
        yield GaugeMetricFamily("highwater_log_checkpoint_age_seconds", words, value=max(0.0, age_s))
    yield GaugeMetricFamily(
        "highwater_log_trouble", "1: files and database contradict each other.", value=float(bool(overview.trouble))
    )


def build_metrics() -> Iterator[Metric]:
    """What is running."""
    version = GaugeMetricFamily("highwater_build_info", "Version of the rules and parsers.", labels=["validators"])
    version.add_metric([VERSION], 1)
    yield version


def rights_metrics() -> Iterator[Metric]:
    """Whether web and workers, and strangers, have a role of their own in the database."""
    roles = GaugeMetricFamily("highwater_database_role", "1 where the setting names a role, else 0.", labels=["role"])
    lacking = rights.lacking_roles()
    for name in rights.SETTING_OF:
        roles.add_metric([name], int(name not in lacking))
    yield roles
    owner = "1 where web processes log in to the database as an owner of tables, else 0."
    yield GaugeMetricFamily("highwater_database_login_owns_tables", owner, value=int(rights.owns_tables()))


SOURCES: dict[str, Source] = {
    "registry.metrics.rights": rights_metrics,
    "registry.metrics.build": build_metrics,
    "registry.metrics.record": record_metrics,
    "registry.metrics.log": log_metrics,
    "registry.metrics.queues": queue_metrics,
    "registry.metrics.scheduler": scheduler_metrics,
    "registry.metrics.clock": clock_metrics,
    "registry.metrics.caching": cache_metrics,
    "registry.metrics.tasks": shared_counts.read_counts,
}


class Figures(Collector):
    """Asks every source anew at each scrape."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("highwater_source_up", "1 where figures could be counted, else 0.", labels=["source"])
        for name, source in SOURCES.items():
            try:
                families = list(source())
            except (DatabaseError, RedisError, OperationalError, OSError):
                log.warning("Metrics of %s could not be counted", name, exc_info=True)
                families = None
            yield from families or ()
            up.add_metric([name], int(families is not None))
        yield up


def metrics_text() -> bytes:
    """All figures in Prometheus' text format."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(Figures())
    request_counts.register_requests(registry)
    return generate_latest(registry)
