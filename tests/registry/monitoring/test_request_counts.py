"""Each request has an id, a count and a line of the log; probes are only counted."""

from __future__ import annotations

import json
import logging
import os
import re
import subprocess
import sys

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path
from prometheus_client import Counter

from registry.monitoring import request_counts
from registry.monitoring.log_lines import AddContext, JsonFormatter, TextFormatter
from tests.running import ROOT

pytestmark = pytest.mark.django_db


def fail_request(_: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of ours")


urlpatterns = [path("fails/", fail_request)]
handler500 = "registry.web.error_pages.server_error"


def counted(surface: str, method: str, status: str) -> float:
    return request_counts.REQUESTS.labels(surface, method, status)._value.get()


def lines_of(caplog: pytest.LogCaptureFixture) -> list[dict]:
    """The lines of requests as programs read them."""
    formatter = JsonFormatter()
    records = [record for record in caplog.records if record.name == "registry.request"]
    for record in records:
        AddContext().filter(record)
    return [json.loads(formatter.format(record)) for record in records]


@pytest.mark.parametrize(
    ("path", "surface", "status"),
    [
        ("/lists/", "page", "200"),
        ("/lists/NONE/", "page", "404"),
        ("/api/v1/releases/", "api", "200"),
        ("/submissions/", "private", "302"),
        ("/livez", "probe", "200"),
    ],
)
def test_requests_are_counted_by_part_of_the_site(client: Client, path: str, surface: str, status: str) -> None:
    before = counted(surface, "GET", status)
    client.get(path)
    assert counted(surface, "GET", status) == before + 1


def test_unknown_methods_share_one_count(client: Client) -> None:
    before = counted("page", "other", "405")
    for method in ("BREW", "PROPFIND"):
        client.generic(method, "/lists/")
    assert counted("page", "other", "405") == before + 2


def test_a_scrape_shows_requests_with_their_times(client: Client) -> None:
    client.get("/lists/")
    text = client.get("/metrics").content.decode()
    assert re.search(r'^highwater_requests_total\{method="GET",status="200",surface="page"\} [1-9]', text, re.MULTILINE)
    assert re.search(r'^highwater_request_seconds_bucket\{le="0.5",surface="page"\} [0-9]', text, re.MULTILINE)


def test_a_log_line_has_request_status_and_duration(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "registry.request")
    client.get("/results/?q=secret-word")
    (line,) = lines_of(caplog)
    assert (line["method"], line["path"], line["status"]) == ("GET", "/results/", 200)
    assert line["duration_ms"] >= 0 and "account" not in line
    assert "secret-word" not in json.dumps(line)


def test_probes_and_scrapes_are_not_logged(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "registry.request")
    for address in ("/livez", "/readyz", "/metrics"):
        client.get(address)
    assert lines_of(caplog) == []


def test_a_path_cannot_break_the_log_line(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "registry.request")
    client.get("/lists/%0aERROR%20forged/")
    record = next(record for record in caplog.records if record.name == "registry.request")
    AddContext().filter(record)
    assert "\n" not in TextFormatter("{message}", style="{").format(record)


def test_the_error_page_names_the_request(client: Client, settings) -> None:
    settings.ROOT_URLCONF = __name__
    client.raise_request_exception = False
    answer = client.get("/fails/")
    assert answer.status_code == 500
    assert f"request number <code>{answer[request_counts.HEADER]}</code>" in answer.content.decode()


@pytest.mark.parametrize("proxy_id", ["abcdef-0123456789", "short", "x" * 65, "with space in it", 'quote"12345678'])
def test_a_request_id_is_accepted_from_a_declared_proxy_only(client: Client, settings, proxy_id: str) -> None:
    assert client.get("/livez", headers={request_counts.HEADER: proxy_id})[request_counts.HEADER] != proxy_id
    settings.TRUSTED_PROXY = True
    answered_id = client.get("/livez", headers={request_counts.HEADER: proxy_id})[request_counts.HEADER]
    assert (answered_id == proxy_id) == (proxy_id == "abcdef-0123456789")


def test_processes_of_one_server_share_their_counts(tmp_path) -> None:
    code = (
        "import os, sys; from prometheus_client import CollectorRegistry, generate_latest;"
        "from registry.monitoring import request_counts;"
        "request_counts.REQUESTS.labels('page', 'GET', '200').inc();"
        "registry = CollectorRegistry(); request_counts.register_requests(registry);"
        "sys.stdout.write(generate_latest(registry).decode())"
    )
    environment = os.environ | {
        request_counts.FOLDER_VARIABLE: str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "registry.settings",
    }
    texts = [
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True, capture_output=True).stdout
        for _ in range(2)
    ]
    assert b'highwater_requests_total{method="GET",status="200",surface="page"} 2.0' in texts[1]
    assert isinstance(request_counts.REQUESTS, Counter)
