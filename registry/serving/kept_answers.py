"""Answers to strangers, made once and kept compressed until anything is written to the record.

A kept answer is what a request without session, cookie or token gets that has nothing but a path, known values in its
query, and a theme (docs/decisions/0110-answers-are-kept-by-the-state-of-the-record.md). Who sends more than that
neither reads kept answers nor adds one. Each process keeps its own, in memory.
"""

from __future__ import annotations

import gzip
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import re_accepts_gzip
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import parse_http_date_safe

from registry.database import public_writes
from registry.serving.kept_routes import seconds_kept
from registry.web.compression import COMPRESSED
from registry.web.context_processors import THEMES

LARGEST_BYTES = 4 * 1024**2
LEAST_COMPRESSED = 200
_ACCEPTED = ("", "*/*", "application/json")
"""What a call of the API may accept so that its answer is the usual one; a browser accepts more, also on pages."""
_COPIED = (
    *("SERVER_NAME", "SERVER_PORT", "SERVER_PROTOCOL", "SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "HTTP_HOST"),
    *("wsgi.url_scheme", "HTTP_X_FORWARDED_PROTO"),
    # Whom the throttle counts.
    *("REMOTE_ADDR", "HTTP_X_FORWARDED_FOR", "HTTP_FORWARDED"),
)
"""Of a request, all that the one which makes an answer has; its method is GET."""
_CONDITIONS = ("HTTP_IF_MATCH", "HTTP_IF_UNMODIFIED_SINCE", "HTTP_RANGE")
_OF_CONTENT = ("Content-Type", "Content-Encoding", "Content-Disposition", "Link")
"""Headers that a 304 has not."""

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class Question(NamedTuple):
    """All that a kept answer follows from, but for the record."""

    scheme: str
    host: str
    path: str
    query: str
    theme: str
    accept: str


@dataclass(frozen=True)
class Answer:
    """A whole answer with status 200, its content compressed where that makes it smaller."""

    state: str
    until: float
    headers: dict[str, str]
    content: bytes
    is_compressed: bool


class KeptAnswers:
    """Answers of one state of the record, those used last; together at most `settings.KEPT_ANSWERS_BYTES`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._answers: OrderedDict[Question, Answer] = OrderedDict()
        self._state = ""
        self.size = 0

    def __len__(self) -> int:
        return len(self._answers)

    def holds_any(self, question: Question) -> bool:
        """Whether there is an answer, whatever state of the record it tells."""
        return question in self._answers

    def find_answer(self, question: Question, state: str) -> Answer | None:
        """The answer that tells this state of the record. What tells another one is dropped."""
        with self._lock:
            self._drop_others(state)
            answer = self._answers.get(question)
            if answer is None or answer.state != state or time.monotonic() >= answer.until:
                return None
            self._answers.move_to_end(question)
            return answer

    def keep_answer(self, question: Question, answer: Answer) -> None:
        """Keep an answer, and drop those that were used longest ago where there is no room for all."""
        with self._lock:
            if answer.state != self._state:
                return  # the record changed while it was made
            self._drop_answer(question)
            self._answers[question] = answer
            self.size += len(answer.content)
            while self.size > settings.KEPT_ANSWERS_BYTES:
                self._drop_answer(next(iter(self._answers)))

    def drop_all(self) -> None:
        """Drop all answers."""
        with self._lock:
            self._drop_others("")

    def _drop_others(self, state: str) -> None:
        if state != self._state:
            self._answers.clear()
            self.size, self._state = 0, state

    def _drop_answer(self, question: Question) -> None:
        answer = self._answers.pop(question, None)
        self.size -= len(answer.content) if answer else 0


ANSWERS = KeptAnswers()


class KeptAnswersMiddleware:
    """Answers a stranger's question from what is kept, or has it answered as a stranger's and keeps that.

    Stands before the middleware that knows sessions: nothing of the client reaches what is kept.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        question = None if settings.READ_REQUIRES_LOGIN or not settings.KEPT_ANSWERS_BYTES else question_of(request)
        if question is None or not (ANSWERS.holds_any(question) or seconds_kept(request)):
            return self.get_response(request)
        state = public_writes.current_state()
        if state is None:
            return self.get_response(request)
        answer = ANSWERS.find_answer(question, state)
        if answer is None:
            response = render_public_answer(self.get_response, request, question.theme)
            answer = _to_answer(response, state, seconds_kept(request))
            if answer is None:
                return response
            ANSWERS.keep_answer(question, answer)
        return _write_response(request, answer)


def question_of(request: HttpRequest) -> Question | None:
    """What a request asks that has nothing of an account and no condition but ETag and date; None for any other."""
    meta = request.META
    if request.method not in ("GET", "HEAD"):
        return None
    if "HTTP_AUTHORIZATION" in meta or any(name in meta for name in _CONDITIONS):
        return None
    theme = _only_theme(request)
    if theme is None:
        return None
    accept = meta.get("HTTP_ACCEPT", "") if request.path_info.startswith("/api/") else ""
    if accept not in _ACCEPTED:
        return None
    scheme = request.scheme or ""
    return Question(scheme, request.get_host(), meta["PATH_INFO"], meta.get("QUERY_STRING", ""), theme, accept)


def _only_theme(request: HttpRequest) -> str | None:
    """The theme that a request asks for, "" for none; None where it has any other cookie."""
    if not request.META.get("HTTP_COOKIE"):
        return ""
    theme = request.COOKIES.get("theme", "")
    return theme if set(request.COOKIES) == {"theme"} and theme in THEMES else None


def render_public_answer(get_response: GetResponse, request: HttpRequest, theme: str) -> HttpResponseBase:
    """What a stranger gets who sends the address and a theme alone, read with the rights of a stranger."""
    environ = {name: request.META[name] for name in _COPIED if name in request.META}
    for name in ("SCRIPT_NAME", "PATH_INFO"):
        environ[name] = environ[name].encode().decode("latin-1")  # Django reads them so (PEP 3333), and keeps the text
    environ |= {"REQUEST_METHOD": "GET", "wsgi.input": BytesIO()}
    environ.setdefault("wsgi.url_scheme", request.scheme)
    if theme:
        environ["HTTP_COOKIE"] = f"theme={theme}"
    if accept := request.META.get("HTTP_ACCEPT") if request.path_info.startswith("/api/") else None:
        environ["HTTP_ACCEPT"] = accept
    return get_response(WSGIRequest(environ))


def _to_answer(response: HttpResponseBase, state: str, seconds: int) -> Answer | None:
    """What may be kept of an answer: one that anybody may keep, with its ETag, whole and not too large."""
    if not isinstance(response, HttpResponse) or response.status_code != 200 or response.cookies:
        return None
    if "public" not in response.get("Cache-Control", "") or not response.has_header("ETag"):
        return None
    if response.has_header("Content-Encoding") or not 0 < len(response.content) <= LARGEST_BYTES:
        return None
    content, is_compressed = response.content, False
    if response["Content-Type"].partition(";")[0] in COMPRESSED and len(content) >= LEAST_COMPRESSED:
        patch_vary_headers(response, ("Accept-Encoding",))
        compressed = gzip.compress(content, mtime=0)
        if len(compressed) < len(content):
            content, is_compressed = compressed, True
    headers = {name: value for name, value in response.items() if name != "Content-Length"}
    return Answer(state, time.monotonic() + seconds, headers, content, is_compressed)


def _write_response(request: HttpRequest, answer: Answer) -> HttpResponseBase:
    """The answer in the coding that the client takes, or 304 where the client has it."""
    takes_gzip = bool(re_accepts_gzip.search(request.META.get("HTTP_ACCEPT_ENCODING", "")))
    headers = dict(answer.headers)
    sends_gzip = answer.is_compressed and takes_gzip
    if sends_gzip:
        headers["Content-Encoding"] = "gzip"
        headers["ETag"] = "W/" + headers["ETag"].removeprefix("W/")
    changed = parse_http_date_safe(headers["Last-Modified"]) if "Last-Modified" in headers else None
    unchanged = get_conditional_response(request, etag=headers["ETag"], last_modified=changed)
    if unchanged is not None:
        for name, value in headers.items():
            if name not in _OF_CONTENT:
                unchanged[name] = value
        unchanged["Content-Length"] = "0"
        return unchanged
    content = gzip.decompress(answer.content) if answer.is_compressed and not sends_gzip else answer.content
    headers["Content-Length"] = str(len(content))
    return HttpResponse(content, headers=headers)
