"""IOR: what its outputs say in each version and form, and what makes one not count."""

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.validators import bench_cases
from tests.validators.bench_cases import codes_of
from validators.benchmarks.ior import parser
from validators.bundle import LINE_LIMIT
from validators.checks import check

HEAD = (
    "access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter"
)
SUMMARY_HEAD = (
    "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs)   Min(OPs)  Mean(OPs)     StdDev    Mean(s) "
    "Stonewall(s) Stonewall(MiB) Test# #Tasks tPN reps fPP reord reordoff reordrand seed segcnt   blksiz    xsize "
    "aggs(MiB)   API RefNum"
)
SAMPLES = sorted((Path(parser.__file__).parent / "samples").iterdir())


def row(op, bandwidth, iteration, megabytes=16):
    seconds = megabytes / bandwidth
    busy = seconds * 0.99
    parts = f"0.0001 {busy:.6f} {seconds / 100:.6f}  {seconds:.6f}"
    return f"{op}     {bandwidth:.2f}    {megabytes / busy:.2f} 0.1 8192  1024.00  {parts}   {iteration}"


def summary(op, values, test=0, megabytes=16, stonewall="NA NA"):
    """A line of the summary from its figures: maximum, minimum, mean and deviation of both rates."""
    figures = " ".join(f"{value:.2f}" for value in values)
    seconds = sum(megabytes / value if value else 0 for value in values[:2]) / 2
    settings_of_test = f"{test} 2 2 2 1 1 1 0 0 1 8388608 1048576 {megabytes:.1f} POSIX 0"
    return f"{op} {figures} {figures} {seconds:.5f} {stonewall} {settings_of_test}"


def output(
    *, rows=None, summaries=None, version="4.1.0", command="ior -w -e -C -t 1m -b 8m -i 2 -o /f", extra="", end=True
):
    """A run of two iterations of 16 MiB by two tasks."""
    lines = [
        f"IOR-{version}: MPI Coordinated Test of Parallel I/O",
        "Began               : Fri Nov 20 18:54:07 2026",
        f"Command line        : {command}",
        "Machine             : Linux node017",
        "TestID              : 0",
        "Path                : /lustre/prj0042/carol",
        "",
        "Options: ",
        "api                 : POSIX",
        "test filename       : /lustre/prj0042/carol/f",
        "access              : single-shared-file",
        "nodes               : 1",
        "tasks               : 2",
        "clients per node    : 2",
        "repetitions         : 2",
        "xfersize            : 1 MiB",
        "blocksize           : 8 MiB",
        "aggregate filesize  : 16 MiB",
        *([extra] if extra else []),
        "",
        "Results: ",
        HEAD,
        *(rows if rows is not None else [row("write", 100, 0), row("write", 300, 1)]),
        "",
        "Summary of all tests:",
        SUMMARY_HEAD,
        *(summaries if summaries is not None else [summary("write", (300, 100, 200, 100))]),
        *(["Finished            : Fri Nov 20 18:54:08 2026"] if end else []),
    ]
    return "\n".join(lines) + "\n"


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return check(tmp_path / "out.txt", benchmark="ior")


def run_of(tmp_path, text):
    report = checked(tmp_path, text)
    assert report.status == "valid", codes_of(report)
    return report.runs[0]


def test_one_repetition_has_no_deviation():
    """Its rates stay; of two repetitions alike a deviation of 0 would be a measured one."""
    folder = Path(parser.__file__).parent / "samples"
    (once,) = check(folder / "4.1-iorhard" / "stdout.txt").runs
    assert {measurement.stat for measurement in once.measurements if measurement.quantity == "bandwidth"} == {
        "iteration",
        "max",
        "min",
        "mean",
    }
    (finding,) = [finding for finding in once.findings if finding.code == "ior.not-measured"]
    assert "write bandwidth stdev" in finding.message


def test_repetitions_that_are_alike_have_a_deviation_of_0(tmp_path):
    summaries = [summary("write", (100.0, 100.0, 100.0, 0.0))]
    (tmp_path / "out.txt").write_text(output(rows=[row("write", 100.0, n) for n in (0, 1)], summaries=summaries))
    (run,) = check(tmp_path / "out.txt").runs
    assert [
        measurement.value
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("bandwidth", "stdev")
    ] == [0.0]
    assert "ior.not-measured" not in [finding.code for finding in run.findings]


def test_a_run_gives_iterations_and_summary_with_their_units(tmp_path):
    run = run_of(tmp_path, output())
    figures = {(m.op, m.quantity, m.stat, m.context.get("iter")): (m.value, m.printed_unit) for m in run.measurements}
    assert figures["write", "bandwidth", "iteration", 1] == (300 * 2**20, "MiB/s")
    assert figures["write", "bandwidth", "stdev", None] == (100 * 2**20, "MiB/s")
    assert figures["write", "ops_rate", "max", None] == (300, "ops/s")
    assert figures["write", "time", "mean", None] == (0.10667, "s")


def test_settings_have_the_fields_names_and_exact_bytes(tmp_path):
    run = run_of(tmp_path, output())
    expected = {
        "api": "POSIX",
        "access": "single-shared-file",
        "client_nodes": 1,
        "tasks": 2,
        "procs_per_node": 2,
        "repetitions": 2,
        "segments": 1,
        "transfer_size_bytes": 1048576,
        "block_size_bytes": 8388608,
        "fsync": True,
        "reorder_tasks": True,
        "direct_io": False,
    }
    assert {name: run.parameters.get(name) for name in expected} == expected
    assert run.tests[0]["operations"] == ["write"]


def test_the_layout_set_by_ior_is_recorded(tmp_path):
    run = run_of(tmp_path, output(extra="Lustre stripe size  : 4 MiB\nstripe count        : 8"))
    assert (run.parameters["stripe_count"], run.parameters["stripe_size_text"]) == (8, "4 MiB")


def test_a_rounded_size_without_an_exact_one_is_left_out(tmp_path):
    text = output(version="3.0.1", command="ior -f script").replace(": 8 MiB", ": 11.72 GiB")
    text = text.replace(" 8388608 1048576 16.0", "").replace(" blksiz    xsize aggs(MiB)", "")
    run = run_of(tmp_path, text)
    assert "block_size_bytes" not in run.parameters
    assert run.parameters["transfer_size_bytes"] == 1048576


def test_settings_of_a_script_are_not_guessed(tmp_path):
    assert "fsync" not in run_of(tmp_path, output(command="ior -f /home/carol/script")).parameters


def test_names_paths_and_keys_are_not_recorded(tmp_path):
    command = (
        "ior -o /lustre/prj0042/carol/f --S3.secret-key=hunter2 -O summaryFile=/home/carol/s,memoryPerNode=9 -t 1m"
    )
    environment = "STARTING ENVIRON LOOP\nSLURM_JOB_USER=carol\nTOKEN=hunter2\nENDING ENVIRON LOOP"
    report = checked(tmp_path, output(command=command, extra=environment))
    assert "ior.environment-dump-present" in codes_of(report)
    text = json.dumps(report.as_json())
    assert not [word for word in ("carol", "prj0042", "node017", "hunter2") if word in text]
    assert report.runs[0].parameters["command_line"] == "-o ... --S3.secret-key=... -O ... -t 1m"


@pytest.mark.parametrize(
    ("version", "scope"), [("3.3.0", "aggregate"), ("4.0.0", "mean per task"), ("4.1.0", "mean per task")]
)
def test_the_stonewall_rate_has_its_coverage(tmp_path, version, scope):
    lines = [summary("write", (300, 100, 200, 100), stonewall="1.02 456.85")]
    run = run_of(tmp_path, output(version=version, summaries=lines))
    (rate,) = [m for m in run.measurements if m.quantity == "stonewall_bandwidth"]
    assert (rate.printed_value, rate.context) == (456.85, {"test": 0, "scope": scope})


def test_only_a_reached_stonewall_without_wear_out_is_reported(tmp_path):
    stonewall = "stonewallingTime    : 1\nstoneWallingWearOut : 0"
    rows = [row("write", 100, 0, megabytes=12), row("write", 300, 1, megabytes=12)]
    hit = output(extra=stonewall, rows=rows, summaries=[summary("write", (300, 100, 200, 100), megabytes=12)])
    assert "ior.stonewall-without-wear-out" in codes_of(checked(tmp_path, hit))
    assert codes_of(checked(tmp_path, output(extra=stonewall))) == []
    assert codes_of(checked(tmp_path, hit.replace("WearOut : 0", "WearOut : 1"))) == []


@pytest.mark.parametrize("label", ["[0] ", "0: ", "[1,0]<stdout>:", "node017: ", "[1,0]<stdout>: "])
def test_labels_of_launchers_are_removed(tmp_path, label):
    labelled = "".join(label + line for line in output().splitlines(keepends=True))
    assert len(run_of(tmp_path, labelled).measurements) == len(run_of(tmp_path, output()).measurements)


def test_labels_of_any_rank_inside_lines_are_removed(tmp_path):
    text = "".join("[12] " + line for line in output().splitlines(keepends=True))
    text = text.replace("[12] write     100.00    101.01", "[3] write     [12] 100.00    [4] 101.01")
    assert len(run_of(tmp_path, text).measurements) == len(run_of(tmp_path, output()).measurements)


def test_messages_of_the_job_around_an_output_are_ignored(tmp_path):
    text = (
        "Loading modules\nsrun: job 4242 queued\n"
        + output()
        + "job done, write 12 files\nslurmstepd: error: later step\n"
    )
    assert codes_of(checked(tmp_path, text)) == []


def test_windows_line_ends_and_a_byte_order_mark_are_ignored(tmp_path):
    run = run_of(tmp_path, b"\xef\xbb\xbf" + output().replace("\n", "\r\n").encode())
    assert len(run.measurements) == len(run_of(tmp_path, output()).measurements)


def test_json_interrupted_by_messages_is_read_with_a_warning(tmp_path):
    sample = next(folder for folder in SAMPLES if folder.name == "3.3.0-json")
    text = (sample / "stdout.txt").read_text()
    report = checked(tmp_path, "Loading modules\n" + text + "WARNING: slow\n")
    assert codes_of(report) == ["ior.invalid-json-repaired"]
    labelled = checked(tmp_path, "".join("[0] " + line for line in text.splitlines(keepends=True)))
    assert len(labelled.runs[0].measurements) == len(report.runs[0].measurements)
    assert codes_of(labelled) == []


ENVIRONMENT = "STARTING ENVIRON LOOP\nBASH_FUNC_module%%=() {  eval\n}\nerror=Finished\nwrite 9 9\nENDING ENVIRON LOOP"


def test_a_dumped_environment_is_not_read_as_output(tmp_path):
    report = checked(tmp_path, output(extra=ENVIRONMENT))
    assert codes_of(report) == ["ior.environment-dump-present"]
    sample = next(folder for folder in SAMPLES if folder.name == "3.3.0-json")
    lines = (sample / "stdout.txt").read_text().split("\n")
    report = checked(tmp_path, "\n".join([*lines[:4], ENVIRONMENT, *lines[4:]]))
    assert codes_of(report) == ["ior.environment-dump-present", "ior.invalid-json-repaired"]


CSV = "access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (output(end=False), "ior.truncated"),
        (output().partition("Summary of all")[0] + "Finished : now\n", "ior.truncated"),
        (output().partition(HEAD)[0] + "Finished : now\n", "ior.no-results"),
        (output(end=False) + "srun: error: node017: task 1: Killed\n", "ior.run-failed"),
        (output(end=False) + "ERROR: open failed, (aiori-POSIX.c:690)\n", "ior.run-failed"),
        ("ERROR: block size must be a multiple of transfer size, (ior.c:1520)\n", "ior.run-failed"),
        (output(command="ior -O dryRun=1 -o /f"), "ior.dry-run"),
        (output(rows=[row("write", 100, 0), "write 300.00 9.0"]), "ior.inconsistent"),
        (output(rows=[row("write", 100, 0), row("write", 900, 1)]), "ior.inconsistent"),
        (output(rows=[row("write", 100, 0), row("write", 300, 1, megabytes=48)]), "ior.inconsistent"),
        (output(rows=[row("write", 100, 0), row("write", 300, 1), row("read", 9, 0)]), "ior.inconsistent"),
        (output(summaries=[summary("write", (100, 300, 200, 100))]), "ior.inconsistent"),
        (output(summaries=[summary("write", (300, 100, 200, 141.42))]), "ior.inconsistent"),
        (output().replace("Summary of", "Max Write: 900.00 MiB/sec (943.72 MB/sec)\nSummary of"), "ior.inconsistent"),
        (output().replace("Summary of", "Max Write: 300.00 MiB/sec (300.00 MB/sec)\nSummary of"), "ior.inconsistent"),
        (output().replace(" 300.00    303.03", " nan    9.0"), "ior.not-a-number"),
        (output().replace(" 300.00    303.03", " -300.00    9.0"), "ior.not-a-number"),
        (output().replace(" 300.00    303.03", " 300,00    9,0"), "ior.number-format"),
        (output().replace("bw(MiB/s)", "bw(MB/s)"), "ior.unit-not-understood"),
        (output().replace("Mean(MiB)", "Mean(GiB)"), "ior.unit-not-understood"),
        (output().replace("total(s)", "total(ms)"), "ior.unit-not-understood"),
        (output().replace("Results", "x" * (LINE_LIMIT + 1)), "ior.line-too-long"),
        (output(rows=[row("write", 100, 0)] * 20_001), "ior.too-large"),
        (output().encode("utf-16"), "ior.bad-encoding"),
        (output().encode("utf-16-be"), "ior.bad-encoding"),
        (CSV + "write,354.6418,354.8893\n", "ior.truncated"),
        (CSV + "write,354,64,1,1,8192,1024,0,0,0,0,1,2,0\n", "ior.number-format"),
        (CSV, "ior.no-results"),
        ('{"Began": "now", "Command line": "ior", "tests": 1}', "ior.no-results"),
        ('{"Began": "now", "Command line": "ior", "tests": [', "ior.truncated"),
        ('{"Began": "now", "Command line": "ior", "tests": [' + " " * LINE_LIMIT, "ior.line-too-long"),
        ('{"Began": "now", "Command line": "ior"\n' + " \n" * parser.JSON_LIMIT, "ior.too-large"),
        ('{"Began": "now", "Command line": "ior",\n"bwMiB": inf}', "ior.not-a-number"),
        ('{"Began": "now", "Command line": "ior",\n"bwMiB": 1,5}', "ior.number-format"),
        ('{"Began": "now", "Command line": "ior"}{"Began": "now", "Command line": "ior"}', "ior.several-documents"),
        ('{"Began": "now", "Command line": "ior", "Finished": ' + "[" * 100_000 + "}", "ior.unusable-format"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, code):
    report = checked(tmp_path, text)
    assert report.status == "invalid"
    assert code in codes_of(report)


@pytest.mark.parametrize(
    "line",
    [
        "slurmstepd: error: *** JOB 4242 ON node017 CANCELLED AT 2026-11-20T19:00:00 DUE TO TIME LIMIT ***",
        "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
        "=>> PBS: job killed: walltime 3607 exceeded limit 3600",
        "=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES",
        "mpirun noticed that process rank 3 exited on signal 9 (Killed).",
        "Abort(-1) on node 0 (rank 0 in comm 0): application called MPI_Abort(MPI_COMM_WORLD, -1)",
        "Killed",
        "Terminated",
        "ior: aiori-POSIX.c:818: POSIX_Xfer: Assertion `rc >= 0' failed.",
        "WARNING: write(26, 0x7f87d5ac5000, 581632) failed No space left on device",
        "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=4242.0.",
    ],
)
def test_only_messages_before_the_end_make_a_run_failed(tmp_path, line):
    assert codes_of(checked(tmp_path, output(end=False) + line + "\n")) == ["ior.run-failed"]
    assert codes_of(checked(tmp_path, output() + line + "\n")) == []


@pytest.mark.parametrize(
    "text",
    [
        "[START TIME] 2019\n\n[IOR EASY WRITE]\n" + output(),
        output() + "[RESULT] BW   phase 1  ior_easy_write  0.3 GiB/s : time 1 seconds\n",
        "IO500 version io500-sc25 (standard)\n" + output(end=False),
        "The manual of IOR says much of access and bandwidth.\n",
    ],
)
def test_outputs_of_io500_and_other_texts_are_no_runs_of_ior(tmp_path, text):
    report = checked(tmp_path, text)
    assert report.runs == []
    assert codes_of(report) in (
        ["bundle.not-recognised"],
        ["bundle.not-recognised", "bundle.not-read"],
        ["bundle.wrong-tool"],
    )


def test_the_output_of_another_tool_is_named_where_ior_was_asked_for(tmp_path):
    (tmp_path / "out.txt").write_text(json.dumps({"fio version": "fio-3.33", "jobs": []}))
    report = check(tmp_path / "out.txt", benchmark="ior")
    assert codes_of(report) == ["bundle.wrong-tool"]
    assert report.findings[0].actual == "fio"


@pytest.mark.parametrize(
    ("command", "op", "outcomes"),
    [
        ("ior -w -o /f", "write", ("violated", "not_evaluated")),
        ("ior -w -e -o /f", "write", ("satisfied", "not_evaluated")),
        ("ior -w --posix.odirect -o /f", "write", ("satisfied", "not_evaluated")),
        ("ior -e -o /f", "read", ("satisfied", "violated")),
        ("ior -e -C -o /f", "read", ("satisfied", "satisfied")),
        ("ior -f script", "read", ("not_evaluated", "not_evaluated")),
    ],
)
def test_rules_on_caches_go_by_the_command_line(tmp_path, command, op, outcomes):
    """`read` stands for a test that writes and reads."""
    rows = [row("write", 100, 0), row("write", 300, 1)]
    summaries = [summary("write", (300, 100, 200, 100))]
    if op == "read":
        rows += [row("read", 100, 0), row("read", 300, 1)]
        summaries.append(summary("read", (300, 100, 200, 100)))
    run = run_of(tmp_path, output(command=command, rows=rows, summaries=summaries))
    outcome_by_rule = {rule.code: rule.outcome for rule in run.rules}
    assert (outcome_by_rule["ior.fsync"], outcome_by_rule["ior.own-cache"]) == outcomes
    assert outcome_by_rule["ior.long-enough"] == "violated"
    assert outcome_by_rule["ior.repeated"] == "violated"


def test_settings_of_every_case_are_there_under_the_fields_names(shared):
    names = {"nodes": "client_nodes", "tasks_per_node": "procs_per_node"}
    compared = 0
    for folder in sorted((shared / "data" / "bench" / "ior").iterdir()):
        case = json.loads((folder / "case.json").read_text())
        expected = case["expect"].get("tests", [])
        if not expected:
            continue
        (run,) = check(folder / case["primary"], benchmark="ior").runs
        for test, run_test in zip(expected, run.tests, strict=True):
            assert {name: run_test.get(names.get(name, name)) for name in test} == test, folder.name
            compared += 1
        if len(expected) == 1:
            assert {name: run.parameters.get(names.get(name, name)) for name in test} == test, folder.name
    assert compared > 30


read_bytes = partial(bench_cases.read_bytes, parser.find_runs)


def test_every_truncated_sample_is_read_or_refused(tmp_path):
    """A cut output never counts: only a refused one is shorter than the whole."""
    for sample in SAMPLES:
        expected = json.loads((sample / "expected.json").read_text())
        content = (sample / expected["path"]).read_bytes()
        for length in range(0, len(content) - 60, max(1, len(content) // 60)):
            for run in read_bytes(tmp_path, content[:length] + b"\0\xff" * (length % 2)).runs:
                assert run.findings or b"inished" in content[:length] or "csv" in sample.name, (sample.name, length)


@pytest.mark.parametrize(
    "begun", ["", "api", "api :", "TestID :", "write", "Max Write:", "access", "Operation", "WARNING:"]
)
def test_a_long_line_of_blanks_is_read_in_linear_time(tmp_path, begun):
    """With an expression that tries every way to divide the blanks this test does not end."""
    text = output(extra=f"{begun}{' ' * (LINE_LIMIT - 100)}x")
    assert [run.tool for run in read_bytes(tmp_path, text.encode()).runs] == ["ior"]


PIECES = st.sampled_from(
    [
        *output().splitlines(),
        row("read", 7, 3),
        "Max Read: 1 MiB/sec (2 MB/sec)",
        "write - - -",
        "access bw(",
        "Operation Max(",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=30)), max_size=40))
def test_lines_in_any_order_never_raise(tmp_path_factory, lines):
    read_bytes(tmp_path_factory.mktemp("ior"), "\n".join([output().splitlines()[0], *lines]).encode())


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.one_of(st.none(), st.floats(), st.integers(), st.text(max_size=5)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=3),
            st.dictionaries(
                st.sampled_from(["TestID", "Options", "Results", "access", "bwMiB", "operation", "bwMaxMIB", "write"]),
                inner,
            ),
        ),
        max_leaves=12,
    ),
    st.sampled_from(["tests", "summary", "Version", "Command line"]),
)
def test_any_json_in_the_place_of_another_never_raises(tmp_path_factory, value, key):
    sample = next(folder for folder in SAMPLES if folder.name == "3.3.0-json")
    document = json.loads((sample / "stdout.txt").read_text()) | {key: value}
    read_bytes(tmp_path_factory.mktemp("ior"), json.dumps(document).encode())
