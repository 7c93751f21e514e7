"""Check bytes without keeping anything: hold them, let a worker look, hand the report back through the cache server.

The task carries only the id of what is held; what was said beside the bytes waits in the cache under the same id.
"""

from __future__ import annotations

import json
import logging
import uuid
from contextlib import suppress
from functools import cache
from typing import Any

import redis
from billiard.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from submissions.bundles.cage.client import CageError
from submissions.bundles.storage import HELD, Incoming, remove_bytes
from submissions.checks.processing import check_file, judged_list, release_facts
from submissions.errors import CheckTimeout, EmptyBundle, NoBundle, NoWorker
from submissions.intake.receive import Declared, file_name, require_matching
from submissions.lifecycle import task_queue

log = logging.getLogger(__name__)

BEGIN_WITHIN_S = 10
DEADLINE_S = 30
"""For the worker; the request waits a little longer for the answer to travel."""
_LIFETIME_S = 120


def run_dry_check(bundle: Incoming | None, sha256: str, declared: Declared) -> dict[str, Any]:
    """Return the report of these bytes, of which nothing stays.

    Raises IntakeRefused for bytes that cannot be taken, NoWorker where none checks, CheckTimeout where it takes too
    long.
    """
    if bundle is None:
        raise NoBundle
    try:
        if not bundle.size:
            raise EmptyBundle
        require_matching(bundle, sha256)
        held = str(uuid.uuid4())
        bundle.keep(_request_key(held))
    finally:
        bundle.close()
    try:
        return _request_report(held, file_name(bundle.name), declared)
    finally:
        remove_bytes(_request_key(held))


def serve_dry_check(held: str) -> None:
    """The worker's side: check what is held, if somebody still waits for it."""
    declaration = _redis_client().getdel(_reply_key(held, "said"))
    if declaration is None:
        return
    _hand_over(held, "begun", "1")
    try:
        report = check_file(_request_key(held), json.loads(declaration), DEADLINE_S)
    except (CageError, SoftTimeLimitExceeded):
        log.warning("A check of held bytes ended without a report", exc_info=True)
        return
    _hand_over(held, "report", json.dumps(report))


def _request_report(held: str, name: str, declared: Declared) -> dict[str, Any]:
    words = {
        "name": name,
        "release": release_facts(declared.release),
        "list": judged_list(declared.lists),
        "metadata": declared.metadata,
    }
    try:
        _redis_client().set(_reply_key(held, "said"), json.dumps(words), ex=_LIFETIME_S)
        if not task_queue.enqueue("check_held", held, expires_s=_LIFETIME_S):
            raise NoWorker
        if _wait_for_reply(held, "begun", BEGIN_WITHIN_S) is None:
            raise NoWorker
        report = _wait_for_reply(held, "report", DEADLINE_S + 2)
    except redis.RedisError as error:
        raise NoWorker from error
    finally:
        with suppress(redis.RedisError):
            _redis_client().delete(_reply_key(held, "said"))
    if report is None:
        raise CheckTimeout
    document: dict[str, Any] = json.loads(report)
    return document


def _wait_for_reply(held: str, what: str, seconds: float) -> bytes | None:
    popped: Any = _redis_client().blpop([_reply_key(held, what)], timeout=seconds)
    return None if popped is None else bytes(popped[1])


def _hand_over(held: str, what: str, value: str) -> None:
    with _redis_client().pipeline() as together:
        together.rpush(_reply_key(held, what), value)
        together.expire(_reply_key(held, what), _LIFETIME_S)
        together.execute()


def _request_key(held: str) -> str:
    return f"{HELD}/{uuid.UUID(held)}"


def _reply_key(held: str, what: str) -> str:
    return f"check:{held}:{what}"


@cache
def _redis_client() -> redis.Redis:
    # The socket has to outlast the longest wait; redis-py's own default is 5 s.
    return redis.Redis.from_url(
        str(settings.CACHES["default"]["LOCATION"]), socket_connect_timeout=1, socket_timeout=DEADLINE_S + 10
    )
