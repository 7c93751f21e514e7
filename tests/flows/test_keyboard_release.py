"""A run is described, submitted, accepted and published by three people without a mouse."""

from __future__ import annotations

import re
from typing import Any

from tests.flows.conftest import ROOT, RunningSite
from tests.flows.test_browser import PASSWORD, chromium, expect, pytestmark  # noqa: F401
from tests.flows.test_first_visit import tab_to

SAMPLE = ROOT / "validators" / "benchmarks" / "fio" / "samples" / "json-two-jobs" / "stdout.txt"
PEOPLE = {
    "keys-olga": ["--institution", "keys-lab"],
    "keys-rita": ["--role", "reviewer"],
    "keys-ed": ["--role", "editor"],
}
PURPOSE = "Weather forecasts, climate models and what students try on it."


def reader(chromium: Any, site: RunningSite, username: str, address: str) -> Any:  # noqa: F811
    """A page of this account: signed in by keyboard, and led to the address."""
    page = chromium.new_context(base_url=site.url, viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"/login/?next={address}")
    tab_to(page, "input", "User name")
    page.keyboard.type(username)
    tab_to(page, "input", "Password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"{re.escape(address)}$"))
    return page


def press(page: Any, tag: str, pattern: str, key: str = "Enter") -> None:
    tab_to(page, tag, pattern)
    page.keyboard.press(key)


def test_a_run_is_submitted_accepted_and_published_without_a_mouse(chromium, site: RunningSite) -> None:  # noqa: F811
    tokens = site.tokens(**PEOPLE)
    site.manage(
        "shell", "-c",
        "from submissions.models import Account\n"
        f"for account in Account.objects.filter(username__in={list(PEOPLE)!r}):\n"
        f"    account.set_password({PASSWORD!r}); account.save()",
    )  # fmt: skip
    site.manage("create_release", "keys", "--deadline", "2099-01-01T00:00:00Z", "--list", "fio-seq-read")
    bundle = ("bundle", SAMPLE.name, SAMPLE.read_bytes())
    id = site.send_file("api/v1/submissions/", tokens["keys-olga"], *bundle).json["id"]
    site.settled(id, tokens["keys-olga"])

    olga = reader(chromium, site, "keys-olga", f"/submissions/{id}/answers/")
    tab_to(olga, "textarea", "What is the system used for")
    olga.keyboard.type(PURPOSE)
    press(olga, "button", "Save answers")
    expect(olga.get_by_label("What is the system used for")).to_have_value(PURPOSE)
    olga.goto(f"/submissions/{id}/")
    press(olga, "a", "^#submit$")
    tab_to(olga, "select", "Release")
    olga.keyboard.type("keys")
    press(olga, "input", "We followed the rules", "Space")
    press(olga, "input", "We agree to publication", "Space")
    press(olga, "button", "^Submit$")
    expect(olga.get_by_role("status")).to_contain_text("submitted")

    rita = reader(chromium, site, "keys-rita", f"/review/{id}/")
    press(rita, "a", "^#decision$")
    press(rita, "input", "^Accept$", "Space")
    tab_to(rita, "select", "Awarded level")
    rita.keyboard.type("limited")
    tab_to(rita, "textarea", "Reason")
    rita.keyboard.type("It follows the rules.")
    press(rita, "button", "Record decision")
    expect(rita.get_by_role("heading", level=1)).to_have_text("Review queue")

    ed = reader(chromium, site, "keys-ed", "/releases/keys/publish/")
    press(ed, "input", "Publish all the same", "Space")
    tab_to(ed, "input", "Short name")
    ed.keyboard.type("key")
    press(ed, "button", "^Publish")
    expect(ed.get_by_label("Short name")).to_be_focused()
    ed.keyboard.press("End")
    ed.keyboard.type("s")
    press(ed, "button", "^Publish")
    expect(ed).to_have_url(re.compile("/lists/keys/"))
    assert site.ask("GET", f"api/v1/submissions/{id}/", tokens["keys-olga"]).json["state"] == "published"
    for page in (olga, rita, ed):
        page.context.close()
