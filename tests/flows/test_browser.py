"""The pages in a real browser: upload by form with its live state, sorting by keyboard, themes, phones, no violation.

Runs where Debian's chromium is (HIGHWATER_CHROMIUM or /usr/bin/chromium) and is skipped visibly elsewhere.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.conftest import ROOT, RunningSite
from tests.make_io500 import make_archive

CHROMIUM = Path(os.environ.get("HIGHWATER_CHROMIUM") or "/usr/bin/chromium")
playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
PAGE_WITHIN_S = 90.0
"""What a page shows late on a loaded machine; a test that fails waits so long."""
expect.set_options(timeout=PAGE_WITHIN_S * 1000)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"no chromium at {CHROMIUM} (set HIGHWATER_CHROMIUM)"),
]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
PASSWORD = "a long password of the tests"
PAGES = ("/", "/lists/", "/lists/ISC21/io500/", "/results/", "/results/io500-1/", "/systems/", "/docs/", "/docs/rules/",
         "/releases/", "/collector/", "/login/", "/studies/", "/studies/e1000-fabric-direct/",
         "/compare/?results=io500-683,io500-772", "/explore/?per=client",
         "/ranking/?formula=score/client_nodes&tool=io500",
         "/generations/cray-e2000/", "/tour/", "/tour/rejected/", "/results/demo-2/")  # fmt: skip


@pytest.fixture(scope="module")
def chromium() -> Iterator[playwright.Browser]:
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, site: RunningSite) -> Iterator[playwright.Page]:
    """A page of a new reader. At the end nothing may have broken: no script error, no violation of the policy."""
    context = chromium.new_context(base_url=site.url, viewport={"width": 1280, "height": 900})
    page = context.new_page()
    messages: list[str] = []
    page.on("console", lambda message: messages.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: messages.append(str(error)))
    yield page
    context.close()
    assert messages == []


def sign_in(page: playwright.Page, site: RunningSite, username: str) -> None:
    site.manage(
        "shell", "-c",
        "from django.core.management import call_command; from submissions.models import Account;"
        f"call_command('create_token', {username!r}, '--institution', 'browser-lab');"
        f"account = Account.objects.get(username={username!r});"
        f"account.set_password({PASSWORD!r}); account.save()",
    )  # fmt: skip
    page.goto("/login/?next=/submissions/new/")
    page.get_by_label("User name").fill(username)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Upload a run")


def test_a_run_is_uploaded_by_form_and_followed_until_it_is_checked(page, site, tmp_path) -> None:
    sign_in(page, site, "browser-alice")
    page.get_by_label("Archive of the run").set_input_files(make_archive(tmp_path / "gale.tar.gz", performance=1.37))
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))
    expect(page.get_by_role("status")).to_contain_text("checked")
    expect(page.get_by_role("heading", name="Scores")).to_be_visible()
    expect(page.locator("[aria-current=step]")).to_contain_text("Submit")


def test_a_broken_run_shows_errors_and_hints(page, site, tmp_path) -> None:
    sign_in(page, site, "browser-bob")
    page.get_by_label("Archive of the run").set_input_files(make_archive(tmp_path / "x.tar.gz", edited_phase="find"))
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_role("status")).to_contain_text("invalid")
    page.get_by_role("link", name="io500.score.inconsistent").first.click()
    expect(page).to_have_url(re.compile(r"/docs/findings/#io500\.score\.inconsistent$"))


DRAG = """([kind, names]) => {
  const dataTransfer = new DataTransfer();
  for (const name of names) dataTransfer.items.add(new File(["output"], name));
  document.querySelector("footer").dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer}));
}"""


def test_a_file_may_be_dropped_beside_the_box(page, site) -> None:
    sign_in(page, site, "browser-erin")
    box, error = page.locator(".drop"), page.locator("#bundle-error")
    page.evaluate(DRAG, ["dragover", ["run.txt"]])
    expect(box).to_have_class("drop over")
    page.evaluate(DRAG, ["drop", ["run.txt", "other.txt"]])
    expect(box).to_have_class("drop")
    expect(error).to_contain_text("Drop one file")
    page.evaluate(DRAG, ["drop", ["run.txt"]])
    expect(error).to_contain_text("Is it one output file?")
    assert page.get_by_label("Archive of the run").evaluate("field => field.files[0].name") == "run.txt"


def test_an_empty_file_is_refused_before_it_is_sent(page, site, tmp_path) -> None:
    sign_in(page, site, "browser-carol")
    empty = tmp_path / "result.tar.gz"
    empty.write_bytes(b"")
    page.get_by_label("Archive of the run").set_input_files(empty)
    expect(page.locator("#bundle-error")).to_contain_text("This file is empty")
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile(r"/submissions/new/$"))
    text = tmp_path / "text.tar.gz"
    text.write_text("no archive at all")
    page.get_by_label("Archive of the run").set_input_files(text)
    expect(page.locator("#bundle-error")).to_contain_text("the content is no archive")
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile(r"/submissions/new/$"))
    page.get_by_label("Archive of the run").set_input_files(make_archive(tmp_path / "run.tar.gz", performance=1.41))
    expect(page.locator("#bundle-error")).to_have_text("")
    page.get_by_role("button", name="Upload and check").click()
    expect(page).to_have_url(re.compile(r"/submissions/[0-9a-f-]{36}/$"))


def test_a_list_is_sorted_by_keyboard(page) -> None:
    page.goto("/lists/ISC21/io500/")
    head = page.get_by_role("columnheader", name="Bandwidth")
    head.get_by_role("link").focus()
    page.keyboard.press("Enter")
    expect(head).to_have_attribute("aria-sort", "descending")
    first = page.locator("tbody tr").first
    expect(first.locator(".rank")).to_have_text("1")
    page.get_by_role("columnheader", name="Bandwidth").get_by_role("link").press("Enter")
    expect(page.get_by_role("columnheader", name="Bandwidth")).to_have_attribute("aria-sort", "ascending")
    expect(page.locator("tbody tr").first.locator(".rank")).to_have_text("57")


def test_a_view_of_results_follows_filters_and_keeps_the_focus(page) -> None:
    page.goto("/explore/")
    page.locator("input[name=filesystem_type][value=DAOS]").press("Space")
    expect(page).to_have_url(re.compile(r"filesystem_type=DAOS"))
    expect(page.locator("input[name=filesystem_type][value=DAOS]")).to_be_focused()
    expect(page.locator(".ratio tbody td.opt", has_text="Lustre")).to_have_count(0)
    page.locator("input[name=r]").first.press("Space")
    expect(page.locator("#tray")).to_contain_text("1 selected")
    page.go_back()
    expect(page.locator("#tray")).to_have_count(0)
    page.go_back()
    expect(page.locator("input[name=filesystem_type][value=DAOS]")).not_to_be_checked()


def test_filters_of_a_view_fold_on_wide_and_narrow_screens(page) -> None:
    page.goto("/explore/")
    summary, newest = page.locator(".more > summary"), page.locator("input[name=latest]")
    expect(newest).to_be_visible()
    newest.press("Space")
    expect(page).to_have_url(re.compile("latest=1"))
    expect(newest).to_be_visible()
    summary.press("Enter")
    expect(newest).to_be_hidden()
    page.get_by_label("at most").fill("10")
    expect(page).to_have_url(re.compile("client_nodes__lte=10"))
    expect(newest).to_be_hidden()
    summary.press("Enter")
    expect(newest).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 900})
    page.goto("/explore/")
    expect(newest).to_be_hidden()
    summary.click()
    expect(newest).to_be_visible()


FILTERED = {
    "/lists/ISC21/io500/?filesystem_type=Lustre&q=a": "Filters (2 set)",
    "/results/?tool=io500&trust=imported&ordering=id": "Filters (2 set)",
    "/systems/?q=aurora": "Filters (1 set)",
    "/lists/SC25/production/": "Filters",
}


@pytest.mark.parametrize("has_scripts", [True, False])
def test_filters_of_pages_with_rows_fold_on_phones_only(chromium, site, has_scripts) -> None:
    context = chromium.new_context(base_url=site.url, java_script_enabled=has_scripts)
    page = context.new_page()
    summary, apply = page.locator(".more > summary"), page.locator(".more").get_by_role("button", name="Apply")
    for address, text in FILTERED.items():
        page.set_viewport_size({"width": 1280, "height": 900})
        page.goto(address)
        expect(apply).to_be_visible()
        page.set_viewport_size({"width": 390, "height": 900})
        page.goto(address)
        expect(summary).to_have_text(text)
        expect(apply).to_be_hidden()
        summary.click()
        expect(apply).to_be_visible()
    page.goto("/results/?client_nodes__gte=abc")
    expect(page.locator("#error-client_nodes__gte")).to_be_visible()
    context.close()


def explore(page) -> None:
    page.get_by_role("button", name="Explore interactively").press("Enter")


def test_charts_are_drawn_under_the_policy(page) -> None:
    for address in ("/lists/ISC21/io500/", "/lists/SC25/production/"):
        page.goto(address)
        assert not page.evaluate("() => 'vegaEmbed' in window")
        explore(page)
        expect(page.locator("figure[data-chart] svg")).to_be_visible()


def test_a_study_is_changed_by_keyboard(page) -> None:
    page.goto("/studies/e1000-fabric-direct/")
    mark = page.get_by_role("link", name="InfiniBand HDR, write: 58.9 GB/s, reported").first
    expect(mark).to_have_attribute("href", "/results/benchmarking-lustre-flash-dio-ib/")
    mark.focus()
    expect(mark).to_be_focused()
    page.get_by_text("Change the question").press("Enter")
    rows = page.get_by_role("region", name="Table of the study").locator("tbody tr")
    expect(rows).to_have_count(8)
    series = page.get_by_label("Series 1")
    series.focus()
    page.keyboard.type("nothing")
    page.get_by_label("Metric 2").focus()
    page.keyboard.type("not this")
    page.get_by_label("Horizontal axis").focus()
    page.keyboard.type("lnet")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Show", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/study/\?metric=write\.bandwidth\.max&.*x=lnd"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("by LNet network driver")
    expect(rows).to_have_count(3)
    expect(rows.filter(has_text="ksocklnd")).to_contain_text("35.7")
    explore(page)
    drawn = page.locator("figure[data-chart] svg.marks [aria-label*='35.7 GB/s, reported']")
    expect(drawn.first).to_be_visible()


def test_two_results_of_a_system_are_compared_by_keyboard(page) -> None:
    page.goto("/results/io500-772/")
    page.get_by_role("link", name="compare io500-683 with this result").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/compare/\?results=io500-683,io500-772$"))
    expect(page.get_by_role("img", name="Ratios on a logarithmic axis: score 1.38")).to_be_visible()
    expect(page.get_by_role("region", name="Numbers side by side")).to_contain_text("1.383")
    expect(page.get_by_text("not repeated").first).to_be_visible()
    page.get_by_role("combobox", name="Numbers").select_option("per drive")
    page.get_by_role("button", name="Compare", exact=True).press("Enter")
    expect(page).to_have_url(re.compile("per=drive"))
    expect(page.get_by_text("Drives of io500-683, io500-772: not known.")).to_be_visible()
    page.get_by_role("link", name="Swap").press("Enter")
    expect(page).to_have_url(re.compile(r"results=io500-772,io500-683&per=drive"))
    page.goto("/docs/uncertainty/#ranks")
    expect(page.get_by_role("heading", name="Ranks", exact=True)).to_be_visible()


def test_a_custom_ranking_is_created_saved_and_removed(page, site) -> None:
    sign_in(page, site, "rita")
    page.goto("/lists/")
    page.get_by_role("link", name="Custom rankings").press("Enter")
    page.get_by_role("link", name="New custom ranking").press("Enter")
    formula = page.get_by_label("Formula")
    formula.fill("[ior-easy-write.bandwidth.phase] / client_nodes")
    page.get_by_role("combobox", name="Trust").select_option("derived")
    page.get_by_role("button", name="Rank").press("Enter")
    expect(page.get_by_text("Unofficial.")).to_be_visible()
    first = page.get_by_role("region", name="Ranking of derived results").locator("tbody tr").first
    expect(first).to_contain_text("Cheeloo-1")
    title = "Writes per client " + "w" * 80
    page.get_by_label("Save as").fill(title)
    page.get_by_role("button", name="Save and share").press("Enter")
    expect(page).to_have_url(re.compile(r"/rankings/writes-per-client-"))
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    page.set_viewport_size({"width": 320, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.get_by_role("button", name="Remove this ranking").press("Enter")
    expect(page).to_have_url(re.compile(r"/rankings/$"))
    expect(page.get_by_text("Writes per client")).to_have_count(0)


def test_gains_sizing_and_probabilities_are_queried_by_keyboard(page) -> None:
    page.goto("/generations/ddn-es400nvx2/")
    page.get_by_label("Steps").select_option("release that a document names")
    page.get_by_label("Metric").fill("find")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_role("row", name="find metadata rate")).to_contain_text("7.62")
    expect(page.get_by_role("img", name="find Pre-SC19: 1")).to_be_visible()
    page.goto("/platforms/cray-e2000/")
    page.get_by_role("main").get_by_role("link", name="Sizing", exact=True).press("Enter")
    page.get_by_label("Rate").fill("1")
    page.get_by_label("Unit").fill("TB/s")
    page.get_by_role("button", name="Compute sizing").press("Enter")
    expect(page.get_by_text("Enclosures for 1 TB/s")).to_be_visible()
    expect(page.get_by_role("definition").first).to_have_text(re.compile("^at least 6"))
    page.goto("/stragglers/")
    page.get_by_label("Targets", exact=True).fill("273")
    page.get_by_label("Slow targets").fill("18")
    page.get_by_label("Stripes").fill("16")
    page.get_by_role("button", name="Show").press("Enter")
    expect(page.get_by_role("row", name="16")).to_contain_text("67.49")


def publish_three_drives(site: RunningSite) -> str:
    """What fio printed of three drives, from a site's command line to the public record; the id of its result."""
    dora, editor = site.token("dora", institution="drive-lab"), site.token("ed", role="editor")
    sample = ROOT / "validators" / "benchmarks" / "fio" / "samples" / "json-three-drives" / "stdout.txt"
    path = f"api/v1/submissions/{json.loads(site.collector('upload', sample, '--json', token=dora).stdout)['id']}/"
    release = {"slug": "drives", "name": "Drives", "deadline": "2099-01-01T00:00:00Z", "lists": ["fio-seq-read"]}
    submit_request = {"release": "drives", "lists": [], "acknowledge_rules": True, "acknowledge_publication": True}
    decision = {"decision": "accept", "reproducibility": "limited", "reason": "The drives are of interest."}
    for token, address, document in (
        (editor, "api/v1/releases/", release),
        (dora, f"{path}submit/", submit_request),
        (editor, f"{path}review/", decision),
        (editor, "api/v1/releases/drives/publish/", {"allow_empty": True}),
    ):
        answer = site.ask("POST", address, token, document)
        assert answer.status in (200, 201), answer.body
    return site.ask("GET", path, dora).json["result"]


def test_slow_drives_are_found_from_the_page_of_a_result(page, site) -> None:
    page.goto(f"/results/{publish_three_drives(site)}/")
    page.get_by_role("link", name="Distributions").press("Enter")
    expect(page.get_by_role("img", name="Histogram").first).to_be_visible()
    slow = page.get_by_role("region", name="Slow targets, drives and ranks").first.locator("tbody tr")
    expect(slow).to_have_count(2)
    expect(slow.first).to_contain_text("42.4")
    page.get_by_label("Slow threshold (% of best)").fill("45")
    page.get_by_role("main").get_by_role("button", name="Apply").press("Enter")
    expect(slow).to_have_count(1)
    page.get_by_text("The histogram as a table").first.press("Enter")
    expect(page.get_by_role("columnheader", name="From, GiB/s").first).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    drawn = page.get_by_role("img", name="Histogram").first
    assert drawn.evaluate("svg => parseFloat(getComputedStyle(svg).fontSize) * svg.clientWidth / 390") > 9.5


def test_a_radar_is_drawn_under_the_policy(page) -> None:
    page.goto(
        "/study/?metric=rate.phase&x=op&series=io500_release&tool=io500&institution=DDN&trust=reported&chart=radar"
        "&p.io500_release=SC22&p.io500_release=ISC23"
    )
    explore(page)
    drawing = page.locator("figure[data-chart] svg.marks")
    expect(drawing.get_by_text("find 13,229 kIOPS")).to_be_visible()
    expect(drawing.get_by_label("mdtest hard stat, ISC23: 1,105.33 kIOPS, reported")).to_have_count(1)


def test_the_cells_of_a_heat_map_differ_in_depth(page) -> None:
    page.goto("/study/?metric=rate.mean&x=fabric&series=op&tool=mdtest&p.items_kind=files&chart=heat")
    explore(page)
    cells = page.locator("figure[data-chart] svg.marks [aria-label*='ops/s, reported']")
    expect(cells.first).to_have_css("fill", "rgb(31, 90, 140)")
    assert len({cell.get_attribute("fill-opacity") for cell in cells.all()}) > 3


def test_without_scripts_every_number_is_shown(chromium, site) -> None:
    context = chromium.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/lists/ISC21/io500/?ordering=-rate_kiops")
    expect(page.locator("tbody tr")).to_have_count(58)
    expect(page.locator("figure[data-chart]")).to_be_hidden()
    expect(page.get_by_role("img", name="Scores of 58 entries").first).to_be_visible()
    page.goto("/explore/")
    expect(page.locator("input[name=latest]")).to_be_visible()
    expect(page.locator(".more > summary")).to_be_hidden()
    context.close()


def test_without_scripts_a_study_has_its_picture_and_its_form(chromium, site) -> None:
    context = chromium.new_context(base_url=site.url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/studies/e2000-lst-rate/")
    expect(page.get_by_role("group", name="LNet message rate of one server by CPU partitions")).to_be_visible()
    page.get_by_text("Change the question").click()
    page.get_by_label("Condition on").select_option("cpt")
    page.get_by_label("Condition is").fill("16")
    page.get_by_role("button", name="Show", exact=True).click()
    expect(page.locator("tbody tr")).to_have_count(2)
    context.close()


def test_the_dark_theme_is_chosen_and_kept(page) -> None:
    page.goto("/lists/")
    page.get_by_label("Theme").select_option("dark")
    page.get_by_role("contentinfo").get_by_role("button", name="Apply").click()
    expect(page).to_have_url(re.compile("/lists/$"))
    expect(page.locator("body")).to_have_css("background-color", "rgb(15, 23, 30)")
    page.goto("/results/")
    expect(page.locator("body")).to_have_css("background-color", "rgb(15, 23, 30)")


@pytest.mark.parametrize("address", PAGES)
def test_pages_fit_their_screen(page, address) -> None:
    page.goto(address)
    for width in (1280, 390, 320):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(
    ("address", "region"),
    [
        ("/compare/?results=io500-683,io500-772", "Numbers side by side"),
        ("/compare/?results=demo-1,demo-2", "What differs between the systems"),
        ("/results/io500-772/", "Phases"),
        ("/results/io500-772/", "Where the time of each phase went"),
        ("/results/io500-772/", "What the list and the archive say"),
    ],
)
def test_tables_of_many_columns_fit_on_a_phone(page, address, region) -> None:
    page.set_viewport_size({"width": 320, "height": 900})
    page.goto(address)
    table = page.get_by_role("region", name=region, exact=True)
    expect(table).to_be_visible()
    assert table.evaluate("it => it.scrollWidth - it.clientWidth") == 0


def test_a_chart_that_was_not_opened_is_left_out_on_paper(page) -> None:
    page.goto("/lists/ISC21/io500/")
    heading = page.get_by_text("Interactive chart of the first")
    expect(heading).to_be_visible()
    page.emulate_media(media="print")
    expect(heading).to_be_hidden()
    expect(page.get_by_text("Distribution of")).to_be_visible()


def test_a_study_is_printed_with_its_chart_and_without_closed_boxes(page) -> None:
    page.goto("/studies/e1000-fabric-direct/")
    page.emulate_media(media="print")
    expect(page.locator("figure .vega svg").locator("visible=true").first).to_be_visible()
    expect(page.get_by_role("region", name="Table of the study")).to_be_visible()
    for words in ("Change the question", "Embed this chart", "Explore interactively", "Sign in to save"):
        expect(page.get_by_text(words)).to_be_hidden()


def test_a_trust_level_keeps_its_fill_on_paper(page) -> None:
    page.goto("/results/io500-772/")
    exact = page.locator(".trust").first.evaluate("it => getComputedStyle(it, '::before').printColorAdjust")
    assert exact == "exact"


@pytest.mark.parametrize("address", PAGES)
def test_pages_can_be_read_by_a_screen_reader(page, address) -> None:
    """The basics: language, one main heading, names on controls and pictures, heads on tables, ids that are unique."""
    page.goto(address)
    faults = page.evaluate(
        """() => {
            const named = (element) => element.getAttribute("aria-label") || element.labels?.length || element.title
                || element.textContent.trim();
            const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
            const levels = [...document.querySelectorAll("h1,h2,h3,h4")].map((heading) => Number(heading.tagName[1]));
            return {
                language: document.documentElement.lang ? [] : ["none"],
                headings: document.querySelectorAll("h1").length === 1 ? [] : ["h1"],
                skipped: levels.filter((level, index) => index && level > levels[index - 1] + 1),
                controls: [...document.querySelectorAll("input:not([type=hidden]),select,textarea,button,a[href]")]
                    .filter((element) => !named(element)).map((element) => element.outerHTML),
                pictures: [...document.querySelectorAll("img:not([alt]),svg:not([aria-hidden]):not([aria-label])")]
                    .filter((element) => !element.closest("svg[aria-label]")).map((element) => element.outerHTML),
                tables: [...document.querySelectorAll("table")].filter((table) => !table.querySelector("th")).length
                    ? ["without heads"] : [],
                ids: ids.filter((id, index) => ids.indexOf(id) !== index),
                landmarks: document.querySelectorAll("main").length === 1 ? [] : ["main"],
            };
        }"""
    )
    assert {kind: faulty_elements for kind, faulty_elements in faults.items() if faulty_elements} == {}


def test_the_first_tab_skips_the_navigation(page) -> None:
    page.goto("/lists/")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("#main$"))


def test_a_passkey_is_added_and_is_enough_to_sign_in(chromium, site) -> None:
    """At a host name: to an address of numbers a browser gives no passkey."""
    page = chromium.new_context(base_url=site.url.replace("127.0.0.1", "localhost")).new_page()
    sign_in(page, site, "browser-pat")
    devtools = page.context.new_cdp_session(page)
    devtools.send("WebAuthn.enable")
    key = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    options = key | {"isUserVerified": True, "automaticPresenceSimulation": True}
    devtools.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    page.goto("/account/2fa/webauthn/add/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_label("Passwordless").check()
    page.get_by_role("button", name="Add").click()
    expect(page).not_to_have_url(re.compile("webauthn/add"))
    page.goto("/account/")
    page.get_by_text("Sign out").click()
    page.goto("/login/?next=/account/")
    page.get_by_role("button", name="Use a passkey").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("browser-pat")
