"""The committee's own checklist: who may, what is copied, what two editors at once do, what is refused."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.utils import timezone

from registry.models import Release
from submissions.accounts import personal_data
from submissions.models import ChecklistAct, ChecklistItem
from submissions.publication import releases
from submissions.publication.checklist import items
from tests.registry.record import make_release
from tests.submissions.conftest import somebody_waits, wait_until

ADDRESS = "releases/sc99/checklist/"


@pytest.fixture
def add(cast, release):
    """Adds an item by API; its document."""

    def add(label: str) -> dict:
        answer = cast.erin.post(ADDRESS, {"label": label})
        assert answer.status_code == 201, answer.content
        return answer.json()

    return add


def labels(cast) -> list[str]:
    return [item["label"] for item in cast.erin.get(ADDRESS).json()["items"]]


def change(cast, item: dict, **fields):
    return cast.erin.patch(f"{ADDRESS}{item['id']}/", {"version": item["version"], **fields})


def test_a_done_item_has_author_and_time(cast, add) -> None:
    item = add("Book the room")
    before = timezone.now()
    answer = change(cast, item, done=True).json()
    assert (answer["done"], answer["done_by"], answer["version"]) == (True, "erin", 2)
    stored = ChecklistItem.objects.get()
    assert before <= stored.done_at <= timezone.now()
    checklist = cast.erin.get(ADDRESS).json()
    assert checklist["open"] == 0
    assert [(act["action"], act["account"], act["label"]) for act in checklist["history"]] == [
        ("tick", "erin", "Book the room"),
        ("add", "erin", "Book the room"),
    ]
    assert change(cast, answer, done=False).json()["done_at"] is None


def test_a_new_release_copies_the_checklist_with_all_items_open(cast, add) -> None:
    add("Mail the submitters")
    change(cast, add("Book the room"), done=True)
    make_release("SC98")  # imported ones have none
    new = releases.create_release("isc99", timezone.now() + timedelta(days=90))
    copied = [(item.label, item.position, item.done_at, item.done_by) for item in items.list_items(new)]
    assert copied == [("Mail the submitters", 1, None, None), ("Book the room", 2, None, None)]
    act = ChecklistAct.objects.get(release=new)
    assert (act.action, act.account, act.detail) == ("copy", None, "sc99")
    assert labels(cast) == ["Mail the submitters", "Book the room"]


def test_the_first_release_begins_with_an_empty_checklist(cast, release) -> None:
    assert cast.erin.get(ADDRESS).json() == {"release": "sc99", "open": 0, "items": [], "history": []}
    assert not ChecklistAct.objects.exists()


def test_items_are_moved_renamed_and_removed(cast, add) -> None:
    first, second, third = add("a"), add("b"), add("c")
    assert change(cast, third, position=1).json()["position"] == 1
    assert labels(cast) == ["c", "a", "b"]
    assert change(cast, first, label="A").status_code == 200  # its own label in other letter case
    assert cast.erin.client.delete(f"/api/v1/{ADDRESS}{second['id']}/").status_code == 204
    assert labels(cast) == ["c", "A"]
    assert list(ChecklistItem.objects.values_list("position", flat=True)) == [1, 2]
    acts = cast.erin.get(ADDRESS).json()["history"]
    assert [(act["action"], act["label"], act["detail"]) for act in acts[:3]] == [
        ("remove", "b", ""),
        ("rename", "a", "A"),
        ("move", "c", "1"),
    ]


def test_an_equal_change_of_an_item_is_not_recorded(cast, add) -> None:
    item = add("a")
    assert change(cast, item, done=False, label="a", position=1).json() == item
    assert ChecklistAct.objects.count() == 1


def test_two_ticks_in_turn_are_both_kept(cast, add) -> None:
    item = add("a")
    first = change(cast, item, done=True).json()
    again = cast.fay.patch(f"{ADDRESS}{item['id']}/", {"version": item["version"], "done": True})
    assert again.json() == first


@pytest.mark.parametrize("fields", [{"label": "b"}, {"done": False}])
def test_a_change_of_an_outdated_item_is_refused(cast, add, fields) -> None:
    item = add("a")
    change(cast, item, done=True, label="Not a")
    refused = change(cast, item, **fields)
    assert (refused.status_code, refused.json()["code"]) == (409, "checklist.changed")
    assert labels(cast) == ["Not a"]


@pytest.mark.django_db(transaction=True)
def test_concurrent_ticks_of_two_editors_are_both_kept(cast, release) -> None:
    first, second = (items.add_item(release, cast.erin.account, label) for label in "ab")

    def tick() -> None:
        try:
            items.change_item(release, cast.fay.account, second.pk, 1, done=True)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            items.change_item(release, cast.erin.account, first.pk, 1, done=True, position=2)
            ticking = pool.submit(tick)
            wait_until(somebody_waits, 30)
        ticking.result(30)
    ticked = [(item.label, item.done_by.username, item.position) for item in items.list_items(release)]
    assert ticked == [("b", "fay", 1), ("a", "erin", 2)]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "request.invalid"),
        ({"label": ""}, 400, "request.invalid"),
        ({"label": "x" * 201}, 400, "request.invalid"),
        ({"label": ["a"]}, 400, "request.invalid"),
        ({"label": "a\x00b"}, 400, "request.invalid"),
        ({"label": "\u202e\u200b"}, 422, "checklist.invalid"),
        ({"label": "A "}, 409, "checklist.taken"),
        ({"label": "b", "done": True}, 400, "request.unknown-field"),
    ],
)
def test_empty_labels_are_refused(cast, add, body, status, code) -> None:
    add("a")
    refused = cast.erin.post(ADDRESS, body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert labels(cast) == ["a"]


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"version": None}, 400, "request.invalid"),
        ({"version": "x"}, 400, "request.invalid"),
        ({"version": 10**30}, 400, "request.invalid"),
        ({"done": "perhaps"}, 400, "request.invalid"),
        ({"position": 0}, 400, "request.invalid"),
        ({"position": 3}, 422, "checklist.invalid"),
        ({"label": "B"}, 409, "checklist.taken"),
    ],
)
def test_invalid_changes_are_refused_as_a_whole(cast, add, fields, status, code) -> None:
    item = add("a")
    add("b")
    refused = change(cast, item, **({"done": True} | fields))
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert not ChecklistItem.objects.exclude(done_at=None).exists()


def test_an_item_of_another_release_is_not_found(cast, add) -> None:
    item = add("a")
    releases.create_release("isc99", timezone.now() + timedelta(days=90))
    for address in ("releases/isc99/checklist/", "releases/sc77/checklist/"):
        assert cast.erin.patch(f"{address}{item['id']}/", {"version": 1, "done": True}).status_code == 404
    assert cast.erin.patch(f"{ADDRESS}{10**25}/", {"version": 1}).status_code == 404


def test_an_imported_release_has_no_checklist(cast, release) -> None:
    make_release("SC98")
    refused = cast.erin.post("releases/sc98/checklist/", {"label": "a"})
    assert (refused.status_code, refused.json()["code"]) == (422, "release.invalid")


def test_the_number_of_checklist_items_is_limited(cast, release, add) -> None:
    ChecklistItem.objects.bulk_create(
        ChecklistItem(release=release, position=number, label=f"item {number}") for number in range(1, 101)
    )
    assert cast.erin.post(ADDRESS, {"label": "one more"}).json()["code"] == "checklist.invalid"


def test_the_history_can_be_neither_changed_nor_deleted(cast, add) -> None:
    add("a")
    for attempt in (ChecklistAct.objects.all().delete, lambda: ChecklistAct.objects.update(label="b")):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            attempt()


def test_an_erased_account_is_shown_by_its_pseudonym(cast, add) -> None:
    change(cast, add("a"), done=True)
    pseudonym = personal_data.erase_account(cast.erin.account)
    checklist = cast.fay.get(ADDRESS).json()
    assert checklist["items"][0]["done_by"] == checklist["history"][0]["account"] == pseudonym


# Pages


@pytest.fixture
def editor(cast, release) -> Client:
    client = Client()
    client.force_login(cast.erin.account)
    return client


PAGE = "/releases/sc99/checklist/"


def test_every_checklist_action_has_a_form(editor) -> None:
    assert editor.post(PAGE, {"act": "add", "label": "Book the room"}).status_code == 302
    editor.post(PAGE, {"act": "add", "label": "<script>x</script>"})
    first, second = ChecklistItem.objects.order_by("position")
    done = editor.post(PAGE, {"act": "tick", "item": first.pk, "version": 1})
    assert done["Location"] == f"{PAGE}#item-{first.pk}"
    editor.post(PAGE, {"act": "rename", "item": first.pk, "version": 2, "label": "Book a room"})
    editor.post(PAGE, {"act": "move", "item": first.pk, "version": 3, "position": 2})
    page = editor.get(PAGE).content.decode()
    assert "1. &lt;script&gt;x&lt;/script&gt;" in page and "<script>x" not in page
    assert "2. Book a room" in page and "1 of 2 open" in page and f'id="item-{first.pk}"' in page
    publish = editor.get("/releases/sc99/publish/").content.decode()
    assert "Open items warn" in publish and "&lt;script&gt;x" in publish and "erin, " in publish
    editor.post(PAGE, {"act": "untick", "item": first.pk, "version": 3})
    editor.post(PAGE, {"act": "remove", "item": second.pk, "version": 1})
    assert [(item.label, item.done_at) for item in ChecklistItem.objects.all()] == [("Book a room", None)]


@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        ({}, 404, "checklist.not-found"),
        ({"act": "tick", "item": "x", "version": "1"}, 404, "checklist.not-found"),
        ({"act": "tick", "item": "٣", "version": "1"}, 404, "checklist.not-found"),
        ({"act": "move", "item": "9" * 40, "version": "1"}, 404, "checklist.not-found"),
        ({"act": "add", "label": " "}, 422, "checklist.invalid"),
        ({"act": "add", "label": "a\x00" * 150}, 422, "checklist.invalid"),
        ({"act": "burn", "item": "1", "version": "1"}, 422, "checklist.invalid"),
    ],
)
def test_an_invalid_form_is_refused_on_the_page(editor, form, status, code) -> None:
    refused = editor.post(PAGE, form)
    assert refused.status_code == status
    assert code in refused.content.decode()


@pytest.mark.parametrize(
    ("act", "field", "text"), [("rename", "label", "b"), ("move", "position", "7"), ("move", "position", "x")]
)
def test_a_refused_change_is_shown_at_its_field_with_the_input(editor, add, act, field, text) -> None:
    add("b")
    item = add("a")
    answer = editor.post(PAGE, {"act": act, "item": item["id"], "version": item["version"], field: text})
    page = answer.content.decode()
    assert answer.status_code in (409, 422)
    assert f'id="{act}_{item["id"]}_{field}_error"' in page
    [sent] = re.findall(rf"<input[^>]*id=\"{act}_{item['id']}_{field}\"[^>]*>", page)
    assert f'value="{text}"' in sent and 'aria-invalid="true"' in sent


def test_only_editors_see_the_checklist(cast, release) -> None:
    for person in (cast.alice, cast.dana):
        client = Client()
        client.force_login(person.account)
        assert client.get(PAGE).status_code == client.post(PAGE, {"act": "add", "label": "a"}).status_code == 404
    assert Client().get(PAGE).status_code == 302
    assert not ChecklistItem.objects.exists()


def test_open_items_block_no_publication(editor, add) -> None:
    add("Book the room")
    sent = editor.post("/releases/sc99/publish/", {"confirm": "sc99", "allow_empty": "on"})
    assert sent.status_code == 302
    assert Release.objects.get(slug="sc99").published_at
    assert "Your own checklist" in editor.get("/releases/sc99/publish/").content.decode()
