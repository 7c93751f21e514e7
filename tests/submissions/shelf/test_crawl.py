"""Every route, with an empty shelf and with a full one: byte-equal for whoever may not see what is on it.

Also in the number of queries, which stands for time. Who may not see: strangers, a reviewer, an editor, a former
colleague, and an account with which a run was shared until a moment that has passed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, resolve
from django.utils import timezone

from registry import api_urls, page_urls
from submissions.models import Membership, ShelfResult, ShelfRun, ShelfShare
from submissions.shelf import rows

PARTS = {
    **{"release": "sc98", "list": "full", "name": "full", "award": "score", "form": "io500", "asked_scope": "all"},
    **{"section": "results", "path": "none", "ext": "svg", "id": "hw-1", "public_id": "hw-1", "slug": "north-lab"},
    **{"username": "bob", "secret": "none", "submission": "1", "record": "1", "file": "none"},
}
BY_CONVERTER = {"int": "1", "uuid": "{private}"}
BY_PATTERN = {
    "^results/(?P<public_id>demo-[1-9][0-9]{0,8})/$": "results/demo-1/",
    "^account/password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": "account/password/reset/key/1-none/",
}
"""An address for each route that is a regular expression."""
OF_OTHERS = ("django", "allauth")
"""Modules whose views read tables of their own: of the administration, of signing in and up."""
OF_THE_PROCESS = ("livez", "readyz", "healthz", "metrics", "api/v1/openapi.json")
"""What changes by itself, or takes long and reads no row."""
QUESTIONS = (
    "results/?{scope}",
    "results/?{scope}&tool=io500&format=csv",
    "results/?{scope}&system=Zsystem",
    "results/?{scope}&q=Zsystem",
    "results/?{scope}&p.procs_per_node=1",
    "study/?metric=ior-easy-write.bandwidth.phase&x=system&{scope}",
    "study/?metric=ior-easy-writ.bandwidth.phase&x=system&{scope}",
    "study/?metric=score&x=system&filesystem_type=Zmount&{scope}",
    "study/?metric=score&x=systm&{scope}",
    "study/?metric=Zmetric&x=system&{scope}",
    *(f"study/?metric=score&x=system&format={form}&{{scope}}" for form in ("csv", "parquet", "svg", "png")),
    "results/?ids={private}&{scope}",
    "results/?include=measurements&{scope}",
    "results/?measured=Zop&{scope}",
    "compare/?results={private},{public}&format=csv&{scope}",
    "compare/?results=hw-999,{private}&{scope}",
    "ranking/?formula=score&format=csv&{scope}",
    "search/?q={private}&{scope}",
    "systems/{system}/history/?metric=Zmetric&{scope}",
    "systems/north-lab-zsystem/sweep/?{scope}",
    "ranking/?formula=score&{scope}",
    "ranking/?formula=scor&{scope}",
    "compare/?results={private},{public}&{scope}",
    "search/?q=Zsystem&{scope}",
    "search/?q=fs:Zmount&{scope}",
    "sizing/?platform=no-such-platform&target=100&{scope}",
    "systems/{system}/history/?{scope}",
    "systems/{system}/sweep/?{scope}",
    "systems/north-lab-zsystem/history/?{scope}",
)
PAGES = (
    *("search/?q=Zsystem", "search/?q=Zlabel", "search/?q={private}", "results/{private}/", "results/?system=Zsystem"),
    *("compare/?results={private},{public}", "compare/?pick=Zsystem", "explore/?tool=io500&q=Zsystem"),
    *("study/?metric=score&x=system", "ranking/?formula=score", "systems/north-lab-zsystem/", "sitemap-results.xml"),
    *("api/v1/search/?q=Zsystem", "api/v1/results/{private}/", "api/v1/export/results.csv"),
)
PRIVATE = (
    *("compare/?results={private},{public}", "study/?metric=score&x=system", "ranking/?formula=score", "explore/"),
    *("sizing/", "sizing/?platform=no-such-platform&target=100"),
)


OF_THE_MOMENT = rb'name="csrfmiddlewaretoken" value="\w+"|<updated>[^<]*</updated>|"last_login": "[^"]*"'
"""What differs because each crawl signs in anew, and reads at another moment."""
LATER = timedelta(hours=36)
"""How much later a crawl takes place: then pages print ages in days, which the next crawl does not change."""


@pytest.fixture(autouse=True)
def bundles(stage, db) -> None:
    """Everything lies where the stage put it."""


def public_addresses(stage: Any) -> Iterator[str]:
    """Every route of the record once, and questions of it that name what is on the shelf."""
    result = stage.published.result
    parts = PARTS | {"id": result.public_id, "public_id": result.public_id, "slug": result.system.slug}
    for start, patterns in (("", page_urls.urlpatterns), ("api/v1/", api_urls.urlpatterns)):
        for pattern in patterns:
            route = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: parts[part[1]], str(pattern.pattern))
            if not route.startswith("^") and start + route not in OF_THE_PROCESS:
                yield start + route
    yield from (f"api/v1/{question}".replace("&{scope}", "").replace("{scope}", "") for question in QUESTIONS)
    yield from PAGES


def all_routes(patterns: Any = None, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every route of the site as its tables have it, with its pattern; what is included in place."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = f"{before}{pattern.pattern}"
        if hasattr(pattern, "url_patterns"):
            yield from all_routes(pattern.url_patterns, route)
        elif not pattern.callback.__module__.startswith(OF_OTHERS):
            yield route, pattern


def address_of(route: str) -> str:
    """An address of a route. KeyError for one whose parts nobody named here."""
    if route in BY_PATTERN:
        return BY_PATTERN[route]
    assert not re.search(r"[\^$()\\]", route), f"name an address for {route} in BY_PATTERN"
    return re.sub(r"<(?:(\w+):)?(\w+)>", lambda part: BY_CONVERTER.get(part[1] or "") or PARTS[part[2]], route)


def route_addresses() -> list[str]:
    """An address of every route of the site but those of the process itself."""
    return list(dict.fromkeys(address_of(route) for route, _ in all_routes() if route not in OF_THE_PROCESS))


def test_every_route_of_the_site_is_crawled() -> None:
    """A route that is new is crawled by itself, or fails here until somebody names an address for it."""
    routes = {route for route, _ in all_routes() if route not in OF_THE_PROCESS}
    assert len(routes) > 300
    reached = {resolve(f"/{address.replace('{private}', str(UUID(int=1)))}").route for address in route_addresses()}
    assert sorted(routes - reached) == []


def private_addresses() -> Iterator[str]:
    for scope in ("institution", "all"):
        yield from (f"api/v1/{question.replace('{scope}', f'scope={scope}')}" for question in QUESTIONS)
        yield from (f"shelf/{scope}/{page}" for page in PRIVATE)
    yield from ("shelf/", "api/v1/shelf/", "shelf/runs/{private}/", "api/v1/shelf/{private}/", "shelf/?label=Zlabel")
    yield from ("shelf/?project=Zproject", "shelf/?submission={private}", "shelf/?cursor=Zcursor", "shelf/?project=zzz")
    for part in ("id={private}", "label=Zlabel", "project=Zproject", "submission={private}"):
        yield f"api/v1/shelf/?{part}"
    # Who reviews sees the submission, and not that it is on a shelf.
    for page in (
        "submissions/{private}/",
        "submissions/",
        "submissions/?q=Zsystem",
        "submissions/{private}/difference/",
    ):
        yield from (page, f"api/v1/{page}")
    yield "api/v1/submissions/?id={private}"
    for scope in ("public", "institution", "all", "nobody"):
        yield f"shelf/{scope}/systems/north-lab-zsystem/history/"
        yield f"shelf/{scope}/systems/north-lab-zsystem/sweep/"
        yield f"shelf/{scope}/explore/?tool=io500&q=Zsystem"


def crawl(stage: Any, name: str, addresses: list[str]) -> dict[str, tuple[Any, ...]]:
    """By address status, headers that matter, text and number of queries, as one of the cast gets them."""
    names = {
        "private": str(stage.checked.pk),
        "public": stage.published.result.public_id,
        "system": stage.published.result.system.slug,
    }
    answers = {}
    with time_machine.travel(timezone.now() + LATER, tick=True):
        client = Client()
        if name:
            client.force_login(getattr(stage.cast, name).account)
        for address in addresses:
            for part, value in names.items():
                address = address.replace(f"{{{part}}}", value)
            answers[address] = _fetch(client, address)
    return answers


def _fetch(client: Client, address: str) -> tuple[Any, ...]:
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(f"/{address}")
    content = b"".join(answer.streaming_content) if answer.streaming else answer.content
    text = re.sub(OF_THE_MOMENT, b"", content)
    headers = {part: answer.headers.get(part) for part in ("Cache-Control", "Link", "Location", "ETag", "Vary")}
    if text != content:
        headers["ETag"] = None  # of a text with what is left out: its moment of writing, the token of a form
    return answer.status_code, headers, text, len(queries)


def crawl_twice(stage: Any, name: str, addresses: list[str]) -> dict[str, tuple[Any, ...]]:
    """Answers of the second crawl: what is computed once is kept since the first."""
    with connection.cursor() as cursor:
        # Filling a shelf writes in the transaction of this test, which then keeps no sums: so it keeps none before.
        cursor.execute("SELECT pg_current_xact_id()")
    crawl(stage, name, addresses)
    return crawl(stage, name, addresses)


def fill_shelf(stage: Any) -> None:
    """All checked runs of the stage come onto their shelves, with a label; what was shared with Dana has ended."""
    while rows.shelve_due():
        pass
    ShelfRun.objects.update(labels=["Zlabel"], project="Zproject")
    moment = timezone.now() - timedelta(seconds=1)
    ShelfShare.objects.bulk_create(
        ShelfShare(run=run, username="dana", account=stage.cast.dana.account, until=moment)
        for run in ShelfRun.objects.all()
    )
    assert ShelfResult.objects.filter(trust="checked").count() >= 4


def changed(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [address for address, answer in before.items() if answer != after[address]]


def acts(stage: Any, name: str) -> list[tuple[Any, ...]]:
    """What changes of the shelf answer to one of the cast: status and text, for a run that is or is not there."""
    account = getattr(stage.cast, name).account
    client = Client()
    client.force_login(account)
    run = str(stage.checked.pk)
    forms = (
        ("/shelf/group/", {"results": run, "project": "mine", "labels": "mine"}),
        ("/shelf/compare/", {"results": [run, stage.published.result.public_id]}),
        (f"/shelf/runs/{run}/share/", {"username": name, "until": "2099-01-01"}),
        (f"/shelf/runs/{run}/unshare/", {"username": name}),
    )
    answers: list[tuple[Any, ...]] = [(path, client.post(path, form)) for path, form in forms]
    for method, path, body in (
        ("patch", f"/api/v1/shelf/{run}/", {"project": "mine", "labels": ["mine"]}),
        ("post", f"/api/v1/shelf/{run}/shares/", {"username": name, "until": "2099-01-01T00:00:00Z"}),
        ("delete", f"/api/v1/shelf/{run}/shares/{name}/", {}),
    ):
        answers.append((path, getattr(client, method)(path, json.dumps(body), content_type="application/json")))
    token = re.compile(rb'name="csrfmiddlewaretoken" value="\w+"')
    return [
        (path, answer.status_code, answer.headers.get("Location"), token.sub(b"", answer.content))
        for path, answer in answers
    ]


@pytest.mark.parametrize("name", ["dana", "bob", "erin"])
def test_acts_of_strangers_neither_change_nor_reveal_a_hidden_run(stage, name) -> None:
    Membership.objects.filter(account=stage.cast.bob.account).delete()
    before = acts(stage, name)
    fill_shelf(stage)
    assert acts(stage, name) == before
    assert not any(status < 300 for _, status, _, _ in before)
    run = ShelfRun.objects.get(submission=stage.checked, run_key=None)
    assert (run.project, run.labels, run.shares.exclude(username="dana").count()) == ("Zproject", ["Zlabel"], 0)


def test_the_record_is_byte_equal_beside_a_full_shelf(stage) -> None:
    addresses = [*public_addresses(stage), *route_addresses()]
    assert len(addresses) > 400
    before = crawl_twice(stage, "", addresses)
    assert sum(answer[0] == 200 for answer in before.values()) > 80
    fill_shelf(stage)
    assert changed(before, crawl(stage, "", addresses)) == []


@pytest.mark.parametrize("name", ["dana", "bob"])
def test_a_hidden_shelf_looks_like_an_empty_one(stage, name) -> None:
    """Dana saw a run until a moment ago; Bob left the laboratory."""
    Membership.objects.filter(account=stage.cast.bob.account).delete()
    addresses = [*private_addresses(), *route_addresses()]
    assert len(addresses) > 400
    before = crawl_twice(stage, name, addresses)
    fill_shelf(stage)
    assert changed(before, crawl(stage, name, addresses)) == []
    answers = crawl(stage, "alice", ["api/v1/results/?scope=institution", "shelf/"])
    assert all(b"Zsystem" in answer[2] or b"zsystem" in answer[2] for answer in answers.values()), "it is there"


@pytest.mark.parametrize("name", ["", pytest.param("dana", marks=pytest.mark.deep)])
def test_a_closed_registry_is_byte_equal_beside_a_full_shelf(stage, settings, name) -> None:
    settings.READ_REQUIRES_LOGIN = True
    addresses = [*public_addresses(stage), *private_addresses()]
    before = crawl_twice(stage, name, addresses)
    fill_shelf(stage)
    after = crawl(stage, name, addresses)
    assert changed(before, after) == []
    leaking = [address for address, answer in after.items() if b"Zlabel" in answer[2] and "Zlabel" not in address]
    assert leaking == []


@pytest.mark.deep
@pytest.mark.parametrize("name", ["", "alice", "bob", "charlie", "dana", "erin", "fay"])
def test_the_record_is_byte_equal_for_everybody(stage, name) -> None:
    addresses = list(public_addresses(stage))
    before = crawl_twice(stage, name, addresses)
    fill_shelf(stage)
    assert changed(before, crawl(stage, name, addresses)) == []


@pytest.mark.deep
@pytest.mark.parametrize("name", ["", "erin", "fay"])
def test_no_role_opens_a_shelf(stage, name) -> None:
    addresses = list(private_addresses())
    before = crawl_twice(stage, name, addresses)
    fill_shelf(stage)
    assert changed(before, crawl(stage, name, addresses)) == []
