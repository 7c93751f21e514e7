"""A run of fio is published, and run again elsewhere from its recipe: the comparison at the end asks no network.

What comes out is published by other institutions, and the registry says who reproduced the run and who did not.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import wait_until

SLOW_WRITES = Path(__file__).with_name("slow_writes.c")
LIST = "fio-seq-write"
PROCESSORS = "cpu.cgroup_limits cpus_allowed_count"
WITHOUT_NETWORK = ("unshare", "--map-root-user", "--net")
pytestmark = [
    pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed here"),
    pytest.mark.skipif(
        shutil.which("unshare") is None or subprocess.run([*WITHOUT_NETWORK, "true"]).returncode != 0,
        reason="no network can be taken away here",
    ),
]
# Its rate is limited, so that it repeats within the limits of agreement on a busy machine, too.
FIO = ["fio", "--name=w", "--rw=write", "--bs=64k", "--size=8m", "--rate=8m", "--output-format=json"]
RATIO_LINE = (
    r"write bandwidth job 0: (?P<ratio>\d\.\d\d) x \((?P<low>\d\.\d\d) to (?P<high>\d\.\d\d)\); \d+ facts differ\n"
)


def command(site, folder: Path, *arguments: object, token: str = "") -> subprocess.CompletedProcess[str]:
    """The single file as a site runs it."""
    line = [sys.executable, str(folder / "highwater.pyz"), *map(str, arguments)]
    tokens = {"HIGHWATER_TOKEN": token} if token else {}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "HIGHWATER_URL": site.url, **tokens}
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


def start_job(folder: Path, *on: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """The job of a repetition where there is no network and no variable that names a registry.

    `on` is a command that starts it, and `variables` are what is set besides.
    """
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), **variables}
    line = [*WITHOUT_NETWORK, *on, "sh", str(folder / "job.sh")]
    return subprocess.run(line, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def people(site) -> dict[str, str]:
    """Tokens of a submitter of each of three institutions, a reviewer and an editor."""
    lab_by_name = {"nora": "north-lab", "sam": "south-lab", "ed": "east-lab"}
    submitters = {name: ["--institution", lab] for name, lab in lab_by_name.items()}
    return site.tokens(**submitters, rolf=["--role", "reviewer"], edda=["--role", "editor"])


def publish_runs(site, people: dict[str, str], release: str, ids: dict[str, str]) -> dict[str, str]:
    """Have checked runs, by who sent them, published in a release of their own; their public ids."""
    document = {"slug": release, "name": release, "deadline": "2099-01-01T00:00:00Z", "lists": [LIST]}
    assert site.ask("POST", "api/v1/releases/", people["edda"], document).status == 201
    for name, id in ids.items():
        path = f"api/v1/submissions/{id}/"
        request = {"release": release, "lists": [], "primary": 0}
        request |= {"acknowledge_rules": True, "acknowledge_publication": True}
        assert site.ask("POST", path + "submit/", people[name], request).status == 200
        decision = {"decision": "accept", "reproducibility": "limited", "reason": "All rules are satisfied."}
        assert site.ask("POST", path + "review/", people["rolf"], decision).status in (200, 201)
    path = f"api/v1/releases/{release}/publish/"
    assert site.ask("POST", path, people["edda"], {"allow_empty": True}).status == 200
    return {name: site.done("GET", f"submissions/{id}/", people[name])["result"] for name, id in ids.items()}


@pytest.fixture(scope="module")
def published(site, people, tmp_path_factory) -> tuple[Path, str]:
    """The folder of a machine, and the public id of three runs of fio there under `run`."""
    folder = tmp_path_factory.mktemp("machine")
    (folder / "highwater.pyz").write_bytes(site.ask("GET", "/collector/highwater.pyz").body)
    (folder / "lake").mkdir()
    for repeat in (1, 2, 3):
        (folder / f"results/run-{repeat}").mkdir(parents=True)
        line = [*FIO, "--directory=lake", f"--output=results/run-{repeat}/fio.json"]
        ran = command(site, folder, "run", "--out", f"run-{repeat}", "--directory", "lake", "--", *line)
        assert ran.returncode == 0, ran.stderr
    words = ("--results", "results", "--system", "run-1/system.json", "--out", "run.tar.gz")
    assert command(site, folder, "pack", *words).returncode == 0
    sent = command(site, folder, "upload", "run.tar.gz", "--json", token=people["nora"])
    assert sent.returncode == 0, sent.stderr
    return folder, publish_runs(site, people, "first", {"nora": json.loads(sent.stdout)["id"]})["nora"]


def reproduce(site, folder: Path, result: str, name: str) -> tuple[subprocess.CompletedProcess[str], Path]:
    (folder / name).mkdir()
    words = ("--directory", folder / name, "--output", f"again-{name}")
    return command(site, folder, "reproduce", result, *words), folder / f"again-{name}"


@pytest.fixture(scope="module")
def same(site, published) -> tuple[subprocess.CompletedProcess[str], Path]:
    """The folder of a repetition on the same machine, and what its job printed."""
    folder, result = published
    prepared, again = reproduce(site, folder, result, "same")
    assert prepared.returncode == 0, prepared.stdout + prepared.stderr
    assert "must    program fio: found, here found\n" in prepared.stdout
    return start_job(again), again


def test_a_repetition_on_the_same_machine_agrees_without_a_network(published, same) -> None:
    folder, _ = published
    done, _ = same
    printed_ratio = re.search(RATIO_LINE, done.stdout)
    assert printed_ratio, done.stdout + done.stderr
    assert 0.9 <= float(printed_ratio["low"]) <= float(printed_ratio["ratio"]) <= float(printed_ratio["high"]) <= 1.11
    assert "  agrees: " in done.stdout and done.stdout.endswith("outcome  agrees\n")
    assert done.returncode == 0
    assert list((folder / "same").iterdir()) == [], "the repeats left files in the folder under test"


def test_a_repetition_on_a_slower_target_is_not_reproduced_and_says_what_differs(site, published) -> None:
    folder, result = published
    _, again = reproduce(site, folder, result, "slower")
    recipe = (again / "job.fio.in").read_text()
    assert "rate=8m\n" in recipe
    (again / "job.fio.in").write_text(recipe.replace("rate=8m\n", "rate=4m\n"))
    done = start_job(again)
    printed_ratio = re.search(RATIO_LINE, done.stdout)
    assert printed_ratio, done.stdout + done.stderr
    assert 0.4 < float(printed_ratio["low"]) <= float(printed_ratio["high"]) < 0.9
    assert "  not reproduced: the interval lies outside of 0.90 to 1.11\n" in done.stdout
    assert "differs  [job1] rate: 8m, here 4m\n" in done.stdout
    assert done.returncode == 1
    document = json.loads(command(site, folder, "agree", again, "--json").stdout)
    assert document["outcome"] == "not reproduced"
    assert [len(row["original"]) for row in document["metrics"]] == [3] * len(document["metrics"])


def test_two_repeats_are_too_few_to_tell(site, published, same) -> None:
    folder, _ = published
    _, again = same
    shutil.copytree(again, folder / "two")
    shutil.rmtree(folder / "two" / "results" / "run-3")
    done = command(site, folder, "agree", "two")
    assert done.returncode == 5 and "3 of the original, 2 new" in done.stdout, done.stdout + done.stderr


@pytest.fixture(scope="module")
def changed(site, published) -> Path:
    """The folder of a repetition with the same options, on a slower target and on one processor."""
    folder, result = published
    library = folder / "slow.so"
    compiler, pin = shutil.which("cc"), shutil.which("taskset")
    if compiler is None or pin is None:
        pytest.skip("a slower target needs a C compiler and taskset: apt-get install gcc libc6-dev util-linux")
    if len(os.sched_getaffinity(0)) == 1:
        pytest.skip("there is one processor here, so none can be taken away")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", "-o", library, SLOW_WRITES, "-ldl"], check=True)
    _, again = reproduce(site, folder, result, "changed")
    processor = str(min(os.sched_getaffinity(0)))
    done = start_job(again, pin, "-c", processor, LD_PRELOAD=str(library))
    assert done.returncode == 1 and done.stdout.endswith("outcome  not reproduced\n"), done.stdout + done.stderr
    return again


def test_the_registry_says_who_reproduced_a_run_and_what_differed_where_not(
    site, people, published, same, changed
) -> None:
    folder, original = published
    ids = {}
    for name, again in (("sam", same[1]), ("ed", changed)):
        sent = command(site, folder, "upload", again, "--reproduces", original, "--json", token=people[name])
        assert sent.returncode == 0, sent.stdout + sent.stderr
        ids[name] = json.loads(sent.stdout)["id"]
    results = publish_runs(site, people, "again", ids)
    path = f"results/{original}/"
    wait_until(lambda: len(site.done("GET", path, "")["reproduced"]["marks"]) == 2)
    reproduced = site.done("GET", path, "")["reproduced"]
    marks = {mark["result"]: mark for mark in reproduced["marks"]}
    good, bad = marks[results["sam"]], marks[results["ed"]]
    assert (good["kind"], good["outcome"], good["counted"]) == ("reproduced", "agrees", True)
    assert (bad["kind"], bad["outcome"], bad["counted"]) == ("reproduced", "not reproduced", True)
    assert 0.9 <= good["low"] <= good["high"] <= 1.11 and 0 < bad["low"] <= bad["high"] < 0.9
    assert (reproduced["sites"], reproduced["failed_sites"]) == (1, 1)
    assert PROCESSORS not in differing(good)
    count = len(os.sched_getaffinity(0))
    assert differing(bad)[PROCESSORS] == [[str(count)], ["1"]]
    assert reproduced["sentence"].startswith("reproduced by 1 site, within ")
    assert f"; not reproduced: {bad['ratio']:.2f} x, by " in reproduced["sentence"]
    assert f"{PROCESSORS} of Clients ({count}, here 1)" in reproduced["sentence"]
    page = " ".join(site.ask("GET", path).body.decode().split())
    assert reproduced["sentence"][1:] in page and f"{PROCESSORS} of Clients: {count}, here 1" in page
    for word in ("agrees", "not-reproduced"):
        (row,) = site.done("GET", f"results/?release=first&reproduced={word}", "")["results"]
        assert (row["id"], row["reproduced"]) == (original, "agrees, not-reproduced")


def differing(mark: dict[str, Any]) -> dict[str, list[list[str] | None]]:
    """What differs of a mark: by name the values of both."""
    return {row["name"]: row["values"] for group in mark["differences"] for row in group["differences"]}
