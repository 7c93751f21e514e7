"""What the cage answers is what the readers say outside of it, of every sample and of hostile archives."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from submissions.bundles import scrubbing
from submissions.bundles.cage import archive_view, client, jobs, plain_json, untrusted
from tests.make_io500 import make_archive
from validators.benchmarks import __path__ as benchmarks

ROOT = Path(__file__).resolve().parents[4]
SAMPLES = sorted(path for folder in benchmarks for path in Path(folder).glob("*/samples/*/*") if path.is_file())


@pytest.fixture(scope="module")
def cage() -> Iterator[client.Cage]:
    cage = client.Cage()
    yield cage
    cage._end_server()


def ask_cage(cage: client.Cage, path: Path, *extra_files: Path, **options: Any) -> dict[str, Any]:
    files = [{"name": file.name, "sha256": ""} for file in extra_files]
    return cage.do_job(jobs.check_bundle, [path, *extra_files], {"extra_files": files, "check": options}, seconds=60)


def direct(path: Path, *extra_files: Path, **options: Any) -> dict[str, Any]:
    files = [{"name": file.name, "sha256": ""} for file in extra_files]
    answer = jobs.check_bundle([path, *extra_files], {"extra_files": files, "check": options})
    return json.loads(plain_json.to_text(answer))


def test_every_sample_is_read_the_same_without_opening_files(cage, caplog) -> None:
    assert len(SAMPLES) > 100
    for path in SAMPLES:
        assert untrusted.require_answer(ask_cage(cage, path)) == direct(path), path
    assert "asked to open" not in caplog.text


def nested(depth: int, content: bytes) -> bytes:
    for number in range(depth):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name in ("a", "b"):
                archive.writestr(f"{name}{number}.zip" if number else f"{name}.txt", content)
        content = out.getvalue()
    return content


@pytest.mark.parametrize("kind", ["run", "beside", "deep", "damaged", "large", "empty", "zstd"])
def test_archives_are_opened_the_same_inside_the_cage(cage, caplog, tmp_path: Path, kind: str) -> None:
    path, extra_files = tmp_path / "run.tar.gz", []
    if kind in ("run", "beside"):
        make_archive(path)
        (tmp_path / "note.txt").write_text("a note\n")
        extra_files = [tmp_path / "note.txt"] if kind == "beside" else []
    elif kind == "large":  # more than lies in memory: it takes a scratch file
        with tarfile.open(path, "w:gz") as archive:
            member = tarfile.TarInfo("results/large.txt")
            member.size = 40 * 1024 * 1024
            archive.addfile(member, io.BytesIO(b"0123456789abcdef" * (member.size // 16)))
    else:
        path.write_bytes(
            {
                "deep": nested(4, b"x\n"),
                "damaged": nested(2, b"x" * 1000)[:-40],
                "empty": b"",
                "zstd": b"\x28\xb5\x2f\xfd" + b"x" * 100,
            }[kind]
        )
    assert untrusted.require_answer(ask_cage(cage, path, *extra_files, name="sent.tgz")) == direct(
        path, *extra_files, name="sent.tgz"
    )
    assert "asked to open" not in caplog.text


def test_a_scrubbed_copy_is_the_same_inside_the_cage(cage, caplog, tmp_path: Path) -> None:
    path, copy, other = make_archive(tmp_path / "run.tar.gz"), tmp_path / "copy", io.BytesIO()
    arguments = {"name": "run.tgz", "extra_files": [], "agreed": [], "read": None}
    with copy.open("w+b") as out:
        answer = cage.do_job(jobs.scrub_bundle, [path], arguments, seconds=60, out=out)
    result = untrusted.require_scrubbed(answer)
    assert result == scrubbing.derive_copy(path, other, name="run.tgz", choose=_read_by_a_check)
    assert copy.read_bytes() == other.getvalue() != b""
    assert "asked to open" not in caplog.text


def _read_by_a_check(bundle):
    from validators.checks import read_files

    return read_files(bundle)


@pytest.fixture(scope="module")
def warm() -> dict[str, Any]:
    """What a process says of itself that is ready for jobs."""
    program = (
        "import json, sys; from submissions.bundles.cage import jobs, server\n"
        "jobs.warm_up()\n"
        "from validators.scrubbing import late_patterns\n"
        "compiled = [late._compiled is not None for late in late_patterns._PATTERNS]\n"
        "print(json.dumps({'packages': sorted({name.split('.')[0] for name in sys.modules}), 'compiled': compiled}))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env={}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_warm_process_loads_no_module_with_secrets(warm: dict[str, Any]) -> None:
    assert "validators" in warm["packages"]
    assert not {"django", "registry", "psycopg", "redis"} & set(warm["packages"])


def test_the_warm_process_has_compiled_each_pattern(warm: dict[str, Any]) -> None:
    assert len(warm["compiled"]) > 50
    assert all(warm["compiled"])


# Forged reports


@pytest.fixture(scope="module")
def honest(tmp_path_factory) -> dict[str, Any]:
    return direct(make_archive(tmp_path_factory.mktemp("run") / "run.tar.gz"))


def changed(answer: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    copy = json.loads(json.dumps(answer))
    place = copy
    for step in path[:-1]:
        place = place[step]
    if value is _GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return copy


_GONE = object()
RUN = ("report", "runs", 0)
TEXTS = dict.fromkeys(("message", "hint", "where", "expected", "actual"), "")


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("report",), []),
        (("report", "status"), "verified"),
        (("report", "status"), "unreadable"),
        (("report", "primary"), 1),
        (("report", "primary"), -1),
        (("report", "primary"), True),
        (("report", "runs"), {}),
        (("report", "runs"), []),
        (("report", "findings"), [{"code": "x"}]),
        (("report", "findings"), [{**TEXTS, "code": "A b", "level": "error"}]),
        (("report", "findings"), [{**TEXTS, "code": "a.b", "level": "fatal"}]),
        (("report", "findings"), [{**TEXTS, "code": "a.b", "level": "error", "sha256": "x"}]),
        (("report", "approved"), True),
        (("report", "not_read"), "x"),
        ((*RUN, "tool"), None),
        ((*RUN, "tool"), _GONE),
        ((*RUN, "trust"), "verified"),
        ((*RUN, "client_nodes"), "10"),
        ((*RUN, "client_nodes"), False),
        ((*RUN, "measurements", 0), "x"),
        ((*RUN, "measurements", 0, "value"), "1"),
        ((*RUN, "measurements", 0, "context"), []),
        ((*RUN, "rules", 0, "outcome"), "fine"),
        ((*RUN, "scores"), {"SCORE": 5}),
        ((*RUN, "findings"), [None]),
        (("read_files",), [1]),
        (("system",), {"sha256": "x", "summary": {}, "document": {}}),
    ],
)  # fmt: skip
def test_a_forged_report_is_refused(honest, path, value) -> None:
    assert untrusted.require_answer(honest)
    with pytest.raises(client.JobFailed):
        untrusted.require_answer(changed(honest, path, value))


@pytest.mark.parametrize("answer", [None, 5, "x", [], {}, {"report": {}, "read_files": [], "system": None}])
def test_invalid_reports_are_refused(answer) -> None:
    with pytest.raises(client.JobFailed):
        untrusted.require_answer(answer)
    with pytest.raises(client.JobFailed):
        untrusted.require_scrubbed(answer)


# Looking into archives


def ask_look(cage: client.Cage, stored: Path, what, **arguments: Any) -> dict[str, Any]:
    job_arguments = {"look": what.__name__, "name": "run.tgz", "extra_files": [], **arguments}
    return untrusted.require_look(cage.do_job(jobs.look_into, [stored], job_arguments, seconds=20), what)


def test_looks_at_an_archive_need_no_stored_file(cage, caplog, tmp_path: Path) -> None:
    path = make_archive(tmp_path / "run.tar.gz")
    file_rows = ask_look(cage, path, archive_view.list_files)["files"]
    page = ask_look(cage, path, archive_view.read_lines, path="result.txt", begin=2)
    all_texts = ask_look(cage, path, archive_view.offer_texts, read=[])["files"]
    unread_texts = ask_look(cage, path, archive_view.offer_texts, read=[page["path"]])["files"]
    with tarfile.open(path) as archive:
        assert {row["path"]: row["size"] for row in file_rows} == {
            member.name: member.size for member in archive if member.isfile()
        }
        content = archive.extractfile(page["path"]).read().decode()
    assert [text for text, _ in page["lines"]] == content.splitlines()[1:]
    assert {row["path"] for row in all_texts} - {row["path"] for row in unread_texts} == {page["path"]}
    assert ask_look(cage, path, archive_view.require_texts, texts=[page["path"]]) == {}
    assert "asked to open" not in caplog.text


@pytest.mark.parametrize(
    ("content", "what", "arguments", "refused"),
    [
        (b"\x1f\x8b\x08 broken", archive_view.list_files, {}, "unreadable"),
        (b"text\n", archive_view.read_lines, {"path": "other", "begin": 1}, "unknown"),
        (b"a\0b", archive_view.read_lines, {"path": "run.tgz", "begin": 1}, "binary"),
        (b"text\n", archive_view.require_texts, {"texts": ["run.tgz", "x"]}, "unknown"),
    ],
)
def test_looks_at_unreadable_content_are_refused(cage, tmp_path: Path, content, what, arguments, refused) -> None:
    (tmp_path / "stored").write_bytes(content)
    assert ask_look(cage, tmp_path / "stored", what, **arguments)["refused"] == refused


LINES = {"path": "a", "size": 1, "lines": [["x", False]], "more": False}
FILES = {"files": [{"path": "a", "size": 1}]}
OFFERED = {"files": [{"path": "a", "size": 1, "marks": [{"line": 1, "word": "x", "why": "y"}]}]}


@pytest.mark.parametrize(
    ("what", "honest", "forged"),
    [
        (archive_view.read_lines, LINES, None),
        (archive_view.read_lines, LINES, {"refused": "forbidden", "detail": ""}),
        (archive_view.read_lines, LINES, {"refused": "unknown", "detail": 5}),
        (archive_view.read_lines, LINES, {**LINES, "size": "1"}),
        (archive_view.read_lines, LINES, {**LINES, "lines": [5]}),
        (archive_view.read_lines, LINES, {**LINES, "lines": [["x", 0]]}),
        (archive_view.read_lines, LINES, {**LINES, "lines": [["x" * 2001, True]]}),
        (archive_view.read_lines, LINES, {**LINES, "lines": [["x", False]] * 201}),
        (archive_view.read_lines, LINES, {**LINES, "lines": {"0": "x"}}),
        (archive_view.list_files, FILES, {"files": [{"path": "a"}]}),
        (archive_view.list_files, FILES, {"files": [{"path": None, "size": 1}]}),
        (archive_view.list_files, FILES, OFFERED),
        (archive_view.offer_texts, OFFERED, FILES),
        (archive_view.offer_texts, OFFERED, {"files": [{"path": "a", "size": 1, "marks": ["x"]}]}),
        (archive_view.offer_texts, OFFERED, {"files": [{"path": "a", "size": True, "marks": None}]}),
    ],
)
def test_a_forged_look_is_refused(what, honest, forged) -> None:
    assert untrusted.require_look(honest, what) == honest
    with pytest.raises(client.JobFailed):
        untrusted.require_look(forged, what)


def test_jobs_that_wait_too_long_are_refused(cage) -> None:
    with cage._turn, pytest.raises(client.Busy):
        cage.do_job(jobs.look_into, [], {}, seconds=1, wait_s=0.01)
    with pytest.raises(client.JobFailed):  # it goes on
        cage.do_job(jobs.look_into, [], {}, seconds=1, wait_s=0.01)
