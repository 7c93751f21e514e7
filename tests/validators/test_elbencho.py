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
    values = {"elapsed_time_ms": ms, "iops": 1000, "bytes/s": volume * 1000 // ms, "bytes": volume, **more}
    return {key: str(value) if not isinstance(value, dict) else value for key, value in values.items()}


def result(name="WRITE", **changes):
    config = {"hosts": "2", "threads": "4", "block_size": "1048576", "direct_io": "true", "version": "3.1-10"}
    command = '"/opt/elbencho" "--hosts" "node17" "/lustre/prj0042/f" '
    made = {
        "phase_type": name,
        "phase_id": "1bd16cda",
        "config": {**config, "command": command},
        "first_done": side(),
        "last_done": side(ms=80000),
    }
    return {**made, **changes}


def lines(*results):
    return "".join(json.dumps(one) + "\n" for one in results)


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
    wanted = {"hosts": "2", "threads": "4", "block_size": "1048576", "direct_io": "true", "client_nodes": 2}
    assert wanted.items() <= run.parameters.items()
    assert (run.version, run.parameters["phases"]) == ("3.1-10", ["WRITE"])


def test_a_mixed_phase_has_a_part_that_reads(tmp_path):
    parts = {"first_done": side(rwmix_read={"bytes/s": "77", "iops": "7"}), "last_done": side(ms=80000)}
    latency = {"IO": {"min_us": "1", "avg_us": "2", "max_us": "3", "rwmix_read": {"avg_us": "9"}}}
    parts["last_done"]["latency"] = latency
    (run,) = checked(tmp_path, lines(result("RWMIX70", **parts))).runs
    assert figures(run)["rwmix70_read", "bandwidth", "first_done"] == (77.0, "B/s")
    assert figures(run)["rwmix70_read", "latency", "mean"] == (9.0, "us")
    assert figures(run)["rwmix70", "latency", "max"] == (3.0, "us")


def test_text_says_the_same_in_whole_units(tmp_path):
    report = checked(tmp_path, HEAD + WRITE + MIXED)
    found = figures(report.runs[0])
    assert found["write", "time", "last_done"] == (80000.0, "ms")
    assert found["write", "bandwidth", "first_done"] == (1000.0, "MiB/s")
    assert found["rwmix70", "bandwidth", "last_done"] == (150.0, "MiB/s")
    assert found["rwmix70_read", "iops", "first_done"] == (700.0, "ops/s")
    assert found["rwmix70_read", "latency", "max"] == (1.5, "s")
    assert "elbencho.rounded" in codes_of(report)
    assert report.status == "valid"


def test_times_of_older_text_have_no_unit_behind_them(tmp_path):
    text = (
        HEAD
        + "WRITE     Elapsed ms       :      45276      45281\n"
        + "          Throughput MiB/s :        766        772\n---\n"
    )
    found = figures(checked(tmp_path, text).runs[0])
    assert found["write", "time", "first_done"] == (45276.0, "ms")
    assert found["write", "time", "last_done"] == (45281.0, "ms")


def test_the_command_line_of_text_gives_settings_and_nothing_private(tmp_path):
    command = (
        'COMMAND LINE: "/opt/elbencho" "--hosts" "node17,node18," "--threads" "32" "--size" "1t" "-b" "4k" "--direct" '
        '"--resfile" "x.out" "/lustre/prj0042/"\n'
    )
    (run,) = checked(tmp_path, command + HEAD + WRITE).runs
    told = {name: run.parameters.get(name) for name in ("hosts", "threads", "file_size", "block_size", "direct_io")}
    assert told == {
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


def test_a_phase_that_wrote_and_tells_no_time_is_not_reported_whole(tmp_path):
    report = checked(tmp_path, HEAD + "WRITE     Throughput MiB/s :        766        772\n---\n")
    assert (report.status, codes_of(report)[0]) == ("invalid", "elbencho.measurement-missing")


def test_a_latency_of_0_is_no_latency(tmp_path):
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


def test_a_command_with_quotes_ends_a_row_and_stays_out(tmp_path):
    (run,) = checked(tmp_path, CSV_HEAD + CSV_ROW).runs
    assert figures(run)["write", "bandwidth", "last_done"] == (500.0, "MiB/s")
    assert run.parameters["direct_io"] == "true"
    assert not [word for word in ("node17", "prj0042") if word in str(run.as_json())]


def test_paths_and_hosts_of_the_command_stay_out_of_the_json(tmp_path):
    (run,) = checked(tmp_path, lines(result())).runs
    assert not [word for word in ("node17", "prj0042") if word in str(run.as_json())]


def test_the_forms_of_one_run_are_one_run_and_the_most_exact_counts(tmp_path):
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


def test_rules_do_not_speak_of_phases_that_move_nothing(tmp_path):
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
def test_what_cannot_count_is_refused_by_its_code(tmp_path, text, word):
    report = checked(tmp_path, text)
    assert f"elbencho.{word}" in codes_of(report)
    assert report.status == "invalid"


def test_more_phases_than_a_run_has_are_refused(tmp_path):
    report = checked(tmp_path, lines(result()) * (phase.MOST_PHASES + 1))
    assert "elbencho.too-large" in codes_of(report)
