"""Alert rules: Prometheus takes them, each fires on figures that there are, and each has its section."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from datetime import timedelta
from typing import Any, NoReturn

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.http import HttpRequest
from django.test import Client, override_settings
from django.urls import path
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from registry.celery import SCHEDULER_NOTE
from registry.celery import app as celery_app
from registry.monitoring import shared_counts
from submissions.models import Delivery, Event, MaintenanceRun, ScrubRun
from submissions.operations import maintenance
from tests.running import ROOT

FOLDER = ROOT / "deploy" / "prometheus"
OF_PROMETHEUS = {"up"}


def fail(request: HttpRequest) -> NoReturn:
    """A view with a mistake."""
    raise LookupError("a mistake")


urlpatterns = [path("broken/", fail)]


def read_rules() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"]
    return group["rules"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool here")
@pytest.mark.parametrize("arguments", [["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]])
def test_prometheus_takes_the_rules(arguments: list[str]) -> None:
    ran = subprocess.run(["promtool", *arguments], cwd=FOLDER, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_each_alert_has_its_section() -> None:
    sections = re.findall(r"^## (Highwater\w+)$", (ROOT / "docs" / "on-call.md").read_text(), re.MULTILINE)
    assert sections == [rule["alert"] for rule in read_rules()]


def test_alerts_use_existing_metrics() -> None:
    pages = "\n".join((ROOT / "docs" / name).read_text() for name in ("api.md", "log.md"))
    documented = set(re.findall(r"`(highwater_\w+)`", pages))
    named = {name for rule in read_rules() for name in re.findall(r"\bhighwater_\w+", rule["expr"])}
    assert {re.sub(r"_bucket$", "", name) for name in named} - documented == set()


@pytest.mark.django_db
def test_documented_metrics_are_those_of_a_scrape() -> None:
    pages = "\n".join(path.read_text() for path in (ROOT / "docs").glob("*.md"))
    documented = set(re.findall(r"`(highwater_\w+)`", pages))
    text = Client().get("/metrics").content.decode()
    assert set(re.findall(r"^# HELP (highwater_\w+) ", text, re.MULTILINE)) <= documented


SELECTOR = re.compile(r"\b(highwater_\w+)(?:{([^}]*)})?")
MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')


def is_scraped(samples: list[Sample], name: str, matchers: str) -> bool:
    """Whether one sample is selected. The label `job` is given by Prometheus."""
    matcher_rows = [matcher for matcher in MATCHER.findall(matchers) if matcher[0] != "job"]
    return any(
        sample.name == name
        and all(
            re.fullmatch(value if operator == "=~" else re.escape(value), sample.labels.get(label, ""))
            for label, operator, value in matcher_rows
        )
        for sample in samples
    )


@pytest.mark.django_db
def test_each_alert_reads_figures_that_a_scrape_has() -> None:
    """With what the rules ask of them: a label or value that nothing writes would leave an alert silent for ever."""
    Client().get("/docs/")
    with override_settings(ROOT_URLCONF=__name__):
        assert Client(raise_request_exception=False).get("/broken/").status_code == 500
    for job in MaintenanceRun.Job.values:
        with maintenance.note_outcome(MaintenanceRun.Job(job)):
            pass
    ScrubRun.objects.create(ended_at=timezone.now())
    shared_counts.count_task("tests.nothing", "failed", 1.0)
    shared_counts.count_event("highwater_deliveries", "mail", "failed")
    with celery_app.connection_for_write() as broker:
        broker.default_channel.client.set(SCHEDULER_NOTE, json.dumps({"at": time.time()}))
    families = text_string_to_metric_families(Client().get("/metrics").content.decode())
    samples = [sample for family in families for sample in family.samples]
    silent = {
        rule["alert"]: selector
        for rule in read_rules()
        for selector in SELECTOR.findall(rule["expr"])
        if not is_scraped(samples, *selector)
    }
    assert silent == {}


def read_figure(name: str, label: str = "") -> float | None:
    text = Client().get("/metrics").content.decode()
    match = re.search(rf'^{name}{{[^}}]*"{label}"[^}}]*}} (\S+)$', text, re.MULTILINE)
    return float(match[1]) if match else None


@pytest.mark.django_db
def test_a_job_that_never_ran_has_no_age() -> None:
    assert read_figure("highwater_maintenance_age_seconds", "verify_history") is None
    call_command("verify_history")
    assert 0 <= read_figure("highwater_maintenance_age_seconds", "verify_history") < 600
    assert read_figure("highwater_maintenance_failed", "verify_history") == 0


@pytest.mark.django_db
def test_a_failed_job_is_marked_and_keeps_its_last_success() -> None:
    with maintenance.note_outcome(MaintenanceRun.Job.BACKUP):
        pass
    MaintenanceRun.objects.update(succeeded_at=timezone.now() - timedelta(days=3))
    with pytest.raises(SystemExit), maintenance.note_outcome(MaintenanceRun.Job.BACKUP):
        raise SystemExit(3)
    assert read_figure("highwater_maintenance_failed", "backup") == 1
    assert read_figure("highwater_maintenance_age_seconds", "backup") > 2 * 86400
    with maintenance.note_outcome(MaintenanceRun.Job.BACKUP):
        pass
    assert read_figure("highwater_maintenance_failed", "backup") == 0


@pytest.mark.django_db
def test_a_broken_history_counts_as_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.lifecycle.audit_chain.find_breaks", lambda: iter(["Event 1 was changed."]))
    with pytest.raises(CommandError):
        call_command("verify_history")
    assert read_figure("highwater_maintenance_failed", "verify_history") == 1


@pytest.mark.django_db
def test_delayed_email_has_an_age_metric(cast) -> None:
    Delivery.objects.create(account=cast.alice.account, due_at=timezone.now() - timedelta(hours=1))
    Delivery.objects.create(account=cast.alice.account, due_at=timezone.now() + timedelta(hours=1))
    assert read_figure("highwater_deliveries_due", "mail") == 1
    assert 3600 <= read_figure("highwater_oldest_delivery_due_seconds", "mail") < 4200
    assert read_figure("highwater_deliveries_due", "webhook") == 0
    assert Event.objects.count() == 0


@pytest.mark.django_db
def test_free_space_is_that_of_the_bundle_disk() -> None:
    assert read_figure("highwater_size_bytes", "bundles") == shutil.disk_usage(ROOT / ".local").total
    assert 0 < read_figure("highwater_free_bytes", "temporary") <= read_figure("highwater_size_bytes", "temporary")
