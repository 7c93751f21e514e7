"""The Python client against a running registry: the examples of its page, refusals, and what it downloads."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pyarrow.parquet
import pytest

import highwater
from tests.flows.conftest import ROOT, RunningSite, wait_until

PAGE = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^## ([^\n]+)\n[^`]*?^```python\n(.+?)^```\n+```text\n(.+?)^```$", PAGE, flags=re.M | re.S)


@pytest.fixture(scope="module")
def registry(site: RunningSite) -> highwater.Registry:
    return highwater.Registry(site.url)


def test_the_page_has_three_examples() -> None:
    assert [title for title, _, _ in EXAMPLES] == ["Two generations", "A tuning sweep", "A regression hunt"]


@pytest.mark.parametrize(
    ("code", "printed"), [example[1:] for example in EXAMPLES], ids=[example[0] for example in EXAMPLES]
)
def test_an_example_prints_what_its_page_says(registry, code: str, printed: str) -> None:
    with contextlib.redirect_stdout(io.StringIO()) as output:
        exec(code.replace("https://REGISTRY", registry.url), {"registry": registry, "highwater": highwater})
    lines = [line.rstrip() for line in output.getvalue().splitlines()]
    assert lines == [line.rstrip() for line in printed.splitlines()]


def test_results_are_paged_to_the_limit_and_become_a_frame(registry, monkeypatch) -> None:
    monkeypatch.setattr(highwater.registry, "PAGE", 20)
    results = registry.results(limit=45, tool="io500", client_nodes__gte=10)
    assert len(results) == 45 == len({row["id"] for row in results})
    frame = results.pandas()
    assert list(frame.columns) == results.columns and frame["client_nodes"].min() >= 10
    nothing = registry.results(tool="nothing")
    assert len(nothing) == 0 and list(nothing.pandas().columns) == results.columns


def test_filters_may_be_several_and_of_parameters(registry) -> None:
    filters = {"metric": "write.bandwidth.max", "x": "fabric", "tool": "ior", "p": {"direct_io": True}}
    study = registry.study(series=["op"], system=["E1000 SSU-F", "nothing"], **filters)
    assert {row["value"] for row in study} == {58.9, 35.7, 57.9, 54.2}
    assert study.unit == "GB/s" and "p.direct_io=true" in study.question
    assert registry.study(system="nothing", **filters).rows == []


def test_a_chart_has_its_own_colours_and_pictures_are_drawn(registry) -> None:
    study = registry.study("e1000-fabric-direct")
    (spec,) = [value for kind, value in study.chart()._repr_mimebundle_().items() if "vegalite" in kind]
    assert "var(--" not in str(spec) and isinstance(spec["width"], int)
    assert study.svg("dark").startswith(b"<svg") and study.png().startswith(b"\x89PNG")


def test_what_can_not_be_drawn_is_said(registry) -> None:
    study = registry.study(metric="write.bandwidth.max", x="fabric", tool="ior", system="nothing")
    with pytest.raises(ValueError, match="no value"):
        study.chart()
    with pytest.raises(highwater.Refused) as refusal:
        study.svg()
    assert (refusal.value.status, refusal.value.code) == (400, "study.nothing-to-draw")


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda registry: registry.study("e1000-fabric"), "record.no-study"),
        (lambda registry: registry.study("e1000-fabric-direct", per="drive"), "query.unknown-parameter"),
        (lambda registry: registry.study(metric="score"), "study.no-metric"),
        (lambda registry: registry.result("../../submissions"), ""),
        (lambda registry: registry.result("none"), "record.no-result"),
        (lambda registry: registry.rank("score +"), "ranking.formula"),
        (lambda registry: registry.results(nothing="x"), "query.unknown-parameter"),
        (lambda registry: registry.compare("one"), "query.invalid-value"),
    ],
)
def test_a_refusal_has_the_code_and_the_hint_of_the_registry(registry, ask, code) -> None:
    with pytest.raises(highwater.Refused) as refusal:
        ask(registry)
    assert code in refusal.value.code and refusal.value.code in str(refusal.value)
    assert str(refusal.value).count("There is nothing here") <= 1


def test_rankings_and_measurements_are_tables(registry) -> None:
    ranking = registry.rank("score / client_nodes", limit=2, trust="imported")
    assert [row["rank"] for row in ranking] == [1, 2]
    measurements = registry.measurements(ranking[0]["result"])
    assert {"op", "value", "unit"} <= set(measurements.columns) and len(measurements) > 0
    assert measurements._repr_html_().count("<tr>") == len(measurements) + 1
    assert repr(measurements).startswith(f"<Table: {len(measurements)} rows of op, ")


def test_an_export_is_checked_against_the_manifest(site, registry, tmp_path: Path, monkeypatch) -> None:
    wait_until(lambda: site.ask("GET", "api/v1/export/manifest.json").status == 200)
    path = registry.export("results.parquet", tmp_path)
    assert pyarrow.parquet.read_table(path).num_rows > 100
    original_json = registry._json
    monkeypatch.setattr(
        registry, "_json", lambda path: {"files": [{**file, "sha256": "0"} for file in original_json(path)["files"]]}
    )
    path.unlink()
    with pytest.raises(ValueError, match="sha256"):
        registry.export("results.parquet", tmp_path)
    assert registry.export("manifest.json", tmp_path).stat().st_size > 0
    assert [file.name for file in tmp_path.iterdir()] == ["manifest.json"]


def test_no_registry_is_an_error_of_its_own(site: RunningSite) -> None:
    assert highwater.Registry(f"{site.url}/api/v1/").metrics()
    with pytest.raises(highwater.Unreachable):
        highwater.Registry("http://127.0.0.1:1").metrics()
    page = b"<h1>Sign in to the network</h1>"
    with _answering(page) as address, pytest.raises(highwater.Unreachable, match="no registry"):
        highwater.Registry(address).metrics()
    for wrong in ("", "registry.example", "file:///etc"):
        with pytest.raises(ValueError, match="address"):
            highwater.Registry(wrong)


@contextlib.contextmanager
def _answering(page: bytes) -> Iterator[str]:
    """The address of a server that answers everything with one page."""

    class Always(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(page)

    with HTTPServer(("127.0.0.1", 0), Always) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_what_people_wrote_is_escaped_in_a_notebook() -> None:
    table = highwater.Table(["<b>"], [{"<b>": "<script>"}, {"<b>": None}])
    assert "<script>" not in table._repr_html_() and "<b>" not in table._repr_html_()


def test_the_wheel_installs_from_the_site_without_any_other_package(site: RunningSite, tmp_path: Path) -> None:
    (address,) = re.findall(r"pip install (\S+\.whl)", site.ask("GET", "client/").body.decode())
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--target", tmp_path, address]
    subprocess.run(pip, check=True, capture_output=True)
    script = "import highwater; print(len(highwater.Registry().studies()) > 50)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        cwd=tmp_path,
        env={"HIGHWATER_URL": site.url},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "True\n", done.stderr
    assert site.ask("GET", "client/highwater_client-0.0.1-py3-none-any.whl").status == 404
