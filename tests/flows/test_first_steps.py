"""A newcomer pastes the commands of the README and of the first page, as printed, and ends on a ranked list."""

from __future__ import annotations

import csv
import html
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import RunningSite, started_site

ROOT = Path(__file__).resolve().parent.parent.parent
PRINTED_ADDRESS = "http://127.0.0.1:8000/"
PLACEHOLDER = "hw_..."

pytestmark = pytest.mark.services


def commands_of(markdown: str, heading: str) -> list[str]:
    """The commands behind `$` in the code blocks below a heading, each with the lines that continue it."""
    section = re.split(r"^## ", markdown, flags=re.MULTILINE)
    (text,) = [part for part in section if part.startswith(heading + "\n")]
    lines = [line[4:] for line in text.splitlines() if line.startswith("    ")]
    commands: list[str] = []
    for line in lines:
        if line.startswith("$ "):
            commands.append(line[2:])
        elif commands and is_open(commands[-1]):
            commands[-1] += "\n" + line
    return commands


def is_open(command: str) -> bool:
    """Whether a shell would wait for more of it."""
    return command.endswith("\\") or command.count("'") % 2 == 1


def commands_of_page(page: str) -> list[str]:
    block = re.search(r'<section id="run">.*?<pre[^>]*>(.*?)</pre>', page, flags=re.DOTALL)
    return html.unescape(block[1]).splitlines()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A registry of its own: lists take along what was published before, and these publish."""
    with started_site(tmp_path_factory.mktemp("first-steps")) as running:
        yield running


@pytest.fixture
def paste(site, tmp_path: Path):
    """paste(commands) runs them in one shell, in an empty folder of a fresh home, and stops at the first that fails."""
    folder = tmp_path / "empty"
    folder.mkdir()
    (tmp_path / "home").mkdir()
    # All that the commands take of the checkout; it speaks to the site of these tests.
    (folder / "dev.py").symlink_to(ROOT / "dev.py")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "HIGHWATER_STATE": str(site.state),
        "HIGHWATER_VENV": sys.prefix,
    }

    def run(commands: list[str]) -> subprocess.CompletedProcess[str]:
        text = "\n".join(commands).replace(PRINTED_ADDRESS, site.url)
        return subprocess.run(
            ["bash", "-e"], input=text, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
        )

    return run


def require(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def test_the_commands_of_the_readme_end_on_a_ranked_list(site, paste) -> None:
    commands = commands_of((ROOT / "README.md").read_text(encoding="utf-8"), "Upload a run")
    assert len(commands) > 10
    output = require(paste(commands))
    assert "io500.stonewall" not in output
    assert "status  valid" in output
    assert "state   checked" in output
    entries = csv.DictReader(io.StringIO(output[output.index("rank,") :]))
    (entry,) = [entry for entry in entries if entry["institution"] == "north-lab"]
    assert (entry["rank"], entry["trust"]) == ("1", "verified")
    assert float(entry["score"]) == pytest.approx(float(re.search(r"SCORE ([\d.]+)", output)[1]), rel=1e-8)
    assert entry["result"] in site.ask("GET", "/lists/first/full/").body.decode()


def test_the_commands_of_the_tutorial_end_with_a_verified_receipt(site, paste) -> None:
    tutorial = (ROOT / "docs" / "first-upload.md").read_text(encoding="utf-8").partition("## 3.")[2]
    commands = re.findall(r"^ {4}((?:curl|python3|id=).*)$", tutorial, flags=re.MULTILINE)
    output = require(paste([f"export HIGHWATER_TOKEN={site.token('tutor', institution='tutor-lab')}", *commands]))
    assert "highwater.pyz: OK" in output
    assert "status  valid" in output
    assert "state   checked" in output
    assert "submitted" in output
    assert f"signed by {site.url.rstrip('/')}, and unchanged" in output


def test_the_commands_of_the_first_page_end_on_a_ranked_list(site, paste) -> None:
    commands = commands_of_page(site.ask("GET", "/").body.decode())
    assert any(PLACEHOLDER in command for command in commands)
    people = site.tokens(home=["--institution", "home-lab"], ines=["--role", "reviewer"], jan=["--role", "editor"])
    site.manage("create_release", "home1", "--deadline", "2099-01-01T00:00:00Z", "--list", "full")
    output = require(paste([command.replace(PLACEHOLDER, people["home"]) for command in commands]))
    assert "status  valid" in output
    (id,) = re.findall(r"state   checked  \(submission ([0-9a-f-]+)\)", output)
    submit_request = {"release": "home1", "lists": ["full"], "acknowledge_rules": True, "acknowledge_publication": True}
    assert site.ask("POST", f"api/v1/submissions/{id}/submit/", people["home"], submit_request).status == 200
    decision = {"decision": "accept", "reproducibility": "limited", "reason": "It follows the rules."}
    assert site.ask("POST", f"api/v1/submissions/{id}/review/", people["ines"], decision).status in (200, 201)
    assert site.ask("POST", "api/v1/releases/home1/publish/", people["jan"], {}).status == 200
    entries = site.ask("GET", "api/v1/lists/home1/full/").json["entries"]
    assert [entry["rank"] for entry in entries if entry["institution"] == "home-lab"] == [1]


def test_without_a_token_upload_says_where_to_create_one(site, paste) -> None:
    commands = [
        command for command in commands_of_page(site.ask("GET", "/").body.decode()) if PLACEHOLDER not in command
    ]
    done = paste(commands)
    assert done.returncode == 2
    assert f"Create one at {site.url}account/ and then: export HIGHWATER_TOKEN=" in done.stderr
    assert site.ask("GET", "/account/").status in (200, 302)


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed here")
def test_the_commands_that_record_a_machine_end_with_a_checked_run(site, paste) -> None:
    token = site.token("karl", institution="fio-lab-5")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = [
        *commands_of(readme, "Upload a run")[:1],
        f"export HIGHWATER_TOKEN={token}",
        *commands_of(readme, "Record the machines"),
    ]
    output = require(paste(commands))
    assert "state   checked" in output
    assert "found   write bandwidth mean" in output


def test_the_command_that_checks_without_a_server_runs(paste) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = commands_of(readme, "Upload a run")[:2] + commands_of(readme, "Check without a server")
    assert "status  valid" in require(paste(commands))
