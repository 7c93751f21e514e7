"""Figures of submissions for Prometheus: how many stand where, and how long the oldest has waited for a worker."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from submissions.bundles.cage.client import BARRIERS, barriers_seen
from submissions.lifecycle.states import FAILURES_OF_OURS, UNFINISHED
from submissions.models import Event, State, Submission


def failure_metrics() -> Iterator[Metric]:
    """Checks that failed through a fault of the registry: each has a traceback in the log of the worker."""
    failed = CounterMetricFamily(
        "highwater_check_failures", "Checks that failed through a fault of the registry.", labels=["code"]
    )
    ended = Event.objects.filter(actor=None, to_state__in=(State.CHECKED, State.INVALID))
    for code in FAILURES_OF_OURS:
        failed.add_metric([code], ended.filter(reason__endswith=f"; {code}").count())
    yield failed


def cage_metrics() -> Iterator[Metric]:
    """What kept hostile bytes from network and files in the last day, on any worker."""
    barriers = GaugeMetricFamily(
        "highwater_cage", "Whether checks ran behind this barrier in the last day.", labels=["barrier"]
    )
    seen = barriers_seen()
    for barrier in BARRIERS:
        barriers.add_metric([barrier], int(barrier in seen))
    yield barriers


def submission_metrics() -> Iterator[Metric]:
    """Counts by state, and the age of the oldest one that is not checked yet; 0 where none waits."""
    states = GaugeMetricFamily("highwater_submissions", "Submissions by state.", labels=["state"])
    counts = dict(Submission.objects.order_by().values_list("state").annotate(Count("pk")))
    for state in State.values:
        states.add_metric([state], counts.get(state, 0))
    yield states
    oldest = Submission.objects.filter(state__in=UNFINISHED).aggregate(oldest=Min("received_at"))["oldest"]
    waiting_s = (timezone.now() - oldest).total_seconds() if oldest else 0.0
    yield GaugeMetricFamily(
        "highwater_oldest_unchecked_seconds", "Age of the oldest submission that waits for its check.", value=waiting_s
    )
