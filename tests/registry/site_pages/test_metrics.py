"""/metrics: for this machine or with the token; figures that are counted when asked for."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
import time_machine
from django.db import OperationalError
from django.test import Client
from django.utils import timezone
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.parser import text_string_to_metric_families

from registry.celery import app
from registry.site_pages import metrics
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db


def figures(answer) -> dict[tuple[str, str], float]:
    """(name, label value) -> value of every sample."""
    assert answer.status_code == 200
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def test_the_record_is_counted(client) -> None:
    release = make_release("T1")
    make_list(release, "full", [make_result(release, "io500-1"), make_result(release, "io500-2")])
    answer = client.get("/metrics")
    assert answer["Content-Type"].startswith("text/plain; version=0.0.4")
    samples = figures(answer)
    assert samples["highwater_results", "imported"] == 2
    assert samples["highwater_results", "verified"] == 0
    assert (samples["highwater_releases", ""], samples["highwater_ranked_lists", ""]) == (1, 1)
    assert samples["highwater_source_up", "registry.metrics.record"] == 1


def test_waiting_tasks_are_counted(client, settings) -> None:
    name = settings.CELERY_TASK_DEFAULT_QUEUE
    before = figures(client.get("/metrics"))["highwater_queue_length", name]
    with app.connection_for_write() as broker:
        queue = broker.SimpleQueue(name)
        queue.put({"waits": True})
        try:
            assert figures(client.get("/metrics"))["highwater_queue_length", name] == before + 1
        finally:
            queue.get(timeout=600).ack()
            queue.close()


def test_metrics_are_hidden_from_other_hosts(settings) -> None:
    elsewhere = Client(REMOTE_ADDR="198.51.100.7")
    assert elsewhere.get("/metrics").status_code == 404
    assert elsewhere.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404
    settings.METRICS_TOKEN = "s3cret"
    assert elsewhere.get("/metrics").status_code == 404
    assert elsewhere.get("/metrics", headers={"authorization": "Bearer wrong"}).status_code == 404
    assert elsewhere.get("/metrics", headers={"authorization": "Token s3cret"}).status_code == 404
    assert elsewhere.get("/metrics", headers={"authorization": "Bearer s3cret"}).status_code == 200


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_headers_of_an_undeclared_proxy_are_not_trusted(client, header) -> None:
    assert client.get("/metrics", headers={header: "127.0.0.1"}).status_code == 404


def test_metrics_are_hidden_behind_a_trusted_proxy(client, settings) -> None:
    """It may stand on this machine, and forget to name the caller."""
    settings.TRUSTED_PROXY = True
    settings.METRICS_TOKEN = "s3cret"
    assert client.get("/metrics", headers={"x-forwarded-for": "127.0.0.1, 198.51.100.7"}).status_code == 404
    assert client.get("/metrics", headers={"x-forwarded-for": "198.51.100.7, 127.0.0.1"}).status_code == 404
    assert client.get("/metrics").status_code == 404
    assert client.get("/metrics", headers={"authorization": "Bearer s3cret"}).status_code == 200


def test_a_failing_source_hides_no_other_metric(client, monkeypatch) -> None:
    def harbour():
        yield GaugeMetricFamily("harbour_ships", "Ships.", value=3)

    def sunk():
        raise OperationalError("gone")

    monkeypatch.setattr(metrics, "SOURCES", {"sunk": sunk, "harbour": harbour})
    samples = figures(client.get("/metrics"))
    assert samples["harbour_ships", ""] == 3
    assert samples["highwater_source_up", "sunk"] == 0
    assert samples["highwater_source_up", "harbour"] == 1


def test_writing_is_not_possible(client) -> None:
    assert client.post("/metrics").status_code == 405


def test_every_metric_has_help(client) -> None:
    text = client.get("/metrics").content.decode()
    named = set(re.findall(r"^(highwater_\w+?)(?:_bucket|_sum|_count)?[ {]", text, flags=re.MULTILINE))
    assert named <= set(re.findall(r"^# HELP (\w+) \S", text, flags=re.MULTILINE))


@pytest.mark.parametrize("seconds", [-90, 0, 90])
def test_the_clock_of_this_host_is_compared_with_the_databases(client, seconds: int) -> None:
    with time_machine.travel(timezone.now() + timedelta(seconds=seconds), tick=True):
        body = client.get("/metrics").content.decode()
    (apart_s,) = (float(line.split()[1]) for line in body.splitlines() if line.startswith("highwater_clock_apart"))
    assert abs(apart_s - abs(seconds)) < 5
