"""What everybody sees of a registry: answers of its API, bytes that it gives out, what each account may read."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sqlite3
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet

from tests.deep.population import People, run_collector
from tests.running import Registry, wait_until

CALLERS = 6
EVERY = 20
"""Of imported results and systems so many are looked at in all their parts once; of our own each."""

GROWING = ("schemas", "questionnaires", "rules", "benchmarks", "parameters", "hardware", "studies", "generations")
"""Collections that are data of the code, of which a later release has more."""
PARTS_OF_A_RESULT = (
    "citation", "files", "distributions", "ceilings", "members", "system", "system/io500", "system/mlperf-storage",
)  # fmt: skip
PARTS_OF_A_SUBMISSION = (
    "", "findings/", "history/", "receipt/", "files/", "files/received/", "versions/", "answers/", "comments/",
    "rubric/", "anonymity/", "system/",
)  # fmt: skip
OWN = ("submissions/", "tokens/", "webhooks/", "following/", "steps/", "institutions/", "receipts/")
QUESTIONS = (
    "study/?metric=score&x=client_nodes&tool=io500&release=sc98",
    "study/?metric=ior-easy-write.bandwidth.phase&x=client_nodes&series=institution&tool=io500&trust=verified",
    "study/?metric=score&x=release&tool=io500&per=client",
    "study/metrics/",
    "study/axes/",
    "ranking/?formula=score+/+client_nodes&release=sc98",
    "ranking/?formula=score&trust=imported",
    "stragglers/?members=100&slow=3&stripes=8",
    "results/?filesystem_type=lustre&client_nodes__gte=100&ordering=-score",
    "results/?q=fjord",
    "results/?p.lustre.client.osc.checksums=false",
    "systems/?tool=io500&trust=verified",
)
PAGES = (
    "", "lists/", "releases/", "results/", "systems/", "sites/", "studies/", "rankings/", "generations/", "hardware/",
    "parameters/", "search/?q=fjord", "docs/", "docs/rules/", "client/", "collector/", "compare/", "analysis/",
    "stragglers/", "sizing/", "lists/feed.atom", "releases/feed.atom", "lists/sc98/full/", "releases/sc98/",
    "lists/sc98/full/badge.svg", "study/?metric=score&x=client_nodes&tool=io500&release=sc98", "robots.txt",
    "lists/sc99/full/",
)  # fmt: skip
PRIVATE_PAGES = (
    "submissions/", "submissions/new/", "account/", "account/webhooks/", "account/following/", "account/steps/",
    "review/", "admin/",
)  # fmt: skip


@dataclass
class Observation:
    """Documents by what was asked: `WHO PATH` -> status and JSON; downloads: `WHO PATH` -> status and sha256."""

    documents: dict[str, Any] = field(default_factory=dict)
    downloads: dict[str, Any] = field(default_factory=dict)
    pages: dict[str, int] = field(default_factory=dict)
    tables: dict[str, Any] = field(default_factory=dict)
    commands: dict[str, Any] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1, sort_keys=True))

    @classmethod
    def load(cls, path: Path) -> Observation:
        return cls(**json.loads(path.read_text()))


def observe(registry: Registry, people: People, notes: Path) -> Observation:
    """All of it, once the registry has made its files. `notes` has the archives and the earlier single file."""
    wait_until(lambda: registry.ask("GET", "api/v1/export/manifest.json").status == 200, "an edition of the record")
    observation = Observation()
    with ThreadPoolExecutor(CALLERS) as pool:
        observer = Observer(registry, people, pool, observation)
        observer.public()
        observer.private()
        observer.files()
        observer.see_pages()
    observation.tables = exports(registry)
    observation.commands = commands(registry, people, notes)
    return observation


class Observer:
    def __init__(self, registry: Registry, people: People, pool: ThreadPoolExecutor, observation: Observation) -> None:
        self.registry, self.people, self.pool, self.seen = registry, people, pool, observation

    def read(self, *paths: str, who: str = "anybody") -> list[Any]:
        """Ask for documents, keep and return them."""
        token = self.people.tokens.get(who, "")

        def of(path: str) -> tuple[str, int, Any]:
            answer = self.registry.ask("GET", f"api/v1/{path}", token)
            is_json = "json" in answer.headers.get("Content-Type", "")
            text = self.registry.without_address(answer.body.decode(errors="replace"))
            return path, answer.status, json.loads(text) if is_json else text

        answers = list(self.pool.map(of, paths))
        for path, status, document in answers:
            self.seen.documents[f"{who} {path}"] = {"status": status, "answer": document}
        return [document for _, _, document in answers]

    def whole(self, path: str) -> list[Any]:
        """All rows of a collection, page by page."""
        rows: list[Any] = []
        following: str | None = path
        while following:
            answer = self.registry.done("GET", following, "")
            rows += json.loads(self.registry.without_address(json.dumps(answer["results"])))
            following = answer["next"] and answer["next"].partition("/api/v1/")[2]
        self.seen.documents[f"anybody {path} (all)"] = {"status": 200, "answer": {"results": rows}}
        return rows

    # What is public

    def public(self) -> None:
        results, systems, sites = self.whole("results/"), self.whole("systems/"), self.whole("sites/")
        platforms = self.whole("platforms/")
        own = sorted(self.people.results.values())
        ids = sorted({row["id"] for row in results} | set(own))
        self.read(*(f"results/{id}/" for id in ids))
        looked_at = [*own, *ids[::EVERY]]
        self.read(*(f"results/{id}/{part}/" for id in looked_at for part in PARTS_OF_A_RESULT))
        slugs = [row["slug"] for row in systems]
        self.read(*(f"systems/{slug}/" for slug in slugs))
        chosen_slugs = [*slugs[::EVERY], *(row["slug"] for row in systems if "-lab" in row["slug"])]
        self.read(*(f"systems/{slug}/{part}/" for slug in chosen_slugs for part in ("history", "sweep")))
        self.read(*(f"sites/{row['slug']}/" for row in sites))
        self.read(*(f"{kind}/{row['slug']}/" for row in platforms for kind in ("platforms", "generations")))
        self.lists()
        self.asked(own, ids)
        self.catalogues()

    def lists(self) -> None:
        for release in self.whole("releases/"):
            slug = release["slug"]
            self.read(f"releases/{slug}/", f"releases/{slug}/awards/")
        lists = self.whole("lists/")
        self.read(*(f"lists/{row['release']}/{row['list']}/?page_size=1000" for row in lists))
        self.read(*(f"lists/{row['release']}/{row['list']}/citation/" for row in lists))
        self.read("lists/sc98/full/?format=csv", "lists/sc99/full/")
        self.read(*(f"analysis/{name}/" for name in sorted({row["list"] for row in lists})))

    def asked(self, own: list[str], ids: list[str]) -> None:
        pairs = [own[:2], [own[0], own[-1]], own[:3], [own[0], ids[-1]], ids[-3:-1]]
        self.read(
            *(f"compare/?results={','.join(pair)}" for pair in pairs),
            f"compare/?results={','.join(own[:2])}&per=client",
        )
        self.read(*QUESTIONS)

    def catalogues(self) -> None:
        self.read("", "openapi.json", "export/", *(f"{name}/" for name in (*GROWING, "rankings")))
        for name in ("studies", "rankings"):
            rows = self.seen.documents[f"anybody {name}/"]["answer"]["results"]
            self.read(*(f"{name}/{row['slug']}/" for row in rows))

    # What is private

    def private(self) -> None:
        """Every account and nobody at each part of each submission, and at what is the account's own."""
        for who in ("nobody", *self.people.tokens):
            self.read(*OWN, *(f"webhooks/{id}/" for id in self.people.webhooks.values()), who=who)
            parts = [
                f"submissions/{id}/{part}" for id in self.people.submissions.values() for part in PARTS_OF_A_SUBMISSION
            ]
            self.read(*parts, "lists/sc99/full/preview/", "institutions/north-lab/members/", who=who)

    def files(self) -> None:
        """Bytes: of bundles, copies and earlier versions, for every session and for nobody."""
        submissions = list(self.people.submissions.values())
        paths = [f"submissions/{id}/{kind}/" for id in submissions for kind in ("received", "copy")]
        paths += [
            f"submissions/{self.people.submissions['draft']}/versions/{version}/job.sbatch/" for version in (2, 3)
        ]
        paths += [f"results/{id}/copy.tar.gz" for id in self.people.results.values()]
        requests = [(who, path) for who in ("nobody", *self.people.sessions) for path in paths]

        def of(request: tuple[str, str]) -> tuple[str, dict[str, Any]]:
            answer = self.registry.ask("GET", request[1], session=self.people.sessions.get(request[0], ""))
            digest = hashlib.sha256(answer.body).hexdigest() if answer.status == 200 else None
            return " ".join(request), {"status": answer.status, "sha256": digest}

        self.seen.downloads = dict(self.pool.map(of, requests))

    def see_pages(self) -> None:
        own = [f"results/{id}/" for id in self.people.results.values()]
        paths = [("nobody", path) for path in (*PAGES, *own, f"systems/{self.people.system}/")]
        private = [*PRIVATE_PAGES, *(f"submissions/{id}/" for id in self.people.submissions.values())]
        private += [f"review/{id}/" for id in self.people.submissions.values()]
        paths += [(who, path) for who in ("nobody", *self.people.sessions) for path in private]

        def of(request: tuple[str, str]) -> tuple[str, int]:
            return " ".join(request), self.registry.ask(
                "GET", request[1], session=self.people.sessions.get(request[0], "")
            ).status

        self.seen.pages = dict(self.pool.map(of, paths))


# The whole record as files


def exports(registry: Registry) -> dict[str, Any]:
    """Rows of each file by their id, as values of JSON."""

    def file(name: str) -> bytes:
        answer = registry.ask("GET", f"api/v1/export/{name}")
        assert answer.status == 200, (name, answer.body)
        return answer.body

    read = csv.DictReader(io.StringIO(file("results.csv").decode()))
    tables = {
        "results.csv": by_id([{name: unfolded(cell) for name, cell in row.items()} for row in read]),
        "results.ndjson": by_id([json.loads(line) for line in file("results.ndjson").splitlines()]),
        "results.parquet": by_id(pyarrow.parquet.read_table(io.BytesIO(file("results.parquet"))).to_pylist()),
    }
    with tempfile.NamedTemporaryFile(suffix=".sqlite") as database:
        Path(database.name).write_bytes(file("record.sqlite"))
        tables["record.sqlite"] = sqlite_rows(Path(database.name))
    return json.loads(json.dumps(tables, default=str))


def by_id(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(row["id"]): {name: unfolded(value) for name, value in row.items()} for row in rows}


def unfolded(value: Any) -> Any:
    """A cell that holds JSON, as that."""
    if isinstance(value, str) and value[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def sqlite_rows(path: Path) -> dict[str, Any]:
    """Rows of each table of the record."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')] for name in names}
    finally:
        connection.close()


# What the earlier command line and Python client say

CLIENT = """
import json, sys, tempfile
import highwater
registry = highwater.Registry(sys.argv[1])
own = sys.argv[2].split(",")
study = registry.study(metric="score", x="client_nodes", tool="io500", release="sc98")
ranking = registry.rank("score / client_nodes", release="sc98")
with tempfile.TemporaryDirectory() as folder:
    exported = registry.export("record.sqlite", folder).stat().st_size > 0
said = {
    "results": [row["id"] for row in registry.results(limit=60)],
    "result": registry.result(own[0]),
    "measurements": list(registry.measurements(own[0])),
    "study": {"rows": list(study), "unit": study.unit},
    "ranking": list(ranking),
    "compare": registry.compare(own[0], own[1]),
    "studies": sorted(row["slug"] for row in registry.studies()),
    "metrics": len(registry.metrics()) > 0,
    "axes": len(registry.axes()) > 0,
    "exported": exported,
}
try:
    registry.result("none")
except highwater.Refused as refusal:
    said["refused"] = [refusal.status, refusal.code]
print(json.dumps(said))
"""


def commands(registry: Registry, people: People, notes: Path) -> dict[str, Any]:
    """Reading verbs of the earlier single file, and the calls of the earlier Python client."""
    file, checkout = notes / "highwater.pyz", notes / "checkout"
    answer_by_command: dict[str, Any] = {}
    for who, *arguments in (
        ("alice", "status", people.submissions["fjord"]),
        ("alice", "status", people.submissions["invalid"]),
        ("charlie", "status", people.submissions["in_review"]),
        ("nora", "status"),
        ("bob", "validate", notes / people.bundles["fjord"], "--server"),
        ("bob", "validate", notes / people.bundles["invalid"], "--server"),
        ("alice", "upload", notes / people.bundles["geest"]),
    ):
        ran = run_collector(registry, file, people.tokens[who], *arguments, "--json")
        answer_by_command[" ".join([who, *(Path(argument).name for argument in arguments)])] = {
            "status": ran.returncode,
            "printed": unfolded(registry.without_address(ran.stdout.strip())),
        }
    ids = ",".join(people.results[name] for name in ("fjord", "haar"))
    client_run = subprocess.run(
        [sys.executable, "-S", "-c", CLIENT, registry.url, ids],
        cwd=checkout, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True,
    )  # fmt: skip
    answer_by_command["the Python client"] = (
        json.loads(registry.without_address(client_run.stdout))
        if client_run.returncode == 0
        else {"failed": client_run.stderr}
    )
    return answer_by_command
