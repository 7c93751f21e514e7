"""From a machine to its page: the served file records this machine around a real run of fio, packs and uploads it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed here")]
FIO = ["fio", "--name=w", "--rw=write", "--bs=64k", "--size=2m", "--output-format=json", "--output=results/fio.json"]


@pytest.fixture(scope="module")
def served(site, tmp_path_factory) -> Path:
    """highwater.pyz as the registry serves it, held against its checksum."""
    folder = tmp_path_factory.mktemp("machine")
    content = site.ask("GET", "/collector/highwater.pyz").body
    checksum = site.ask("GET", "/collector/highwater.pyz.sha256").body.decode()
    assert checksum == f"{hashlib.sha256(content).hexdigest()}  highwater.pyz\n"
    (folder / "highwater.pyz").write_bytes(content)
    return folder / "highwater.pyz"


@pytest.fixture(scope="module")
def packed(site, served: Path) -> Path:
    """A bundle of one run of fio and of what this machine was before and after it."""
    folder = served.parent
    (folder / "results").mkdir()
    ran = command(site, served, "run", "--out", "run1", "--directory", folder, "--", *FIO, "--filename=data")
    assert ran.returncode == 0, ran.stderr
    pack_run = command(
        site, served, "pack", "--results", "results", "--system", "run1/system.json", "--out", "run1.tar.gz"
    )
    assert pack_run.returncode == 0, pack_run.stderr
    return folder / "run1.tar.gz"


def command(site, served: Path, *arguments: object, token: str = "") -> subprocess.CompletedProcess[str]:
    """The single file as a site runs it: by the shell, from the folder of its run."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(served.parent),
        "HIGHWATER_PYTHON": sys.executable,
        "HIGHWATER_URL": site.url,
        **({"HIGHWATER_TOKEN": token} if token else {}),
    }
    line = ["sh", "highwater.pyz", *map(str, arguments)]
    return subprocess.run(line, cwd=served.parent, env=environment, capture_output=True, text=True, timeout=600)


def test_the_page_shows_machine_parameters_drift_and_result(site, served: Path, packed: Path) -> None:
    token = site.token("frida", institution="fio-lab")
    sent = command(site, served, "upload", packed, "--json", token=token)
    assert sent.returncode == 0, sent.stderr
    submission = json.loads(sent.stdout)
    result = json.loads((served.parent / "results" / "fio.json").read_text())
    assert submission["state"] == "checked"
    assert (submission["tool"], submission["primary"]) == ("fio", 0)
    bandwidth = [measurement for measurement in submission["measurements"] if measurement["quantity"] == "bandwidth"]
    assert [measurement["value"] for measurement in bandwidth] == [result["jobs"][0]["write"]["bw_bytes"]]

    document = site.ask("GET", f"/api/v1/submissions/{submission['id']}/system/", token).json["document"]
    (node,) = document["node_classes"]
    assert node["os"]["kernel"] == os.uname().release
    assert node["hardware"]["cpu"]["threads"] == os.cpu_count()
    assert [capture["phase"] for capture in document["captures"]] == ["pre", "post"]
    assert (document["run"]["command"], document["run"]["exit_status"]) == ("fio", 0)
    assert "drift" in document


def test_the_command_line_prints_the_first_measurements(site, served: Path, packed: Path) -> None:
    token = site.token("ida", institution="fio-lab-4")
    sent = command(site, served, "upload", packed, token=token)
    bandwidth = json.loads((served.parent / "results" / "fio.json").read_text())["jobs"][0]["write"]["bw_bytes"]
    assert f"found   write bandwidth mean {bandwidth} B/s\n" in sent.stdout.replace(",", "")


def test_the_same_bundle_again_is_the_same_submission(site, served: Path, packed: Path) -> None:
    token = site.token("greta", institution="fio-lab-2")
    first, again = (command(site, served, "upload", packed, "--json", token=token) for _ in range(2))
    assert json.loads(first.stdout)["id"] == json.loads(again.stdout)["id"]


def test_a_packed_bundle_names_neither_host_nor_folders(packed: Path) -> None:
    content = subprocess.run(["tar", "-xzOf", packed], capture_output=True, check=True).stdout.decode(
        "utf-8", "replace"
    )
    assert str(packed.parent) not in content
    assert re.search(rf"\b{re.escape(os.uname().nodename)}\b(?!\.)", content) is None


def test_a_bundle_with_a_key_in_it_is_refused_and_not_kept(site, served: Path, packed: Path) -> None:
    token = site.token("hanna", institution="fio-lab-3")
    key = (
        "-----BEGIN OPENSSH PRIVATE KEY-----\n"
        + "b3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n" * 4
        + "-----END OPENSSH PRIVATE KEY-----\n"
    )
    folder = served.parent / "leaking"
    folder.mkdir()
    (folder / "fio.json").write_bytes((served.parent / "results" / "fio.json").read_bytes())
    (folder / "job.out").write_text(key)
    subprocess.run(["tar", "-czf", "leaking.tar.gz", "leaking"], cwd=served.parent, check=True)
    sent = command(site, served, "upload", "leaking.tar.gz", "--json", token=token)
    assert sent.returncode == 1
    assert "bundle.secret" in sent.stdout + sent.stderr
    listed = site.ask("GET", "/api/v1/submissions/", token).json["results"]
    for submission in listed:
        assert site.ask("GET", f"/api/v1/submissions/{submission['id']}/files/", token).status in (200, 404)
    stored = [path for path in site.state.rglob("*") if path.is_file() and path.stat().st_size < 2**20]
    digest = hashlib.sha256((served.parent / "leaking.tar.gz").read_bytes()).hexdigest()
    assert not [path for path in stored if hashlib.sha256(path.read_bytes()).hexdigest() == digest]
