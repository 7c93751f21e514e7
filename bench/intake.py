"""Sending the real archives to a running site: accepted per second, then checked per second by two processes."""

from __future__ import annotations

import hashlib
import http.client
import json
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

from bench.archives import archives
from bench.figures import figure, note, skipped
from bench.site import forget_submissions, token, web, worker
from submissions.models import Submission
from submissions.tasks import process

UNFINISHED = ("received", "processing")


def run() -> None:
    paths = archives()
    if not paths:
        skipped("intake", "no shared data")
        return
    key = token()
    with web() as site:
        for clients in (1, 4):
            forget_submissions()
            used_s = site.cpu_s()
            figure(
                "intake", "accepted", _send_all(site.address, key, paths, clients), "1/s", clients=clients, workers=0
            )
            cpu_ms = (site.cpu_s() - used_s) / len(paths) * 1e3
            figure("intake", "CPU time of web server", cpu_ms, "ms/upload", clients=clients, archives=len(paths))
        for processes in (1, 2):
            _check_backlog(processes, len(paths))
        forget_submissions()
        with worker(2):
            begun = time.perf_counter()
            accepted = _send_all(site.address, key, paths, 1)
            _wait_until_checked()
            processed = len(paths) / (time.perf_counter() - begun)
    figure("intake", "accepted while checking", accepted, "1/s", clients=1, processes=2)
    figure("processing", "checked while accepting", processed, "1/s", clients=1, processes=2)


def _send_all(address: str, key: str, paths: list[Path], clients: int) -> float:
    """Send every archive once, in order, by so many clients; returns accepted ones per second."""
    begun = time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        statuses = list(pool.map(lambda path: _send(address, key, path), paths))
    elapsed_s = time.perf_counter() - begun
    refused = [status for status in statuses if status not in (200, 202)]
    if refused:
        note(f"{len(refused)} of {len(paths)} were refused: {sorted(set(refused))}")
    return (len(paths) - len(refused)) / elapsed_s


def _send(address: str, key: str, path: Path) -> int:
    content, boundary = path.read_bytes(), uuid.uuid4().hex
    fields = {"sha256": hashlib.sha256(content).hexdigest()}
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="bundle"; filename="{path.name}"\r\n\r\n'
    body = b"".join(parts) + head.encode() + content + f"\r\n--{boundary}--\r\n".encode()
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    headers = {"Authorization": f"Token {key}", "Content-Type": f"multipart/form-data; boundary={boundary}"}
    connection.request("POST", "/api/v1/submissions/", body, headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status not in (200, 202):
        note(json.dumps({"file": path.name, "status": answer.status, "answer": text[:300].decode(errors="replace")}))
    connection.close()
    return answer.status


def _check_backlog(processes: int, archives: int) -> None:
    """Put every submission back to received and let workers check them: checked ones per second, CPU time of each."""
    ids = list(Submission.objects.values_list("pk", flat=True))
    with worker(processes) as running:
        Submission.objects.update(state="received", attempts=0)
        used_s, begun = running.cpu_s(), time.perf_counter()
        for pk in ids:
            process.delay(str(pk))
        _wait_until_checked()
        rate, cpu_ms = len(ids) / (time.perf_counter() - begun), (running.cpu_s() - used_s) / len(ids) * 1e3
    figure("processing", "checked", rate, "1/s", processes=processes, archives=archives)
    figure("processing", "CPU time of worker, cage and shelf", cpu_ms, "ms/check", processes=processes)


def _wait_until_checked(limit_s: float = 300) -> None:
    deadline = time.monotonic() + limit_s
    while Submission.objects.filter(state__in=UNFINISHED).exists():
        if time.monotonic() > deadline:
            raise TimeoutError("not everything was checked")
        time.sleep(0.05)
