"""Publishing lists without an entry: by API, by page and by the calendar."""

from __future__ import annotations

import email
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from registry.models import RankedList, Release, Result
from submissions.models import Account, Submission
from submissions.publication import publish, releases
from submissions.review import decisions

URL = "releases/sc99/publish/"
PAGE = f"/{URL}"
LISTS = ["full", "scc"]


@pytest.fixture
def release(definitions) -> Release:
    """One list that a run of this release ranks on, and one for which it must have opted in."""
    return releases.create_release("sc99", timezone.now() + timedelta(days=30), name="SC99", lists=LISTS)


@pytest.fixture
def accepted(cast, submitted):
    def make(**changes) -> Submission:
        submission = submitted(lists=("full",), **changes)
        decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")
        return submission

    return make


@pytest.fixture
def editor(cast) -> Client:
    client = Client()
    client.force_login(cast.erin.account)
    return client


@pytest.fixture
def letters(settings, tmp_path: Path):
    """What editors got by mail: receivers are not shown, subject and text."""
    settings.EMAIL_BACKEND, settings.EMAIL_FILE_PATH = "registry.web.eml_backend.EmlBackend", tmp_path / "mail"
    Account.objects.filter(username__in=("erin", "fay", "dana")).update(email="someone@example.org")

    def read() -> list[tuple[str, str]]:
        messages = [email.message_from_bytes(path.read_bytes()) for path in sorted((tmp_path / "mail").glob("*.eml"))]
        return [(message["Subject"], message.get_payload()) for message in messages]

    return read


def nothing_happened() -> bool:
    return not (RankedList.objects.exists() or Result.objects.exists() or Release.objects.get().published_at)


def published() -> dict[str, int]:
    return {ranked_list.name: ranked_list.entries.count() for ranked_list in RankedList.objects.all()}


# By API


def test_an_empty_list_prevents_publication_and_is_named(cast, release, accepted) -> None:
    submission = accepted()
    refused = cast.erin.post(URL)
    assert (refused.status_code, refused.json()["code"]) == (409, "release.would-be-empty")
    assert refused.json()["errors"] == {"lists": ["scc"]}
    assert "scc" in refused.json()["detail"]
    assert nothing_happened()
    submission.refresh_from_db()
    assert submission.state == "accepted"


def test_without_an_accepted_run_nothing_is_published(cast, release, submitted) -> None:
    submitted(lists=("full",))
    refused = cast.erin.post(URL, {"allow_empty": False}).json()
    assert refused["errors"] == {"lists": LISTS, "results": ["No accepted run would become a result now."]}
    assert nothing_happened()


def test_lists_with_older_results_only_count_as_empty(cast, release, accepted) -> None:
    """They would hold entries, and still nothing of this release."""
    accepted()
    cast.erin.post(URL, {"allow_empty": True})
    releases.create_release("sc100", timezone.now() + timedelta(days=60), lists=["full"])
    refused = cast.erin.post("releases/sc100/publish/").json()
    assert refused["errors"] == {"results": ["No accepted run would become a result now."]}


def test_embargoed_results_do_not_fill_a_list(cast, release, accepted) -> None:
    Submission.objects.filter(pk=accepted().pk).update(embargo_until=timezone.now() + timedelta(days=9))
    assert "results" in cast.erin.post(URL).json()["errors"]


def test_an_editor_may_publish_empty_lists_explicitly(cast, release, accepted) -> None:
    accepted()
    answer = cast.erin.post(URL, {"allow_empty": True})
    assert answer.status_code == 200
    assert published() == {"full": 1, "scc": 0}
    assert cast.erin.post(URL).json() == answer.json()


def test_a_release_with_filled_lists_needs_no_confirmation(cast, release, accepted) -> None:
    cast.erin.patch("releases/sc99/", {"lists": ["full"]})
    accepted()
    assert cast.erin.post(URL).status_code == 200
    assert published() == {"full": 1}


INVALID = [
    {"alow_empty": True},
    ["full"],
    *({"allow_empty": value} for value in (None, "perhaps", "yes", "true", "on", "no", "", 1, 0, 1.0, [True], {})),
]


@pytest.mark.parametrize("said", INVALID)
def test_an_invalid_confirmation_publishes_nothing(cast, release, accepted, said) -> None:
    accepted()
    assert cast.erin.post(URL, said).status_code == 400
    assert nothing_happened()


# By page


def test_the_page_says_what_each_list_would_hold(editor, release, accepted) -> None:
    accepted()
    page = " ".join(re.sub(r"<[^>]+>", " ", editor.get(PAGE).content.decode()).split())
    assert "scc empty preview" in page
    assert "full 1 preview" in page
    assert "1 list would be empty Student Cluster Competition" in page
    assert nothing_happened()


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({}, 422, "release.not-confirmed"),
        ({"allow_empty": "on"}, 422, "release.not-confirmed"),
        ({"confirm": "sc98", "allow_empty": "on"}, 422, "release.not-confirmed"),
        ({"confirm": "sc99"}, 409, "release.would-be-empty"),
    ],
)
def test_one_click_publishes_nothing(editor, release, accepted, said, status, code) -> None:
    accepted()
    answer = editor.post(PAGE, said)
    assert (answer.status_code, code in answer.content.decode()) == (status, True)
    assert nothing_happened()


def test_the_refusal_of_empty_lists_stands_at_the_checkbox(editor, release, accepted) -> None:
    accepted()
    page = editor.post(PAGE, {"confirm": "sc99"}).content.decode()
    (box,) = re.findall(r'<input type="checkbox" name="allow_empty" id="([^"]+)"', page)
    assert f'href="#{box}">Publish all the same</a>' in page
    assert "Short name of the release</a>" not in page
    assert re.search(r'id="[^"]*_error">A list would be empty', page)


def test_typed_name_and_checkbox_publish(editor, release, accepted) -> None:
    accepted()
    assert editor.post(PAGE, {"confirm": " SC99 ", "allow_empty": "on"}).status_code == 302
    assert published() == {"full": 1, "scc": 0}


def test_without_empty_lists_the_name_is_enough(cast, editor, release, accepted) -> None:
    cast.erin.patch("releases/sc99/", {"lists": ["full"]})
    accepted()
    assert "allow_empty" not in editor.get(PAGE).content.decode()
    assert editor.post(PAGE, {"confirm": "sc99"}).status_code == 302


# By the calendar


@pytest.fixture
def due(release) -> Release:
    moment = timezone.now() - timedelta(seconds=1)
    Release.objects.update(opens=None, deadline=moment, publishes=moment)
    release.refresh_from_db()
    return release


def test_the_calendar_freezes_no_release_without_a_result(cast, release, submitted, letters) -> None:
    submitted(lists=("full",))
    moment = timezone.now() - timedelta(seconds=1)
    Release.objects.update(deadline=moment, publishes=moment)
    for _ in range(2):
        publish.publish_due()
    assert nothing_happened()
    assert Release.objects.get().publishes is None
    ((subject, text),) = letters()
    assert subject == "Highwater: SC99 was not published"
    assert PAGE in text


def test_a_release_left_to_editors_is_not_published_automatically(cast, due, letters) -> None:
    """The first run that is accepted then does not publish the release behind the others' backs."""
    publish.publish_due()
    Release.objects.update(deadline=timezone.now() + timedelta(days=1))
    publish.publish_due()
    assert nothing_happened()


def test_the_calendar_publishes_accepted_results_and_reports_empty_lists(release, accepted, letters) -> None:
    accepted()
    moment = timezone.now() - timedelta(seconds=1)
    Release.objects.update(deadline=moment, publishes=moment)
    for _ in range(2):
        publish.publish_due()
    assert published() == {"full": 1, "scc": 0}
    ((subject, text),) = letters()
    assert subject == "Highwater: SC99 was published with empty lists"
    assert "scc" in text
    assert "full" not in text


def test_an_unsent_email_is_retried(cast, due, letters, settings, tmp_path: Path) -> None:
    (tmp_path / "mail").write_text("in the way")
    publish.publish_due()
    assert Release.objects.get().publishes == due.publishes
    (tmp_path / "mail").unlink()
    publish.publish_due()
    assert len(letters()) == 1
    assert Release.objects.get().publishes is None
