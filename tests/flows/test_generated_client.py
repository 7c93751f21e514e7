"""A client that others generate from openapi.json calls the running registry: every read, and the way of one upload."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import io
import json
import re
import subprocess
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.flows.conftest import ROOT, RunningSite, wait_until
from tests.make_io500 import make_run, pack
from tests.make_system import make_bag, make_system

pytestmark = [pytest.mark.deep, pytest.mark.services]

DOCUMENT = ROOT / "docs" / "openapi.json"
READS = {
    row["get"]["operationId"]: path
    for path, row in json.loads(DOCUMENT.read_text(encoding="utf-8"))["paths"].items()
    if "get" in row
}
PACKAGE = "client_of_openapi"
RELEASE = "generated"
NOT_THERE = {
    "steps_read": "step.not-found",
    "releases_questions": "submission.not-found",
    "reproductions_read": "record.no-mark",
    "reproductions_proof": "log.not-recorded",
    **dict.fromkeys(("webhooks_read", "webhooks_deliveries"), "webhook.not-found"),
}
"""Read without an answer of 200: no series of the demonstration is long enough for a change point, no webhook is
made, which would have to lead to a server of somebody else, a published release takes no questions, and nothing is
reproduced."""
REVIEWERS_ONLY = {"submissions_rubric", "submissions_dispositions"}
EDITORS_ONLY = {
    *("identities_list", "identities_preview", "lists_preview", "quarantine_list"),
    *("releases_checklist", "releases_open_points"),
}


class GeneratedClient:
    """The generated package, as a caller with a token uses it."""

    def __init__(self, folder: Path, url: str) -> None:
        self._url = url.rstrip("/")
        self._operations = {path.stem: self._load(path, folder) for path in (folder / PACKAGE / "api").rglob("*.py")}

    @staticmethod
    def _load(path: Path, folder: Path) -> ModuleType:
        return importlib.import_module(".".join(path.relative_to(folder).with_suffix("").parts))

    def model(self, name: str, fields: object) -> Any:
        """A body: the model of that name, made from its JSON."""
        return getattr(importlib.import_module(f"{PACKAGE}.models"), name).from_dict(fields)

    def choice(self, name: str, value: str) -> Any:
        """One of the values that a parameter may have."""
        return getattr(importlib.import_module(f"{PACKAGE}.models"), name)(value)

    def file(self, name: str, content: bytes) -> Any:
        return importlib.import_module(f"{PACKAGE}.types").File(io.BytesIO(content), name, "application/gzip")

    def parameters(self, operation: str) -> list[str]:
        """The arguments that a call cannot leave out."""
        names = inspect.signature(self._operations[operation].sync_detailed).parameters.values()
        return [row.name for row in names if row.default is row.empty and row.name != "client"]

    def call(self, operation: str, token: str = "", **arguments: Any) -> Any:
        """What the operation answers; raises UnexpectedStatus where openapi.json doesn't name the status."""
        client = importlib.import_module(f"{PACKAGE}.client")
        options = {"base_url": self._url, "raise_on_unexpected_status": True, "timeout": 60.0}
        own = client.AuthenticatedClient(token=token, prefix="Token", **options) if token else client.Client(**options)
        with own:
            return self._operations[operation].sync_detailed(client=own, **arguments)

    def done(self, operation: str, token: str = "", **arguments: Any) -> Any:
        """The parsed answer of a call that must succeed."""
        answer = self.call(operation, token, **arguments)
        assert answer.status_code in (200, 201, 202, 204), (operation, answer.status_code, answer.content[:2000])
        assert answer.parsed is not None or answer.status_code == 204 or not is_json(answer), operation
        return answer.parsed


def is_json(answer: Any) -> bool:
    return answer.headers.get("content-type", "").partition(";")[0] == "application/json"


@pytest.fixture(scope="module")
def client(site: RunningSite, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GeneratedClient]:
    folder = tmp_path_factory.mktemp("generated")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--path", str(DOCUMENT), "--meta", "none"]
    ran = subprocess.run([*command, "--output-path", str(folder / PACKAGE)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert "Warning" not in ran.stdout + ran.stderr, "operations or parts of them are left out"
    sys.path.insert(0, str(folder))
    yield GeneratedClient(folder, site.url)
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def people(site: RunningSite) -> dict[str, str]:
    """Tokens: Gina submits, Hugo reviews, Ines edits."""
    return site.tokens(gina=["--institution", "generated-lab"], hugo=["--role", "reviewer"], ines=["--role", "editor"])


@dataclass(frozen=True)
class Way:
    """What the way of one upload left behind: ids and names to read it by."""

    submission: uuid.UUID
    other: uuid.UUID
    result: str
    system: str
    ranking: str


@pytest.fixture(scope="module")
def way(
    site: RunningSite, client: GeneratedClient, people: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Way]:
    """A draft is answered, gets a file, is checked, submitted, reviewed, published, by the generated client alone."""
    folder = tmp_path_factory.mktemp("runs")
    gina, hugo, ines = (people[name] for name in ("gina", "hugo", "ines"))

    def read(id: uuid.UUID) -> str:
        return str(client.done("submissions_read", gina, id=id).state)

    def checked(id: uuid.UUID) -> None:
        wait_until(lambda: read(id) not in ("received", "processing"))
        assert read(id) == "checked"

    deadline = client.model("ReleaseRequest", {"slug": RELEASE, "deadline": "2099-01-01T00:00:00Z"})
    client.done("releases_create", ines, body=deadline)

    metadata = {"institution": "Generated Lab", "system": "Loch", "filesystem_type": "Lustre", "client_nodes": 10}
    fields = {"draft": True, "metadata": json.dumps(metadata)}
    draft = client.done("submissions_upload", gina, body=client.model("UploadRequest", fields))
    id = uuid.UUID(str(draft.id))
    assert read(id) == "draft"
    client.done("submissions_answers", gina, id=id, body=client.model("SubmissionsAnswersBody", {"client_nodes": 10}))
    client.done("submissions_keep", gina, id=id)
    archive = pack(folder / "run.tar.gz", make_bag(make_run(performance=1.25), make_system())).read_bytes()
    bundle = client.model("FileRequest", {"file": b"", "sha256": hashlib.sha256(archive).hexdigest()})
    bundle.file = client.file("run.tar.gz", archive)
    client.done("submissions_files_add", gina, id=id, body=bundle)
    checked(id)
    client.done("submissions_revalidate", gina, id=id, body=client.model("RevalidateRequest", {}))
    checked(id)

    content = pack(folder / "other.tar.gz", make_bag(make_run(performance=0.75), make_system())).read_bytes()
    upload = client.model("UploadRequest", {"bundle": b"", "sha256": hashlib.sha256(content).hexdigest()})
    upload.bundle = client.file("other.tar.gz", content)
    other = uuid.UUID(str(client.done("submissions_upload", gina, body=upload).id))
    checked(other)
    needless = client.done("submissions_upload", gina, body=client.model("UploadRequest", fields)).id
    reason = client.model("WithdrawRequest", {"reason": "The wrong system."})
    client.done("submissions_withdraw", gina, id=needless, body=reason)

    acknowledged = {"acknowledge_rules": True, "acknowledge_publication": True}
    request = client.model("SubmitRequest", {"release": RELEASE, "lists": ["full"], **acknowledged})
    client.done("submissions_submit", gina, id=id, body=request)
    client.done("submissions_open_to_questions", gina, id=id, body=client.model("ConsentRequest", {"open": True}))
    client.done("releases_questions", gina, release=RELEASE)
    client.done("submissions_assign", hugo, id=id, body=client.model("AssignRequest", {}))
    comment = client.model("CommentRequest", {"text": "Which drives?", "audience": "submitter"})
    client.done("submissions_comment", hugo, id=id, body=comment)
    decision = {"decision": "accept", "reproducibility": "proprietary", "reason": "All rules are satisfied."}
    client.done("submissions_review", hugo, id=id, body=client.model("ReviewRequest", decision))
    publish = client.model("PublishRequest", {"allow_empty": True})
    client.done("releases_publish", ines, release=RELEASE, body=publish)
    result = client.done("submissions_read", gina, id=id).result
    assert result in [entry.result for entry in client.done("lists_read", release=RELEASE, list_="full").entries]
    system = client.done("results_read", id=result).system_slug

    question = client.model("SaveRequest", {"title": "Scores", "question": "formula=score/client_nodes"})
    ranking = client.done("rankings_save", gina, body=question)
    yield Way(id, other, result, system, ranking.slug)
    client.done("rankings_remove", gina, slug=ranking.slug)


def arguments(operation: str, way: Way, client: GeneratedClient) -> dict[str, Any]:
    """Real names and ids for the arguments that a read cannot leave out."""
    if operation.startswith("submissions_"):
        return {"id": way.submission, "with_": way.other, "from_": 1, "to": 1, "form": "io500"}
    by_operation: dict[str, dict[str, Any]] = {
        "analysis": {"list_": "io500"},
        "export_read": {"name": client.choice("ExportReadName", "manifest.json")},
        "generations_read": {"slug": "cray-e2000"},
        "identities_preview": {
            **{"former": "wekaio-unnamed", "into": "inspur-unnamed"},
            "kind": client.choice("IdentitiesPreviewKind", "system"),
        },
        "lists_reconstructed": {"release": "SC25"},
        "members_list": {"slug": "generated-lab"},
        "name_changes_read": {"id": 1},
        "name_changes_proof": {"id": 1},
        "parameters_read": {"id": "lustre.client.osc.checksums"},
        "platforms_read": {"slug": "clusterstor-e1000"},
        "questionnaires_read": {"name": "reproducibility.1"},
        "rankings_read": {"slug": way.ranking},
        "schemas_read": {"name": "metadata.1"},
        "shelf_read": {"id": way.other},
        "sites_read": {"slug": "generated-lab"},
        "sizing": {"platform": "clusterstor-e1000", "target": 100.0},
        "steps_read": {"id": 1},
        "stragglers": {"members": 273, "slow": 18},
        "studies_read": {"slug": "e1000-test-scale"},
        "webhooks_deliveries": {"id": uuid.UUID(int=0)},
        "webhooks_read": {"id": uuid.UUID(int=0)},
        "study": {"metric": "score", "x": "release"},
    }
    shared = {
        **{"id": way.result, "form": "io500", "results": f"io500-785,{way.result}", "formula": "score/client_nodes"},
        **{"release": RELEASE, "list_": "full", "slug": way.system},
    }
    return shared | by_operation.get(operation, {})


def with_one_form_of_times(value: Any) -> Any:
    """JSON whose times in UTC end with the offset: `Z` and `+00:00` are one."""
    if isinstance(value, dict):
        return {name: with_one_form_of_times(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [with_one_form_of_times(inner) for inner in value]
    return re.sub(r"^(\d{4}-\d\d-\d\dT[\d:.]+)Z$", r"\1+00:00", value) if isinstance(value, str) else value


@pytest.mark.parametrize("operation", READS)
def test_a_generated_client_reads(operation: str, client: GeneratedClient, people: dict[str, str], way: Way) -> None:
    name = "ines" if operation in EDITORS_ONLY else "hugo" if operation in REVIEWERS_ONLY else "gina"
    values = arguments(operation, way, client)
    answer = client.call(operation, people[name], **{key: values[key] for key in client.parameters(operation)})
    if operation in NOT_THERE:
        assert (answer.status_code, answer.parsed.code) == (404, NOT_THERE[operation])
        return
    assert answer.status_code == 200, (answer.status_code, answer.content[:2000])
    if hasattr(answer.parsed, "to_dict"):
        assert with_one_form_of_times(answer.parsed.to_dict()) == with_one_form_of_times(json.loads(answer.content))
    else:
        assert answer.parsed == answer.content.decode()
