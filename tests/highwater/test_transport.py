"""What the client does on the wire: it asks again when told to, keeps answers by ETag, and guards its token."""

from __future__ import annotations

import email.utils
import threading
import time
from pathlib import Path

import pytest

import highwater
from highwater.kept_answers import AnswerCache
from highwater.transport import Transport, read_wait
from tests.highwater.peer import Answer, Request, answering

PROBLEM = {"code": "request.throttled", "title": "Too many requests", "detail": "", "hint": "Wait."}


def in_turn(*answers: Answer):
    """Answers in their order, the last one for ever."""
    left_over = list(answers)
    return lambda request: left_over.pop(0) if len(left_over) > 1 else left_over[0]


def with_etag(request: Request) -> Answer:
    """A registry whose answer never changes."""
    if request.headers.get("If-None-Match") == '"v1"':
        return Answer(status=304, headers={"ETag": '"v1"'})
    return Answer({"who": request.headers.get("Authorization", "nobody")}, headers={"ETag": '"v1"'})


@pytest.mark.parametrize("status", [429, 503])
def test_reads_are_retried_after_the_requested_wait(status: int) -> None:
    waits: list[float] = []
    busy = Answer(PROBLEM, status, {"Retry-After": "7"})
    with answering(in_turn(busy, busy, Answer({"next": None}))) as peer:
        assert Transport(peer.url, wait=waits.append).read_json("results/") == {"next": None}
    assert waits == [7.0, 7.0] and len(peer.requests) == 3


def test_without_retry_after_the_waits_double() -> None:
    waits: list[float] = []
    with answering(lambda request: Answer(PROBLEM, 503)) as peer, pytest.raises(highwater.Refused) as refusal:
        Transport(peer.url, wait=waits.append).read_json("results/")
    assert waits == [1.0, 2.0, 4.0] and len(peer.requests) == 4
    assert refusal.value.code == "request.throttled" and refusal.value.retry_after_s is None


@pytest.mark.parametrize("status", [400, 404, 409, 500, 502])
def test_other_refusals_are_raised_at_once(status: int) -> None:
    with answering(lambda request: Answer(PROBLEM, status)) as peer, pytest.raises(highwater.Refused) as refusal:
        Transport(peer.url, wait=pytest.fail).read_json("results/")
    assert (refusal.value.status, len(peer.requests)) == (status, 1)


def test_a_long_retry_after_is_raised_at_once() -> None:
    busy = Answer(PROBLEM, 503, {"Retry-After": "3600"})
    with answering(lambda request: busy) as peer, pytest.raises(highwater.Refused) as refusal:
        Transport(peer.url, wait=pytest.fail).read_json("results/")
    assert refusal.value.retry_after_s == 3600


def test_a_post_is_never_retried() -> None:
    busy = Answer(PROBLEM, 503, {"Retry-After": "0"})
    with answering(lambda request: busy) as peer, pytest.raises(highwater.Refused):
        Transport(peer.url, wait=pytest.fail).send("submissions/", b"{}", {})
    assert [request.method for request in peer.requests] == ["POST"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("5", 5.0), ("0", 0.0), ("2.5", 2.5), ("", None), ("soon", None), ("9e999", None), ("-4", None), ("Mon", None)],
)
def test_retry_after_is_read_as_seconds(text: str, expected: float | None) -> None:
    assert read_wait({"Retry-After": text}) == expected


def test_retry_after_may_be_a_date() -> None:
    later = email.utils.formatdate(time.time() + 1000, usegmt=True)
    assert read_wait({"Retry-After": later}) == pytest.approx(1000, abs=60)
    assert read_wait({"Retry-After": email.utils.formatdate(0, usegmt=True)}) == 0.0


def test_an_answer_that_did_not_change_is_not_sent_again() -> None:
    with answering(with_etag) as peer:
        transport = Transport(peer.url)
        assert transport.read_json("results/") == transport.read_json("results/") == {"who": "nobody"}
        assert transport.read_json("results/", {"tool": "ior"}) == {"who": "nobody"}
    assert [request.headers.get("If-None-Match") for request in peer.requests] == [None, '"v1"', None]


def test_answers_outlive_the_session_in_a_folder_of_safe_names(tmp_path: Path) -> None:
    with answering(with_etag) as peer:
        for _ in range(2):
            Transport(peer.url, cache=AnswerCache(tmp_path / "new" / "folder")).read_json("../../etc/passwd?x=/")
    assert [request.headers.get("If-None-Match") for request in peer.requests] == [None, '"v1"']
    (path,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert path.stem.isalnum() and len(path.stem) == 64 and path.parent.name == "folder"
    assert path.stat().st_mode & 0o077 == 0


def test_answers_to_a_token_are_cached_for_it_in_memory_only(tmp_path: Path) -> None:
    cache = AnswerCache(tmp_path)
    with answering(with_etag) as peer:
        alice = Transport(peer.url, token="alice", cache=cache)
        charlie = Transport(peer.url, token="charlie", cache=cache)
        nobody = Transport(peer.url, cache=cache)
        for _ in range(2):
            assert alice.read_json("results/") == {"who": "Token alice"}
            assert charlie.read_json("results/") == {"who": "Token charlie"}
            assert nobody.read_json("results/") == {"who": "nobody"}
    files = list(tmp_path.iterdir())
    assert len(files) == 1 and b"Token" not in files[0].read_bytes()


def test_a_damaged_cache_file_is_fetched_again(tmp_path: Path) -> None:
    with answering(with_etag) as peer:
        Transport(peer.url, cache=AnswerCache(tmp_path)).read_json("results/")
        (path,) = tmp_path.iterdir()
        for damage in (path.read_bytes()[:-3], b"", b"{}\n", b"[1]\n{}", b"\xff\xfe\n", b"null\n1"):
            path.write_bytes(damage)
            assert Transport(peer.url, cache=AnswerCache(tmp_path)).read_json("results/") == {"who": "nobody"}
    assert not any("If-None-Match" in request.headers for request in peer.requests)


def test_cache_sizes_in_memory_and_folder_are_limited(tmp_path: Path) -> None:
    with answering(lambda request: Answer({"text": "x" * 400}, headers={"ETag": '"v1"'})) as peer:
        cache = AnswerCache(tmp_path, memory_bytes=1000, folder_bytes=1200)
        transport = Transport(peer.url, cache=cache)
        for number in range(6):
            transport.read_json(f"{number}/")
        transport.read_json("5/")
        AnswerCache(tmp_path).clear()
        transport.read_json("0/")
    held = [request.path for request in peer.requests if "If-None-Match" in request.headers]
    assert held == ["/api/v1/5/"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 1200


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with answering(with_etag) as peer:
        transport = Transport(peer.url, cache=AnswerCache(tmp_path / "file" / "below"))
        assert transport.read_json("results/") == {"who": "nobody"}


def test_a_token_does_not_follow_to_another_host() -> None:
    with (
        answering(lambda request: Answer({"who": request.headers.get("Authorization")})) as other,
        answering(lambda request: Answer({}, 302, {"Location": f"{other.url}/api/v1/"})) as peer,
    ):
        assert Transport(peer.url, token="secret").read_json("results/") == {"who": None}
    assert peer.requests[0].headers["Authorization"] == "Token secret"


@pytest.mark.parametrize(
    ("address", "token"),
    [
        ("http://registry.example", "secret"),
        ("https://registry.example", "two\nlines"),
        ("https://registry.example", "sécret"),
        ("registry.example", ""),
        ("file:///etc", ""),
    ],
)
def test_invalid_addresses_and_tokens_are_refused_before_sending(address: str, token: str) -> None:
    with pytest.raises(ValueError, match=r"token|address"):
        highwater.Registry(address, token=token)


def test_a_silent_registry_is_unreachable_after_its_time() -> None:
    release = threading.Event()

    def wait_for_the_end(request: Request) -> Answer:
        release.wait(20)
        return Answer()

    with answering(wait_for_the_end) as peer:
        with pytest.raises(highwater.Unreachable):
            highwater.Registry(peer.url, timeout_s=0.2).metrics()
        release.set()


@pytest.mark.parametrize("body", [b"", b"<h1>Sign in</h1>", b"\xff", b"[" * 100_000, b"[]", b"null"])
def test_an_answer_of_another_server_is_unreachable(body: bytes) -> None:
    with answering(lambda request: Answer(body)) as peer, pytest.raises(highwater.Unreachable):
        highwater.Registry(peer.url).result("x")


def test_a_redirect_to_an_invalid_address_is_unreachable() -> None:
    away = Answer(b"", 302, {"Location": "http://[::1"})
    with answering(lambda request: away) as peer, pytest.raises(highwater.Unreachable):
        Transport(peer.url).read("results/")
