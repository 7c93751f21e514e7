"""An embargoed submission is nowhere: no route tells it from a missing one, and no crawl finds a word of it."""

from __future__ import annotations

import json
import re
import uuid
from collections import Counter
from collections.abc import Iterable

import pytest
from django.db import transaction
from django.test import Client
from django.urls import Resolver404, URLPattern, get_resolver
from django.utils import timezone

from submissions import api_urls, urls
from submissions.bundles.storage import stored_path
from submissions.models import Submission
from submissions.publication import publish
from tests.submissions.cast import Cast, Person
from tests.submissions.stage import MISSING, Stage

PEOPLE = ("alice", "bob", "charlie", "dana", "erin", "nobody")
PAGES = {
    # alice: its submitter; bob: of the same site; charlie: a stranger; dana: reviewer; erin: editor; nobody: signed out
    "submissions/ID/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/received/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/files/": {"GET": (200, 200, 404, 200, 200, 302)},
    "submissions/ID/comments/": {"POST": (302, 302, 404, 302, 302, 302)},
    "submissions/ID/copy/": {"GET": (200, 200, 404, 200, 200, 302), "POST": (409, 409, 404, 403, 403, 302)},
    "submissions/ID/public-files/": {"GET": (200, 200, 404, 200, 200, 302), "POST": (302, 302, 404, 403, 403, 302)},
    "submissions/ID/difference/": {"GET": (400, 400, 400, 400, 400, 302)},  # it asks for another one first
    "submissions/ID/answers/": {"GET": (200, 200, 404, 200, 200, 302), "POST": (302, 302, 404, 403, 403, 302)},
    "submissions/ID/answers/file/": {"POST": (422, 422, 404, 422, 422, 302)},
    "submissions/ID/submit/": {"POST": (422, 422, 404, 422, 422, 302)},
    "submissions/ID/anonymity/": {"POST": (422, 422, 404, 403, 403, 302)},
    "submissions/ID/questions/": {"POST": (422, 422, 404, 422, 422, 302)},
    "submissions/ID/questions/consent/": {"POST": (302, 302, 404, 403, 403, 302)},
    "submissions/ID/withdraw/": {"POST": (422, 422, 404, 403, 403, 302)},
    "submissions/ID/keep/": {"POST": (409, 409, 404, 403, 403, 302)},
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
    "review/ID/dispose/": {"POST": (404, 404, 404, 422, 422, 302)},
    "review/ID/questions/": {"POST": (404, 404, 404, 422, 422, 302)},
    "review/ID/judge/": {"POST": (404, 404, 404, 422, 422, 302)},
    "review/ID/comments/": {"POST": (404, 404, 404, 302, 302, 302)},
    "review/ID/anonymity/": {"POST": (404, 404, 404, 404, 422, 302)},
    "review/ID/decide/": {"POST": (404, 404, 404, 422, 422, 302)},
}


OF_ONE = ("submissions/<uuid:id>/", "review/<uuid:id>/")


def with_id(patterns: list[URLPattern]) -> list[str]:
    """The routes of one submission, with ID and a form for their parts."""
    routes = [str(pattern.pattern) for pattern in patterns if str(pattern.pattern).startswith(OF_ONE)]
    parts = {"<uuid:id>": "ID", "<str:form>": "io500", "<int:version>": "1", "<str:name>": "run.tar.gz"}
    for part, value in parts.items():
        routes = [route.replace(part, value) for route in routes]
    return routes


def page_of(cast: Cast, name: str) -> Client:
    client = Client(raise_request_exception=True)
    if name != "nobody":
        client.force_login(getattr(cast, name).account)
    return client


@pytest.fixture(autouse=True)
def bundles(stage, db) -> None:
    """Everything lies where the stage put it."""


# Every route


def test_every_page_of_a_submission_is_in_the_table() -> None:
    assert set(PAGES) == set(with_id(urls.urlpatterns))


@pytest.mark.parametrize(
    ("route", "method", "statuses"),
    [(route, method, statuses) for route, methods in PAGES.items() for method, statuses in methods.items()],
)
def test_pages_of_a_submitted_run_are_opened_by_permitted_accounts(stage, route, method, statuses) -> None:
    assert statuses_of(stage, "submitted", route, method, PEOPLE) == statuses


def statuses_of(stage: Stage, state: str, route: str, method: str, names: Iterable[str]) -> tuple[int, ...]:
    """What each of them gets of a page of Alice's run in that state, nobody's call changing anything for the next."""
    statuses = []
    for name in names:
        before = transaction.savepoint()
        address, fields = f"/{route.replace('ID', stage.id_of(state))}", {"text": "Words.", "version": 1}
        client = page_of(stage.cast, name)
        answer = client.get(address) if method == "GET" else client.post(address, fields)
        statuses.append(answer.status_code)
        transaction.savepoint_rollback(before)
    return tuple(statuses)


@pytest.mark.parametrize("state", ["checked", "embargoed", "published", "missing"])
def test_pages_exist_only_for_accounts_that_see_the_submission(stage, state) -> None:
    """Alice and the editor see it, the reviewer once it was submitted, Charlie never; reviews begin with submitting."""
    routes = [route for route in PAGES if "GET" in PAGES[route] and not route.endswith(("difference/", ".gz/"))]
    submitted = state in ("embargoed", "published")
    for route in routes:
        there = {"alice": route.startswith("submissions/"), "charlie": False, "dana": submitted, "erin": True}
        if route.startswith("review/"):
            there["erin"] = submitted
        if route == "submissions/ID/copy/":
            there |= dict.fromkeys(("alice", "erin"), submitted)
        expected = tuple(200 if there[name] and state != "missing" else 404 for name in there)
        assert statuses_of(stage, state, route, "GET", there) == expected, route


CHANCE = re.compile(rb'[0-9a-f]{32}|name="csrfmiddlewaretoken" value="[^"]+"')
"""What differs from answer to answer by chance: the id of the request and the token of a form."""


OF_THE_MOMENT = ("X-Request-ID", "Expires")


def told(answer, pk: str) -> tuple[int, bytes, dict[str, str]]:
    """An answer without chance, and as if another id had been asked for."""
    body = CHANCE.sub(b"", answer.content).replace(pk.encode(), MISSING.encode())
    headers = {name: value.replace(pk, MISSING) for name, value in answer.headers.items()}
    return answer.status_code, body, {name: value for name, value in headers.items() if name not in OF_THE_MOMENT}


@pytest.mark.parametrize("name", ["charlie", "nobody"])
def test_no_route_distinguishes_an_embargoed_from_a_missing_submission(stage, name) -> None:
    cast, embargoed = stage.cast, stage.embargoed
    cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
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
    "/studies/", "/platforms/",
    "/submissions/", "/review/", "/compare/", "/lists/sc99/full/", "/results/?q=Zsystem", "/api/v1/openapi.json",
    "/api/v1/results/", "/api/v1/results/?q=Zsystem", "/api/v1/results/?vendor=Zvendor", "/api/v1/systems/",
    "/api/v1/sites/", "/api/v1/releases/", "/api/v1/lists/sc99/full/", "/api/v1/lists/sc99/full/?format=csv",
    "/api/v1/lists/sc99/io500/", "/api/v1/submissions/", "/api/v1/export/results.csv", "/api/v1/export/results.ndjson",
    "/api/v1/export/manifest.json", "/api/v1/export/record.sqlite", "/api/v1/releases/sc99/awards/", "/sitemap.xml",
    "/metrics",
)  # fmt: skip
_LINK = re.compile(r"""(?:href|src|action|hx-get)="(/[^"#]*)|"(?:http://testserver)(/[^"#]*)\"""")
OF_A_KIND = range(6)
"""So many addresses of one route are enough in a deep run, where it is of no single submission or result."""
OF_SUBMISSIONS = ("submission", "review", "result", "system", "site", "release", "list")


def crawl(client: Client, of_a_kind: int) -> dict[str, bytes]:
    """Every answer, with its headers, that links lead to; addresses of documentation and assets are left out.

    Of a route that is of no single submission or result, so many addresses are asked for.
    """
    waiting, contents_by_path, kinds = list(STARTS), {}, Counter()
    while waiting:
        path = waiting.pop(0)
        if path in contents_by_path or path.startswith(("/static/", "/docs/", "/collector/", "/admin/", "/logout/")):
            continue
        kind = kind_of(path)
        kinds[kind] += 1
        if (
            kinds[kind] > of_a_kind
            and path not in STARTS
            and not ("?" not in path and kind.removeprefix("api-").startswith(OF_SUBMISSIONS))
        ):
            continue
        answer = client.get(path)
        assert answer.status_code < 500, path
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
        contents_by_path[path] = json.dumps(dict(answer.headers)).encode() + body
        text = body.decode("utf-8", "replace").replace("&amp;", "&")
        waiting += [link or other for link, other in _LINK.findall(text) if (link or other) not in contents_by_path]
    return contents_by_path


def kind_of(path: str) -> str:
    """The name of the route that answers; "" where there is none."""
    try:
        return get_resolver().resolve(path.partition("?")[0]).url_name or ""
    except Resolver404:
        return ""


def found(pages: dict[str, bytes], words: list[str]) -> set[tuple[str, str]]:
    """Which word stands in which answer; what the address itself asked for may be said back."""
    return {
        (path, word)
        for path, body in pages.items()
        for word in words
        if word.encode() in body.replace(path.encode(), b"") and f"q={word}" not in path and f"={word}" not in path
    }


@pytest.mark.parametrize("published", [False, True], ids=["before", "after"])
def test_a_crawl_finds_no_word_of_an_embargoed_submission(stage: Stage, every_nth, published: bool) -> None:
    """Signed out, of another institution, and as a reviewer: who may see it, but on private pages alone."""
    if published:
        assert stage.cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).json()["embargoed"] == 1
    for name in ("nobody", "charlie", "dana"):
        pages = crawl(page_of(stage.cast, name), len(every_nth(OF_A_KIND, 2)))
        assert len(pages) > 60
        leaks = found(pages, stage.words)
        if name == "dana":
            assert {"Zsystem", "Zcomment", "Zreason"} <= {word for _, word in leaks}
            leaks = {(path, word) for path, word in leaks if not is_private(path)}
        assert leaks == set(), name
    counted = page_of(stage.cast, "nobody").get("/api/v1/results/").json()
    assert len(counted["results"]) == 2


PRIVATE = ("/submissions/", "/review/", "/api/v1/submissions/", "/account/", "/releases/sc99/lists/")


def is_private(path: str) -> bool:
    return path.startswith(PRIVATE)


def test_after_the_embargo_only_what_is_published_is_found(stage: Stage, every_nth) -> None:
    stage.cast.erin.post("releases/sc99/publish/", {"allow_empty": True})
    Submission.objects.update(embargo_until=timezone.now())
    publish.publish_due()
    pages = crawl(page_of(stage.cast, "charlie"), len(every_nth(OF_A_KIND, 2)))
    public_words = {word for _, word in found(pages, stage.words)}
    assert {"Zsystem", "Zvendor", "Zanswer"} <= public_words
    assert not public_words & {"Zcomment", "Zreason", "Znote", "zfile", str(stage.embargoed.pk)}


def test_ids_do_not_reveal_the_number_of_submissions(stage: Stage) -> None:
    assert uuid.UUID(str(stage.embargoed.pk)).version == 4
    assert get_resolver().resolve(f"/submissions/{stage.embargoed.pk}/").url_name == "submission"


def test_another_accounts_identical_bytes_make_an_ordinary_submission(stage: Stage, archive) -> None:
    sent: Person = stage.cast.charlie
    with stored_path(stage.submitted.sha256) as path:
        again = sent.upload(path.read_bytes())
    fresh = sent.upload(archive(performance=30.0))
    assert (again.status_code, again.json().keys()) == (fresh.status_code, fresh.json().keys())
    assert again.json()["id"] != str(stage.submitted.pk)
