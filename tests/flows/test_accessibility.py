"""No page has a fault that axe-core sees; scripts that help readers do what they say.

axe-core comes with a package of the development environment. The normal run looks at a few kinds of pages in one theme;
a deep run looks at all of them, in both themes, on a wide screen and on a phone.
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.flows.conftest import RunningSite
from tests.flows.test_browser import chromium, expect, page, pytestmark, sign_in  # noqa: F401
from tests.make_io500 import make_archive

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
QUICK = ("/", "/lists/", "/docs/", "/docs/api/", "/log/")
PUBLIC = (
    *QUICK, "/lists/ISC21/io500/", "/lists/SC25/production/", "/results/", "/results/io500-1/", "/results/io500-772/",
    "/systems/", "/sites/", "/docs/findings/", "/docs/rules/", "/docs/glossary/", "/releases/", "/collector/",
    "/login/", "/studies/", "/studies/filesystems/", "/studies/e1000-fabric-direct/", "/compare/",
    "/compare/?results=io500-683,io500-772", "/rankings/", "/ranking/?formula=score/client_nodes&tool=io500",
    "/generations/cray-e2000/", "/platforms/cray-e2000/", "/stragglers/", "/parameters/", "/search/?q=lustre",
    "/about/", "/account/signup/", "/account/request/", "/account/password/reset/", "/receipts/", "/tour/",
    "/nothing-is-here/", "/explore/", "/systems/cray-e2000/", "/studies/?y=score&x=client_nodes",
)  # fmt: skip
PRIVATE = ("/submissions/", "/submissions/new/", "/account/", "/account/webhooks/", "/account/data/")
STAFF = (
    "/review/", "/review/releases/new/", "/review/identities/", "/review/quarantine/", "/review/ties/",
    "/account/requests/",
)  # fmt: skip
VIEWS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]


def faults(page: Any, address: str) -> list[str]:  # noqa: F811
    """What axe-core finds on a page: rule, impact, and the first element."""
    page.goto(address)
    violations = axe.Axe().run(page, options={"runOnly": RULES}).response["violations"]
    return [f"{address} {row['id']} ({row['impact']}): {row['nodes'][0]['html'][:120]}" for row in violations]


def test_pages_have_no_faults(page) -> None:  # noqa: F811
    page.set_viewport_size({"width": 390, "height": 900})
    assert [fault for address in QUICK for fault in faults(page, address)] == []


def test_a_fault_is_seen(page) -> None:  # noqa: F811
    page.goto("/about/")
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"/static/favicon.svg\">')")
    violations = axe.Axe().run(page, options={"runOnly": RULES}).response["violations"]
    assert [row["id"] for row in violations] == ["image-alt"]


@pytest.mark.deep
@pytest.mark.parametrize(("theme", "width"), VIEWS)
def test_no_public_page_has_a_fault(chromium, site: RunningSite, theme: str, width: int) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url, viewport={"width": width, "height": 900}, color_scheme=theme)
    reader = context.new_page()
    assert [fault for address in PUBLIC for fault in faults(reader, address)] == []
    context.close()


@pytest.mark.deep
def test_no_private_page_has_a_fault(page, site: RunningSite, tmp_path) -> None:  # noqa: F811
    sign_in(page, site, "axe-alice")
    site.manage("create_token", "axe-alice", "--role", "admin")
    page.get_by_label("Archive of the run").set_input_files(make_archive(tmp_path / "run.tar.gz", performance=1.61))
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
    expect(page.get_by_role("heading", name="Where this run can rank")).to_be_visible()
    own = re.sub(r"^https?://[^/]+", "", page.url)
    addresses = (*PRIVATE, *STAFF, own, f"{own}answers/", f"{own}edit/", f"{own}files/")
    all_faults = []
    for theme, width in VIEWS:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        all_faults += [fault for address in addresses for fault in faults(page, address)]
    assert all_faults == []


def test_readers_get_their_own_time_and_copy(chromium, site: RunningSite) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url, timezone_id="America/New_York")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    reader = context.new_page()
    reader.goto("/log/")
    reader.evaluate(
        "document.querySelector('main h1').insertAdjacentHTML('afterend', '<p id=when>Seen 2026-07-01 02:30 UTC.</p>')"
    )
    reader.evaluate("document.dispatchEvent(new Event('htmx:afterSettle'))")
    expect(reader.locator("#when")).to_have_text("Seen 2026-07-01 02:30 UTC (2026-06-30 22:30 your time).")
    expect(reader.locator("#when time")).to_have_attribute("datetime", "2026-07-01T02:30:00.000Z")
    box = reader.locator("main pre").first
    box.locator("xpath=following-sibling::button").first.click()
    assert reader.evaluate("navigator.clipboard.readText()") == box.inner_text().strip()
    reader.get_by_label("Theme").select_option("dark")
    expect(reader.locator("html")).to_have_attribute("data-theme", "dark")
    context.close()


def test_a_questionnaire_saves_itself_and_keeps_what_it_can_not_send(chromium, site: RunningSite) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url)
    form = context.new_page()  # of its own: refused and lost requests are errors of the console
    sign_in(form, site, "axe-bob")
    form.get_by_role("button", name="Create draft").click()
    expect(form).to_have_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
    form.goto(f"{form.url}answers/")
    text = "Weather forecasts, climate models and what students try on it, every day."
    purpose = form.locator("#q-system_purpose")
    purpose.fill(text)
    expect(form.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d\d"))
    other = context.new_page()
    other.goto(form.url)
    other.locator("#q-system_purpose").fill(f"{text} From another tab.")
    expect(other.locator("[data-saved]")).to_have_text(re.compile(r"^Saved \d\d"))
    other.close()
    context.set_offline(True)
    purpose.fill(f"{text} Once more.")
    expect(form.locator("[data-saved]")).to_contain_text("no connection")
    context.set_offline(False)
    form.get_by_role("button", name="Save answers").click()
    expect(form.get_by_role("heading", name="Stored meanwhile")).to_be_visible()
    expect(purpose).to_have_value(f"{text} Once more.")
    form.get_by_role("button", name="Save answers").click()
    expect(form.get_by_role("heading", name="Stored meanwhile")).to_have_count(0)
    context.close()
