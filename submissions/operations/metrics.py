"""Figures of submissions for Prometheus: how many stand where, and how long the oldest has waited for a worker."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from submissions.lifecycle.states import FAILURES_OF_OURS, UNFINISHED
from submissions.models import Event, ScrubRun, State, StoredFault, Submission


def failure_metrics() -> Iterator[Metric]:
    """Checks that failed through a fault of the registry: each has a traceback in the log of the worker."""
    failed = CounterMetricFamily(
        "highwater_check_failures", "Checks that failed through a fault of the registry.", labels=["code"]
    )
    ended = Event.objects.filter(actor=None, to_state__in=(State.CHECKED, State.INVALID))
    for code in FAILURES_OF_OURS:
        failed.add_metric([code], ended.filter(reason__endswith=f"; {code}").count())
    yield failed


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


def storage_metrics() -> Iterator[Metric]:
    """Stored bytes that are damaged or missing now; what the last whole reading of them found, and how old it is."""
    faults = GaugeMetricFamily(
        "highwater_storage_faults", "Stored files that are damaged or missing now.", labels=["fault"]
    )
    counts = dict(StoredFault.objects.order_by().filter(ended_at=None).values_list("fault").annotate(Count("pk")))
    for fault in StoredFault.Fault.values:
        faults.add_metric([fault], counts.get(fault, 0))
    yield faults
    run = ScrubRun.objects.exclude(ended_at=None).order_by("-ended_at").first()
    if run is None or run.ended_at is None:
        return
    objects = GaugeMetricFamily(
        "highwater_scrub_objects", "Stored files of the last whole reading.", labels=["outcome"]
    )
    for outcome, number in (("whole", run.objects_read), ("damaged", run.damaged), ("missing", run.missing)):
        objects.add_metric([outcome], number)
    yield objects
    yield GaugeMetricFamily("highwater_scrub_bytes", "Bytes of the last whole reading.", value=run.bytes_read)
    age_s = (timezone.now() - run.ended_at).total_seconds()
    yield GaugeMetricFamily("highwater_scrub_age_seconds", "Age of the last whole reading of all bytes.", value=age_s)
