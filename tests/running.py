"""A registry of this or another checkout, started by its own launcher on a state folder, and how one speaks to it."""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import http.cookiejar
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WITHIN_S = 600.0
OF_THE_TESTS = (
    "DATABASE_URL", "BROKER_URL", "CACHE_URL", "SECRET_KEY", "HIGHWATER_STATE", "BUNDLE_STORAGE_URL",
    "DJANGO_SETTINGS_MODULE", "PYTHONPATH",
)  # fmt: skip
"""Settings of the process that we run in; a registry has services and sources of its own."""
PINS = ("requirements.txt", "requirements-local.txt")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Registry:
    """Where it listens, which checkout it runs, where its state lies."""

    url: str
    checkout: Path
    state: Path
    environment: Mapping[str, str]

    def ask(self, method: str, path: str, token: str = "", document: object = None, *, session: str = "") -> Answer:
        """One call of the API or of a page; refusals are answers too, and no redirect is followed."""
        headers = {}
        body = None
        if token:
            headers["Authorization"] = f"Token {token}"
        if session:
            headers["Cookie"] = f"sessionid={session}"
        if document is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(document).encode()
        return self._send(method, path, headers, body)

    def send_file(self, path: str, token: str, field: str, name: str, content: bytes, **fields: str) -> Answer:
        """A multipart form with one file."""
        fields = {"sha256": hashlib.sha256(content).hexdigest()} | fields
        parts = [
            f'--limit\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'.encode()
            for key, value in fields.items()
        ]
        head = f'--limit\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode()
        headers = {"Content-Type": "multipart/form-data; boundary=limit", "Authorization": f"Token {token}"}
        return self._send("POST", path, headers, b"".join([*parts, head, content, b"\r\n--limit--\r\n"]))

    def send_form(self, path: str, token: str, **fields: str) -> Answer:
        """A multipart form without a file."""
        parts = [
            f'--limit\r\nContent-Disposition: form-data; name="{key}"\r\n\r\n{value}\r\n'
            for key, value in fields.items()
        ]
        headers = {"Content-Type": "multipart/form-data; boundary=limit", "Authorization": f"Token {token}"}
        return self._send("POST", path, headers, ("".join(parts) + "--limit--\r\n").encode())

    def without_address(self, text: str) -> str:
        """A text without the address that the registry listens at, which is another at each start."""
        return text.replace(self.url, "/").replace(urllib.parse.urlsplit(self.url).netloc, "registry.test")

    def _send(self, method: str, path: str, headers: dict[str, str], body: bytes | None) -> Answer:
        request = urllib.request.Request(self.url + path.removeprefix("/"), body, headers, method=method)
        try:
            with urllib.request.build_opener(NotFollowed).open(request, timeout=WITHIN_S) as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())
        except urllib.error.HTTPError as refusal:
            return Answer(refusal.code, dict(refusal.headers), refusal.read())

    def done(self, method: str, path: str, token: str, document: object = None) -> Any:
        """A call of the API that must succeed: what it answers."""
        return succeeded(self.ask(method, f"api/v1/{path}", token, document))

    def sign_in(self, username: str, password: str) -> str:
        """The key of a session, made on the page that people use."""
        jar = http.cookiejar.CookieJar()
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        page = opener.open(self.url + "login/", timeout=WITHIN_S).read().decode()
        (secret,) = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page))
        form = {"username": username, "password": password, "csrfmiddlewaretoken": secret}
        request = urllib.request.Request(self.url + "login/", urllib.parse.urlencode(form).encode())
        request.add_header("Referer", self.url + "login/")
        opener.open(request, timeout=WITHIN_S).read()
        return next(cookie.value or "" for cookie in jar if cookie.name == "sessionid")

    def manage(self, *arguments: str) -> str:
        """What a management command prints on standard output."""
        command = [sys.executable, "dev.py", "--state", self.state, "manage", *arguments]
        ran = subprocess.run(command, env=self.environment, cwd=self.checkout, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout

    def settled(self, id: str, token: str, *unsettled: str) -> dict[str, Any]:
        """The submission once its state is none of these (of those that a worker ends)."""
        ends = unsettled or ("received", "processing")
        submission: dict[str, Any] = {}

        def is_settled() -> bool:
            submission.update(self.done("GET", f"submissions/{id}/", token))
            return submission["state"] not in ends

        wait_until(is_settled, f"submission {id} to leave {' and '.join(ends)}")
        return submission


class NotFollowed(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def succeeded(answer: Answer) -> Any:
    assert answer.status in (200, 201, 202, 204), (answer.status, answer.body[:2000])
    return answer.json if answer.body else None


def wait_until(condition: Callable[[], bool], what: str = "what should be", within_s: float = WITHIN_S) -> None:
    """Raises AssertionError when it lasts longer, by default than ten minutes, which no machine needs."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"waited {within_s:.0f} s for {what}"
        time.sleep(0.2)


def environment_for(checkout: Path) -> dict[str, str]:
    """The variables of a person who has set nothing; packages come from this environment where the pins are equal.

    Otherwise from one of its own below the state folder of the tests, named after the pins and used again.
    """
    variables = {name: value for name, value in os.environ.items() if name not in OF_THE_TESTS}
    if all(filecmp.cmp(ROOT / name, checkout / name, shallow=False) for name in PINS):
        return variables | {"HIGHWATER_VENV": sys.prefix}
    pins = hashlib.sha256(b"".join((checkout / name).read_bytes() for name in PINS)).hexdigest()
    environment = Path(os.environ.get("HIGHWATER_STATE") or ROOT / ".local" / "test") / "environments" / pins[:12]
    return variables | {"HIGHWATER_VENV": str(environment.absolute())}


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


@contextlib.contextmanager
def running(
    checkout: Path, state: Path, port: int, site_url: str = "", more_environment: Mapping[str, str] | None = None
) -> Iterator[Registry]:
    """`./dev.py up` of a checkout on a state folder, for the length of a block."""
    environment = environment_for(checkout) | ({"SITE_URL": site_url} if site_url else {})
    command = [sys.executable, "dev.py", "up", "--port", str(port), "--state", state]
    log_file = state / "up.log"
    state.mkdir(parents=True, exist_ok=True)
    with (
        log_file.open("a") as log,
        subprocess.Popen(
            command,
            cwd=checkout,
            env={**environment, **(more_environment or {})},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as launcher,
    ):
        try:
            assert launcher.stdout is not None
            ready = next((line for line in launcher.stdout if line.startswith("ready ")), "")
            assert ready, log_file.read_text()
            yield Registry(ready.split()[1], checkout, state, environment)
        finally:
            launcher.send_signal(signal.SIGTERM)
            launcher.wait()
