"""The sitemap names every public page of the record once, and nothing that is closed."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import RankedList, Result, Site, System
from registry.site_pages import sitemaps
from tests.registry.record import empty, make_list, make_release, make_result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
SITE = "https://registry.example"


@pytest.fixture(autouse=True)
def _site(settings) -> None:
    settings.SITE_URL = SITE


def addresses(client: Client, address: str) -> list[str]:
    answer = client.get(address)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("application/xml")
    return [location.text or "" for location in ElementTree.fromstring(answer.content).iter(f"{NAMESPACE}loc")]


def all_paths(client: Client) -> list[str]:
    sections = addresses(client, "/sitemap.xml")
    return [path.removeprefix(SITE) for section in sections for path in addresses(client, section.removeprefix(SITE))]


def test_every_public_page_is_listed_once(client: Client) -> None:
    paths = all_paths(client)
    assert len(paths) == len(set(paths)) > 1000
    assert {f"/results/{id}/" for id in Result.objects.values_list("public_id", flat=True)} <= set(paths)
    lists = RankedList.objects.values_list("release__slug", "name")
    assert {f"/lists/{release}/{name}/" for release, name in lists} <= set(paths)
    for path in ("/", "/lists/SC25/production/", "/releases/SC23/", "/sites/intel/", "/docs/data-terms/", "/systems/"):
        assert path in paths, path
    assert any(path.startswith("/studies/perlmutter") for path in paths)
    assert any(path.startswith("/parameters/") for path in paths)


def test_pages_of_each_kind_open(client: Client) -> None:
    by_kind: dict[str, str] = {}
    for path in all_paths(client):
        by_kind.setdefault(path.split("/")[1] if path.count("/") > 2 else path, path)
    assert len(by_kind) > 20
    assert {path: client.get(path).status_code for path in by_kind.values()} == dict.fromkeys(by_kind.values(), 200)


def test_withdrawn_and_closed_pages_are_left_out_of_the_sitemap(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    withdrawn = make_result(release, "io500-w", withdrawn_at=timezone.now(), withdrawn_reason="Wrong.")
    old = make_result(release, "io500-o")
    make_result(release, "io500-n", revises=old, revision=2)
    make_list(release, "full", [withdrawn], frozen=False)
    site = Site.objects.create(slug="secret-site", name="Secret")
    System.objects.create(slug="secret-site-system", name="Secret", site=site)
    former = Site.objects.create(slug="former-site", name="Former", merged_into=Site.objects.get(slug="intel"))
    paths = all_paths(client)
    assert "/results/io500-n/" in paths
    words = ("io500-w/", "io500-o/", "/lists/T9/", "secret-site", former.slug)
    assert not [path for path in paths for word in words if word in path]
    closed = ("/submissions", "/review", "/account", "/admin", "/login", "/api/", "/search")
    assert not [path for path in paths if path.startswith(closed) or "reconstructed" in path]


def test_a_result_has_its_publication_date_in_the_sitemap(client: Client) -> None:
    release = make_release("T9", "2026-06-01")
    day = timezone.now().replace(year=2026, month=2, day=3)
    make_result(release, "hw-9", trust=Result.Trust.VERIFIED, bundle_sha256="0" * 64, published_at=day)
    content = client.get("/sitemap-results.xml").content.decode()
    assert f"<loc>{SITE}/results/hw-9/</loc><lastmod>2026-02-03</lastmod>" in content
    assert "lastmod" not in client.get("/sitemap-systems.xml").content.decode(), "nobody knows when those changed"


def test_sections_are_paged_and_cost_few_queries(client: Client, monkeypatch, django_assert_max_num_queries) -> None:
    monkeypatch.setattr(sitemaps.RECORD["results"], "limit", 200)
    with django_assert_max_num_queries(8):
        pages = addresses(client, "/sitemap.xml")
    results = [page.removeprefix(SITE) for page in pages if "results" in page]
    assert results[:2] == ["/sitemap-results.xml", "/sitemap-results.xml?p=2"]
    with django_assert_max_num_queries(2):
        assert len(addresses(client, results[1])) == 200
    names = [name for page in results for name in addresses(client, page)]
    assert len(names) == len(set(names)) == Result.objects.count()
    assert sitemaps.PAGE_LIMIT <= 50_000


@pytest.mark.parametrize(
    "address",
    ["none.xml", "results.xml?p=99", "results.xml?p=x", "results.xml?p=-1", ".xml", "results.xml?p=%00"],
)
def test_an_unknown_section_or_page_returns_404(client: Client, address: str) -> None:
    assert client.get(f"/sitemap-{address}").status_code == 404


def test_without_a_configured_address_the_requested_host_is_used(client: Client, settings) -> None:
    settings.SITE_URL = ""
    assert addresses(client, "/sitemap.xml")[0] == "http://testserver/sitemap-pages.xml"
    assert addresses(client, "/sitemap-pages.xml")[0] == "http://testserver/"
    assert client.get("/sitemap.xml", headers={"Host": "evil.example"}).status_code == 400


def test_robots_txt_names_the_sitemap(client: Client) -> None:
    assert f"Sitemap: {SITE}/sitemap.xml" in client.get("/robots.txt").content.decode()


def test_an_empty_record_has_a_sitemap(client: Client) -> None:
    empty()
    assert addresses(client, "/sitemap-results.xml") == []
    assert all_paths(client)
