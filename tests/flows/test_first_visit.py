"""A first visit with the keyboard alone: from the first page to a list, a result, a comparison, a study, the documents,
and an upload that is checked.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.flows.conftest import RunningSite
from tests.flows.test_browser import PASSWORD, chromium, expect, page, pytestmark, sign_in  # noqa: F401
from tests.make_io500 import make_archive

MOST_TABS = 400
FOCUSED_TEXT = """() => {
  const element = document.activeElement;
  const label = element.labels?.[0]?.innerText || element.getAttribute("aria-label") || element.innerText || "";
  return [element.tagName.toLowerCase(), label.trim().replace(/\\s+/g, " "), element.getAttribute("href") || ""];
}"""


def tab_to(page: Any, tag: str, pattern: str) -> None:  # noqa: F811
    """Press Tab until the focus is on an element of this tag whose text, label or address matches; fail after all."""
    reached = []
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focused_tag, text, href = page.evaluate(FOCUSED_TEXT)
        if focused_tag == tag and (re.search(pattern, text) or re.search(pattern, href)):
            return
        reached.append(text)
    raise AssertionError(f"no {tag} {pattern} among {reached}")


def follow(page: Any, pattern: str, heading: str) -> None:  # noqa: F811
    """Go to a link by Tab and follow it by Enter; the page that it leads to has this heading."""
    tab_to(page, "a", pattern)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(heading))


def test_a_first_visit_needs_no_mouse(page, site: RunningSite, tmp_path: Path) -> None:  # noqa: F811
    sign_in(page, site, "first-alice")
    page.context.clear_cookies()  # the account is there, and nobody is signed in
    page.goto("/")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUSED_TEXT)[2] == "#main", "the first stop leads past the navigation"
    page.keyboard.press("Enter")
    follow(page, r"^/lists/[^/]+/[^/]+/$", "Production|Research")
    tab_to(page, "input", "to compare")
    page.keyboard.press("Space")
    follow(page, r"^/results/io500-\d+/", r"\w")
    expect(page.locator("#checked")).to_contain_text(":")
    page.goto("/lists/ISC21/io500/")
    for _ in range(2):
        tab_to(page, "input", "to compare")
        page.keyboard.press("Space")
    tab_to(page, "button", "^Compare")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/compare/\?.*results="))
    expect(page.locator("main .note").first).to_be_visible()
    follow(page, "^/studies/$", "What do you want to know")
    follow(page, "^/studies/e1000", "E1000")
    expect(page.locator("main figure").first).to_be_visible()
    follow(page, "^/docs/$", "Doc")
    follow(page, "^/docs/upload/$", "From a result folder")
    follow(page, "^/submissions/new/$", "Sign in")
    tab_to(page, "input", "User name")
    page.keyboard.type("first-alice")
    tab_to(page, "input", "Password")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Upload a run")
    tab_to(page, "input", "Archive of the run")
    # The browser's own dialog for files is left out: under load headless Chromium sometimes opens none.
    page.locator("input[type=file]:focus").set_input_files(make_archive(tmp_path / "first.tar.gz", performance=1.29))
    tab_to(page, "button", "Upload and check")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
    expect(page.get_by_role("status")).to_contain_text("checked")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()
