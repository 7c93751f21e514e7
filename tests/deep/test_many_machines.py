"""Each part of a registry on several machines is killed under load: nothing acknowledged is lost, nothing done twice.

Then every web and worker is stopped and started, one after another, as an upgrade does: no request fails.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import shutil
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.deep import many_machines
from tests.deep.many_machines import HOST, OTHERS, READERS, REPLICA_WEB, SERVICES, WEBS, WORKERS, Machines
from tests.make_io500 import make_archive
from tests.running import wait_until

pytestmark = [
    pytest.mark.services,
    pytest.mark.deep,
    pytest.mark.skipif(
        bool(many_machines.missing_programs()), reason=f"not here: {', '.join(many_machines.missing_programs())}"
    ),
]

UPLOADERS, READING_CLIENTS = 2, 2
PAUSE_S = 0.5
"""Between two uploads of one client: the drill measures what faults do, not how much the machine can take."""
ADDRESSES = ("/", "/results/", "/api/v1/results/?tool=ior", "/lists/", "/studies/", "/livez")
WITHIN_S = 300.0


class Answer:
    """Status, headers and body of a request by nginx; status 0 where the connection broke."""

    def __init__(self, machines: Machines, host: str, method: str, path: str, headers: Mapping[str, str], body: bytes):
        connection = http.client.HTTPSConnection(
            "127.0.0.1", machines.ports["https"], context=machines.trust, timeout=WITHIN_S
        )
        self.status, self.body, begun = 0, b"", time.monotonic()
        try:
            connection.request(method, path, body or None, {"Host": host, **headers})
            answer = connection.getresponse()
            self.status, self.body = answer.status, answer.read()
        except (OSError, http.client.HTTPException):
            self.status = 0
        finally:
            self.took_s = time.monotonic() - begun
            connection.close()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Site:
    """One who uploads to the registry and reads it, by nginx alone."""

    def __init__(self, machines: Machines, token: str) -> None:
        self.machines, self.token = machines, token

    def get(self, path: str, host: str = HOST, *, signed_in: bool = False) -> Answer:
        headers = {"Authorization": f"Token {self.token}"} if signed_in else {}
        return Answer(self.machines, host, "GET", path, headers, b"")

    def upload(self, content: bytes) -> Answer:
        head = (
            '--x\r\nContent-Disposition: form-data; name="sha256"\r\n\r\n'
            f"{hashlib.sha256(content).hexdigest()}\r\n"
            '--x\r\nContent-Disposition: form-data; name="bundle"; filename="run.tar.gz"\r\n\r\n'
        )
        headers = {"Content-Type": "multipart/form-data; boundary=x", "Authorization": f"Token {self.token}"}
        return Answer(
            self.machines, HOST, "POST", "/api/v1/submissions/", headers, head.encode() + content + b"\r\n--x--\r\n"
        )

    def state_of(self, id: str) -> str:
        answer = self.get(f"/api/v1/submissions/{id}/", signed_in=True)
        return answer.json["state"] if answer.status == 200 else ""

    def is_whole(self) -> bool:
        """Whether each part runs and answers."""
        machines = self.machines
        return (
            all(part.process is not None and part.process.poll() is None for part in machines.parts.values())
            and all(machines.reaches_database(name) for name in ("primary", "replica", "pgbouncer"))
            and all(answers_ready(machines.ports[name]) for name in (*WEBS, REPLICA_WEB))
            and self.get("/readyz").status == self.get("/readyz", READERS).status == 200
        )


class Load:
    """Clients that upload and read until the block ends: what was acknowledged, and how long each answer took."""

    archives_made = 0

    def __init__(self, site: Site, folder: Path) -> None:
        self.site, self.folder = site, folder
        self.acknowledged: dict[str, bytes] = {}
        self.uploads: Counter[int] = Counter()
        self.reads: Counter[int] = Counter()
        self.took_s: list[float] = []
        """Seconds of the reads that were answered."""
        self.stopping, self.turn = threading.Event(), threading.Lock()
        self.threads = [
            *(threading.Thread(target=self._upload_on, args=(number,)) for number in range(UPLOADERS)),
            *(threading.Thread(target=self._read_on, args=(host,)) for host in (HOST, READERS)[:READING_CLIENTS]),
        ]

    def __enter__(self) -> Load:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()

    def _upload_on(self, client: int) -> None:
        while not self.stopping.wait(PAUSE_S):
            with self.turn:
                Load.archives_made += 1
                performance = 2 + Load.archives_made / 100_000
            content = make_archive(self.folder / f"{client}.tar.gz", performance=performance).read_bytes()
            answer = self.site.upload(content)
            self.uploads[answer.status] += 1
            if answer.status in (200, 202):
                self.acknowledged[answer.json["id"]] = content

    def _read_on(self, host: str) -> None:
        while not self.stopping.wait(0.05):
            for path in ADDRESSES:
                answer = self.site.get(path, host)
                self.reads[answer.status] += 1
                if answer.status == 200:
                    self.took_s.append(answer.took_s)
                elif self.stopping.wait(PAUSE_S):
                    return

    def summary(self) -> str:
        p50, p99 = percentiles_ms(self.took_s)
        return (
            f"{len(self.acknowledged)} acknowledged; answers to uploads {dict(self.uploads)}, to reads "
            f"{dict(self.reads)}; reads p50 {p50:.0f} ms, p99 {p99:.0f} ms"
        )


def percentiles_ms(took_s: list[float]) -> tuple[float, float]:
    """The median and the 99th percentile (ms) of some times (s)."""
    hundredths = statistics.quantiles(took_s, n=100)
    return hundredths[49] * 1000, hundredths[98] * 1000


def requests_of(part: many_machines.Part) -> int:
    """How many requests a web has logged; health checks are not logged."""
    return part.log.read_text().count("registry.request: answered")


def is_used(part: many_machines.Part, answered: int) -> bool:
    """Whether nginx sends requests to a web again; true for what is no web."""
    return part.name not in (*WEBS, REPLICA_WEB) or requests_of(part) > answered


def answers_ready(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz", headers={"Host": HOST, "X-Forwarded-Proto": "https"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = Path(tempfile.mkdtemp(prefix="hw-"))
    folder.chmod(0o755)  # PostgreSQL runs as another account where we are root
    try:
        with many_machines.started_machines(folder) as machines:
            token = machines.manage("create_token", "grace", "--institution", "lab-of-many").split()[-1]
            client = Site(machines, token)
            wait_until(client.is_whole, "all machines")
            yield client
    finally:
        shutil.copytree(folder / "logs", tmp_path_factory.mktemp("machines") / "logs")
        shutil.rmtree(folder, ignore_errors=True)


def test_no_upload_is_lost_when_any_part_is_killed(site: Site, tmp_path: Path) -> None:
    with Load(site, tmp_path) as load:
        for name in (*WEBS, REPLICA_WEB, *WORKERS, *OTHERS, *SERVICES):
            wait_until(lambda: site.is_whole(), f"all machines before {name} is killed")
            site.machines.parts[name].kill()
            print(f"killed {name}; {load.summary()}" if len(load.took_s) > 1 else f"killed {name}", flush=True)
            before = len(load.acknowledged)
            wait_until(lambda before=before: len(load.acknowledged) > before, f"an upload after {name} was killed")
        wait_until(site.is_whole, "all machines at the end")
    print(f"\neach part killed once: {load.summary()}")
    assert set(load.uploads) <= {0, 200, 202, 502, 503, 504}
    assert set(load.reads) <= {0, 200, 502, 503, 504}
    for id in load.acknowledged:
        wait_until(lambda id=id: site.state_of(id) == "checked", f"the check of {id}")
    histories = [site.get(f"/api/v1/submissions/{id}/history/", signed_in=True).json for id in load.acknowledged]
    checks = [sum(row["to_state"] in ("checked", "invalid") for row in rows_of(history)) for history in histories]
    assert checks == [1] * len(load.acknowledged)
    assert len({hashlib.sha256(content).digest() for content in load.acknowledged.values()}) == len(histories)
    site.machines.manage("verify_history")
    site.machines.manage("append_log")
    site.machines.manage("verify_record")


def rows_of(history: Any) -> list[dict[str, Any]]:
    return history["results"] if isinstance(history, dict) else history


def test_no_request_fails_while_hosts_are_restarted_in_turn(site: Site, tmp_path: Path) -> None:
    wait_until(site.is_whole, "all machines")
    with Load(site, tmp_path) as load:
        for name in (*WEBS, REPLICA_WEB, *WORKERS, *OTHERS):
            part = site.machines.parts[name]
            part.restart()
            wait_until(site.is_whole, f"all machines after {name} was restarted")
            answered = requests_of(part)
            wait_until(lambda part=part, answered=answered: is_used(part, answered), f"requests to {name}")
    print(f"\neach host restarted in turn: {load.summary()}")
    assert set(load.uploads) == {202}
    assert set(load.reads) == {200}
    assert load.acknowledged
    for id in load.acknowledged:
        wait_until(lambda id=id: site.state_of(id) == "checked", f"the check of {id}")


def test_a_forged_address_is_not_passed_on(site: Site) -> None:
    """nginx replaces what a client says of itself, so a stranger cannot pass for loopback."""
    forged = {"X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http", "SCRIPT_NAME": "/x"}
    answer = Answer(site.machines, HOST, "GET", "/livez", forged, b"")
    assert answer.status == 200


def test_a_body_above_the_limit_is_refused_by_nginx(site: Site) -> None:
    headers = {"Content-Type": "application/octet-stream", "Content-Length": str(66 * 1024 * 1024)}
    assert Answer(site.machines, HOST, "POST", "/api/v1/submissions/", headers, b"").status == 413
    assert Answer(site.machines, READERS, "POST", "/api/v1/submissions/", headers, b"").status == 413


def test_readers_on_the_replica_take_no_upload_and_no_sign_in(site: Site) -> None:
    assert site.get("/login/", READERS).status == 404
    assert site.get("/results/", READERS).status == 200
    assert Answer(site.machines, READERS, "POST", "/api/v1/submissions/", {}, b"x").status in (404, 405)


def test_plain_http_leads_to_https(site: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.machines.ports["http"], timeout=10)
    connection.request("GET", "/results/?tool=ior", headers={"Host": HOST})
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("Location")) == (301, f"https://{HOST}/results/?tool=ior")
    connection.close()
