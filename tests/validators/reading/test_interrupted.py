"""Runs that did not come to their end: what launchers, shells, batch systems and the tools themselves print then."""

import json
import shutil

import pytest

from tests.make_io500 import make_run
from tests.validators.reading.test_reading import NAMES, figures, of_log, sample
from validators import catalogue
from validators.checks import check
from validators.reading.endings import failures_in, is_failure

MESSAGES = [
    b"slurmstepd: error: *** STEP 123.0 ON nid000001 CANCELLED AT 2026-11-23T01:00:00 DUE TO TIME LIMIT ***",
    b"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.",
    b"/var/spool/job/script: line 12: 12345 Killed                  tool -a",
    b"=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
    b"mpirun: Forwarding signal 15 to job",
    b"[mpiexec@n1] Sending Ctrl-C to processes as requested",
    b"^C",
    b"Terminated",
    b"=>> PBS: job killed: walltime 3612 exceeded limit 3600",
    b"TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
    b"Exited with exit code 137.",
    b"timeout: sending signal TERM to command 'tool'",
    b"forrtl: error (78): process killed (SIGTERM)",
    b"_pmiu_daemon(SIGCHLD): [NID 00012] PE RANK 0 exit signal Killed",
]
HARMLESS = [
    b"rank 0: no signal was sent",
    b"The job ends at line 12 of the script",
    b"Interrupt coalescing is on",
    b"srun: job 4711 queued and waiting for resources",
    b"srun: job 4711 has been allocated resources",
    b"Successfully completed.",
]
OPEN_ENDED = ["elbencho", "lst"]
"""Of those no line tells that all was printed."""


def middle(content):
    lines = content.rstrip(b"\n").split(b"\n")
    return lines[: len(lines) // 2], lines[len(lines) // 2 :]


def warned_in(report):
    return [finding for run in report.runs for finding in run.findings if finding.code.endswith(".interrupted")]


@pytest.mark.parametrize("message", MESSAGES)
def test_a_message_of_interruption_is_recognised(message):
    assert is_failure(message.decode())


@pytest.mark.parametrize("message", HARMLESS)
def test_other_messages_are_no_interruption(message):
    assert not is_failure(message.decode())


@pytest.mark.parametrize("slug", NAMES)
def test_a_message_inside_an_output_is_reported_with_its_line(tmp_path, slug):
    first, second = middle(sample(slug))
    report = of_log(tmp_path, b"\n".join([*first, b"Terminated", *second, b""]))
    (finding,) = warned_in(report)
    assert (finding.level, finding.where) == ("warning", f"slurm-4711.out:{len(first) + 1}")
    assert "'Terminated'" in finding.message


@pytest.mark.parametrize("slug", NAMES)
def test_a_message_after_an_output_is_ignored(tmp_path, slug):
    report = of_log(tmp_path, sample(slug).rstrip(b"\n") + b"\nTerminated\n")
    assert len(warned_in(report)) == (slug in OPEN_ENDED)
    assert report.status == "valid"


@pytest.mark.parametrize("slug", ["ior", "iozone", "elbencho"])
def test_a_message_before_an_output_is_ignored(tmp_path, slug):
    report = of_log(tmp_path, b"Terminated\n" + sample(slug))
    assert (warned_in(report), report.status) == ([], "valid")


def test_a_message_belongs_to_the_output_around_it(tmp_path):
    first, second = middle(sample("iozone"))
    report = of_log(tmp_path, sample("ior") + b"\n".join([*first, b"^C", *second, b""]) + sample("ior"))
    assert [[run.tool for finding in warned_in(report) if finding in run.findings] for run in report.runs].count(
        ["iozone"]
    ) == 1
    line = int(warned_in(report)[0].where.rpartition(":")[2])
    assert (tmp_path / "slurm-4711.out").read_bytes().split(b"\n")[line - 1] == b"^C"


def test_an_interrupted_phase_of_elbencho_is_recognised(tmp_path):
    report = of_log(tmp_path, sample("elbencho") + b"Terminating due to interrupt signal.\n")
    assert figures(report.runs[0]) == figures(of_log(tmp_path, sample("elbencho")).runs[0])
    (finding,) = warned_in(report)
    assert (finding.code, finding.level) == ("elbencho.interrupted", "warning")


def test_a_run_that_is_refused_gets_no_second_finding(tmp_path):
    first, _ = middle(sample("ior"))
    report = of_log(tmp_path, b"\n".join([*first, MESSAGES[0], b""]))
    assert (warned_in(report), report.status) == ([], "invalid")


def test_lines_are_counted_over_the_pieces_of_a_file():
    pieces = [b"one\nTermi", b"nated\nthree\n", b"x" * 1000, b"y" * 1000 + b"\nKilled"]
    assert list(failures_in(pieces)) == [(2, "Terminated"), (5, "Killed")]
    assert list(failures_in([b"one\nits own word stands here\n"], ["own word"])) == [(2, "its own word stands here")]


def test_the_line_of_an_interruption_is_marked_as_read(tmp_path):
    text = (catalogue.FOLDER / "fio" / "samples" / "text-interrupted" / "stdout.txt").read_text()
    assert "fio: terminating on signal" in text
    (tmp_path / "out.txt").write_text(text)
    (run,) = check(tmp_path / "out.txt").runs
    assert "fio.interrupted" in [finding.code for finding in run.findings]
    assert "fio.lines-not-understood" not in [finding.code for finding in run.findings]


def tree(slug, name, tmp_path):
    """A valid result of many files: IO500's is made, as no sample of it is valid."""
    copied = tmp_path / "result"
    if slug == "io500":
        for path, content in make_run().items():
            (copied / path).parent.mkdir(parents=True, exist_ok=True)
            (copied / path).write_bytes(content)
        return copied
    folder = catalogue.FOLDER / slug / "samples" / name
    shutil.copytree(folder / json.loads((folder / "expected.json").read_text())["path"], copied)
    return copied


KILLED = "slurmstepd: error: *** STEP 4711.0 ON node017 CANCELLED AT 2026-11-23T01:00:00 DUE TO TIME LIMIT ***\n"


@pytest.mark.parametrize(
    ("slug", "name", "file"),
    [
        ("io500", "", "result_summary.txt"),
        ("io500", "", "ior-easy-write.txt"),
        ("mlperf_storage", "v3.0-training", "summary.json"),
        ("mlperf_storage", "v3.0-checkpoints", "summary.json"),
        ("mlperf_storage", "v3.0-kv-cache", "summary.json"),
        ("mlperf_storage", "v3.0-vector-database", "statistics.json"),
    ],
)
def test_a_message_among_the_files_of_a_run_is_reported(tmp_path, slug, name, file):
    copied = tree(slug, name, tmp_path)
    of_it = sorted(copied.rglob(file))[-1]
    if of_it.suffix == ".txt":
        of_it.write_text(KILLED + of_it.read_text())
        line = 1
    else:
        of_it = of_it.with_name("run.stderr.log")
        of_it.write_text("[INFO] started\n" + KILLED)
        line = 2
    report = check(copied)
    (finding,) = warned_in(report)
    assert (finding.level, finding.where) == ("warning", f"{of_it.relative_to(copied)}:{line}")
    assert "DUE TO TIME LIMIT" in finding.message
    assert report.status == "valid"


@pytest.mark.parametrize(
    ("slug", "name", "file", "end"),
    [
        ("io500", "", "ior-easy-write.txt", "Finished            : now\n"),
        ("mlperf_storage", "v3.0-training", "summary.json", "[OUTPUT] 2026-06-01T10:00:00 Saved outputs in /results\n"),
    ],
)
def test_a_message_after_the_end_of_a_file_output_is_ignored(tmp_path, slug, name, file, end):
    copied = tree(slug, name, tmp_path)
    of_it = sorted(copied.rglob(file))[-1]
    if of_it.suffix != ".txt":
        of_it = of_it.with_name("dlio.log")
    of_it.write_text((of_it.read_text() if of_it.exists() else "") + end + KILLED)
    assert warned_in(check(copied)) == []
