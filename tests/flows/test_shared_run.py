"""A run is shared by date on the pages: another account sees it in its browser until then, and nothing of it after."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.flows.conftest import RunningSite, wait_until
from tests.flows.test_browser import chromium, expect, pytestmark  # noqa: F401
from tests.make_fio import make_output

PASSWORD = "a long password of the tests"
OWNER, SHAREE = "share-nora", "share-otto"
PROJECT = "Secret procurement"


@pytest.fixture
def people(site: RunningSite) -> dict[str, str]:
    """Tokens of two accounts of two institutions, who also sign in by password."""
    tokens = site.tokens(**{OWNER: ["--institution", "sharelab"], SHAREE: ["--institution", "awaylab"]})
    site.manage(
        "shell", "-c",
        "from submissions.models import Account\n"
        f"for account in Account.objects.filter(username__in=[{OWNER!r}, {SHAREE!r}]):\n"
        f"    account.set_password({PASSWORD!r}); account.save()",
    )  # fmt: skip
    return tokens


@pytest.fixture
def browsers(chromium, site: RunningSite, people) -> Iterator[dict[str, Any]]:  # noqa: F811
    """A signed-in page of each of the two."""
    pages = {}
    for username in people:
        pages[username] = chromium.new_context(base_url=site.url).new_page()
        pages[username].goto("/login/?next=/shelf/")
        pages[username].get_by_label("User name").fill(username)
        pages[username].get_by_label("Password").fill(PASSWORD)
        pages[username].get_by_role("button", name="Sign in").click()
        expect(pages[username]).to_have_url(re.compile("/shelf/$"))
    yield pages
    for page in pages.values():
        page.context.close()


def call(site: RunningSite, token: str, path: str, body: Any = None) -> Any:
    """The answer of the API to one account."""
    headers = {"Authorization": f"Token {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{site.url}api/v1/{path}", data, headers)  # of this site
    with urllib.request.urlopen(request, timeout=60) as answer:  # of this site
        return json.load(answer)


def test_a_shared_run_is_seen_until_its_date_and_not_after(site, people, browsers, tmp_path) -> None:
    output = tmp_path / "shared.json"
    output.write_bytes(make_output(3, bs="96k"))
    done = site.collector("upload", output, "--json", token=people[OWNER])
    assert done.returncode == 0, done.stderr
    wait_until(lambda: len(call(site, people[OWNER], "shelf/")["results"]) == 1)
    [run] = call(site, people[OWNER], "shelf/")["results"]
    address, owner, sharee = f"/shelf/runs/{run['id']}/", browsers[OWNER], browsers[SHAREE]

    assert sharee.goto(address).status == 404
    assert run["id"] not in sharee.goto("/shelf/").text()

    owner.goto(address)
    owner.get_by_label("Project").fill(PROJECT)
    owner.get_by_role("button", name="Save groups").click()
    expect(owner.get_by_label("Project")).to_have_value(PROJECT)
    tomorrow = (datetime.now(UTC) + timedelta(days=1)).date().isoformat()
    owner.get_by_label("Account", exact=True).fill(SHAREE)
    owner.get_by_label("Until").fill(tomorrow)
    owner.get_by_role("button", name="Share run").click()
    expect(owner.locator("main")).to_contain_text(f"{SHAREE}, until {tomorrow} 23:59 UTC")

    sharee.goto("/shelf/")
    sharee.locator(f'a[href="{address}"]').first.click()
    expect(sharee.locator("main")).to_contain_text("It is shared with you.")
    expect(sharee.get_by_role("cell", name="GiB/s").first).to_be_visible()
    expect(sharee.get_by_role("button", name="Share run")).to_have_count(0)
    expect(sharee.get_by_role("link", name="Submission of this run")).to_have_count(0)
    assert PROJECT not in sharee.content() and OWNER not in sharee.content()
    sharee.get_by_role("link", name="Compare").first.click()
    expect(sharee.get_by_role("heading", level=1)).to_be_visible()
    for hidden in (f"/submissions/{run['submission']}/", f"/submissions/{run['submission']}/copy/"):
        assert sharee.goto(hidden).status == 404, hidden

    # The page takes whole days, the API moments: this one comes within the test.
    soon = (datetime.now(UTC) + timedelta(seconds=5)).isoformat()
    call(site, people[OWNER], f"shelf/{run['id']}/shares/", {"username": SHAREE, "until": soon})
    wait_until(lambda: sharee.goto(address).status == 404)
    assert datetime.now(UTC) >= datetime.fromisoformat(soon)
    for private_address in ("/shelf/", "/shelf/all/explore/", f"/shelf/all/compare/?results={run['id']}"):
        page = sharee.goto(private_address).text()
        assert PROJECT not in page and "sharelab" not in page, private_address
        assert "shared.json" not in page and "3 GiB/s" not in page, private_address
    assert owner.goto(address).status == 200
