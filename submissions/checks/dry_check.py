"""Check bytes without keeping anything: hold them, let a worker look, hand the report back through the cache server.

The task carries only the id of what is held; what was said beside the bytes waits in the cache under the same id.
"""

from __future__ import annotations

import json
import uuid
from contextlib import suppress
from functools import cache
from typing import Any

import redis
from billiard.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from submissions.bundles.storage import Incoming, remove
from submissions.checks.processing import check_file, judged_list, release_facts
from submissions.errors import CheckTimeout, EmptyBundle, NoBundle, NoWorker
from submissions.intake.receive import Declared, file_name, require_matching
from submissions.lifecycle import task_queue

HELD = "check"
BEGIN_WITHIN_S = 10
DEADLINE_S = 30
"""For the worker; the request waits a little longer for the answer to travel."""
_KEPT_S = 120


def run_dry_check(bundle: Incoming | None, sha256: str, said: Declared) -> dict[str, Any]:
    """The report of these bytes, of which nothing stays. Raises IntakeRefused, NoWorker, CheckTimeout."""
    if bundle is None:
        raise NoBundle
    try:
        if not bundle.size:
            raise EmptyBundle
        require_matching(bundle, sha256)
        held = str(uuid.uuid4())
        bundle.keep(_key(held))
    finally:
        bundle.close()
    try:
        return _ask(held, file_name(bundle.name), said)
    finally:
        remove(_key(held))


def serve_dry_check(held: str) -> None:
    """The worker's side: check what is held, if somebody still waits for it."""
    said = _cache().getdel(_name(held, "said"))
    if said is None:
        return
    _hand_over(held, "begun", "1")
    try:
        report = check_file(_key(held), json.loads(said))
    except SoftTimeLimitExceeded:
        return
    _hand_over(held, "report", json.dumps(report))


def _ask(held: str, name: str, said: Declared) -> dict[str, Any]:
    words = {
        "name": name,
        "release": release_facts(said.release),
        "list": judged_list(said.lists),
        "metadata": said.metadata,
    }
    try:
        _cache().set(_name(held, "said"), json.dumps(words), ex=_KEPT_S)
        if not task_queue.enqueue("check_held", held, expires_s=_KEPT_S):
            raise NoWorker
        if _wait(held, "begun", BEGIN_WITHIN_S) is None:
            raise NoWorker
        report = _wait(held, "report", DEADLINE_S + 2)
    except redis.RedisError as error:
        raise NoWorker from error
    finally:
        with suppress(redis.RedisError):
            _cache().delete(_name(held, "said"))
    if report is None:
        raise CheckTimeout
    return json.loads(report)


def _wait(held: str, what: str, seconds: float) -> bytes | None:
    found = _cache().blpop([_name(held, what)], timeout=seconds)
    return found and found[1]


def _hand_over(held: str, what: str, value: str) -> None:
    with _cache().pipeline() as together:
        together.rpush(_name(held, what), value).expire(_name(held, what), _KEPT_S).execute()


def _key(held: str) -> str:
    return f"{HELD}/{uuid.UUID(held)}"


def _name(held: str, what: str) -> str:
    return f"check:{held}:{what}"


@cache
def _cache() -> redis.Redis:
    # The socket has to outlast the longest wait; redis-py's own default is 5 s.
    return redis.Redis.from_url(
        settings.CACHES["default"]["LOCATION"], socket_connect_timeout=1, socket_timeout=DEADLINE_S + 10
    )
