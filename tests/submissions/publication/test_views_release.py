"""Releases on pages: editors make and change them, with zones told, and see what is still to do."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.test import Client

from registry.models import Release
from submissions.review import decisions

FIELDS = {
    "slug": "SC99", "name": "", "deadline": "2099-04-30 AoE", "lists": ["io500", "full"], "accepting_reviewers": "2",
}  # fmt: skip


@pytest.fixture
def editor(cast, definitions) -> Client:
    client = Client()
    client.force_login(cast.erin.account)
    return client


def test_an_editor_makes_a_release_and_changes_it(editor) -> None:
    assert "IO500 Research" in editor.get("/review/releases/new/").content.decode()
    answer = editor.post("/review/releases/new/", FIELDS | {"benchmark_versions": "io500-sc25, io500-isc26"})
    assert (answer.status_code, answer["Location"]) == (302, "/releases/SC99/")
    release = Release.objects.get(slug="SC99")
    assert release.deadline == datetime(2099, 5, 1, 11, 59, 59, tzinfo=UTC)
    assert (release.list_names, release.benchmark_versions) == (["io500", "full"], ["io500-sc25", "io500-isc26"])
    assert (release.name, release.accepting_reviewers) == ("SC99", 2)
    page = editor.get("/releases/SC99/edit/").content.decode()
    assert "2099-05-01T11:59:59Z" in page
    changed = {"name": "Ninety-nine", "deadline": "2099-05-02T12:00:00+02:00", "lists": ["full"], "slug": "other"}
    assert editor.post("/releases/SC99/edit/", changed | {"accepting_reviewers": "3"}).status_code == 302
    release.refresh_from_db()
    assert (release.slug, release.name, release.list_names) == ("SC99", "Ninety-nine", ["full"])
    assert release.accepting_reviewers == 3
    assert release.deadline == datetime(2099, 5, 2, 10, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"deadline": "2099-04-30T12:00"}, "has no offset"),
        ({"deadline": "soon"}, "'soon' is no time: write 2027-04-30T12:00:00Z or 2027-04-30 AoE"),
        ({"deadline": "soon", "slug": "SC 99"}, "Letters, digits and single hyphens"),
        ({"opens": "2099-06-01 AoE"}, "It opens after its deadline."),
        ({"slug": "SC 99"}, "Letters, digits and single hyphens"),
        ({"lists": []}, "required"),
        ({"lists": ["best"]}, "best"),
        ({"accepting_reviewers": "0"}, "Enter 1 or more."),
    ],
)
def test_an_invalid_release_form_is_refused_with_reasons(editor, change, why: str) -> None:
    refused = editor.post("/review/releases/new/", FIELDS | change)
    assert refused.status_code == 422
    assert why in refused.content.decode().replace("&#x27;", "'")
    assert not Release.objects.exists()


def test_a_release_with_an_empty_name_uses_its_slug(editor) -> None:
    editor.post("/review/releases/new/", FIELDS | {"name": "Ninety-nine"})
    assert editor.post("/releases/SC99/edit/", FIELDS).status_code == 302
    assert Release.objects.get().name == "SC99"


def test_only_editors_see_release_forms(cast, release) -> None:
    for person in (cast.alice, cast.dana):
        client = Client()
        client.force_login(person.account)
        assert client.get("/review/releases/new/").status_code == 404
        assert client.post("/releases/sc99/edit/", FIELDS).status_code == 404


def test_a_published_release_is_not_changed(cast, editor, release) -> None:
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    refused = editor.post("/releases/sc99/edit/", FIELDS)
    assert refused.status_code == 409
    assert "release.published" in refused.content.decode()


def test_an_editor_sees_open_tasks_before_publishing(cast, editor, submitted) -> None:
    submitted()
    back = submitted(cast.charlie, performance=2.0)
    decisions.decide_run(back, cast.dana.account, "request_changes", "Name the system.")
    page = editor.get("/releases/sc99/publish/").content.decode()
    assert "Submissions that wait for a review: 1." in page
    assert "Submissions with requested changes: 1." in page
    assert "The deadline has not passed: runs" in page
    assert "The deadline has passed" not in page
    assert page.count("? open") == 4
