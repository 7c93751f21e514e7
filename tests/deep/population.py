"""What people do at a registry in its first weeks, by its own command line and its API, each thing once."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.running import Registry, succeeded, wait_until

PASSWORD = "a rather long sentence of the drill"
PEOPLE = {
    "alice": ["--institution", "north-lab"],
    "bob": ["--institution", "north-lab"],
    "charlie": ["--institution", "south-lab"],
    "nora": [],
    "dana": ["--role", "reviewer", "--institution", "west-lab"],
    "erin": ["--role", "editor"],
    "fay": ["--role", "admin"],
}
LISTS = ["full", "historical", "io500", "ten"]
FIO_LIST = "fio-seq-write"
AGREED = {"acknowledge_rules": True, "acknowledge_publication": True}
ACCEPTED = {"decision": "accept", "reproducibility": "fully", "reason": "All rules are satisfied."}
SECRET_NAME = "Tarn"
"""The system of the anonymous result, which no public answer may hold."""


@dataclass
class People:
    """What the drill remembers of the registry that it filled: keys, ids, files."""

    tokens: dict[str, str] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)
    submissions: dict[str, str] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    webhooks: dict[str, str] = field(default_factory=dict)
    system: str = ""
    bundles: dict[str, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self), indent=1))

    @classmethod
    def load(cls, path: Path) -> People:
        return cls(**json.loads(path.read_text()))


def module(checkout: Path, name: str) -> ModuleType:
    """A module of the tests of a checkout, beside the one of the same name that runs now."""
    spec = importlib.util.spec_from_file_location(f"earlier_{name}", checkout / "tests" / f"{name}.py")
    assert spec and spec.loader
    new_module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = new_module  # dataclasses look their module up
    spec.loader.exec_module(new_module)
    return new_module


def build_collector(registry: Registry, folder: Path) -> Path:
    """The single file of the checkout that the registry runs, made by its launcher."""
    out = folder / "highwater.pyz"
    command = [sys.executable, "dev.py", "collector", "--out", out]
    subprocess.run(command, cwd=registry.checkout, env=registry.environment, check=True, capture_output=True, text=True)
    return out


def run_collector(registry: Registry, file: Path, token: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """`highwater.pyz ...` as a site runs it: in a folder that has nothing of ours."""
    environment = dict(registry.environment) | {"HIGHWATER_URL": registry.url, "HIGHWATER_TOKEN": token}
    command = [sys.executable, "-I", file, *map(str, arguments)]
    return subprocess.run(command, env=environment, cwd=file.parent, capture_output=True, text=True)


class Story:
    """One filling of one registry; `people` is what it leaves to know."""

    def __init__(self, registry: Registry, folder: Path, receiver: str) -> None:
        self.registry, self.folder, self.receiver = registry, folder, receiver
        self.people = People()
        self.io500 = module(registry.checkout, "make_io500")
        self.system = module(registry.checkout, "make_system")
        self.fio = module(registry.checkout, "make_fio")
        self.collector = build_collector(registry, folder)

    def tell(self) -> People:
        self.accounts()
        self.releases()
        self.uploads()
        self.first_release()
        self.second_release()
        self.own_things()
        self.registry.manage("verify_history")
        return self.people

    # The people and the releases

    def accounts(self) -> None:
        calls = "; ".join(f"call_command('create_token', *{[name, *options]})" for name, options in PEOPLE.items())
        passwords = (
            "from submissions.models import Account\n"
            "for one in Account.objects.all():\n"
            f"    one.set_password({PASSWORD!r}); one.save()"
        )
        code = f"from django.core.management import call_command\n{calls}\n{passwords}"
        tokens = self.registry.manage("shell", "-v", "0", "-c", code).split()
        self.people.tokens = dict(zip(PEOPLE, tokens, strict=True))
        self.people.sessions = {name: self.registry.sign_in(name, PASSWORD) for name in PEOPLE}

    def done(self, name: str, method: str, path: str, document: object = None) -> Any:
        return self.registry.done(method, path, self.people.tokens[name], document)

    def releases(self) -> None:
        now = datetime.now(UTC)
        for slug, days in (("sc98", 30), ("sc99", 3000)):
            deadline = (now + timedelta(days=days)).isoformat()
            lists = [*LISTS, FIO_LIST]
            self.done(
                "erin", "POST", "releases/", {"slug": slug, "name": slug.upper(), "deadline": deadline, "lists": lists}
            )

    # What comes in

    def archive(self, name: str, *, described: bool = False, **changes: Any) -> Path:
        files = self.io500.make_run(**changes)
        if described:
            files = self.system.make_bag(files, self.system.make_system())
        path = self.io500.pack(self.folder / f"{name}.tar.gz", files)
        self.people.bundles[name] = path.name
        return path

    def by_command(self, who: str, name: str, archive: Path, status: int = 0, **metadata: Any) -> None:
        metadata_file = self.folder / f"{name}.metadata.json"
        metadata_file.write_text(json.dumps(metadata))
        ran = run_collector(
            self.registry,
            self.collector,
            self.people.tokens[who],
            "upload",
            archive,
            "--metadata",
            metadata_file,
            "--json",
        )
        assert ran.returncode == status, (name, ran.returncode, ran.stdout, ran.stderr)
        self.people.submissions[name] = json.loads(ran.stdout)["id"]

    def by_api(self, who: str, name: str, archive: Path, state: str = "checked", **metadata: Any) -> None:
        metadata_text = json.dumps(metadata)
        answer = self.registry.send_file(
            "api/v1/submissions/", self.people.tokens[who], "bundle", archive.name, archive.read_bytes(),
            metadata=metadata_text,
        )  # fmt: skip
        id = self.people.submissions[name] = succeeded(answer)["id"]
        assert self.registry.settled(id, self.people.tokens[who])["state"] == state, name

    def uploads(self) -> None:
        lustre = {"filesystem_type": "Lustre", "client_nodes": 10, "tasks": 160}
        self.by_command(
            "alice", "fjord", self.archive("fjord", described=True, performance=1.5), system="Fjord", **lustre
        )
        self.by_command(
            "alice", "geest", self.archive("geest", performance=2), system="Geest", storage_vendor="Exmaple"
        )
        self.by_api("alice", "haar", self.archive("haar", performance=1.1, client_nodes=20), system="Haar")
        self.by_api("charlie", "skerry", self.archive("skerry", performance=1.2), system="Skerry", **lustre)
        self.by_api("charlie", "tarn", self.archive("tarn", performance=1.7), system=SECRET_NAME, **lustre)
        self.by_api("alice", "voe", self.archive("voe", performance=2.5), system="Voe", **lustre)
        for number, name in enumerate(
            ("submitted", "in_review", "accepted", "changes_requested", "rejected", "gone"), 1
        ):
            who = "charlie" if name in ("accepted", "in_review") else "alice"
            self.by_api(
                who, name, self.archive(name, performance=3 + number / 10), system=f"Zsystem-{number}", **lustre
            )
        self.by_command("bob", "checked", self.archive("checked", performance=0.8), system="Zsystem-7")
        self.by_command(
            "alice", "invalid", self.archive("invalid", short="ior-easy-write"), status=1, system="Zsystem-8"
        )
        fio = self.folder / "fio.json"
        fio.write_bytes(self.fio.make_output(3))
        self.by_command("bob", "fio", fio, system="Fjord", filesystem_type="Lustre", client_nodes=1)
        ran = run_collector(
            self.registry, self.collector, self.people.tokens["bob"],
            "upload", self.archive("trial", performance=0.9), "--test", "--json",
        )  # fmt: skip
        self.people.submissions["trial"] = json.loads(ran.stdout)["id"]
        self.draft()

    def draft(self) -> None:
        """Begun without a file; then a bundle, a file beside it, and a second version of that file."""
        token = self.people.tokens["bob"]
        metadata = json.dumps({"system": "Zsystem-9", "note": "Zdraft"})
        new_draft = succeeded(self.registry.send_form("api/v1/submissions/", token, draft="true", metadata=metadata))
        id = self.people.submissions["draft"] = new_draft["id"]
        bundle = self.archive("draft", performance=0.7)
        files = [
            (bundle.name, bundle.read_bytes()),
            ("job.sbatch", b"#!/bin/bash\nsrun ./io500 config.ini\n"),
            ("job.sbatch", b"#!/bin/bash\nsrun -n 160 ./io500 config.ini\n"),
        ]
        for name, content in files:
            succeeded(self.registry.send_file(f"api/v1/submissions/{id}/files/", token, "file", name, content))
        self.registry.settled(id, token)
        empty = succeeded(self.registry.send_form("api/v1/submissions/", token, draft="true"))
        self.people.submissions["empty_draft"] = empty["id"]

    # What becomes of it

    def act(self, who: str, name: str, verb: str, document: object = None, method: str = "POST") -> Any:
        return self.done(who, method, f"submissions/{self.people.submissions[name]}/{verb}/", document)

    def submit(self, who: str, name: str, release: str, lists: list[str] | None = None, **more: Any) -> None:
        self.act(who, name, "submit", {"release": release, "lists": lists or LISTS} | AGREED | more)

    def decide(self, name: str, **changes: Any) -> None:
        """Once its scrubbed copy is there."""
        id, token = self.people.submissions[name], self.people.tokens["dana"]
        wait_until(
            lambda: self.registry.done("GET", f"submissions/{id}/files/", token)["derivative"] is not None,
            f"the copy of {name}",
        )
        self.act("dana", name, "review", ACCEPTED | changes)

    def first_release(self) -> None:
        """Published with frozen lists; then one result is revised and one withdrawn."""
        owners = {"fjord": "alice", "geest": "alice", "haar": "alice", "skerry": "charlie", "tarn": "charlie"}
        for name, who in owners.items():
            self.submit(who, name, "sc98")
        self.submit("bob", "fio", "sc98", [FIO_LIST])
        self.submit("alice", "voe", "sc98", embargo_until=(datetime.now(UTC) + timedelta(days=2000)).isoformat())
        self.act("charlie", "tarn", "anonymity", {"reason": "The vendor has not announced it."})
        self.act("erin", "tarn", "anonymity/decision", {"granted": True, "reason": "Until it is announced."})
        for name in (*owners, "fio", "voe"):
            self.decide(name)
        published = self.done("erin", "POST", "releases/sc98/publish/")
        assert (published["results"], published["embargoed"]) == (6, 1), published
        for name in (*owners, "fio"):
            self.remember_result(name)
        self.done(
            "erin", "POST", "lists/sc98/full/overrides/",
            {"result": self.people.results["haar"], "action": "exclude", "reason": "Its nodes were shared."},
        )  # fmt: skip
        self.act("charlie", "skerry", "withdraw", {"reason": "The drives were faulty."})
        revised = self.act(
            "alice", "geest", "revise",
            {"reason": "The vendor was misspelt.", "metadata": {"system": "Geest", "storage_vendor": "Example"}},
        )  # fmt: skip
        self.people.submissions["geest_again"] = revised["id"]
        self.registry.settled(revised["id"], self.people.tokens["alice"])
        self.submit("alice", "geest_again", "sc98")
        self.decide("geest_again")
        self.registry.settled(revised["id"], self.people.tokens["alice"], "submitted", "in_review", "accepted")
        self.remember_result("geest_again")
        self.people.system = self.registry.done("GET", f"results/{self.people.results['fjord']}/", "")["system_slug"]

    def remember_result(self, name: str) -> None:
        id = self.people.submissions[name]
        submission = self.registry.done("GET", f"submissions/{id}/", self.people.tokens["erin"])
        assert submission["state"] == "published" and submission["result"], (name, submission["state"])
        self.people.results[name] = submission["result"]

    def second_release(self) -> None:
        """Open: a run in each state of a review."""
        owners = {"submitted": "alice", "in_review": "charlie", "accepted": "charlie", "changes_requested": "alice"}
        for name, who in (owners | {"rejected": "alice", "gone": "alice"}).items():
            self.submit(who, name, "sc99")
        self.act("alice", "gone", "withdraw", {"reason": "Measured on the wrong system."})
        self.act("dana", "in_review", "assign")
        self.act("dana", "in_review", "comments", {"text": "Zcomment: which drives are these?"})
        self.act("charlie", "in_review", "comments", {"text": "Zcomment: those of last year."})
        self.decide("accepted")
        self.decide("changes_requested", decision="request_changes", reason="Zreason: the layout is missing.")
        self.decide("rejected", decision="reject", reason="Zreason: it ran on a virtual machine.")
        self.act(
            "bob", "checked", "answers", {"system_purpose": "Zanswer: weather forecasts and climate models."}, "PUT"
        )

    def own_things(self) -> None:
        """What accounts save for themselves or for all."""
        question = "metric=score&x=client_nodes&tool=io500&release=sc98"
        for who, keep in (("alice", "live"), ("charlie", "as-of")):
            self.done(who, "POST", "studies/", {"title": f"Scores, {keep}", "question": question, "keep": keep})
        self.done(
            "bob", "POST", "rankings/", {"title": "Per client", "question": "formula=score+/+client_nodes&release=sc98"}
        )
        for who in ("alice", "charlie"):
            self.people.webhooks[who] = self.done(who, "POST", "webhooks/", {"url": self.receiver})["id"]
            self.done(who, "POST", "following/", {"system": self.people.system})
            address = f"webhooks/{self.people.webhooks[who]}/deliveries/"
            self.done(who, "POST", address)
            wait_until(
                lambda who=who, address=address: all(
                    row["state"] == "delivered" for row in self.done(who, "GET", address)["results"]
                ),
                "the delivery of a trial",
            )
