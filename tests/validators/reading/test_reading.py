"""Files as jobs write them: several outputs in one, behind labels, stamps and colours, after pages of other text."""

import bz2
import gzip
import io
import json
import lzma
import re
import tarfile
from functools import cache
from itertools import pairwise

import pytest

from tests.validators.bench_cases import codes_of
from tests.validators.benchmarks.test_elbencho import HEAD, WRITE
from validators import catalogue, schema
from validators.checks import check
from validators.reading import cleaning

NAMES = {
    "ior": "4.1-iorhard",
    "mdtest": "4.0.0-unique-i3",
    "fio": "text-kb-base-1000",
    "iozone": "throughput-seq-write",
    "elbencho": "",
    "darshan": "ior-posix-fpp-perf",
    "obdfilter_survey": "sweep-write-rewrite-read",
    "lst": "lstsh-write-1m-mib",
}
LABELS = {
    "ts": b"Nov 22 22:36:18 ",
    "ISO stamps": b"2026-11-22T22:36:18.123456789Z ",
    "stamps in brackets": b"[2026-11-22 22:36:18] ",
    "srun -l": b"0: ",
    "mpirun --tag-output": b"[1,3]<stdout>:",
    "mpiexec -l": b"[0] ",
    "pdsh": b"node17: ",
    "a quotation": b"> ",
    "line numbers": b"    12\t",
    "ts over srun -l": b"Nov 22 22:36:18 0: ",
    "journalctl": b"Nov 22 22:36:18 node17 job[4711]: ",
    "kubectl logs": b"2026-11-22T22:36:18.123456789Z stdout F ",
    "mpirun --timestamp-output": b"Sun Nov 22 22:36:18 2026[1,0]<stdout>:",
    "prterun": b"[prterun-node17@1,0]<stdout>: ",
    "GitLab": b"2026-11-22T22:36:18.123456Z 00O ",
    "compose": b"bench-1  | ",
    "a logger": b"2026-11-22 22:36:18,123 - INFO - ",
    "a difference": b"+",
}
ENVIRONMENT = b"".join(b"export VARIABLE_%d=/opt/software/%d/lib\n" % (n, n) for n in range(5000))


@cache
def sample(slug):
    if slug == "elbencho":
        return (HEAD + WRITE).encode()
    folders = catalogue.FOLDER / slug / "samples"
    chosen = NAMES.get(slug)
    folder = folders / chosen if chosen and (folders / chosen).exists() else None
    for candidate in [folder] if folder else sorted(folders.iterdir()):
        path = candidate / json.loads((candidate / "expected.json").read_text())["path"]
        if path.is_file() and path.suffix not in (".csv", ".json"):
            report = check(path)
            if report.status == "valid" and len(report.runs) == 1 and report.runs[0].measurements:
                return path.read_bytes()
    raise AssertionError(slug)


def figures(run):
    return sorted((each.op, each.quantity, each.stat, each.value, str(each.context)) for each in run.measurements)


def alone(slug, tmp_path):
    (tmp_path / "alone.txt").write_bytes(sample(slug))
    (run,) = check(tmp_path / "alone.txt").runs
    return figures(run)


def labelled(label, content):
    return b"".join(label + line + b"\n" for line in content.split(b"\n"))


def of_log(tmp_path, content, name="slurm-4711.out"):
    (tmp_path / name).write_bytes(content)
    return check(tmp_path / name)


@pytest.mark.parametrize("path", sorted(catalogue.FOLDER.glob("*/lines.json")), ids=lambda path: path.parent.name)
def test_line_tables_of_tools_follow_their_schema(path):
    assert schema.errors(json.loads(path.read_text()), "lines.1") == []


def test_a_log_of_many_tools_is_a_run_of_each_with_its_lines(tmp_path):
    parts = [(slug, b"== step %d of job 4711 ==\n" % at + sample(slug)) for at, slug in enumerate(NAMES)]
    report = of_log(tmp_path, b"Loading modules 1.2\n" + b"".join(content for _, content in parts))
    assert sorted(run.tool for run in report.runs) == sorted(catalogue.benchmark(slug).tool for slug, _ in parts)
    assert {run.path for run in report.runs} == {"slurm-4711.out"}
    for run in report.runs:
        assert figures(run) == alone(run.tool.replace("-", "_"), tmp_path), run.tool
    spans = sorted(run.lines for run in report.runs)
    assert all(before[1] < after[0] for before, after in pairwise(spans))
    assert (report.primary, report.status) == (None, "valid")
    assert report.as_json()["runs"][0]["lines"].keys() == {"first", "last"}


@pytest.mark.parametrize("sign", [b"# ", b"#", b"//", b"; "])
@pytest.mark.parametrize("slug", NAMES)
def test_an_output_in_comments_is_no_output_of_its_own(tmp_path, slug, sign):
    script = b"#!/bin/sh\n" + b"".join(sign + line + b"\n" for line in sample(slug).split(b"\n")) + b"echo\n"
    other = "mdtest" if slug != "mdtest" else "ior"
    report = of_log(tmp_path, script + sample(other))
    assert [run.tool for run in report.runs] == [other]


@pytest.mark.parametrize("slug", ["ior", "mdtest", "fio", "iozone", "darshan"])
def test_outputs_of_one_tool_in_a_row_are_runs_of_their_own(tmp_path, slug):
    content = sample(slug).rstrip(b"\n") + b"\n"
    report = of_log(tmp_path, content * 3)
    assert [figures(run) for run in report.runs] == [alone(slug, tmp_path)] * 3
    of_one = codes_of(check(tmp_path / "alone.txt"))
    assert codes_of(report) == sorted([*(["bundle.same-run"] * 2), *of_one * 3])
    text = (content * 3).split(b"\n")
    firsts = [text[run.lines[0] - 1 : run.lines[1]] for run in report.runs]
    assert firsts[0] == firsts[1] == firsts[2]


@pytest.mark.parametrize("label", LABELS.values(), ids=LABELS)
@pytest.mark.parametrize("slug", NAMES)
def test_labels_before_every_line_are_removed(tmp_path, slug, label):
    report = of_log(tmp_path, labelled(label, sample(slug)))
    assert [figures(run) for run in report.runs] == [alone(slug, tmp_path)]
    assert report.status == "valid"


@pytest.mark.parametrize("form", ["fio/json-two-jobs/stdout.txt", "elbencho/rand-4k-lat/results.json"])
@pytest.mark.parametrize("label", ["journalctl", "GitLab", "compose", "srun -l"])
def test_labels_before_lines_of_json_are_removed(tmp_path, form, label):
    slug, _, path = form.partition("/")
    content = (catalogue.FOLDER / slug / "samples" / path).read_bytes()
    (expected,) = of_log(tmp_path, content).runs
    report = of_log(tmp_path, labelled(LABELS[label], content.rstrip()))
    assert [figures(run) for run in report.runs] == [figures(expected)]
    assert report.status == "valid"


def test_numbers_in_labels_may_be_of_any_length(tmp_path):
    lines = sample("fio").split(b"\n")
    for form in (b"%d: ", b"%4d: ", b"%d:", b"pod-%d bench "):
        report = of_log(tmp_path, b"\n".join(form % (at * 37) + line for at, line in enumerate(lines)))
        assert [figures(run) for run in report.runs] == [alone("fio", tmp_path)], form


@pytest.mark.parametrize(("lines", "without_label", "is_removed"), [(20, 1, True), (20, 2, False), (19, 1, False)])
def test_a_label_stands_before_nineteen_of_twenty_lines(lines, without_label, is_removed):
    content = b"\n".join([b"plain text"] * without_label + [b"0: text"] * (lines - without_label))
    assert cleaning.undecorated(content) == (content.replace(b"0: ", b"") if is_removed else content)


def test_a_prefix_of_some_lines_is_no_label(tmp_path):
    report = of_log(tmp_path, b"We have fio-3.33\n" + re.sub(rb"^fio-.*\n", b"", sample("fio"), flags=re.M))
    assert report.runs == []
    assert sorted(codes_of(report)) == ["bundle.not-read", "bundle.not-recognised"]


def test_an_archive_is_read_once(tmp_path):
    """The bytes of a tar that is not compressed are the text of its members."""
    path = tmp_path / "outer.tar"
    inner = io.BytesIO()
    for target, name, content in ((inner, "fio.txt", sample("fio")), (path, "in.tar", None)):
        keywords = {"name": target} if content is None else {"fileobj": target}
        with tarfile.open(mode="w", **keywords) as archive:
            member = tarfile.TarInfo(name)
            data = inner.getvalue() if content is None else content
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    report = check(path)
    assert [figures(run) for run in report.runs] == [alone("fio", tmp_path)]
    assert report.not_read == []


FORMS_NOT_READ = {
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "zeros before": lambda text: bytes(100) + text,
    "a string of JSON": lambda text: json.dumps({"rc": 0, "stdout": text.decode()}).encode(),
    "a notebook": lambda text: json.dumps({"cells": [{"text": text.decode().splitlines(True)}]}, indent=1).encode(),
}


@pytest.mark.parametrize("form", FORMS_NOT_READ.values(), ids=FORMS_NOT_READ)
@pytest.mark.parametrize("slug", NAMES)
def test_an_output_in_an_unread_form_is_reported(tmp_path, slug, form):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "other.txt").write_bytes(sample("iozone" if slug == "ior" else "ior"))
    (tmp_path / "folder" / "odd.txt").write_bytes(form(sample(slug)))
    report = check(tmp_path / "folder")
    of_it = [figures(run) for run in report.runs if run.path.startswith("odd.txt") and run.measurements]
    assert of_it in ([], [alone(slug, tmp_path)])
    assert of_it or any(
        finding.where.startswith("odd.txt") and finding.level != "info"
        for finding in [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    )


def test_a_program_is_not_taken_for_the_output_that_it_prints(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "ior.txt").write_bytes(sample("ior"))
    program = bytes(range(1, 32)) * 200 + b"\0IOR-4.1.0: MPI Coordinated Test of Parallel I/O\n\0" + bytes(range(1, 32))
    (tmp_path / "folder" / "ior").write_bytes(b"\x7fELF\0" + program)
    assert codes_of(check(tmp_path / "folder")) == codes_of(check(tmp_path / "folder" / "ior.txt"))


@pytest.mark.parametrize("slug", NAMES)
def test_colours_and_overwritten_progress_are_removed(tmp_path, slug):
    colourful = re.sub(rb"(\w+)", lambda word: b"\x1b[1;32m" + word[1] + b"\x1b[0m", sample(slug))
    overwritten = b"\n".join(b" 10%\r 50%\r" + line if line.strip() else line for line in sample(slug).split(b"\n"))
    for content in (colourful, overwritten):
        report = of_log(tmp_path, content)
        assert [figures(run) for run in report.runs] == [alone(slug, tmp_path)]


@pytest.mark.parametrize("slug", NAMES)
def test_blanks_at_the_ends_of_lines_change_nothing(tmp_path, slug):
    report = of_log(tmp_path, sample(slug).replace(b"\n", b"  \t\r\n"))
    assert [figures(run) for run in report.runs] == [alone(slug, tmp_path)]


@pytest.mark.parametrize("slug", NAMES)
def test_a_preamble_of_any_length_is_skipped(tmp_path, slug):
    report = of_log(tmp_path, ENVIRONMENT + sample(slug))
    assert [figures(run) for run in report.runs] == [alone(slug, tmp_path)]
    assert report.runs[0].lines[0] > 4990


@pytest.mark.parametrize(("lines", "is_read_whole"), [(40, True), (41, False)])
def test_a_file_with_a_long_preamble_is_read_in_part(tmp_path, lines, is_read_whole):
    preamble = b"".join(ENVIRONMENT.splitlines(keepends=True)[:lines])
    report = of_log(tmp_path, preamble + sample("ior"))
    assert [figures(run) for run in report.runs] == [alone("ior", tmp_path)]
    assert (report.runs[0].path in report.read_files) is is_read_whole
    before = [{"first": 1, "last": lines}] if not is_read_whole else []
    assert [entry["lines"] for entry in report.not_read] == before


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_output_is_read(tmp_path, pack):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "ior.txt.gz").write_bytes(pack(sample("ior")))
    report = check(tmp_path / "folder")
    assert [figures(run) for run in report.runs] == [alone("ior", tmp_path)]
    assert report.not_read == []


def test_findings_have_line_numbers_of_the_original_file(tmp_path):
    cut = sample("ior").partition(b"Finished")[0] + b"srun: error: node017: task 1: Killed\n"
    report = of_log(tmp_path, ENVIRONMENT + sample("mdtest") + cut)
    (failed,) = [finding for run in report.runs for finding in run.findings if finding.code == "ior.run-failed"]
    path, _, line = failed.where.rpartition(":")
    lines = (tmp_path / path).read_text().split("\n")
    assert lines[int(line) - 1] == "srun: error: node017: task 1: Killed"


def test_a_finding_on_a_run_among_several_leads_to_its_first_line(tmp_path):
    report = of_log(tmp_path, ENVIRONMENT + sample("ior") + sample("ior"))
    of_runs = [[finding.where for finding in run.findings if finding.code == "ior.not-measured"] for run in report.runs]
    first = ENVIRONMENT.count(b"\n") + 1
    second = first + sample("ior").count(b"\n")
    assert of_runs == [[f"slurm-4711.out:{first}"], [f"slurm-4711.out:{second}"]]


def test_a_document_with_an_example_is_no_result(tmp_path):
    summary = (catalogue.FOLDER / "io500" / "samples").rglob("result_summary.txt")
    text = "# Our scripts\n\nThis is what it prints:\n\n```\n" + next(summary).read_text() + "```\n"
    (tmp_path / "README.md").write_text(text)
    report = check(tmp_path / "README.md")
    assert (report.runs, report.status) == ([], "unreadable")
    assert report.not_read[0]["looks_like"] == "io500"
    (tmp_path / "fio.txt").write_bytes(sample("fio"))
    report = check(tmp_path)
    assert [run.tool for run in report.runs] == ["fio"]
    assert [finding.level for finding in report.findings] == ["info"]


def test_unread_files_are_listed_and_unread_outputs_are_warnings(tmp_path):
    (tmp_path / "ior.txt").write_bytes(sample("ior"))
    odd = [b"<%!>" * (20 + at % 3) + b" " + line for at, line in enumerate(sample("mdtest").split(b"\n"))]
    (tmp_path / "odd.txt").write_bytes(b"\n".join(odd))
    (tmp_path / "job.sh").write_text("srun ior -w\n")
    (tmp_path / "trace.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(40))
    report = check(tmp_path)
    entries = {entry["path"]: (entry["looks_like"], entry["lines"]) for entry in report.as_json()["not_read"]}
    assert entries == {"odd.txt": ("mdtest", None), "job.sh": (None, None), "trace.zst": (None, None)}
    warned = [finding for finding in report.findings if finding.code == "bundle.not-read"]
    assert [(finding.level, finding.where) for finding in warned] == [("warning", "odd.txt")]
    assert report.status == "valid"


def test_outputs_beyond_the_limit_are_reported(tmp_path):
    report = of_log(tmp_path, b"# darshan log version: 3.41\n" * 1002)
    assert len(report.runs) == 1000
    (warned,) = [finding for finding in report.findings if finding.code == "bundle.not-read"]
    assert warned.where == "slurm-4711.out:1001"


@pytest.mark.parametrize(("case", "tool", "count"), [("ior/akrr-v32", "ior", 20), ("mdtest/akrr-v2", "mdtest", 4)])
def test_logs_of_application_kernels_are_a_run_for_each_banner(shared, case, tool, count):
    """As many runs as `grep -c` counts banners, each with its own lines; such a log was refused as a whole once."""
    path = shared / "data" / "outputs2" / case / "appstdout.txt"
    if not path.exists():
        pytest.skip(f"no output at {path}")
    report = check(path)
    assert [run.tool for run in report.runs] == [tool] * count
    assert all(run.measurements for run in report.runs)
    assert len({run.lines for run in report.runs}) == count
    assert report.status == "valid"


MODEL = (catalogue.FOLDER / "wrf" / "samples" / "nested-with-restart" / "rsl.error.0000").read_bytes()
RESULT = (
    b"IoType: READ XferType: GPUD Threads: 8 DataSetSize: 62914560/8388608(KiB) IOSize: 1024(KiB) Throughput: 2.000000 "
    b"GiB/sec, Avg_Latency: 3906.250000 usecs ops: 61440 total_time 30.000000 secs\n"
)


@pytest.mark.parametrize("content", [MODEL + RESULT, RESULT + MODEL], ids=["before", "behind"])
def test_output_of_a_model_beside_another_tool_is_read(tmp_path, content):
    """Of WRF nothing was read, where another tool that comes first had the whole file."""
    report = of_log(tmp_path, content)
    by_tool = {run.tool: run for run in report.runs}
    assert sorted(by_tool) == ["gdsio", "wrf"]
    assert figures(by_tool["wrf"]) == figures(of_log(tmp_path, MODEL).runs[0])


DOCUMENTS = {
    "a log of JSON": lambda line: json.dumps({"ts": 1, "message": line.decode()}).encode(),
    "a log of pairs": lambda line: b'ts=2026-11-22T22:36:18Z level=info msg="' + line + b'"',
    "a list of Ansible": lambda line: b'    "' + line + b'",',
    "a table": lambda line: b'"' + line + b'"',
    "a frame": lambda line: b"\xe2\x94\x82 " + line + b" \xe2\x94\x82",
    "ends of lines shown": lambda line: line + b"$",
}


@pytest.mark.parametrize("form", DOCUMENTS.values(), ids=DOCUMENTS)
@pytest.mark.parametrize("slug", NAMES)
def test_lines_inside_another_document_are_reported(tmp_path, slug, form):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "other.txt").write_bytes(sample("iozone" if slug == "ior" else "ior"))
    (tmp_path / "folder" / "odd.txt").write_bytes(b"\n".join(form(line) for line in sample(slug).split(b"\n")))
    report = check(tmp_path / "folder")
    of_it = [figures(run) for run in report.runs if run.path == "odd.txt" and run.measurements]
    findings = [*report.findings, *(finding for run in report.runs for finding in run.findings)]
    assert of_it == [alone(slug, tmp_path)] or any(
        finding.where.startswith("odd.txt") and finding.level != "info" for finding in findings
    )


@pytest.mark.parametrize("slug", NAMES)
def test_a_screen_that_was_padded_is_read_or_refused(tmp_path, slug):
    report = of_log(tmp_path, b"\n".join(line.ljust(200) for line in sample(slug).split(b"\n")))
    assert [figures(run) for run in report.runs] == [alone(slug, tmp_path)] or report.status == "invalid"


@pytest.mark.parametrize("slug", [slug for slug in NAMES if slug not in ("mdtest",)])
def test_an_output_with_doubled_lines_is_reported(tmp_path, slug):
    lines = [line for line in sample(slug).split(b"\n") for _ in range(2)]
    report = of_log(tmp_path, b"\n".join(lines))
    warned = [f.code for run in report.runs for f in run.findings if f.level != "info"]
    assert report.status != "valid" or warned != [
        f.code for run in of_log(tmp_path, sample(slug)).runs for f in run.findings if f.level != "info"
    ]


@pytest.mark.parametrize("labels", [(b"", b""), (b"nid001: ", b"nid002: ")], ids=["plain", "nodes"])
def test_lines_printed_by_two_ranks_are_reported(tmp_path, labels):
    for content, tool in ((MODEL, "wrf"), (RESULT + RESULT.replace(b"READ", b"WRITE"), "gdsio")):
        lines = [label + line for line in content.rstrip().split(b"\n") for label in labels]
        (run,) = of_log(tmp_path, b"\n".join(lines) + b"\n").runs
        assert f"{tool}.lines-twice" in [finding.code for finding in run.findings]


def test_sixty_outputs_of_five_tools_are_sixty_runs(tmp_path):
    slugs = ["ior", "mdtest", "fio", "iozone", "elbencho"] * 12
    report = of_log(tmp_path, b"".join(b"== step of the job ==\nloading 1.2\n" + sample(slug) for slug in slugs))
    runs = sorted(report.runs, key=lambda run: run.lines)
    assert [figures(run) for run in runs] == [alone(slug, tmp_path) for slug in slugs]
    assert report.status == "valid"
