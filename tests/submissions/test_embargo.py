"""An embargoed submission is nowhere: no route tells it from a missing one, and no crawl finds a word of it."""

from __future__ import annotations

import json
import re
import uuid
from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, get_resolver
from django.utils import timezone

from submissions import publication, review, urls
from submissions.api import urls as api_urls
from submissions.models import Submission
from tests.submissions.conftest import COMPLETE, Cast, Person

MISSING = "00000000-0000-4000-8000-000000000000"
PEOPLE = ("alice", "bob", "charlie", "dana", "erin", "nobody")
PAGES = {
    # alice: its submitter; bob: of the same site; charlie: a stranger; dana: reviewer; erin: editor; nobody: signed out
    "submissions/ID/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/received/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/files/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/comments/": {"POST": (302, 302, 404, 302, 302, 302)},
    "submissions/ID/copy/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/difference/": {"GET": (400, 400, 400, 400, 400, 302)},  # it asks for another one first
    "submissions/ID/answers/": {"GET": (200, 200, 404, 200, 200, 302), "POST": (302, 302, 404, 403, 403, 302)},
    "submissions/ID/answers/file/": {"POST": (422, 422, 404, 422, 422, 302)},
    "submissions/ID/submit/": {"POST": (422, 422, 404, 422, 422, 302)},
    "submissions/ID/anonymity/": {"POST": (422, 422, 404, 403, 403, 302)},
    "submissions/ID/withdraw/": {"POST": (422, 422, 404, 403, 403, 302)},
    "submissions/ID/edit/": {"POST": (302, 302, 404, 403, 403, 302)},
    "submissions/ID/revise/": {"POST": (409, 409, 404, 403, 403, 302)},
    "submissions/ID/files/add/": {"POST": (400, 400, 404, 403, 403, 302)},
    "submissions/ID/files/remove/": {"POST": (404, 404, 404, 403, 403, 302)},
    "submissions/ID/versions/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/versions/1/run.tar.gz/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/check/": {"POST": (302, 302, 404, 403, 403, 302)},
    "submissions/ID/receipt/": {"GET": (200, 200, 404, 200, 200, 302)},
    "review/ID/": {"GET": (404, 404, 404, 200, 200, 302)},
    "review/ID/start/": {"POST": (404, 404, 404, 302, 302, 302)},
    "review/ID/assign/": {"POST": (404, 404, 404, 302, 302, 302)},
    "review/ID/check/": {"POST": (404, 404, 404, 302, 302, 302)},
    "review/ID/judge/": {"POST": (404, 404, 404, 422, 422, 302)},
    "review/ID/comments/": {"POST": (404, 404, 404, 302, 302, 302)},
    "review/ID/anonymity/": {"POST": (404, 404, 404, 404, 422, 302)},
    "review/ID/decide/": {"POST": (404, 404, 404, 422, 422, 302)},
}


OF_ONE = ("submissions/<uuid:id>/", "review/<uuid:id>/")


def with_id(patterns: list[URLPattern]) -> list[str]:
    """The routes of one submission, with ID and a form for their parts."""
    found = [str(one.pattern) for one in patterns if str(one.pattern).startswith(OF_ONE)]
    parts = {"<uuid:id>": "ID", "<str:form>": "io500", "<int:version>": "1", "<str:name>": "run.tar.gz"}
    for part, value in parts.items():
        found = [route.replace(part, value) for route in found]
    return found


def page_of(cast: Cast, name: str) -> Client:
    client = Client(raise_request_exception=True)
    if name != "nobody":
        client.force_login(getattr(cast, name).account)
    return client


@pytest.fixture
def embargoed(cast, submitted) -> Submission:
    """Accepted, and under an embargo that outlasts its release; every text of it has a word of its own."""
    submission = submitted(lists=("full", "io500"), answers=COMPLETE | {"trust": f"Zanswer {COMPLETE['trust']}"})
    said = {"system": "Zsystem", "storage_vendor": "Zvendor", "filesystem_name": "Zmount", "note": "Znote"}
    Submission.objects.filter(pk=submission.pk).update(metadata=said, filename="zfile.tar.gz")
    review.prepare(str(submission.pk))
    cast.dana.post(f"submissions/{submission.pk}/comments/", {"text": "Zcomment"})
    accepted = {"decision": "accept", "reason": "Zreason", "reproducibility": "limited"}
    assert cast.dana.post(f"submissions/{submission.pk}/review/", accepted).status_code == 200
    Submission.objects.filter(pk=submission.pk).update(embargo_until=timezone.now() + timedelta(days=9))
    return submission


# Every route


def test_every_page_of_a_submission_stands_in_the_table() -> None:
    assert set(PAGES) == set(with_id(urls.urlpatterns))


@pytest.mark.parametrize(
    ("route", "method", "statuses"),
    [(route, method, statuses) for route, methods in PAGES.items() for method, statuses in methods.items()],
)
def test_who_may_open_a_page_of_a_submitted_run(cast, submitted, route, method, statuses) -> None:
    submission = submitted()
    review.prepare(str(submission.pk))
    found = []
    for name in PEOPLE:
        before = transaction.savepoint()
        address, fields = f"/{route.replace('ID', str(submission.pk))}", {"text": "Words."}
        client = page_of(cast, name)
        answer = client.get(address) if method == "GET" else client.post(address, fields)
        found.append(answer.status_code)
        transaction.savepoint_rollback(before)
    assert tuple(found) == statuses


CHANCE = re.compile(rb'[0-9a-f]{32}|name="csrfmiddlewaretoken" value="[^"]+"')
"""What differs from answer to answer by chance: the id of the request and the token of a form."""


OF_THE_MOMENT = ("X-Request-ID", "Expires")


def told(answer, pk: str) -> tuple[int, bytes, dict[str, str]]:
    """An answer without chance, and as if another id had been asked for."""
    body = CHANCE.sub(b"", answer.content).replace(pk.encode(), MISSING.encode())
    headers = {name: value.replace(pk, MISSING) for name, value in answer.headers.items()}
    return answer.status_code, body, {name: value for name, value in headers.items() if name not in OF_THE_MOMENT}


@pytest.mark.parametrize("name", ["charlie", "nobody"])
def test_no_route_tells_an_embargoed_submission_from_a_missing_one(cast, embargoed, name) -> None:
    cast.erin.post("releases/sc99/publish/")
    client = page_of(cast, name)
    person = cast.stranger if name == "nobody" else getattr(cast, name).client
    for route in with_id(urls.urlpatterns):
        for method in ("GET", "POST"):
            pair = [
                told(client.generic(method, f"/{route.replace('ID', pk)}"), pk) for pk in (str(embargoed.pk), MISSING)
            ]
            assert pair[0] == pair[1], (method, route)
    for route in with_id(api_urls.urlpatterns):
        for method in ("GET", "POST", "PUT", "DELETE", "PATCH"):
            pair = [
                told(person.generic(method, f"/api/v1/{route.replace('ID', pk)}", "{}", "application/json"), pk)
                for pk in (str(embargoed.pk), MISSING)
            ]
            assert pair[0] == pair[1], (method, route)


# The crawl


STARTS = (
    "/", "/results/", "/lists/", "/systems/", "/sites/", "/parameters/", "/releases/", "/search/?q=Zsystem",
    "/studies/",
    "/submissions/", "/review/", "/compare/", "/lists/sc99/full/", "/results/?q=Zsystem", "/api/v1/openapi.json",
    "/api/v1/results/", "/api/v1/results/?q=Zsystem", "/api/v1/results/?vendor=Zvendor", "/api/v1/systems/",
    "/api/v1/sites/", "/api/v1/releases/", "/api/v1/lists/sc99/full/", "/api/v1/lists/sc99/full/?format=csv",
    "/api/v1/lists/sc99/io500/", "/api/v1/submissions/", "/api/v1/export/results.csv", "/api/v1/export/results.ndjson",
    "/api/v1/export/manifest.json", "/api/v1/releases/sc99/awards/", "/sitemap.xml", "/metrics",
)  # fmt: skip
_LINK = re.compile(r"""(?:href|src|action|hx-get)="(/[^"#]*)|"(?:http://testserver)(/[^"#]*)\"""")
MOST = 400


def crawl(client: Client) -> dict[str, bytes]:
    """Every answer, with its headers, that links lead to; addresses of documentation and assets are left out."""
    waiting, seen = list(STARTS), {}
    while waiting and len(seen) < MOST:
        path = waiting.pop(0)
        if path in seen or path.startswith(("/static/", "/docs/", "/collector/", "/admin/", "/logout/")):
            continue
        answer = client.get(path)
        assert answer.status_code < 500, path
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        seen[path] = json.dumps(dict(answer.headers)).encode() + body
        text = body.decode("utf-8", "replace").replace("&amp;", "&")
        waiting += [one or other for one, other in _LINK.findall(text) if (one or other) not in seen]
    return seen


def words_of(submission: Submission) -> list[str]:
    own = ["Zsystem", "Zvendor", "Zmount", "Znote", "Zanswer", "Zcomment", "Zreason", "zfile", "zsystem"]
    return [*own, str(submission.pk), submission.sha256, submission.derivative.sha256]


def found(pages: dict[str, bytes], words: list[str]) -> set[tuple[str, str]]:
    """Which word stands in which answer; what the address itself asked for may be said back."""
    return {
        (path, word)
        for path, body in pages.items()
        for word in words
        if word.encode() in body.replace(path.encode(), b"") and f"q={word}" not in path and f"={word}" not in path
    }


def test_a_crawl_finds_no_word_of_an_embargoed_submission(cast: Cast, embargoed, submitted, monkeypatch) -> None:
    other = submitted(cast.charlie, lists=("full",), performance=2.0)
    review.decide(other, cast.dana.account, "accept", "Sound.")
    words = words_of(embargoed)
    for published in (False, True):
        if published:
            assert cast.erin.post("releases/sc99/publish/").json()["embargoed"] == 1
        for name in ("nobody", "charlie"):
            pages = crawl(page_of(cast, name))
            assert len(pages) > 20
            assert found(pages, words) == set(), (published, name)
    counted = page_of(cast, "nobody").get("/api/v1/results/").json()
    assert len(counted["results"]) == 1
    seen = crawl(page_of(cast, "dana"))
    assert not found({path: body for path, body in seen.items() if not is_private(path)}, words)


def is_private(path: str) -> bool:
    return path.startswith(("/submissions/", "/review/", "/api/v1/submissions/", "/account/"))


def test_after_the_embargo_only_what_is_published_is_found(cast: Cast, embargoed) -> None:
    cast.erin.post("releases/sc99/publish/")
    Submission.objects.update(embargo_until=timezone.now())
    publication.publish_due()
    pages = crawl(page_of(cast, "charlie"))
    seen = {word for _, word in found(pages, words_of(embargoed))}
    assert {"Zsystem", "Zvendor", "Zanswer"} <= seen
    assert not seen & {"Zcomment", "Zreason", "Znote", "zfile", str(embargoed.pk)}


def test_ids_tell_nothing_of_how_many_there_are(cast: Cast, embargoed) -> None:
    assert uuid.UUID(str(embargoed.pk)).version == 4
    assert get_resolver().resolve(f"/submissions/{embargoed.pk}/").url_name == "submission"


def test_another_accounts_identical_bytes_make_an_ordinary_submission(cast: Cast, submitted, archive) -> None:
    first = submitted()
    sent: Person = cast.charlie
    fresh, again = sent.upload(archive(performance=3.0)), sent.upload(archive())
    assert (again.status_code, again.json().keys()) == (fresh.status_code, fresh.json().keys())
    assert again.json()["id"] != str(first.pk)
