"""Faults of a running registry, made on purpose, and how a client uploads meanwhile."""

from __future__ import annotations

import hashlib
import http.client
import json
import os
import shutil
import signal
from pathlib import Path
from urllib.parse import urlsplit

from tests.flows.conftest import WITHIN_S, RunningSite, wait_until
from tests.running import Answer


def kill_children_of_the_worker(site: RunningSite) -> None:
    for child in children(program(site, " processing,check ")):
        os.kill(child, signal.SIGKILL)


def kill_worker(site: RunningSite) -> None:
    os.killpg(program(site, " processing,check "), signal.SIGKILL)


def kill_prompt_worker(site: RunningSite) -> None:
    os.killpg(program(site, " prompt "), signal.SIGKILL)


def kill_web_process(site: RunningSite) -> None:
    os.kill(children(program(site, "gunicorn"))[0], signal.SIGKILL)


def kill_database(site: RunningSite) -> None:
    os.kill(program(site, "/postgres "), signal.SIGKILL)


def lose_what_the_broker_holds(site: RunningSite) -> None:
    broker = program(site, "valkey-server")
    os.kill(broker, signal.SIGSTOP)
    shutil.rmtree(site.state / "valkey")
    (site.state / "valkey").mkdir(mode=0o700)
    os.kill(broker, signal.SIGKILL)


def upload(site: RunningSite, token: str, content: bytes) -> Answer | None:
    """The answer to an upload; None where the connection broke, as when the web process is killed."""
    head = (
        f'--x\r\nContent-Disposition: form-data; name="sha256"\r\n\r\n{hashlib.sha256(content).hexdigest()}\r\n'
        '--x\r\nContent-Disposition: form-data; name="bundle"; filename="run.tar.gz"\r\n\r\n'
    )
    body = head.encode() + content + b"\r\n--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Authorization": f"Token {token}"}
    connection = http.client.HTTPConnection(urlsplit(site.url).netloc, timeout=WITHIN_S)
    try:
        connection.request("POST", "/api/v1/submissions/", body, headers)
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.headers), answer.read())
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def state_of(site: RunningSite, token: str, id: str) -> str:
    answer = site.ask("GET", f"api/v1/submissions/{id}/", token)
    return answer.json["state"] if answer.status == 200 else ""


def program(site: RunningSite, word: str) -> int:
    """The process that the launcher started last with this word in its command line, waited for."""
    wait_until(lambda: bool(_programs(site, word)))
    return max(_programs(site, word))


def _programs(site: RunningSite, word: str) -> list[int]:
    launcher = json.loads((site.state / "lock").read_text())["pid"]
    return [child for child in children(launcher) if word in command_of(child)]


def children(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def command_of(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
