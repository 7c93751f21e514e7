"""Certificates of awards: what they say, that nothing from outside becomes markup, and what has none."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from registry.models import Release, Result
from tests.registry.record import make_list, make_release, make_result

pytestmark = pytest.mark.django_db
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("x")</script>&\x0b'
AWARDS = "/releases/SC99/awards"


def texts(client: Any, address: str) -> list[str]:
    answer = client.get(address)
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    return ["".join(element.itertext()) for element in ElementTree.fromstring(answer.content).iter(f"{SVG}text")]


@pytest.fixture
def release() -> Release:
    """SC99 with io500: hw-1 and hw-2 share the score, hw-2 has the bandwidth, hw-3 was withdrawn."""
    new_release = make_release("SC99", "2099-11-01")
    first = make_result(new_release, "hw-1", 9.0, system_name="Old Tide", bandwidth_gib_per_s=3.0, client_nodes=12)
    second = make_result(
        new_release, "hw-2", 9.0, system_name="New Tide", institution="Site Two", bandwidth_gib_per_s=1234.5
    )
    gone = make_result(new_release, "hw-3", 99.0, bandwidth_gib_per_s=9999.0)
    make_list(new_release, "io500", [gone, first, second], title="Research")
    Result.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now(), withdrawn_reason="Wrong.")
    return new_release


def test_a_certificate_has_award_winner_and_trust(client, release) -> None:
    assert texts(client, f"{AWARDS}/io500/bandwidth/certificate.svg") == [
        "Highwater", "Highest bandwidth", "Research list, SC99", "1,234.50GiB/s",
        "New Tide", "Site Two", "10\u00a0client nodes", "http://testserver/results/hw-2/",
        "imported: computed from the list as published, 2099-11; not an award document of its publisher.",
        "Among the entries on 10 client nodes or more that are not withdrawn. Equal values share an award.",
        "http://testserver/releases/SC99/#awards",
    ]  # fmt: skip


def test_a_shared_award_names_all_who_share_it(client, release) -> None:
    lines = texts(client, f"{AWARDS}/io500/overall/certificate.svg")
    assert lines[1:4] == ["Highest score, shared", "Research list, SC99", "9.00no unit"]
    assert {"Old Tide", "12\u00a0client nodes", "New Tide", "Site Two"} <= set(lines)


def test_a_certificate_of_a_release_run_here_says_verified_and_the_date(client, settings) -> None:
    settings.SITE_URL = "https://registry.example"
    new_release = make_release(
        "sc99", imported=False, deadline=timezone.now(), published_at=datetime(2099, 11, 20, 14, tzinfo=UTC)
    )
    result = make_result(
        new_release, "hw-1", trust=Result.Trust.VERIFIED, published_at=new_release.published_at, bundle_sha256="0" * 64
    )
    make_list(new_release, "io500", [result], trust=Result.Trust.VERIFIED)
    lines = texts(client, "/releases/sc99/awards/io500/overall/certificate.svg")
    assert "verified: computed from the list of this registry, published 2099-11-20 UTC." in lines
    assert "https://registry.example/results/hw-1/" in lines


def test_the_pdf_has_one_page_and_fonts(client, release) -> None:
    answer = client.get(f"{AWARDS}/io500/overall/certificate.pdf")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer.content.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type\s*/Page\b(?!s)", answer.content)) == 1
    assert b"/FontFile" in answer.content


def test_names_in_pictures_are_escaped(client, release) -> None:
    Result.objects.filter(public_id="hw-2").update(system_name=HOSTILE)
    release.ranked_lists.get().entries.filter(result__public_id="hw-2").update(
        system_name=HOSTILE, institution="W" * 100
    )
    lines = texts(client, f"{AWARDS}/io500/bandwidth/certificate.svg")
    assert lines[4] == '<script>alert("x")</script>&\ufffd'
    assert lines[5:7] == ["W" * 56, "W" * 44]
    assert b"<script" not in client.get(f"{AWARDS}/io500/bandwidth/certificate.svg").content
    assert client.get(f"{AWARDS}/io500/bandwidth/certificate.pdf").content.startswith(b"%PDF-")


@pytest.mark.parametrize(("name", "status"), [("Zürich, Łódź, Ærø", 200), ("Lab \U0001e290\U0001e291 é", 406)])
def test_a_pdf_is_refused_where_no_font_has_its_letters(client, name, status) -> None:
    """Those of Toto, which hardly any machine has a font for."""
    new_release = make_release("SC98", "2098-11-01")
    make_list(new_release, "io500", [make_result(new_release, "hw-9", institution=name)])
    address = "/releases/SC98/awards/io500/overall/certificate"
    page = client.get(f"{address}.pdf")
    assert page.status_code == status
    if status == 406:
        message = page.content.decode()
        assert "None of them has \U0001e290\U0001e291. Take " in message
        assert f"{address}.svg" in message
    assert client.get(f"{address}.svg").status_code == 200


@pytest.mark.parametrize("address", [
    "io500/metadata/certificate.svg", "io500/speed/certificate.svg", "ten/overall/certificate.pdf",
    "io500/overall/certificate.png",
])  # fmt: skip
def test_unknown_awards_have_no_certificate(client, release, address) -> None:
    assert client.get(f"{AWARDS}/{address}").status_code == 404


def test_an_unpublished_release_has_no_certificate(client) -> None:
    new_release = make_release("next", imported=False, deadline=timezone.now(), list_names=["io500"])
    make_list(new_release, "io500", [make_result(new_release, "hw-1", system_name="Zsystem")], frozen=False)
    answer = client.get("/releases/next/awards/io500/overall/certificate.svg")
    assert answer.status_code == 404
    assert "Zsystem" not in answer.content.decode()


def test_the_page_of_a_release_links_each_certificate(client, release) -> None:
    page = client.get("/releases/SC99/").content.decode()
    links = re.findall(r'href="([^"]+/certificate\.(?:svg|pdf))"', page)
    assert len(links) == 4
    assert {client.get(link).status_code for link in links} == {200}


def test_a_certificate_costs_three_queries(client, release, django_assert_num_queries) -> None:
    with django_assert_num_queries(3):
        client.get(f"{AWARDS}/io500/overall/certificate.svg")
