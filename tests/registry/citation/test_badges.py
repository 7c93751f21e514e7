"""Badges: what they say of results, lists and awards, that they fit their text, and that nothing becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from django.utils import timezone

from registry.citation import badges
from registry.models import Result
from tests.registry.citation.test_citation import HOSTILE, ONE_LINE, WORK, record
from tests.registry.record import make_list, make_release, make_result

__all__ = ["record"]
SVG = "{http://www.w3.org/2000/svg}"


def drawn(client, path: str) -> dict[str, str]:
    """Visible text, title and description of a badge."""
    answer = client.get(f"/{path}/badge.svg")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/svg+xml")
    root = ElementTree.fromstring(answer.content)
    texts = ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]
    return {"text": " | ".join(texts)} | {name: root.findtext(f"{SVG}{name}", "") for name in ("title", "desc")}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("results/hw-1", "verified: rank 1, Full list of SC99, result hw-1"),
        ("results/hw-2", "verified: rank 2, Full list of SC99, result hw-2, revised by result hw-3"),
        ("results/hw-3", "verified: result hw-3"),
        ("results/io500-1", "imported copy: withdrawn on 2027-11-18, result io500-1"),
        ("results/paper-1", "reported, not checked: result paper-1"),
        ("lists/SC99/full", "verified: Full list of SC99"),
        ("lists/sc98/full", "imported copy: Full list of SC98"),
    ],
)
def test_a_badge_shortens_its_sentence(client, record, path, text) -> None:
    badge = drawn(client, path)
    assert (badge["text"], badge["title"]) == (f"Highwater | {text}", f"Highwater, {text}")
    assert badge["desc"] == client.get(f"/api/v1/{path}/citation/").json()["sentence"]


def test_an_incomplete_list_is_marked(client, db) -> None:
    make_list(make_release("SC97"), "full", [], complete=False)
    assert drawn(client, "lists/SC97/full")["text"].endswith("imported copy: Full list of SC97, the first ranks only")


def test_the_badge_of_an_award_names_its_winner(client, record) -> None:
    badge = drawn(client, "releases/SC99/awards/full/overall")
    assert badge["text"] == "Highwater | verified: highest score, Full list of SC99, result hw-1"
    assert badge["desc"] == (
        "Highest score, Full list of SC99: Test system A, Site One (verified: checked by the rules and reviewed; "
        "Highwater)."
    )


def test_a_shared_award_is_marked_and_a_withdrawn_winner_loses_it(client, db) -> None:
    release = make_release("SC97")
    first = make_result(release, "hw-7", 50.0)
    make_list(release, "full", [first, make_result(release, "hw-8", 50.0)])
    badge = drawn(client, "releases/SC97/awards/full/overall")
    assert badge["text"].endswith("highest score, shared, Full list of SC97, result hw-7, result hw-8")
    Result.objects.filter(pk=first.pk).update(withdrawn_at=timezone.now(), withdrawn_reason="Wrong.")
    badge = drawn(client, "releases/SC97/awards/full/overall")
    assert badge["text"].endswith("highest score, Full list of SC97, result hw-8")


def test_names_in_pictures_are_escaped(client, db) -> None:
    release = make_release("SC97", name=HOSTILE)
    make_list(release, "full", [make_result(release, "hw-7", system_name=HOSTILE, institution="<b>\x0b")])
    for path in ("results/hw-7", "lists/SC97/full", "releases/SC97/awards/full/overall"):
        badge = drawn(client, path)
        assert ONE_LINE in badge["text"]
        assert ONE_LINE in badge["desc"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("results/nothing", 404), ("lists/SC99/none", 404), ("lists/none/full", 404), ("lists/SC98/early", 409),
        ("releases/SC99/awards/full/speed", 404), ("releases/SC99/awards/ten/overall", 404),
    ],
)  # fmt: skip
def test_pages_that_cannot_be_cited_have_no_badge(client, record, path, status) -> None:
    assert client.get(f"/{path}/badge.svg").status_code == status


def test_a_badge_is_cacheable_and_costs_few_queries(client, record, django_assert_num_queries) -> None:
    with django_assert_num_queries(3):
        answer = client.get("/results/hw-1/badge.svg")
    assert answer["Cache-Control"] == "public, max-age=60"
    again = client.get("/results/hw-1/badge.svg", headers={"If-None-Match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    ("text", "px"),
    # Widths of Helvetica by its font metrics, times 12 px: il 444, WM 1777, fi 500, 0-9 5560.
    [("", 0), ("il", 6), ("WM", 22), ("fi", 6), ("0123456789", 67), ("é", 7), ("e\u0301", 7), ("水", 12), ("한", 12)],
)
def test_the_width_of_a_text_is_the_sum_of_its_letters(text, px) -> None:
    assert badges.text_width(text) == px


def test_the_frame_of_a_badge_is_wider_than_its_text(client, record) -> None:
    root = ElementTree.fromstring(client.get("/results/hw-2/badge.svg").content)
    group = root.find(f"{SVG}g")
    text = root.find(f"{SVG}g/{SVG}text")
    assert group is not None and text is not None
    moved = re.match(r"translate\((\d+) 0\)", group.attrib["transform"])
    assert moved is not None
    end = int(moved[1]) + int(text.attrib["x"]) + int(text.attrib["textLength"])
    assert end < int(root.attrib["width"]) < end + 20


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_the_snippets_link_the_permanent_address() -> None:
    snippets = badges.embed_snippets(WORK)
    (a, link), (img, picture) = Tags(snippets["HTML"]).found
    assert (a, link["href"], img) == ("a", WORK.address, "img")
    assert (picture["src"], picture["alt"]) == (f"{WORK.address}badge.svg", "Highwater: result hw-1")
    assert snippets["Markdown"] == f"[![Highwater: result hw-1]({WORK.address}badge.svg)]({WORK.address})"


@pytest.mark.parametrize("path", ["results/hw-1", "lists/SC99/full"])
def test_pages_show_the_badge_and_how_to_embed_it(client, record, path) -> None:
    page = client.get(f"/{path}/").content.decode()
    assert 'src="badge.svg" alt="verified: ' in page
    assert f"[![Highwater: {'result hw-1' if 'hw' in path else 'list SC99/full'}](https://registry.example.org/" in page


def test_the_page_of_a_release_links_the_badge_of_each_award(client, record) -> None:
    links = re.findall(r'href="([^"]+/badge\.svg)"', client.get("/releases/SC98/").content.decode())
    assert links == []
    links = re.findall(r'href="([^"]+/badge\.svg)"', client.get("/releases/SC99/").content.decode())
    assert [client.get(link).status_code for link in links] == [200]
