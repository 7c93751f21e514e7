"""No page has a fault that axe-core sees; scripts that help readers do what they say.

axe-core comes with a package of the development environment. The normal run looks at one page of most kinds, where
faults were most often found: dark, on a phone. A deep run looks at all kinds, each study and document, the pages of
submissions in each state, and those of the staff, in both views.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.flows.conftest import RunningSite
from tests.flows.test_browser import chromium, expect, page, pytestmark, sign_in  # noqa: F401
from tests.make_io500 import make_archive
from tests.running import wait_until

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
SYSTEM = "/systems/argonne-national-laboratory-aurora/"
QUICK = (
    "/", "/lists/", "/lists/SC25/production/?r=io500-772", "/results/", "/results/io500-772/", "/results/demo-2/",
    SYSTEM, f"{SYSTEM}history/", "/sites/argonne-national-laboratory/", "/platforms/cray-e2000/", "/search/?q=lustre",
    "/compare/?results=io500-683,io500-772", "/studies/e1000-fabric-direct/", "/studies/mlperf-unet3d/", "/explore/",
    "/docs/", "/docs/api/", "/docs/collect/", "/log/", "/tour/ceiling/", "/analysis/io500/", "/nothing-is-here/",
)  # fmt: skip
"""One page of most kinds; each page of an error has the same template."""
PUBLIC = (
    *QUICK, "/lists/SC25/", "/lists/ISC21/io500/?per=client&columns=institution,client_nodes", "/results/io500-1/",
    "/results/?q=no+such+words", "/results/?client_nodes__gte=abc", "/results/io500-772/among/", f"{SYSTEM}sweep/",
    "/results/io500-772/members/", "/results/io500-99999/", "/systems/", "/systems/?q=no+such+words", "/sites/",
    "/sites/lrz/", "/platforms/",
    "/generations/", "/generations/cray-e2000/", "/hardware/", "/sizing/", "/stragglers/", "/compare/",
    "/compare/?results=io500-683", "/compare/?results=io500-683,io500-772,io500-1,io500-2", "/compare/?results=none",
    "/studies/", "/studies/?q=no+such+words", "/studies/?y=score&x=client_nodes", "/study/?metric=score&x=client_nodes",
    "/explore/?per=client&filesystem_type=Lustre", "/search/", "/search/?q=zzqqxx", "/tour/", "/releases/",
    "/releases/SC25/", "/analysis/", "/rankings/", "/ranking/", "/ranking/?formula=score/client_nodes&tool=io500",
    "/parameters/", "/parameters/shared/", "/about/", "/client/", "/collector/", "/receipts/", "/login/",
    "/account/signup/", "/account/request/", "/account/password/reset/",
)  # fmt: skip
INDEXES = ("/studies/?shown=all", "/analysis/", "/rankings/", "/tour/", "/docs/", "/releases/")
"""Pages whose links below themselves are looked at, too."""
PRIVATE = (
    "/submissions/", "/submissions/new/", "/account/", "/account/webhooks/", "/account/data/", "/account/following/",
    "/account/steps/", "/account/email/", "/account/password/change/", "/account/institutions/browser-lab/",
)  # fmt: skip
STAFF = (
    "/review/", "/review/releases/new/", "/review/identities/", "/review/quarantine/", "/review/ties/",
    "/account/requests/", "/releases/axe-open/edit/", "/releases/axe-open/publish/", "/releases/axe-open/checklist/",
    "/releases/axe-open/lists/full/", "/lists/axe-open/full/", "/lists/axe-done/full/", "/releases/axe-open/",
)  # fmt: skip
DECISIONS = {"accepted": "accept", "changes_requested": "request_changes", "rejected": "reject"}
VIEWS = [("light", 1280), ("dark", 390)]


def faults(page: Any, address: str) -> list[str]:  # noqa: F811
    """What axe-core finds on a page: rule, impact, and the first element."""
    page.goto(address)
    violations = axe.Axe().run(page, options={"runOnly": RULES}).response["violations"]
    return [f"{address} {row['id']} ({row['impact']}): {row['nodes'][0]['html'][:120]}" for row in violations]


def test_pages_have_no_faults(chromium, site: RunningSite) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url, viewport={"width": 390, "height": 900}, color_scheme="dark")
    reader = context.new_page()
    assert [fault for address in QUICK for fault in faults(reader, address)] == []
    context.close()


def test_an_accessibility_error_is_detected(page) -> None:  # noqa: F811
    page.goto("/about/")
    page.evaluate("document.querySelector('main').insertAdjacentHTML('beforeend', '<img src=\"/static/favicon.svg\">')")
    violations = axe.Axe().run(page, options={"runOnly": RULES}).response["violations"]
    assert [row["id"] for row in violations] == ["image-alt"]


@pytest.mark.deep
@pytest.mark.parametrize(("theme", "width"), VIEWS)
def test_no_public_page_has_a_fault(chromium, site: RunningSite, theme: str, width: int) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url, viewport={"width": width, "height": 900}, color_scheme=theme)
    reader = context.new_page()
    addresses = dict.fromkeys([*PUBLIC, *(address for index in INDEXES for address in addresses_below(reader, index))])
    assert len(addresses) > 120
    assert [fault for address in addresses for fault in faults(reader, address)] == []
    context.close()


def addresses_below(page: Any, index: str) -> list[str]:  # noqa: F811
    """Pages that the links of a page lead to and that stay below its address; feeds and files are no pages."""
    page.goto(index)
    folder = index.partition("?")[0]
    links = page.eval_on_selector_all("main a", "links => links.map(link => link.getAttribute('href'))")
    addresses = [link.partition("#")[0] for link in links if link and link.startswith(folder)]
    return [address for address in addresses if address.partition("?")[0].endswith("/")]


@pytest.mark.deep
def test_no_private_page_has_a_fault(page, site: RunningSite, tmp_path: Path) -> None:  # noqa: F811
    sign_in(page, site, "axe-alice")
    submissions = make_submissions(site, tmp_path)
    checked = submissions["checked"]
    own = [f"{checked}{part}/" for part in ("answers", "edit", "files", "public-files", "versions")]
    look_at(page, (*PRIVATE, *submissions.values(), *own))
    context = page.context.browser.new_context(base_url=site.url)
    staff = context.new_page()
    sign_in(staff, site, "axe-adam")
    site.manage("create_token", "axe-adam", "--role", "admin")
    reviews = [address.replace("/submissions/", "/review/") for state, address in submissions.items()
               if state in ("submitted", "in_review", "published", *DECISIONS)]  # fmt: skip
    look_at(staff, (*STAFF, *reviews))
    context.close()


def look_at(page: Any, addresses: tuple[str, ...]) -> None:  # noqa: F811
    all_faults = []
    for theme, width in VIEWS:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 900})
        all_faults += [fault for address in addresses for fault in faults(page, address)]
    assert all_faults == []


def make_submissions(site: RunningSite, folder: Path) -> dict[str, str]:
    """A submission of axe-alice in each state, by the API: the address of its page by the state."""
    lab = ["--institution", "browser-lab"]
    tokens = site.tokens(**{"axe-alice": lab, "axe-dana": ["--role", "reviewer"], "axe-erin": ["--role", "editor"]})
    for release in ("axe-open", "axe-done"):
        site.manage("create_release", release, "--deadline", "2099-01-01T00:00:00Z")
    alice, pages = tokens["axe-alice"], {}
    states = ("checked", "invalid", "withdrawn", "submitted", "in_review", *DECISIONS, "published")
    for number, state in enumerate(states):
        changes: dict[str, Any] = {"edited_phase": "find"} if state == "invalid" else {"client_nodes": 10}
        archive = make_archive(folder / f"{state}.tar.gz", performance=2 + number / 64, **changes)
        metadata = json.dumps({"system": f"Axe {number}", "filesystem_type": "Lustre"})
        sent = site.send_file(
            "api/v1/submissions/", alice, "bundle", archive.name, archive.read_bytes(), metadata=metadata
        )
        path = f"api/v1/submissions/{sent.json['id']}/"
        wait_until(lambda path=path: site.ask("GET", path, alice).json["state"] in ("checked", "invalid"), within_s=300)
        if state == "withdrawn":
            assert site.ask("POST", f"{path}withdraw/", alice, {"reason": "Another run follows."}).status == 200
        elif state not in ("checked", "invalid"):
            release = "axe-done" if state == "published" else "axe-open"
            submit = {"release": release, "lists": ["full"], "acknowledge_rules": True, "acknowledge_publication": True}
            assert site.ask("POST", f"{path}submit/", alice, submit).status == 200
        if state in DECISIONS or state == "published":
            level = "undefined" if state in ("changes_requested", "rejected") else "limited"
            decision = {"decision": DECISIONS.get(state, "accept"), "reproducibility": level, "reason": "As found."}
            assert site.ask("POST", f"{path}review/", tokens["axe-dana"], decision).status == 200
        elif state == "in_review":
            assert site.ask("POST", f"{path}assign/", tokens["axe-dana"], {}).status == 200
        pages[state] = f"/submissions/{sent.json['id']}/"
    published = site.ask("POST", "api/v1/releases/axe-done/publish/", tokens["axe-erin"], {"allow_empty": True})
    assert published.status == 200
    for state, address in pages.items():
        state_of_page = site.ask("GET", f"api/v1{address}", alice).json["state"]
        assert state_of_page == state or (state, state_of_page) == ("in_review", "submitted")
    return pages


def test_local_times_and_copy_buttons_work(chromium, site: RunningSite) -> None:  # noqa: F811
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


@pytest.mark.parametrize("width", [390, 1280])
def test_code_and_its_copy_button_lie_apart(chromium, site: RunningSite, width: int) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url, viewport={"width": width, "height": 900})
    reader = context.new_page()
    reader.goto("/docs/collect/")
    reader.locator(".code .copy").first.wait_for()
    boxes = reader.locator(".code").evaluate_all(
        """boxes => boxes.map(box => {
          const [code, button] = [box.querySelector("pre"), box.querySelector(".copy")];
          const [text, place] = [code.getBoundingClientRect(), button.getBoundingClientRect()];
          return { scrolls: code.scrollWidth > code.clientWidth,
                   apart: text.right <= place.left || text.bottom <= place.top };
        })"""
    )
    assert any(box["scrolls"] for box in boxes)
    assert all(box["apart"] for box in boxes)
    context.close()


def test_a_questionnaire_saves_itself_and_keeps_unsent_answers(chromium, site: RunningSite) -> None:  # noqa: F811
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
    expect(form.get_by_role("heading", name="Saved by another tab or person")).to_be_visible()
    expect(purpose).to_have_value(f"{text} Once more.")
    form.get_by_role("button", name="Save answers").click()
    expect(form.get_by_role("heading", name="Saved by another tab or person")).to_have_count(0)
    context.close()
