"""The main job: a run travels from a site's command line to a ranked list, through the real server and worker."""

from __future__ import annotations

import csv
import hashlib
import json
import time
import urllib.request
import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.make_io500 import make_archive

pytestmark = pytest.mark.services

LISTS = ["full", "historical", "io500", "ten"]


@pytest.fixture(scope="module")
def people(site) -> dict[str, str]:
    """Tokens: Alice and Bob submit for one site, Charlie for another, Dana reviews, Erin edits."""
    return site.tokens(
        alice=["--institution", "north-lab"],
        bob=["--institution", "north-lab"],
        charlie=["--institution", "south-lab"],
        dana=["--role", "reviewer"],
        erin=["--role", "editor"],
    )


def test_an_uploaded_run_reaches_a_ranked_list(site, people, tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "run.tar.gz", performance=1.5)
    (tmp_path / "metadata.json").write_text(
        json.dumps({"institution": "North Lab", "system": "Fjord", "filesystem_type": "Lustre", "client_nodes": 10})
    )
    site.manage("create_release", "flow1", "--deadline", "2099-01-01T00:00:00Z")

    # Alice uploads with the collector, waits, and reads the findings.
    ran = site.collector("upload", archive, "--metadata", tmp_path / "metadata.json", "--json", token=people["alice"])
    assert ran.returncode == 0, ran.stderr
    id = json.loads(ran.stdout)["id"]
    path = f"api/v1/submissions/{id}/"
    checked = site.ask("GET", path, people["alice"]).json
    assert checked["state"] == "checked"
    score = checked["scores"]["SCORE"]["value"]
    assert score == pytest.approx(checked["scores"]["SCORE"]["printed"], rel=1e-4)

    # Bob shares the site and sees it; for Charlie and the public it isn't there.
    assert site.ask("GET", path, people["bob"]).status == 200
    missing = site.ask("GET", path.replace(id[:8], "00000000"), people["charlie"])
    forbidden = site.ask("GET", path, people["charlie"])
    assert (forbidden.status, forbidden.json["code"]) == (404, missing.json["code"])
    assert site.ask("GET", path).status == 401

    # She submits it, Dana accepts with a reason, Erin publishes.
    submit_request = {"release": "flow1", "lists": LISTS, "acknowledge_rules": True, "acknowledge_publication": True}
    submitted = site.ask("POST", path + "submit/", people["alice"], submit_request)
    assert submitted.status == 200, submitted.body
    decision = {"decision": "accept", "reproducibility": "proprietary", "reason": "All rules are satisfied."}
    assert site.ask("POST", path + "review/", people["alice"], decision).status in (403, 404)
    reviewed = site.ask("POST", path + "review/", people["dana"], decision)
    assert reviewed.status in (200, 201), reviewed.body
    assert site.ask("POST", "api/v1/releases/flow1/publish/", people["dana"]).status == 403
    refused = site.ask("POST", "api/v1/releases/flow1/publish/", people["erin"])
    assert (refused.status, refused.json["code"]) == (409, "release.would-be-empty")
    published = site.ask("POST", "api/v1/releases/flow1/publish/", people["erin"], {"allow_empty": True})
    assert published.status == 200, published.body

    # The public finds it on the lists, with its score, and its own page; the received bytes stay private.
    for name in LISTS:
        entries = site.ask("GET", f"api/v1/lists/flow1/{name}/").json["entries"]
        first = [
            (entry["rank"], entry["system"], entry["trust"]) for entry in entries[: 1 if name == "historical" else None]
        ]
        assert first == [(1, "Fjord", "verified")]
        assert entries[0]["score"] == pytest.approx(score)
    result = site.ask("GET", f"api/v1/results/{entries[0]['result']}/").json
    assert result["trust"] == "verified"
    assert "Fjord" in site.ask("GET", "lists/flow1/ten/").body.decode()
    assert site.ask("GET", f"results/{entries[0]['result']}/").status == 200

    # Publishing again changes nothing.
    assert site.ask("POST", "api/v1/releases/flow1/publish/", people["erin"]).status == 200
    assert site.ask("GET", "api/v1/lists/flow1/ten/").json["entries"] == entries
    history = [event["to_state"] for event in site.ask("GET", path + "history/", people["alice"]).json["results"]]
    assert history[0] == "received"
    assert history[-1] == "published"


def test_an_upload_reaches_a_list_without_a_browser(site, people, tmp_path: Path) -> None:
    site.manage("create_release", "flow9", "--deadline", "2099-01-01T00:00:00Z")

    def collect(*arguments: object, status: int = 0) -> dict[str, Any]:
        done = site.collector(*arguments, "--json", token=people["alice"])
        assert done.returncode == status, done.stderr
        return json.loads(done.stdout)

    assert collect("whoami")["account"] == "alice"
    archive = make_archive(tmp_path / "run.tar.gz", performance=2.25)
    id = collect("upload", archive, "--release", "flow9", "--list", "full")["id"]
    short = id[:13]
    row = next(row for row in collect("list", "--state", "checked")["submissions"] if row["id"] == id)
    assert (row["release"], row["waits_for"]) == ("flow9", "submitter")
    assert row["score"] == pytest.approx(collect("show", short)["scores"]["SCORE"]["value"])
    questions = collect("answer", short)
    (tmp_path / "answers.json").write_text(json.dumps(dict(questions, answers={"client_nodes": 10})))
    answered = collect("answer", short, "--file", tmp_path / "answers.json")
    origins = {row["question"]: row["source"] for row in answered["questions"]}
    assert origins["client_nodes"] == "submitter"
    for _ in range(2):  # the second finds what the first did
        assert collect("submit", short, "--acknowledge")["state"] in ("submitted", "in_review")
    assert collect("submit", short, "--release", "flow9", "--list", "ten", "--acknowledge", status=1)["error"][
        "code"
    ] == ("state.conflict")
    refused = site.collector("withdraw", short, "--reason", "Not mine.", "--yes", token=people["charlie"])
    assert refused.returncode == 2, refused.stderr
    assert collect("withdraw", short, "--reason", "The wrong system.", "--yes")["state"] == "withdrawn"
    assert collect("status", short)["waits_for"] is None


def test_a_broken_run_is_reported_and_cannot_be_submitted(site, people, tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "short.tar.gz", short="ior-easy-write")
    ran = site.collector("upload", archive, "--json", token=people["alice"])
    assert ran.returncode == 1
    id = json.loads(ran.stdout)["id"]
    submission = site.ask("GET", f"api/v1/submissions/{id}/", people["alice"]).json
    assert submission["state"] == "invalid"
    assert "io500.stonewall.short" in [finding["code"] for finding in submission["findings"]]
    submit_request = {"release": "next", "lists": ["full"], "acknowledge_rules": True, "acknowledge_publication": True}
    refused = site.ask("POST", f"api/v1/submissions/{id}/submit/", people["alice"], submit_request)
    assert refused.status == 409
    assert refused.headers["Content-Type"] == "application/problem+json"


def test_the_same_bytes_again_are_the_same_submission(site, people, tmp_path: Path) -> None:
    archive = make_archive(tmp_path / "same.tar.gz", performance=3)
    ids = {json.loads(site.collector("upload", archive, "--json", token=people["bob"]).stdout)["id"] for _ in range(2)}
    assert len(ids) == 1


def test_a_dry_check_of_the_server_stores_nothing(site, people, tmp_path: Path) -> None:
    before = len(site.ask("GET", "api/v1/submissions/", people["charlie"]).json["results"])
    ran = site.collector(
        "validate", "--server", make_archive(tmp_path / "run.tar.gz", performance=4), "--json", token=people["charlie"]
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["status"] == "valid"
    assert len(site.ask("GET", "api/v1/submissions/", people["charlie"]).json["results"]) == before


def test_published_archives_go_through_upload_worker_and_api(request, site, shared: Path, published_archives) -> None:
    """In order: none crashes, and each with results has the score that its index gives.

    In a deep run all go this way; in others every ninth of those that the readers are tried on.
    """
    archives = published_archives if request.config.option.deep else published_archives[::9]
    token = site.token("frank", institution="archive")
    folder = shared / "data" / "io500"
    names = {path.name for path in archives}
    rows = [
        row
        for row in csv.DictReader((folder / "index.csv").open(encoding="utf-8"))
        if f"submission-{row['id']}.tar.gz" in names
    ]
    ids = {}
    for row in rows:
        path = folder / "submissions" / f"submission-{row['id']}.tar.gz"
        ids[row["id"]] = _upload(site, token, path, hashlib.sha256(path.read_bytes()).hexdigest())
    assert len(ids) == len(archives)
    for row in rows:
        submission = _settled(site, token, ids[row["id"]])
        assert submission["state"] in ("checked", "invalid"), (row["id"], submission["state"])
        if row["recomputed_score"]:
            values = [run["scores"]["SCORE"]["value"] for run in submission["runs"] if run["scores"].get("SCORE")]
            assert any(value == pytest.approx(float(row["recomputed_score"]), rel=1e-5) for value in values if value), (
                row["id"],
                values,
            )
        else:
            assert not any(run["scores"] for run in submission["runs"])


def _upload(site, token: str, path: Path, sha256: str) -> str:
    boundary = uuid.uuid4().hex
    head = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="sha256"\r\n\r\n{sha256}\r\n'
        f'--{boundary}\r\nContent-Disposition: form-data; name="bundle"; filename="{path.name}"\r\n\r\n'
    )
    request = urllib.request.Request(site.url + "api/v1/submissions/", method="POST")
    request.data = head.encode() + path.read_bytes() + f"\r\n--{boundary}--\r\n".encode()
    request.add_header("Content-Type", f"multipart/form-data; boundary={boundary}")
    request.add_header("Authorization", f"Token {token}")
    with urllib.request.urlopen(request, timeout=600) as answer:
        assert answer.status in (200, 202)
        received = json.loads(answer.read())
    assert received["sha256"] == sha256
    return received["id"]


def _settled(site, token: str, id: str) -> dict:
    """The submission once a worker is done with it; asks again until then, a minute at most."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        submission = site.ask("GET", f"api/v1/submissions/{id}/", token).json
        if submission["state"] not in ("received", "processing"):
            return submission
    raise AssertionError(f"{id} was not checked within a minute")
