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
from tests.make_io500 import make_archive

PAGE = (ROOT / "docs" / "client.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^## ([^\n]+)\n[^`]*?^```python\n(.+?)^```\n+```text\n(.+?)^```$", PAGE, flags=re.M | re.S)


@pytest.fixture(scope="module")
def registry(site: RunningSite) -> highwater.Registry:
    return highwater.Registry(site.url)


def test_the_page_has_three_examples() -> None:
    titles = [title for title, _, _ in EXAMPLES]
    assert titles == ["Two generations", "A tuning sweep", "A regression hunt", "All phases of a list"]


@pytest.mark.parametrize(
    ("code", "printed"), [example[1:] for example in EXAMPLES], ids=[example[0] for example in EXAMPLES]
)
def test_an_example_prints_the_output_of_its_page(registry, code: str, printed: str) -> None:
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


def test_all_numbers_of_many_results_come_in_one_request(registry) -> None:
    """Of 288 results of IO500 and one of two that a paper gives as bounds."""
    asked_before = len(registry.transport.cache._by_key)
    phases = registry.phases(tool="io500", limit=500)
    assert len(registry.transport.cache._by_key) == asked_before + 1
    assert len(phases) > 300 and "ior-easy-write.bandwidth.phase" in phases.columns
    single = registry.measurements("io500-549")
    row = next(row for row in phases if row["id"] == "io500-549")
    for measurement in single:
        name = f"{measurement['op']}.{measurement['quantity']}.{measurement['stat']}"
        assert row[name] == measurement["value"] and phases.units[name] == measurement["unit"]
    bounds = registry.phases(["cug25-ior-e2000"]).pandas()
    assert bounds["read.bandwidth.max"][0] == 2e11 and bounds["read.bandwidth.max qualifier"][0] == "below"
    assert bounds.attrs["units"]["read.bandwidth.max"] == "B/s" and bounds["trust"][0] == "reported"


def test_every_address_of_the_record_has_its_method(registry) -> None:
    lists = registry.lists(release="SC23")
    assert {row["list"] for row in lists} >= {"ten"} and len(registry.releases()) > 10
    entries = registry.entries("sc23", "ten")
    assert [row["rank"] for row in entries][:3] == [1, 2, 3] and len(entries) == 10
    systems = registry.systems(limit=7)
    assert len(systems) == 7 and registry.system(systems[0]["slug"])["name"] == systems[0]["name"]
    assert registry.history("nersc-perlmutter-scratch")["system"]["name"] == "Perlmutter scratch"
    generations = registry.generations("cray-e2000")
    assert generations["platforms"][-1]["slug"] == "cray-e2000" and len(generations["unmatched"]) > 0
    assert registry.sizing("cray-e2000", 1, "TB/s", "read")["units"]["qualifier"] == "above"
    assert {"op", "value", "unit"} <= set(registry.ceilings("cug25-ior-e2000").columns)
    assert set(registry.members("io500-549")) == {"members", "series"}
    assert len(registry.distributions("io500-549")) == 0
    assert [row["percent"] for row in registry.stragglers(4, 1, [1, 4])] == [25.0, 100.0]
    assert len(registry.sites(5)) == 5 and len(registry.platforms()) > 3 and len(registry.lines()) > 0
    assert len(registry.rankings()) == 0 and registry.hardware()["drives"]
    metrics = {row["metric"]: row for row in registry.metric_table()}
    assert metrics["ior-easy-write.bandwidth.phase"]["tools"] == ["io500"]
    with pytest.raises(highwater.Refused, match=r"record\.no-ranking"):
        registry.ranking("none")


def test_a_run_is_sent_and_refused_and_submitted(site: RunningSite, tmp_path: Path) -> None:
    token = site.token("paula", "submitter", "paula-lab")
    site.manage("create_release", "client1", "--deadline", "2099-01-01T00:00:00Z")
    private = highwater.Registry(site.url, token=token)
    archive = make_archive(tmp_path / "run.tar.gz", performance=1.25)
    metadata = {"institution": "Paula Lab", "system": "Fell", "filesystem_type": "Lustre", "client_nodes": 10}
    receipt = private.upload(archive, metadata)
    assert private.upload(archive, metadata)["id"] == receipt["id"]
    wait_until(lambda: private.submission(receipt["id"])["state"] == "checked")
    with pytest.raises(highwater.Refused) as refusal:
        private.submit(receipt["id"], "client1", "ten")
    assert refusal.value.code and "acknowledge_rules" in str(refusal.value.errors or refusal.value)
    done = private.submit(
        receipt["id"], "client1", ["full", "ten"], acknowledge_rules=True, acknowledge_publication=True
    )
    assert done["state"] == "submitted"
    with pytest.raises(highwater.Refused) as refusal:
        highwater.Registry(site.url, token="wrong").upload(archive)
    assert (refusal.value.status, refusal.value.code) == (401, "auth.failed")


def test_wrong_names_and_values_are_reported(registry) -> None:
    with pytest.raises(highwater.Refused, match=r"p\.stripe_count") as refusal:
        registry.results(p={"stripe_cont": 4})
    assert refusal.value.code == "query.unknown-parameter"
    with pytest.warns(highwater.UnknownValue, match="Lustre"):
        assert len(registry.results(filesystem_type="Lustr")) == 0


def test_a_chart_has_its_own_colours_and_pictures_are_drawn(registry) -> None:
    study = registry.study("e1000-fabric-direct")
    (spec,) = [value for kind, value in study.chart()._repr_mimebundle_().items() if "vegalite" in kind]
    assert "var(--" not in str(spec) and isinstance(spec["width"], int)
    assert study.svg("dark").startswith(b"<svg") and study.png().startswith(b"\x89PNG")


def test_a_study_without_values_cannot_be_drawn(registry) -> None:
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


def test_an_unreachable_registry_has_its_own_error(site: RunningSite) -> None:
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


def test_texts_are_escaped_in_a_notebook() -> None:
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
