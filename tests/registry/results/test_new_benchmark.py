"""One folder is enough: the benchmark of docs/add-a-benchmark.md, in a place of its own, comes to every page."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.test import Client

import validators.benchmarks
from registry.site_pages import documentation
from tests.registry.record import make_measurement, make_release, make_result
from tests.validators.benchmarks.test_add_a_benchmark import FILES
from validators import catalogue, checks


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of benchmarks that holds stridebench alone."""
    folder = tmp_path / "validators" / "benchmarks"
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr(catalogue, "FOLDER", folder)
    monkeypatch.setattr(validators.benchmarks, "__path__", [*validators.benchmarks.__path__, str(folder)])
    caches = (catalogue.benchmarks, documentation.render_pages)
    for cache in caches:
        cache.cache_clear()
    yield folder / "stridebench"
    for cache in caches:
        cache.cache_clear()
    for name in [name for name in sys.modules if name.startswith("validators.benchmarks.stridebench")]:
        del sys.modules[name]


@pytest.fixture
def published(folder: Path, db) -> None:
    """The sample as it was checked, and the same of an older version."""
    (run,) = checks.check(folder / "samples" / "complete" / "stdout.txt").runs
    release = make_release("next")
    for public_id, version in (("sb-1", run.version), ("sb-2", "1.9")):
        facts = {"tool": run.tool, "tool_version": version, "parameters": run.parameters}
        result = make_result(release, public_id, None, **facts)
        for measurement in run.measurements:
            make_measurement(result, **measurement.as_json())


def test_a_new_benchmark_has_a_page_in_the_documentation(client: Client, folder: Path) -> None:
    page = client.get("/docs/benchmarks/stridebench/").content.decode()
    assert '<td id="stridebench.truncated">' in page
    assert '<td id="stridebench.both">' in page
    assert "best repetition of all tasks together" in page
    assert '<a href="/docs/benchmarks/stridebench/">Stridebench</a>' in client.get("/docs/").content.decode()


def test_api_and_rules_include_a_new_benchmark(client: Client, folder: Path, db) -> None:
    tools = [result["tool"] for result in client.get("/api/v1/benchmarks/").json()["results"]]
    rules = client.get("/api/v1/rules/?benchmark=stridebench").json()["results"]
    assert ("stridebench" in tools, [rule["code"] for rule in rules]) == (
        True,
        ["stridebench.both", "stridebench.stride"],
    )


def test_results_of_a_new_benchmark_are_filtered_by_metric_and_parameter(client: Client, published: None) -> None:
    form = client.get("/results/?tool=stridebench&p.stride_bytes=65536&measured=read/bandwidth").content.decode()
    assert '<option value="stridebench" selected>Stridebench (2)</option>' in form
    assert '<option value="read/bandwidth" selected>read, bandwidth</option>' in form
    assert '<option value="65536" selected>65536 (2)</option>' in form
    assert 'href="/results/sb-1/"' in form
    assert 'href="/results/sb-1/"' not in client.get("/results/?p.stride_bytes=1").content.decode()


def test_a_result_of_a_new_benchmark_explains_its_values(client: Client, published: None) -> None:
    page = client.get("/results/sb-1/").content.decode()
    assert "Bytes read over the time of the slowest task; higher is better" in page
    assert "best repetition of all tasks together" in page
    assert 'href="/docs/benchmarks/stridebench/"' in page


def test_versions_of_a_new_benchmark_are_compared_by_its_descriptor(client: Client, published: None) -> None:
    comparison = client.get("/api/v1/compare/?results=sb-1,sb-2").json()
    assert "compare.other-meaning" in [note["code"] for note in comparison["notes"]]
    assert [row["ratios"][1] for row in comparison["measurements"]] == [None, None]
