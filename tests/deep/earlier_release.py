"""A state folder as an earlier release leaves it, with people, runs and a published record in it.

    ./dev.py exec python -m tests.deep.earlier_release --keep /tmp/old-state

makes one to try upgrades on by hand: `cp -a` it and start a checkout on the copy with `./dev.py up --state COPY`.
Its folder `drill/` has what the tests need to know: names, tokens and ids, and what everybody saw. `--earlier-state`
gives it to them.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import BytesIO
from pathlib import Path

from tests.deep.observation import observe
from tests.deep.population import People, Story
from tests.running import ROOT, free_port, running
from tests.unpacking import extract

RELEASE = "96d1bca"
"""The commit that an upgrade begins with. An upgrade is tried from what people run: after a release, name it here."""
SITE_URL = "http://registry.test/"
"""The same before and after, whatever the port: receipts and citations name it."""


def unpack(folder: Path) -> bool:
    """Write the files of RELEASE to a folder; False where the clone has no such commit, as a shallow one."""
    archive = subprocess.run(["git", "archive", RELEASE], cwd=ROOT, capture_output=True)
    if archive.returncode != 0:
        return False
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        extract(files, folder, filter="tar")
    return True


def make(checkout: Path, state: Path) -> None:
    """Start RELEASE on an empty state folder, do there what people do, note what everybody sees, and stop it."""
    notes = state / "drill"
    notes.mkdir(parents=True, exist_ok=True)
    with receiver() as address, running(checkout, state, free_port(), SITE_URL) as registry:
        people = Story(registry, notes, address).tell()
        people.save(notes / "people.json")
        observe(registry, people, notes).save(notes / "before.json")


def kept_people(state: Path) -> People:
    return People.load(state / "drill" / "people.json")


@contextlib.contextmanager
def receiver() -> Iterator[str]:
    """The address of a server that takes every webhook."""

    class Takes(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return None

    with HTTPServer(("127.0.0.1", 0), Takes) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", type=Path, required=True, metavar="DIR", help="an empty folder, or a new one")
    state = parser.parse_args().keep.absolute()
    checkout = state / "drill" / "checkout"
    if state.exists() and any(state.iterdir()):
        parser.error(f"{state} is not empty")
    state.mkdir(parents=True, exist_ok=True)
    if not unpack(checkout):
        parser.error(f"this clone has no commit {RELEASE}")
    make(checkout, state)
    print(state)


if __name__ == "__main__":
    main()
