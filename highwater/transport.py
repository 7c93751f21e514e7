"""Requests to a registry over HTTP: time limits, tokens, answers kept by ETag, and asking again when told to."""

from __future__ import annotations

import email.utils
import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from http.client import HTTPException
from typing import Any, Union

from highwater.errors import Refused, Unreachable
from highwater.kept_answers import AnswerCache, KeptAnswer
from highwater.version import VERSION

Body = Union[None, bytes, Iterable[bytes]]  # Python 3.9
TIMEOUT_S = 120
RETRIES = 3
LONGEST_WAIT_S = 60
"""Longer than this nobody waits before a notebook: the refusal says when to come again."""
COME_AGAIN = (429, 503)
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect of what is read; to another host, or to one without TLS, without the token."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        if req.data is not None:
            return None  # or what was sent would become a question, and its answer the receipt
        onward = super().redirect_request(req, fp, code, msg, headers, newurl)
        if onward is not None and _origin(onward.full_url) != _origin(req.full_url):
            onward.remove_header("Authorization")
        return onward


class Transport:
    """What speaks HTTP to one registry. `url` is where its pages are.

    Reading is tried again after 429 and 503, as long as Retry-After says and `retries` times; sending never is: it may
    have arrived. Raises Refused and Unreachable, and ValueError for an address or a token that cannot be used.
    """

    def __init__(
        self, url: str, timeout_s: float = TIMEOUT_S, token: str = "", cache: AnswerCache | None = None,
        retries: int = RETRIES, wait: Callable[[float], None] = time.sleep,
    ) -> None:  # fmt: skip
        if not url.startswith(("http://", "https://")):
            raise ValueError("give the address of a registry: https://...")
        self.url = url.rstrip("/").removesuffix("/api/v1").rstrip("/")
        host = urllib.parse.urlsplit(self.url).hostname or ""
        if token and self.url.startswith("http://") and host not in LOOPBACK:
            raise ValueError("a token is sent to https://... only, or to this machine")
        if not token.isascii() or not token.isprintable():
            raise ValueError("a token has no such characters")
        self.timeout_s = timeout_s
        self.token = token
        self.cache = cache if cache is not None else AnswerCache()
        self.retries = retries
        self._wait = wait
        self._opener = urllib.request.build_opener(_SameHost)

    def read_json(self, path: str, query: Mapping[str, Any] | None = None) -> Any:
        """An answer as a JSON object."""
        return self._document_of(self.read(path, query))

    def read(self, path: str, query: Mapping[str, Any] | None = None) -> bytes:
        """The bytes of an answer: those that are kept, where the registry says that nothing changed since."""
        address = self._address(path, query)
        earlier = self.cache.find(address, self.token)
        try:
            with self._open_again(address, {"If-None-Match": earlier.etag} if earlier else {}) as answer:
                content = self.read_part(answer)
                etag = answer.headers.get("ETag", "")
        except Refused as refusal:
            if earlier is None or refusal.status != 304:
                raise
            return earlier.content
        if etag:
            self.cache.keep(address, KeptAnswer(etag, content), self.token)
        return content

    def open(self, path: str) -> Any:
        """An answer that is read piece by piece, and is not kept."""
        return self._open_again(self._address(path, None), {})

    def read_part(self, answer: Any, most: int | None = None) -> bytes:
        """The next bytes of an answer, all without `most`. Raises Unreachable where the connection breaks."""
        try:
            content: bytes = answer.read(most)
        except (OSError, HTTPException) as error:
            raise Unreachable(f"{self.url}: {error}") from error
        return content

    def send(self, path: str, body: Body, headers: Mapping[str, str]) -> Any:
        """Send a body by POST, once; what comes back as JSON."""
        with self._open_once(self._address(path, None), headers, body) as answer:
            content = self.read_part(answer)
        return self._document_of(content)

    def _document_of(self, content: bytes) -> Any:
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise Unreachable(f"{self.url}: what answers is no registry")
        return document

    def _address(self, path: str, query: Mapping[str, Any] | None) -> str:
        encoded = urllib.parse.urlencode(list(query_pairs(query or {})))
        return f"{self.url}/api/v1/{path}{'?' + encoded if encoded else ''}"

    def _open_again(self, address: str, headers: Mapping[str, str]) -> Any:
        for attempt in range(self.retries):
            try:
                return self._open_once(address, headers)
            except Refused as refusal:
                wait_s = refusal.retry_after_s if refusal.retry_after_s is not None else 2.0**attempt
                if refusal.status not in COME_AGAIN or wait_s > LONGEST_WAIT_S:
                    raise
            self._wait(wait_s)
        return self._open_once(address, headers)

    def _open_once(self, address: str, headers: Mapping[str, str], body: Body = None) -> Any:
        all_headers = {"User-Agent": f"highwater-client/{VERSION}", "Accept": "*/*", **headers}
        if self.token:
            all_headers["Authorization"] = f"Token {self.token}"
        request = urllib.request.Request(address, data=body, headers=all_headers)
        try:
            return self._opener.open(request, timeout=self.timeout_s)
        except urllib.error.HTTPError as refusal:
            with refusal:
                raise Refused(refusal.code, _problem_of(refusal), read_wait(refusal.headers)) from None
        except (OSError, HTTPException, ValueError) as error:  # ValueError: a redirect to what is no address
            raise Unreachable(f"{self.url}: {error}") from error


def _origin(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc


def _problem_of(refusal: urllib.error.HTTPError) -> Mapping[str, Any]:
    try:
        document = json.loads(refusal.read())
    except (ValueError, RecursionError, OSError, HTTPException):
        return {}
    return document if isinstance(document, dict) else {}


def read_wait(headers: Any) -> float | None:
    """How long Retry-After says to wait, in seconds, as a number or as a date; None where nothing can be read."""
    text = (headers.get("Retry-After") or "").strip()
    try:
        in_seconds = text[:1].isdigit()
        wait_s = float(text) if in_seconds else email.utils.parsedate_to_datetime(text).timestamp() - time.time()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return max(0.0, wait_s) if math.isfinite(wait_s) else None


def query_pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Names and values of a query; what is not given is left out. Raises ValueError for an empty list."""
    for name, value in query.items():
        if isinstance(value, Mapping):
            yield from query_pairs({f"{name}.{key}": inner for key, inner in value.items()})
        elif isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
            elements = list(value)  # of an array or a column of a frame, too
            if not elements:
                raise ValueError(f"{name} is empty: it would leave all results, not none")
            yield from ((name, _text(element)) for element in elements)
        elif value not in (None, ""):
            yield name, _text(value)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
