"""elbencho: three forms of one run, mixed phases, files that were cut or edited."""

import json
import shutil

import pytest

from tests.validators.bench_cases import codes_of
from validators import catalogue
from validators.benchmarks.elbencho import phase
from validators.checks import check

SAMPLES = catalogue.FOLDER / "elbencho" / "samples"

HEAD = """OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
=========== ================    ==========   =========
"""
WRITE = """WRITE       Elapsed time     :    40.000s   1m20.000s
            IOPS             :        1000         500
            Throughput MiB/s :        1000         500
            Total MiB        :       40000       40000
---
"""
MIXED = """RWMIX70     Elapsed time     :       1.000s      2.000s
            IOPS write       :         300         150
            IOPS read        :         700         350
            IOPS total       :        1000         500
            MiB/s write      :         300         150
            MiB/s read       :         700         350
            MiB/s total      :        1000         500
            MiB write        :         300         300
            MiB read         :         700         700
            IO wr latency    : [ min=2us avg=5us max=4.12ms ]
            IO rd latency    : [ min=1us avg=3us max=1.50s ]
---
"""
CSV_HEAD = "ISO date,label,path type,paths,hosts,threads,direct IO,operation,time ms [first],time ms [last],MiB/s [first],MiB/s [last],rwmix read MiB/s [first],version,command\n"  # noqa: E501
CSV_ROW = '2026-11-20T19:15:29.705+0000,,file,1,2,4,1,WRITE,40000,80000,1000,500,,3.1-10,"/opt/elbencho" "--hosts" "node17" "/lustre/prj0042/f" \n'  # noqa: E501


def side(volume=41943040000, ms=40000, **more):
    values = {"elapsed_time_ms": ms, "iops": 40_000_000 // ms, "bytes/s": volume * 1000 // ms, "bytes": volume, **more}
    return {key: str(value) if not isinstance(value, dict) else value for key, value in values.items()}


def result(name="WRITE", **changes):
    config = {"hosts": "2", "threads": "4", "block_size": "1048576", "direct_io": "true", "version": "3.1-10"}
    command = '"/opt/elbencho" "--hosts" "node17" "/lustre/prj0042/f" '
    fields = {
        "phase_type": name,
        "phase_id": "1bd16cda",
        "config": {**config, "command": command},
        "first_done": side(),
        "last_done": side(ms=80000),
    }
    return {**fields, **changes}


def lines(*results):
    return "".join(json.dumps(phase_result) + "\n" for phase_result in results)


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    return check(tmp_path / "out.txt")


def figures(run):
    return {(m.op, m.quantity, m.stat): (m.printed_value, m.printed_unit) for m in run.measurements}


def outcomes(run):
    return {rule.code: rule.outcome for rule in run.rules}


def test_a_phase_has_both_statistics_and_its_settings(tmp_path):
    (run,) = checked(tmp_path, lines(result())).runs
    assert figures(run)["write", "bandwidth", "first_done"] == (1048576000.0, "B/s")
    assert figures(run)["write", "bandwidth", "last_done"] == (524288000.0, "B/s")
    assert figures(run)["write", "time", "last_done"] == (80000.0, "ms")
    settings = {"hosts": "2", "threads": "4", "block_size": "1048576", "direct_io": "true", "client_nodes": 2}
    assert settings.items() <= run.parameters.items()
    assert (run.version, run.parameters["phases"]) == ("3.1-10", ["WRITE"])


def test_a_mixed_phase_has_a_part_that_reads(tmp_path):
    parts = {"first_done": side(rwmix_read={"bytes/s": "77", "iops": "7"}), "last_done": side(ms=80000)}
    latency = {"IO": {"min_us": "1", "avg_us": "2", "max_us": "3", "rwmix_read": {"avg_us": "9"}}}
    parts["last_done"]["latency"] = latency
    (run,) = checked(tmp_path, lines(result("RWMIX70", **parts))).runs
    assert figures(run)["rwmix70_read", "bandwidth", "first_done"] == (77.0, "B/s")
    assert figures(run)["rwmix70_read", "latency", "mean"] == (9.0, "us")
    assert figures(run)["rwmix70", "latency", "max"] == (3.0, "us")


def test_text_is_read_in_whole_units(tmp_path):
    report = checked(tmp_path, HEAD + WRITE + MIXED)
    values = figures(report.runs[0])
    assert values["write", "time", "last_done"] == (80000.0, "ms")
    assert values["write", "bandwidth", "first_done"] == (1000.0, "MiB/s")
    assert values["rwmix70", "bandwidth", "last_done"] == (150.0, "MiB/s")
    assert values["rwmix70_read", "iops", "first_done"] == (700.0, "ops/s")
    assert values["rwmix70_read", "latency", "max"] == (1.5, "s")
    assert "elbencho.rounded" in codes_of(report)
    assert report.status == "valid"


def test_times_of_older_text_have_no_unit_behind_them(tmp_path):
    text = (
        HEAD
        + "WRITE     Elapsed ms       :      45276      45281\n"
        + "          Throughput MiB/s :        766        772\n---\n"
    )
    values = figures(checked(tmp_path, text).runs[0])
    assert values["write", "time", "first_done"] == (45276.0, "ms")
    assert values["write", "time", "last_done"] == (45281.0, "ms")


def test_the_command_line_gives_settings_without_private_words(tmp_path):
    command = (
        'COMMAND LINE: "/opt/elbencho" "--hosts" "node17,node18," "--threads" "32" "--size" "1t" "-b" "4k" "--direct" '
        '"--resfile" "x.out" "/lustre/prj0042/"\n'
    )
    (run,) = checked(tmp_path, command + HEAD + WRITE).runs
    settings = {name: run.parameters.get(name) for name in ("hosts", "threads", "file_size", "block_size", "direct_io")}
    assert settings == {
        "hosts": "2",
        "threads": "32",
        "file_size": str(2**40),
        "block_size": "4096",
        "direct_io": "true",
    }
    assert run.parameters["client_nodes"] == 2
    assert not [word for word in ("node17", "prj0042", "x.out") if word in str(run.as_json())]
    other = tmp_path / "two"
    other.mkdir()
    for name, threads in (("a", "2"), ("b", "32")):
        (other / name).write_text(command.replace('"32"', f'"{threads}"') + HEAD + WRITE)
    (group,) = check(other).groups
    assert (group["kind"], group["varies"]) == ("unknown", {"threads": ["2", "32"]})
    assert "version" in group["missing_settings"]


def test_a_phase_without_a_time_is_incomplete(tmp_path):
    report = checked(tmp_path, HEAD + "WRITE     Throughput MiB/s :        766        772\n---\n")
    assert (report.status, codes_of(report)[0]) == ("invalid", "elbencho.measurement-missing")


def test_a_latency_of_0_is_left_out(tmp_path):
    report = check(SAMPLES / "rand-4k-lat" / "results.json")
    zeros = [
        measurement
        for measurement in report.runs[0].measurements
        if measurement.quantity == "latency" and not measurement.value
    ]
    assert (zeros, report.status) == ([], "valid")
    assert "elbencho.not-measured" in codes_of(report)


def test_decimal_megabytes_of_text_are_no_mebibytes(tmp_path):
    (run,) = checked(tmp_path, HEAD + WRITE.replace("Throughput MiB/s", "Throughput MB/s ")).runs
    assert figures(run)["write", "bandwidth", "first_done"] == (1000.0, "MB/s")


def test_a_quoted_command_at_the_end_of_a_row_is_not_recorded(tmp_path):
    (run,) = checked(tmp_path, CSV_HEAD + CSV_ROW).runs
    assert figures(run)["write", "bandwidth", "last_done"] == (500.0, "MiB/s")
    assert run.parameters["direct_io"] == "true"
    assert not [word for word in ("node17", "prj0042") if word in str(run.as_json())]


def test_paths_and_hosts_of_the_command_are_not_recorded(tmp_path):
    (run,) = checked(tmp_path, lines(result())).runs
    assert not [word for word in ("node17", "prj0042") if word in str(run.as_json())]


def test_several_forms_of_a_run_are_one_run_with_the_most_exact_values(tmp_path):
    (tmp_path / "a.txt").write_text(HEAD + WRITE)
    (tmp_path / "b.csv").write_text(CSV_HEAD + CSV_ROW)
    (tmp_path / "c.json").write_text(lines(result()))
    report = check(tmp_path)
    assert (len(report.runs), report.primary) == (1, 0)
    assert report.runs[0].parameters["form"] == "json"


def test_two_files_of_the_same_form_are_two_runs(tmp_path):
    (tmp_path / "a.json").write_text(lines(result()))
    shutil.copy(tmp_path / "a.json", tmp_path / "b.json")
    report = check(tmp_path)
    assert (len(report.runs), report.primary) == (2, None)


def test_phases_of_several_commands_keep_their_own_settings(tmp_path):
    other = result("READ")
    other["config"] = {**other["config"], "threads": "8"}
    (run,) = checked(tmp_path, lines(result(), other)).runs
    assert "threads" not in run.parameters
    assert [test["threads"] for test in run.tests] == ["4", "8"]


def test_rules_look_at_cache_time_and_trailing_threads(tmp_path):
    (run,) = checked(tmp_path, lines(result())).runs
    assert set(outcomes(run).values()) == {"satisfied"}
    config = {**result()["config"], "direct_io": "false"}
    (run,) = checked(tmp_path, lines(result(config=config, first_done=side(1000, 10), last_done=side(9000, 90)))).runs
    assert set(outcomes(run).values()) == {"violated"}


def test_rules_ignore_phases_without_data(tmp_path):
    rate = {"elapsed_time_ms": "4", "entries/s": "100", "entries": "10"}
    (run,) = checked(tmp_path, lines(result("STAT", first_done=rate, last_done=rate))).runs
    assert outcomes(run)["elbencho.together"] == outcomes(run)["elbencho.steady"] == "not_evaluated"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (lines(result())[:-30], "truncated"),
        (lines(result()) + "{}\n", "inconsistent"),
        (lines(result(), result("rm -rf"))[:], "inconsistent"),
        (lines(result(last_done=side(ms=80000, **{"bytes/s": 9 * 524288000}))), "inconsistent"),
        (lines(result(first_done={**side(), "iops": "nan"})), "not-a-number"),
        (lines(result(first_done={**side(), "iops": "1,5"})), "number-format"),
        (lines(result(first_done={}, last_done={})), "no-results"),
        (CSV_HEAD, "no-results"),
        (CSV_HEAD + CSV_ROW[:60], "truncated"),
        (CSV_HEAD + CSV_ROW.replace("WRITE", "write"), "inconsistent"),
        ("ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes\n", "not-supported"),
        ("Phase: WRITE\n* Entries per thread: 1 | 0 K | 0 M\n", "dry-run"),
        (HEAD, "no-results"),
        (HEAD + WRITE[:-5], "truncated"),
        (HEAD + WRITE.replace("---\n", "") + MIXED, "incomplete"),
        (HEAD + WRITE + "19:15:29.901 ERROR: Aborting due to worker errors\n", "run-failed"),
        ("19:15:29.901 ERROR: Unable to open benchmark path: /mnt/f; SysErr: No such file\n", "run-failed"),
        (HEAD + WRITE.replace("Throughput MiB/s", "Throughput GiB/s"), "unit-not-understood"),
        (HEAD + WRITE.replace("40.000s", "soon"), "not-a-number"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"elbencho.{word}" in codes_of(report)
    assert report.status == "invalid"


def test_more_phases_than_a_run_has_are_refused(tmp_path):
    report = checked(tmp_path, lines(result()) * (phase.MOST_PHASES + 1))
    assert "elbencho.too-large" in codes_of(report)


# Invocations: elbencho adds to its files


def test_each_heading_of_a_text_is_a_run_and_a_sweep_keeps_its_names(tmp_path):
    text = "".join(
        f"Working on /data/x/{name} with 56 threads...\n" + HEAD + WRITE for name in ("1024x1GiB", "64x16MiB")
    )
    report = checked(tmp_path, text)
    settings = [
        (run.parameters["sweep_files"], run.parameters["file_size"], run.parameters["threads"]) for run in report.runs
    ]
    assert settings == [("1024", str(2**30), "56"), ("64", str(16 * 2**20), "56")]
    assert report.primary is None
    assert "/data" not in str(report.as_json())


def test_older_totals_are_counted(tmp_path):
    block = (
        "MKDIRS    Elapsed ms       :          0          2\n          Total dirs       :         12         56\n---\n"
    )
    (run,) = checked(tmp_path, HEAD + block).runs
    assert figures(run)["mkdirs", "ops", "last_done"] == (56.0, "ops")


def with_command(command, operation="WRITE"):
    phase_result = result(operation)
    settings = {
        "path_type": "file",
        "file_size": "4096",
        "io_depth": "1",
        "random_offsets": "false",
        "command": command,
    }
    return {**phase_result, "config": {**phase_result["config"], **settings}}


@pytest.mark.parametrize(
    ("commands", "runs"),
    [
        ([('"elbencho" "-w" "/a"', "WRITE"), ('"elbencho" "-r" "/a"', "READ")], 2),
        ([('"elbencho" "-w" "-r" "/a"', "WRITE"), ('"elbencho" "-w" "-r" "/a"', "READ")], 1),
        ([('"elbencho" "-w" "/a"', "WRITE"), ('"elbencho" "-w" "/a"', "WRITE")], 2),
        ([('"elbencho" "-w" "--iterations" "2" "/a"', "WRITE")] * 2, 1),
        ([('"elbencho" "--sync" "/a"', "SYNC"), ('"elbencho" "--sync" "/a"', "SYNC")], 1),
    ],
)
def test_an_invocation_is_a_run(tmp_path, commands, runs):
    report = checked(tmp_path, lines(*(with_command(*command) for command in commands)))
    assert len(report.runs) == runs
    assert [run.lines for run in report.runs] == ([(1, 1), (2, 2)] if runs > 1 else [None])


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ("", '"--label" "b"', "repeats"),
        ('"/scratch/run1"', '"/scratch/run2"', "repeats"),
        ("", '"--gpuids" "0,1"', "sweep"),
        ("", '"--blockvarpct" "100"', "sweep"),
        ('"/scratch/run1"', '"/home/run1"', "sweep"),
    ],
)
def test_options_that_are_not_shown_are_compared(tmp_path, first, second, kind):
    for name, option, ms in (("a", first, 80000), ("b", second, 80100)):
        phase_result = with_command(f'"elbencho" "-w" {option} "/data"') | {"last_done": side(ms=ms)}
        (tmp_path / name).write_text(lines(phase_result))
    (group,) = check(tmp_path).groups
    assert group["kind"] == kind


def test_gpus_and_endpoints_are_counted_and_keys_are_not_kept(tmp_path):
    command = '"elbencho" "--gpuids" "0,1,2" "--s3endpoints" "http://s3.example.org:9000" "--s3secret" "hush" "bucket"'
    (run,) = checked(tmp_path, lines(with_command(command))).runs
    assert run.parameters["gpus"] == "3"
    assert "hush" not in str(run.as_json()) + str(run.undisclosed_settings)


def test_phases_of_services_are_not_those_of_their_master(tmp_path):
    report = checked(tmp_path, "Service now listening. Port: 1611\n" + HEAD + WRITE)
    assert (report.status, codes_of(report)) == ("invalid", ["elbencho.not-supported"])


def test_a_live_log_beside_results_changes_nothing(tmp_path):
    live = "Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s\n,WRITE,5000,Total,,0,40,8\n"
    (tmp_path / "out.live.csv").write_text(live)
    assert codes_of(check(tmp_path)) == ["elbencho.not-supported"]
    (tmp_path / "out.json").write_text(lines(result()))
    report = check(tmp_path)
    assert (report.status, codes_of(report), report.primary) == ("valid", ["elbencho.live-log"], 0)


@pytest.mark.parametrize(
    ("case", "command_line"),
    [
        ("nersc-perlmutter-bw-08", {"threads": "8", "block_size": "1048576"}),
        ("nersc-coribb-iops-32", {"threads": "32"}),
    ],
)
def test_csv_and_text_of_a_real_run_are_one_run(shared, case, command_line):
    folder = shared / "data" / "outputs2" / "elbencho" / case
    report = check(folder)
    (run,) = report.runs
    assert run.parameters["form"] == "csv"
    (text,) = check(next(folder.glob("*.out"))).runs
    assert command_line.items() <= text.parameters.items()
    assert [m.printed_value for m in run.measurements if m.quantity == "time"] == [
        m.printed_value for m in text.measurements if m.quantity == "time"
    ]


def test_real_runs_of_unlike_systems_are_no_repeats(shared):
    report = check(shared / "data" / "outputs2" / "elbencho")
    assert [group["kind"] for group in report.groups] == ["sweep", "unknown"]
    sweep = [run for run in report.runs if "sweep_files" in run.parameters]
    assert len(sweep) == 10
    assert len({run.parameters["file_size"] for run in sweep}) == 10


def of_command(options, *phases, ms=80000):
    config = {**result()["config"], "path_type": "dir", "command": f'"/opt/elbencho" {options} "/lustre/d" '}
    return lines(*(result(name, config=config, last_done=side(ms=ms)) for name in phases))


@pytest.mark.parametrize(
    ("options", "phases", "missing"),
    [
        ('"-d" "-w" "-r"', ("MKDIRS", "WRITE"), "READ"),
        ('"-wrF"', ("WRITE",), "READ, RMFILES"),
        ('"--mkdirs" "--write" "--stat"', ("MKDIRS", "STAT"), "WRITE"),
        ('"-w" "-r" "--timelimit" "80"', ("READ",), "WRITE"),
        ('"-w" "-r" "--timelimit" "90"', ("WRITE",), "READ"),
    ],
)
def test_a_phase_missing_against_the_command_is_reported(tmp_path, options, phases, missing):
    report = checked(tmp_path, of_command(options, *phases))
    (finding,) = [finding for finding in report.runs[0].findings if finding.code == "elbencho.lines-missing"]
    assert f"asks for {missing}, of" in finding.message


@pytest.mark.parametrize(
    ("options", "phases"),
    [
        ('"-w" "-r"', ("WRITE", "READ")),
        ('"-w" "--rwmixpct" "70"', ("RWMIX70",)),
        ('"-w" "-r" "--readinline"', ("WRITE+r", "READ")),
        ('"-w" "-r" "--timelimit" "80"', ("WRITE",)),
        ('"-w" "--sync"', ("SYNC", "WRITE", "SYNC")),
        ('"-w" "-r" "--s3endpoints" "http://s3"', ("PUTOBJ", "GETOBJ")),
    ],
)
def test_renamed_phases_and_those_after_the_time_limit_are_not_missing(tmp_path, options, phases):
    (tmp_path / "out.txt").write_text(of_command(options, *phases))
    assert "elbencho.lines-missing" not in codes_of(check(tmp_path / "out.txt"))


def test_a_csv_row_truncated_in_its_command_is_reported(tmp_path):
    assert "elbencho.lines-missing" not in codes_of(checked(tmp_path, CSV_HEAD + CSV_ROW))
    report = checked(tmp_path, CSV_HEAD + CSV_ROW.rstrip()[:-9])
    assert "elbencho.lines-missing" in codes_of(report)


@pytest.mark.parametrize("line", WRITE.split("\n")[2:4])
def test_a_line_missing_in_one_phase_is_reported(tmp_path, line):
    read = WRITE.replace("WRITE", "READ ")
    assert "elbencho.lines-missing" not in codes_of(checked(tmp_path, HEAD + WRITE + read))
    assert "elbencho.lines-missing" in codes_of(checked(tmp_path, HEAD + WRITE + read.replace(line + "\n", "")))


def test_terminal_text_around_json_is_reported_and_not_read(tmp_path):
    around = "$ elbencho -w /lustre/d\n" + lines(result()) + "real 1m20.1s\n"
    assert figures(checked(tmp_path, around).runs[0]) == figures(checked(tmp_path, lines(result())).runs[0])
    damaged = checked(tmp_path, lines(result()) + "warning " + lines(result("READ")))
    assert (damaged.status, codes_of(damaged)) == ("invalid", ["elbencho.truncated"])
