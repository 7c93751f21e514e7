"""The public pages: what they show, what they refuse, what they cost, and what they never contain."""

from __future__ import annotations

import hashlib
import html
import io
import re
import zipfile
from datetime import timedelta
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.core.cache import cache as shared_cache
from django.test import Client
from django.utils import timezone
from django.utils.http import parse_http_date

from launcher import collector_file
from registry.log import recording
from registry.models import Result, System
from registry.site_pages import documentation
from registry.site_pages.home import find_pair
from tests.html import page_source
from tests.registry.record import make_definition, make_list, make_measurement, make_platform, make_release, make_result
from validators import parameters

pytestmark = pytest.mark.django_db
HOSTILE = '<script>alert("x")</script>'
TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))


@pytest.fixture(autouse=True)
def _forget():
    shared_cache.clear()


@pytest.fixture
def ranked():
    """T1 full: 40 alone, 30 and 30 tied, 20 carried over from T0 without clients and with a hostile name."""
    before, release = make_release("T0", "2025-05-01"), make_release("T1", "2025-11-01")
    platform = make_platform("p1", "Platform One")
    results = [
        make_result(release, "io500-1", 40.0, client_nodes=100, bandwidth_gib_per_s=16.0, rate_kiops=100.0,
                    platform=platform),
        make_result(release, "io500-2", 30.0, institution="Site Two", system_name="Test system B"),
        make_result(release, "io500-3", 30.0, system_name="Test system C", filesystem_type="WekaFS",
                    filesystem_family="WekaFS"),
        make_result(before, "io500-4", 20.0, system_name="Test system D", client_nodes=None, tasks=None),
    ]  # fmt: skip
    Result.objects.filter(public_id="io500-4").update(system_name=HOSTILE)
    System.objects.filter(name="Test system D").update(name=HOSTILE)
    results[3].refresh_from_db()
    make_measurement(results[0], "ior-easy-write", 8.0)
    make_measurement(results[1], "ior-easy-write", 4.0)
    make_measurement(results[2], "ior-easy-write", 2.0)
    make_list(release, "io500", results[:2], position=3)
    return make_list(release, "full", results, definition=make_definition("full"), note="A copy.", position=1)


class Texts(HTMLParser):
    """The texts of the table's rows, cell by cell."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.in_body = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tbody":
            self.in_body = True
        elif tag == "tr" and self.in_body:
            self.rows.append([])
        elif tag in ("td", "th") and self.in_body:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "tbody":
            self.in_body = False

    def handle_data(self, data: str) -> None:
        if self.in_body and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


def rows(page) -> list[list[str]]:
    texts = Texts()
    texts.feed(page_source(page))
    return texts.rows


def test_a_list_shows_rank_range_names_and_numbers_as_published(client, ranked) -> None:
    page = client.get("/lists/T1/full/")
    assert page.status_code == 200
    first, second, third, last = rows(page)
    assert first[:6] == ["1", "", "Test system Anew", "Site One", "Lustre 2.15", "100"]
    assert first[6] == "40.00" and first[8:10] == ["16.00", "100.00"]
    assert [second[0], second[1], third[0], third[1]] == ["2", "2\N{EN DASH}3", "2", "2\N{EN DASH}3"]
    assert last[0] == "4" and last[5] == "\N{EM DASH}"


def test_a_list_shows_its_source_and_trust(client, ranked) -> None:
    content = page_source(client.get("/lists/T1/full/"))
    assert '<a class="trust imported" href="/docs/data-terms/#what-the-words-of-trust-mean">imported</a>' in content
    assert "4\N{NO-BREAK SPACE}entries, complete" in content
    assert "A copy." in content


def test_sorting_never_renumbers(client, ranked) -> None:
    page = client.get("/lists/T1/full/?ordering=score")
    assert [row[0] for row in rows(page)] == ["4", "2", "2", "1"]
    assert 'aria-sort="ascending"' in page_source(page)


def test_missing_numbers_come_last_in_either_direction(client, ranked) -> None:
    for ordering in ("client_nodes", "-client_nodes"):
        assert rows(client.get(f"/lists/T1/full/?ordering={ordering}"))[-1][0] == "4"


def test_an_unknown_ordering_is_that_of_the_list(client, ranked) -> None:
    assert [row[0] for row in rows(client.get("/lists/T1/full/?ordering=;drop"))] == ["1", "2", "2", "4"]


def test_a_list_is_filtered_by_its_form(client, ranked) -> None:
    page = client.get("/lists/T1/full/?filesystem_type=WekaFS")
    assert [row[2] for row in rows(page)] == ["Test system Cnew"]
    assert "1 of 4\N{NO-BREAK SPACE}entries" in page_source(page)


def test_filters_without_matches_are_reported_with_a_link_back(client, ranked) -> None:
    content = page_source(client.get("/lists/T1/full/?filesystem_type=NoSuchFS"))
    assert "No entries match these filters." in content


def test_a_filter_that_is_no_number_is_refused_with_its_code(client, ranked) -> None:
    page = client.get("/lists/T1/full/?client_nodes__gte=many")
    assert page.status_code == 400
    assert "query.invalid-value" in page_source(page)


@pytest.mark.parametrize("page", ["0", "-1", "9999", "x"])
def test_a_page_number_out_of_range_is_the_nearest_page(client, ranked, page) -> None:
    assert len(rows(client.get(f"/lists/T1/full/?page={page}"))) == 4


def test_the_address_of_a_list_is_found_in_any_case(client, ranked) -> None:
    answer = client.get("/lists/t1/FULL/")
    assert answer.status_code == 302
    assert answer["Location"] == "/lists/T1/full/"


def test_a_release_redirects_to_its_first_list_or_gives_a_reason(client, ranked) -> None:
    make_release("T2", "2026-05-01", note="Nobody kept it.")
    assert client.get("/lists/T1/")["Location"] == "/lists/T1/full/"
    make_list(ranked.release, "empty", [], position=0)
    assert client.get("/lists/T1/")["Location"] == "/lists/T1/full/"
    empty = client.get("/lists/T2/")
    assert empty.status_code == 200
    assert "Nobody kept it." in page_source(empty)


def test_an_unknown_list_names_the_nearest(client, ranked) -> None:
    page = client.get("/lists/T1/fulll/")
    assert page.status_code == 404
    assert 'href="/lists/T1/full/"' in page_source(page)


@pytest.mark.parametrize("address", [
    "/lists/T9/full/", "/results/nothing/", "/systems/nothing/", "/sites/nothing/", "/platforms/nothing/",
    "/docs/nothing/", "/docs/../registry/settings/", "/nothing/", "/results/a%00b/",
])  # fmt: skip
def test_unknown_addresses_return_404_in_the_same_frame(client, ranked, address) -> None:
    page = client.get(address)
    assert page.status_code == 404
    assert "There is nothing here" in page_source(page)


def test_a_result_shows_its_phases_against_the_median_of_its_list(client, ranked) -> None:
    content = page_source(client.get("/results/io500-1/"))
    assert "ior-easy-write" in content
    assert re.search(r"<b>8\.00</b></td><td [^>]*>4\.00</td><td [^>]*>2\.00</td>", content)


def test_a_result_with_unknown_values_shows_a_dash_and_the_reason(client, ranked) -> None:
    content = page_source(client.get("/results/io500-4/"))
    assert "<dt>Client nodes</dt><dd>\N{EM DASH}</dd><dd>not in the source</dd>" in content


def test_a_withdrawn_result_keeps_its_page_with_a_notice(client, ranked) -> None:
    Result.objects.filter(public_id="io500-2").update(withdrawn_at=timezone.now(), withdrawn_reason="Wrong disks.")
    content = page_source(client.get("/results/io500-2/"))
    assert content.index("Wrong disks.") < content.index('class="keys"')
    assert "withdrawn since" in page_source(client.get("/lists/T1/full/"))
    assert "io500-2" not in page_source(client.get("/results/"))


def test_a_corrected_result_and_its_revision_link_each_other(client, ranked) -> None:
    old = Result.objects.get(public_id="io500-3")
    make_result(ranked.release, "io500-3-2", 31.0, revises=old, revision=2, revision_reason="One disk more.")
    assert 'href="/results/io500-3-2/"' in page_source(client.get("/results/io500-3/"))
    assert 'href="/results/io500-3/"' in page_source(client.get("/results/io500-3-2/"))


def test_results_are_found_by_words_and_paged_by_cursor(client, ranked) -> None:
    assert len(rows(client.get("/results/?q=WekaFS"))) == 1
    assert client.get("/results/?cursor=nonsense").status_code == 400


def test_search_finds_sites_systems_and_results(client, ranked) -> None:
    content = page_source(client.get("/search/?q=Two"))
    assert 'href="/sites/site-two/"' in content
    assert client.get("/search/?q=io500-1")["Location"] == "/results/io500-1/"
    assert "Nothing found for these words" in page_source(client.get("/search/?q=xyzzy"))
    assert client.get("/search/").status_code == 200


EVERY_PAGE = [
    "/", "/lists/", "/lists/T1/full/", "/analysis/full/", "/results/", "/results/io500-4/",
    "/systems/", "/sites/", "/sites/site-one/",
    "/platforms/", "/platforms/p1/", "/releases/", "/search/?q=Test", "/docs/", "/docs/lists/", "/docs/rules/",
    "/collector/",
    "/parameters/", "/parameters/lustre.client.osc.checksums/", "/compare/", "/compare/?results=io500-1,io500-4",
    "/studies/", "/studies/e2000-drives/", "/study/", "/study/?metric=score&x=release",
]  # fmt: skip


@pytest.mark.parametrize("address", EVERY_PAGE)
def test_public_pages_set_no_cookie_and_are_cacheable(client, ranked, address) -> None:
    page = client.get(address)
    assert page.status_code == 200
    assert not page.cookies
    assert page["Cache-Control"] == "max-age=60, public" or page["Cache-Control"] == "public, max-age=60"
    assert "Cookie" in page["Vary"]


@pytest.mark.parametrize("address", EVERY_PAGE)
def test_an_unchanged_page_costs_a_304(client, ranked, address) -> None:
    tag = client.get(address)["ETag"]
    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304


def test_a_frozen_list_says_when_it_last_changed(client, ranked) -> None:
    frozen = parse_http_date(client.get("/lists/T1/full/")["Last-Modified"])
    assert frozen == int(ranked.frozen_at.timestamp())
    Result.objects.filter(public_id="io500-2").update(withdrawn_at=ranked.frozen_at + timedelta(hours=1))
    assert parse_http_date(client.get("/lists/T1/full/")["Last-Modified"]) == frozen + 3600


@pytest.mark.parametrize("address", EVERY_PAGE)
def test_names_from_outside_are_escaped_everywhere(client, ranked, address) -> None:
    assert HOSTILE not in page_source(client.get(address))


@pytest.mark.parametrize("address", EVERY_PAGE)
def test_pages_keep_to_the_content_security_policy(client, ranked, address) -> None:
    page = client.get(address)
    assert "'unsafe-inline'" not in page["Content-Security-Policy"]
    content = page_source(page)
    scripts = re.findall(r"<script\b[^>]*>", content)
    data = ('type="application/json"', 'type="application/ld+json"')
    assert [script for script in scripts if "src=" not in script and not any(kind in script for kind in data)] == []
    assert re.findall(r"<style\b|\sstyle=|\son[a-z]+=", content) == []
    assert re.findall(r'(?:src|<link(?! rel="canonical")[^>]*href)="https?://', content) == []


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: str(path.relative_to(settings.BASE_DIR)))
def test_templates_hold_no_inline_style_script_or_handler(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    assert re.findall(r"<style\b|\sstyle=|\son[a-z]+=|\|safe\b|autoescape off", text) == []
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []


def links_of(client, pages: list[str]) -> set[str]:
    """Internal links of public pages, without those to files and to where one has to sign in."""
    links = {
        html.unescape(link) for page in pages for link in re.findall(r'href="(/[^"]*)"', page_source(client.get(page)))
    }
    return {link for link in links if not link.startswith(("/submissions/", "/static/"))}


def test_no_internal_link_of_a_public_page_is_dead(client, ranked) -> None:
    recording.note_unrecorded()
    recording.record_unrecorded()  # a proof is there once the first record was made
    addresses = {link.partition("#")[0] for link in links_of(client, EVERY_PAGE)}
    statuses = {address: client.get(address).status_code for address in sorted(addresses)}
    assert {address: status for address, status in statuses.items() if status not in (200, 302)} == {}


def test_no_link_to_a_part_of_a_page_is_dead(client, ranked) -> None:
    links = {link for link in links_of(client, EVERY_PAGE) if "#" in link}
    parts = [(link, *link.split("#")) for link in sorted(links)]
    assert parts
    assert [link for link, address, part in parts if f'id="{part}"' not in page_source(client.get(address))] == []


@pytest.mark.parametrize(("address", "queries"), [
    ("/results/?tool=io500", 5),
    ("/", 10), ("/lists/", 2), ("/lists/T1/full/", 4), ("/analysis/full/", 3), ("/results/", 4),
    ("/results/io500-1/", 7), ("/systems/", 3),
    ("/sites/", 1), ("/sites/site-one/", 7), ("/platforms/", 4), ("/platforms/p1/", 8), ("/releases/", 2),
    ("/docs/lists/", 0),
    ("/compare/", 1), ("/compare/?results=io500-1,io500-4", 3),
])  # fmt: skip
def test_pages_cost_no_more_queries_than_they_did(client, ranked, django_assert_max_num_queries, address, queries):
    with django_assert_max_num_queries(queries):
        client.get(address)


def test_a_longer_list_costs_no_more_queries(client, ranked, django_assert_max_num_queries) -> None:
    results = [make_result(ranked.release, f"many-{number}", 1.0 + number) for number in range(40)]
    make_list(ranked.release, "historical", results[::-1])
    with django_assert_max_num_queries(4):
        assert len(rows(client.get("/lists/T1/historical/"))) == 40


def test_a_long_list_is_shown_in_pages(client, ranked, monkeypatch) -> None:
    monkeypatch.setattr("registry.lists.views.PAGE_ROWS", 3)
    assert [row[0] for row in rows(client.get("/lists/T1/full/"))] == ["1", "2", "2"]
    assert [row[0] for row in rows(client.get("/lists/T1/full/?page=2"))] == ["4"]


def test_an_empty_registry_explains_its_pages(client) -> None:
    assert "No results yet." in page_source(client.get("/"))
    for address in ("/lists/", "/results/", "/systems/", "/sites/", "/releases/"):
        assert client.get(address).status_code == 200


def test_the_theme_is_kept_in_a_cookie_and_leads_back(client) -> None:
    answer = client.post("/preferences/", {"theme": "dark", "next": "/lists/?a=1"})
    assert answer["Location"] == "/lists/?a=1"
    assert answer.cookies["theme"].value == "dark"
    assert '<html lang="en" data-theme="dark">' in page_source(client.get("/"))
    client.post("/preferences/", {"theme": "", "next": "/"})
    assert '<html lang="en">' in page_source(client.get("/"))


@pytest.mark.parametrize("wanted", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "", "x"])
def test_redirects_stay_on_the_site(client, wanted) -> None:
    assert client.post("/preferences/", {"theme": "dark", "next": wanted})["Location"] == "/"


def test_another_site_can_not_set_the_theme(client) -> None:
    answer = client.post("/preferences/", {"theme": "dark"}, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert not answer.cookies


def test_an_unknown_theme_is_ignored(client) -> None:
    client.cookies["theme"] = '"><script>'
    assert '<html lang="en">' in page_source(client.get("/"))


@pytest.mark.parametrize("address", ["/", "/lists/", "/results/", "/docs/"])
def test_public_pages_take_no_post(client, address) -> None:
    assert client.post(address).status_code == 405


def test_the_collector_is_served_with_its_checksum(client) -> None:
    content = client.get("/collector/highwater.pyz").content
    digest = hashlib.sha256(content).hexdigest()
    assert page_source(client.get("/collector/highwater.pyz.sha256")) == f"{digest}  highwater.pyz\n"
    assert digest in page_source(client.get("/collector/"))


def test_the_served_collector_has_the_configured_address(client, settings) -> None:
    settings.SITE_URL = "https://registry.example"
    content = client.get("/collector/highwater.pyz").content
    assert content == collector_file.build(registry="https://registry.example")
    digest = hashlib.sha256(content).hexdigest()
    assert page_source(client.get("/collector/highwater.pyz.sha256")) == f"{digest}  highwater.pyz\n"
    page = page_source(client.get("/collector/"))
    assert digest in page
    assert "./dev.py collector --registry https://registry.example" in page
    settings.SITE_URL = "https://other.example"
    assert client.get("/collector/highwater.pyz").content == collector_file.build(registry="https://other.example")


@pytest.mark.parametrize("set_address", ["", "https://registry.example"])
@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}, {"Forwarded": "host=evil.example;proto=https"}],
)
def test_the_address_in_the_served_collector_is_not_taken_from_requests(client, settings, set_address, headers) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS, settings.TRUSTED_PROXY = set_address, ["*"], True
    content = client.get("/collector/highwater.pyz", headers=headers).content
    assert content == collector_file.build(registry=set_address)
    assert b"evil.example" not in content


def test_the_commands_of_the_first_page_name_the_server_where_the_file_cannot(client, settings) -> None:
    settings.SITE_URL = ""
    assert "export HIGHWATER_URL=http://testserver" in page_source(client.get("/"))
    settings.SITE_URL = "https://registry.example"
    assert "HIGHWATER_URL" not in page_source(client.get("/"))


def test_the_collector_is_served_for_pip_under_the_name_of_its_version(client) -> None:
    page = page_source(client.get("/collector/"))
    address = re.search(r"/collector/highwater_collector-[0-9.]+-py3-none-any\.whl", page)[0]
    with zipfile.ZipFile(io.BytesIO(client.get(address).content)) as archive:
        assert archive.testzip() is None
        assert "collectors/cli.py" in archive.namelist()
    assert client.get("/collector/highwater_collector-0.0.0-py3-none-any.whl").status_code == 404


def test_the_served_collector_carries_the_registry_of_parameters(client) -> None:
    with zipfile.ZipFile(io.BytesIO(client.get("/collector/highwater.pyz").content)) as archive:
        assert archive.read("collectors/data/parameters.1.json") == parameters.FILE.read_bytes()


def test_documents_have_anchors_and_no_raw_html(client) -> None:
    content = page_source(client.get("/docs/lists/"))
    assert 'id="overrides"' in content
    assert 'href="/docs/lists/#imported"' not in content


def test_links_between_documents_lead_to_pages_and_their_parts() -> None:
    pages = documentation.render_pages()
    links = [(page, link) for page in pages.values() for link in re.findall(r'href="([^"]*)"', page.html)]
    dead = []
    for page, link in links:
        address, _, part = link.partition("#")
        slug = address.removeprefix("/docs/").strip("/") if address else page.slug
        if address.startswith(("http", "/api/")) or slug in ("", "rules"):
            continue
        if slug not in pages or (part and f'id="{part}"' not in pages[slug].html):
            dead.append((page.slug, link))
    assert dead == []


@cache
def index_of_documents(folder: str) -> str:
    """The page that lists them, asked for once: it changes with the code only."""
    return page_source(Client().get(f"/docs/{folder}"))


@pytest.mark.parametrize("slug", documentation.document_texts())
def test_an_index_leads_to_every_document_once(slug) -> None:
    if slug.startswith("decisions/"):
        assert index_of_documents("decisions/").count(f'href="/docs/{slug}/"') == 1
    else:
        assert index_of_documents("").count(f'href="/docs/{slug}/"') >= 1


def test_the_index_of_documents_links_the_decisions_once_and_none_of_them(client) -> None:
    content = page_source(client.get("/docs/"))
    assert content.count('href="/docs/decisions/') == content.count('href="/docs/decisions/"') == 1


def test_a_document_links_its_kind_its_neighbours_and_its_headings(client) -> None:
    content = page_source(client.get("/docs/upload/"))
    assert '<a href="/docs/upload/" aria-current="page">From a result folder to a list</a>' in content
    assert '<a rel="prev" href="/docs/first-upload/">' in content
    assert '<a rel="next" href="/docs/tour/">' in content
    assert content.count('aria-current="page">') >= 1


def test_the_headings_of_a_document_are_folded_before_its_text(client) -> None:
    content = client.get("/docs/states/").content.decode()
    folded = re.search(r'<nav class="side parts" aria-label="On this page">\s*<details>(.*?)</details>', content, re.S)
    assert re.findall(r"<summary>(.*?)</summary>", folded[1]) == ["On this page"]
    assert re.findall(r'href="(#[^"]*)"', folded[1]) == ["#the-usual-path", "#permitted-changes", "#next"]
    assert folded.end() < content.index("<article")


@pytest.mark.parametrize(("slug", "missing"), [("start", "prev"), ("architecture", "next")])
def test_the_first_and_the_last_document_have_one_neighbour(client, slug, missing) -> None:
    content = page_source(client.get(f"/docs/{slug}/"))
    assert f'rel="{missing}"' not in content
    assert ('rel="next"' in content, 'rel="prev"' in content) == (missing == "prev", missing == "next")


def test_a_decision_has_no_neighbours_and_leads_back_to_their_index(client) -> None:
    content = page_source(client.get("/docs/decisions/0001-postgresql-only/"))
    assert 'rel="next"' not in content
    assert 'href="/docs/decisions/"' in content


def test_every_documented_code_is_an_anchor(client) -> None:
    content = page_source(client.get("/docs/findings/"))
    assert '<td id="io500.stonewall.short">' in content


def test_the_page_of_a_benchmark_is_made_of_its_folder(client) -> None:
    content = page_source(client.get("/docs/benchmarks/ior/"))
    assert "<code>transfer_size_bytes</code>" in content
    assert "mean per task of what was moved until the stonewall" in content
    assert all(f'id="{code}"' in content for code in ("ior.truncated", "ior.fsync"))


def test_every_rule_has_an_anchor(client) -> None:
    from validators import catalogue

    content = page_source(client.get("/docs/rules/"))
    assert [rule.code for rule in catalogue.rules() if f'id="{rule.code}"' not in content] == []


def test_robots_txt_excludes_private_pages(client) -> None:
    assert "Disallow: /submissions/" in page_source(client.get("/robots.txt"))


def test_counts_of_the_hardware_catalogue_are_whole_and_rates_have_units(client) -> None:
    page = page_source(client.get("/hardware/"))
    rows = dict(re.findall(r'scope="row">([^<]*)</th><td role="cell" class="n">([^<]*)<', page))
    assert (rows["PCIe lanes"], rows["Cores"]) == ("128", "32")
    assert rows["Read IOPS, PCIe generation 5 x4"] == "2,500\N{NO-BREAK SPACE}kIOPS"
    assert rows["Slot observed"] == "7\N{NO-BREAK SPACE}GiB/s", "as its source prints it"


def test_stylesheets_stay_small() -> None:
    static = settings.BASE_DIR / "static"
    assert (static / "tokens.css").stat().st_size + (static / "base.css").stat().st_size <= 22_000


def test_an_internal_error_is_a_page_without_a_traceback(monkeypatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("registry.site_pages.home.list_leaders", broken)
    page = Client(raise_request_exception=False).get("/")
    assert page.status_code == 500
    assert "secret detail" not in page_source(page)
    assert "Something broke on our side" in page_source(page)
    assert re.search(r"send the operators the request number <code>[0-9a-f]{16}</code>", page_source(page))
    assert '<a href="/docs/problems/#server.error"><code>server.error</code></a>' in page_source(page)


def test_a_form_without_its_token_says_what_to_do() -> None:
    page = Client(enforce_csrf_checks=True).post("/account/request/", {"name": "Gil"})
    assert page.status_code == 403 and "This form has expired" in page_source(page)
    assert "allow cookies for this site" in page_source(page) and "request number" not in page_source(page)
    assert '<a href="/docs/problems/#request.form-expired">' in page_source(page)


def test_the_first_page_offers_two_systems_with_the_file_system_that_most_of_a_list_have() -> None:
    def entry(name: str, filesystem: str, withdrawn: str = "") -> dict[str, str]:
        return {"system_name": name, "filesystem_type": filesystem, "withdrawn": withdrawn}

    pair = find_pair([entry("A", "DAOS"), entry("B", "Lustre"), entry("C", ""), entry("D", "Lustre"), entry("E", "")])
    assert pair is not None
    assert (pair["filesystem"], pair["first"]["system_name"], pair["second"]["system_name"]) == ("Lustre", "B", "D")
    assert find_pair([entry("A", "DAOS"), entry("B", "Lustre"), entry("C", ""), entry("D", "")]) is None
    assert find_pair([entry("A", "Lustre"), entry("B", "Lustre", "2026-01-01")]) is None
    assert find_pair([]) is None


def test_a_common_finding_has_an_anchor_on_each_benchmark_page() -> None:
    html = documentation.render_pages()["findings"].html
    assert 'id="ior.not-measured"' in html
    assert html.count('id="ior.not-measured"') == 1


def test_a_code_of_one_benchmark_leads_from_the_page_of_findings_to_its_own() -> None:
    html = documentation.render_pages()["findings"].html
    assert 'id="fio.run-failed"' in html
    assert 'href="/docs/benchmarks/fio/#fio.run-failed"' in html
    assert 'id="fio.run-failed"' in documentation.render_pages()["benchmarks/fio"].html


def test_a_document_is_there_as_markdown() -> None:
    answer = Client().get("/docs/lists.md")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/markdown; charset=utf-8")
    assert answer.content.decode().startswith("# ")
    assert 'href="/docs/lists.md">Markdown' in Client().get("/docs/lists/").content.decode()
    for missing in (
        "/docs/README.md",
        "/docs/nothing.md",
        "/docs/../README.md",
        "/docs/rules.md",
        "/docs/%2e%2e/README.md",
    ):
        assert Client().get(missing).status_code == 404, missing
