"""Figures for Prometheus: submissions by state, what waits and for how long, failures, and room on the disk."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from django.core.files.storage import storages
from django.db.models import Count, Min
from django.utils import timezone
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from submissions.bundles.cage.client import BARRIERS, barriers_seen
from submissions.lifecycle.states import FAILURES_OF_OURS, UNFINISHED
from submissions.models import Delivery, Event, MaintenanceRun, ScrubRun, State, StoredFault, Submission


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
    recent = barriers_seen()
    for barrier in BARRIERS:
        barriers.add_metric([barrier], int(barrier in recent))
    yield barriers


def delivery_metrics() -> Iterator[Metric]:
    """Mail and webhooks that are due: how many, and for how long the oldest is."""
    waiting = GaugeMetricFamily("highwater_deliveries_due", "Mail and webhooks that are due.", labels=["kind"])
    late = GaugeMetricFamily(
        "highwater_oldest_delivery_due_seconds", "Since when the oldest one is due.", labels=["kind"]
    )
    due = Delivery.objects.filter(state=Delivery.State.WAITING, due_at__lte=timezone.now())
    for kind, of_kind in (("mail", due.filter(webhook=None)), ("webhook", due.exclude(webhook=None))):
        counted = of_kind.aggregate(count=Count("pk"), oldest=Min("due_at"))
        waiting.add_metric([kind], counted["count"])
        late.add_metric([kind], (timezone.now() - counted["oldest"]).total_seconds() if counted["oldest"] else 0.0)
    yield waiting
    yield late


def space_metrics() -> Iterator[Metric]:
    """Room where bundles and bodies of requests are written; of S3 nothing is known here."""
    free = GaugeMetricFamily("highwater_free_bytes", "Free space for files.", labels=["place"])
    size = GaugeMetricFamily("highwater_size_bytes", "Size of the file system.", labels=["place"])
    places = {"temporary": Path(tempfile.gettempdir())}
    location = Path(getattr(storages["received"], "location", ""))
    if location.is_absolute():
        places["bundles"] = _nearest_folder(location)
    for place, folder in places.items():
        usage = shutil.disk_usage(folder)
        free.add_metric([place], usage.free)
        size.add_metric([place], usage.total)
    yield free
    yield size


def maintenance_metrics() -> Iterator[Metric]:
    """Age of the last success of each job that ran, and whether it failed since."""
    age = GaugeMetricFamily(
        "highwater_maintenance_age_seconds", "Age of the last success of a job.", labels=["job_name"]
    )
    failed = GaugeMetricFamily(
        "highwater_maintenance_failed", "1 where a job failed after its last success.", labels=["job_name"]
    )
    for run in MaintenanceRun.objects.all():
        if run.succeeded_at:
            age.add_metric([run.job], (timezone.now() - run.succeeded_at).total_seconds())
        has_failed = run.failed_at and (run.succeeded_at is None or run.failed_at > run.succeeded_at)
        failed.add_metric([run.job], int(bool(has_failed)))
    yield age
    yield failed


def _nearest_folder(folder: Path) -> Path:
    """The folder, or where it will be made: nothing was stored yet."""
    return next(place for place in (folder, *folder.parents) if place.is_dir())


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
