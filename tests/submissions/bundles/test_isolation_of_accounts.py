"""No request of one account changes what another one can download: every writing route, with the other's own bytes.

The requests come from somebody of another institution, from one without any, from a reviewer and from nobody. They name
the victim's submissions and files, send the victim's bytes and keys under names that resemble them, and everything that
follows in workers and in the scheduler happens.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLPattern, URLResolver, get_resolver
from rest_framework.test import APIClient

from submissions import tasks
from submissions.bundles.storage import key_of, received_storage
from submissions.checks import processing
from submissions.lifecycle.states import UNFINISHED
from submissions.models import Account, Submission
from submissions.review import decisions
from tests.submissions.bundles.test_quarantine import KEY, tar
from tests.submissions.cast import Person

pytestmark = pytest.mark.django_db

WRITING = ("post", "put", "patch", "delete")
NOT_OURS = ("admin/", "account/login", "account/logout", "logout/", "account/data/erase/")
"""Django's admin is for administrators; the others end the attacker's own session or account."""


@pytest.fixture(autouse=True)
def bundles(stage) -> None:
    """Everything lies where the stage put it."""


def routes(patterns: list[Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every route of these patterns with its view."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern).lstrip("^")
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route.removesuffix("\\Z").rstrip("$"), pattern.callback


def writing_methods(view: Any) -> list[str]:
    """Those that a class has; a function is asked by POST, whatever it takes."""
    if view_class := getattr(view, "view_class", None):
        return [method for method in WRITING if hasattr(view_class, method)]
    return ["post"]


def addresses(route: str, submission: Submission, names: list[str]) -> set[str]:
    """The route with the victim's ids and names wherever it takes one."""
    result = submission.result.public_id if submission.result else "hw-1"
    values_by_name = {
        "uuid": [str(submission.pk)], "int": ["1"],
        "release": ["sc98", "sc99"], "list": ["full"], "slug": ["north-lab"], "username": ["alice"],
        "public_id": [result], "name": names, "id": [str(submission.pk)], "version": ["1"],
    }  # fmt: skip
    filled = {""}
    for piece in re.split(r"(<[^>]+>)", re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", route)):
        kind, _, name = piece.strip("<>").rpartition(":")
        values = (values_by_name.get(name) or values_by_name.get(kind) or ["x"]) if piece.startswith("<") else [piece]
        filled = {head + value for head in filled for value in values}
    return filled


def downloads(stage) -> dict[str, bytes]:
    """Everything that Alice can download of hers, and anybody of what is published."""
    client = APIClient(raise_request_exception=False)
    client.force_login(stage.cast.alice.account)
    contents = {}
    for name in ("checked", "submitted", "embargoed", "published"):
        submission = getattr(stage, name)
        for address in ("received/", f"versions/1/{submission.filename}/", "copy/"):
            answer = client.get(f"/submissions/{submission.pk}/{address}")
            contents[f"{name} {address}"] = (
                b"".join(answer) if answer.status_code == 200 else b"%d" % answer.status_code
            )
    public = APIClient(raise_request_exception=False).get(f"/results/{stage.published.result.public_id}/copy.tar.gz")
    contents["public copy"] = b"".join(public)
    return contents


def bodies(victim: bytes, name: str) -> Iterator[dict[str, Any]]:
    """What may be sent to any route: the victim's bytes, or a key, under names of the victim's files."""
    text = {
        "sha256": hashlib.sha256(victim).hexdigest(), "replaces": name, "name": name, "reason": "Because.", "text": "x",
        "release": "sc99", "lists": "full", "decision": "reject", "acknowledge_rules": "true", "state": "accepted",
        "acknowledge_publication": "true", "username": "alice", "role": "admin", "version": "1",
    }  # fmt: skip
    for content, called in ((victim, name), (KEY.encode(), f"{name}:1"), (tar({f"{name}/k": KEY.encode()}), name)):
        form = text | {"sha256": hashlib.sha256(content).hexdigest()}
        for field in ("bundle", "file"):
            yield form | {field: SimpleUploadedFile(called, content)}
    yield text


def settle(capture) -> None:
    """What workers and the scheduler do after a request."""
    with capture(execute=True):
        for pk in list(Submission.objects.filter(state__in=UNFINISHED).values_list("pk", flat=True)):
            processing.check_submission(pk)
        for pk in list(Submission.objects.filter(state__in=("submitted", "in_review")).values_list("pk", flat=True)):
            decisions.prepare_for_review(str(pk))
    tasks.tidy()


def send(client: Any, address: str, body: dict[str, Any], methods: Iterable[str] = ("post",)) -> None:
    for sent in body.values():
        if hasattr(sent, "seek"):
            sent.seek(0)
    document = {name: value for name, value in body.items() if isinstance(value, str)}
    for method in methods:
        client.generic(method.upper(), address, json.dumps(document), content_type="application/json")
    if "post" in methods:
        client.post(address, body, format="multipart")


def make_attackers(stage) -> dict[str, tuple[Any, str]]:
    """Clients, and the beginning of the addresses that each asks: tokens for the API, sessions for pages."""
    unaffiliated = Person(Account.objects.create(username="mallory", role="submitter"))
    browser = APIClient(raise_request_exception=False)
    browser.force_login(stage.cast.charlie.account)
    return {
        "rival": (stage.cast.charlie.client, "api/"),
        "unaffiliated": (unaffiliated.client, "api/"),
        "rival in a browser": (browser, ""),
    }


def test_no_writing_route_changes_what_another_account_can_download(
    stage, every_nth, django_capture_on_commit_callbacks
) -> None:
    """In other runs than deep ones each route is asked for one of the victims, the next one for the next."""
    victims = [stage.checked, stage.submitted, stage.published]
    held = [victim_bytes(victim) for victim in victims]
    before = downloads(stage)
    assert before["checked received/"] and before["public copy"]
    writing_routes = sorted(
        {
            (address, tuple(methods))
            for number, (route, view) in enumerate(routes(get_resolver().url_patterns))
            if not route.startswith(NOT_OURS) and (methods := writing_methods(view))
            for victim in every_nth(victims[number % 3 :] + victims[: number % 3], 3)
            for address in addresses(route, victim, [victim.filename, "note:1.txt"])
        }
    )
    assert len(writing_routes) > 200
    for name, (client, begins) in make_attackers(stage).items():
        for victim, content in zip(victims, held, strict=True):
            for body in bodies(content, victim.filename):
                send(client, f"/{begins}v1/submissions/" if begins else "/submissions/new/", body)
        own = Submission.objects.filter(account__username__in=("charlie", "mallory"), result=None)
        for pk in list(own.values_list("pk", flat=True)) if begins else []:
            for body in bodies(held[-1], victims[-1].filename):
                send(client, f"/api/v1/submissions/{pk}/files/", body)
        settle(django_capture_on_commit_callbacks)
        assert downloads(stage) == before, name
        for address, methods in writing_routes:
            if address.startswith("api/") == bool(begins):
                send(client, f"/{address}", next(bodies(held[0], victims[0].filename)), methods)
        settle(django_capture_on_commit_callbacks)
        assert downloads(stage) == before, name


def victim_bytes(submission: Submission) -> bytes:
    with received_storage().open(key_of(submission.sha256)) as file:
        return file.read()


def test_the_crawl_detects_a_changed_download(stage) -> None:
    """Break it once: what it compares does change when bytes go."""
    before = downloads(stage)
    key = key_of(stage.checked.sha256)
    with received_storage().open(key) as file:
        content = file.read()
    received_storage().delete(key)
    try:
        assert downloads(stage) != before
    finally:
        received_storage().save(key, io.BytesIO(content))


def test_the_crawl_covers_all_writing_routes() -> None:
    every = {route for route, _ in routes(get_resolver().url_patterns)}
    assert {
        "api/v1/submissions/<uuid:id>/files/",
        "submissions/<uuid:id>/files/add/",
        "review/<uuid:id>/decide/",
    } <= every
