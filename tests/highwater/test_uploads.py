"""Sending a run: the form, what is refused before anything is sent, and what the registry refuses."""

from __future__ import annotations

import hashlib
import json
from email.parser import BytesParser
from pathlib import Path

import pytest

import highwater
from tests.highwater.peer import Answer, Request, answering

CONTENT = bytes(range(256)) * 8192
RECEIPT = {"id": "1", "state": "received", "url": "http://registry.example/submissions/1/", "sha256": "0"}


def read_form(request: Request) -> dict[str, list[bytes]]:
    """The fields of a multipart form, by name."""
    head = f"Content-Type: {request.headers['Content-Type']}\r\n\r\n".encode()
    fields: dict[str, list[bytes]] = {}
    for part in BytesParser().parsebytes(head + request.body).walk():
        if not part.is_multipart():
            name = part.get_param("name", header="content-disposition")
            fields.setdefault(str(name), []).append(part.get_payload(decode=True))
    return fields


def test_an_upload_is_a_form_with_the_bytes_and_their_hash(tmp_path: Path) -> None:
    path = tmp_path / 'a "run"\r\n.tar.gz'
    path.write_bytes(CONTENT)
    with answering(lambda request: Answer(RECEIPT, 202)) as peer:
        registry = highwater.Registry(peer.url, token="secret")
        receipt = registry.upload(path, {"institution": "Northern Lab"}, release="SC26", lists=["ten", "full"])
    assert receipt["state"] == "received"
    (request,) = peer.requests
    form = read_form(request)
    assert (request.path, request.headers["Authorization"]) == ("/api/v1/submissions/", "Token secret")
    assert form["sha256"] == [hashlib.sha256(CONTENT).hexdigest().encode()]
    assert (form["release"], form["lists"]) == ([b"SC26"], [b"ten", b"full"])
    assert json.loads(form["metadata"][0]) == {"institution": "Northern Lab"}
    assert CONTENT in request.body and b'filename="a__run___.tar.gz"' in request.body
    assert set(form) == {"sha256", "release", "lists", "metadata", "bundle"}


def test_uploads_without_file_or_token_are_not_sent(tmp_path: Path) -> None:
    with answering(lambda request: Answer(RECEIPT, 202)) as peer:
        with pytest.raises(ValueError, match="no file"):
            highwater.Registry(peer.url, token="secret").upload(tmp_path)
        for ask in (
            lambda registry: registry.upload(tmp_path),
            lambda registry: registry.submit("1", "SC26", "ten"),
            lambda registry: registry.submission("1"),
        ):
            with pytest.raises(ValueError, match="token"):
                ask(highwater.Registry(peer.url, token=""))
    assert peer.requests == []


def test_only_given_fields_are_sent() -> None:
    with answering(lambda request: Answer({"state": "submitted"})) as peer:
        registry = highwater.Registry(peer.url, token="secret")
        registry.submit("1/../2", "SC26", "ten")
        registry.submit("1", "SC26", ["ten", "full"], acknowledge_rules=True, acknowledge_publication=True, primary=0)
    first, second = (json.loads(request.body) for request in peer.requests)
    assert peer.requests[0].path == "/api/v1/submissions/1%2F..%2F2/submit/"
    assert first == {
        "release": "SC26", "lists": ["ten"], "acknowledge_rules": False, "acknowledge_publication": False,
    }  # fmt: skip
    assert (second["lists"], second["acknowledge_rules"], second["primary"]) == (["ten", "full"], True, 0)


def test_a_refusal_has_code_hint_and_fields() -> None:
    problem = {
        "code": "request.invalid", "title": "Some fields are not valid", "detail": "Some fields are not valid",
        "hint": "Correct them.", "errors": {"acknowledge_rules": ["must be true"]},
    }  # fmt: skip
    with answering(lambda request: Answer(problem, 400)) as peer, pytest.raises(highwater.Refused) as refusal:
        highwater.Registry(peer.url, token="secret").submit("1", "SC26", "ten")
    assert refusal.value.errors == {"acknowledge_rules": ["must be true"]}
    assert str(refusal.value) == "Some fields are not valid. Correct them. (request.invalid)"


def test_one_list_may_be_given_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.tar.gz"
    path.write_bytes(CONTENT)
    with answering(lambda request: Answer(RECEIPT, 202)) as peer:
        highwater.Registry(peer.url, token="secret").upload(path, lists="ten")
    assert read_form(peer.requests[0])["lists"] == [b"ten"]


def test_a_redirected_upload_is_not_followed_by_a_get(tmp_path: Path) -> None:
    """A 302 after a POST is followed by a GET: its answer is no receipt."""
    path = tmp_path / "run.tar.gz"
    path.write_bytes(CONTENT)
    onward = Answer({}, 302, {"Location": "/api/v1/submissions/?page=1"})
    with (
        answering(lambda request: onward if request.method == "POST" else Answer({"results": []})) as peer,
        pytest.raises(highwater.Refused) as refusal,
    ):
        highwater.Registry(peer.url, token="secret").upload(path)
    assert (refusal.value.status, [request.method for request in peer.requests]) == (302, ["POST"])


@pytest.mark.parametrize(
    "problem", [{"title": 5, "detail": [1], "hint": {}, "code": 7, "errors": "x"}, {"title": None, "errors": [1]}]
)
def test_a_problem_with_unusual_fields_is_a_refusal(problem: dict[str, object]) -> None:
    with answering(lambda request: Answer(problem, 422)) as peer, pytest.raises(highwater.Refused) as refusal:
        highwater.Registry(peer.url).results()
    assert (str(refusal.value), refusal.value.code, refusal.value.errors) == ("HTTP 422", "", {})
