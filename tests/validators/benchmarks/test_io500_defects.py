"""What can be wrong with a run: each defect is made on purpose, and told with its own code and level."""

import pytest

from tests.make_io500 import PHASES, make_archive, make_run, pack, score_of
from tests.validators.io500_reading import codes, read_files, read_made
from validators.benchmarks.io500 import parser
from validators.checks import check

HOME = "results/2025.10.01-09.00.00"
SHELL_LABELS = ["io500.unit.GB-means-GiB"]


def test_a_good_run_has_no_finding(tmp_path):
    reading = read_made(tmp_path)
    assert codes(reading) == []
    assert reading.primary == 0
    run = reading.runs[0]
    assert (run.tool, run.version, run.mode, run.path) == ("io500", "io500-sc25", "standard", HOME)


def test_a_good_run_of_the_shell_script_has_only_the_unit_finding(tmp_path):
    reading = read_made(tmp_path, format="shell")
    assert codes(reading) == SHELL_LABELS
    assert codes(reading, "info") == SHELL_LABELS


@pytest.mark.parametrize("format", ["c", "shell"])
@pytest.mark.parametrize("performance", [0.01, 1.0, 37.7])
def test_the_score_is_that_of_an_independent_computation(tmp_path, format, performance):
    run = read_made(tmp_path, format=format, performance=performance).runs[0]
    digits = 6 if format == "c" else 3
    values = {name: round(value * performance, digits) for name, (value, _) in PHASES.items()}
    bandwidth, rate, total = score_of(values)
    assert run.scores["SCORE"]["value"] == pytest.approx(total, rel=1e-12)
    assert run.scores["SCORE"]["bandwidth_gib_per_s"] == pytest.approx(bandwidth, rel=1e-12)
    assert run.scores["SCORE"]["rate_kiops"] == pytest.approx(rate, rel=1e-12)


def test_measurements_come_in_the_order_of_the_phases(tmp_path):
    run = read_made(tmp_path).runs[0]
    phases = [phase for phase in PHASES if phase != "timestamp"]  # a file that find compares with
    assert list(dict.fromkeys(measurement.op for measurement in run.measurements)) == phases
    first, second = run.measurements[:2]
    assert (first.value, first.unit, first.printed_value, first.printed_unit) == (48.25 * 2**30, "B/s", 48.25, "GiB/s")
    assert (second.quantity, second.value, second.unit, second.scored) == ("time", 331.5, "s", None)
    assert {m.op for m in run.measurements if m.scored is False} == {"ior-rnd4K-easy-read"}


def test_parameters_of_the_run(tmp_path):
    parameters = read_made(tmp_path, client_nodes=12, procs_per_node=8).runs[0].parameters
    assert parameters["client_nodes"] == 12
    assert parameters["tasks"] == 96
    assert parameters["procs_per_node"] == 8
    assert parameters["api"] == "POSIX"
    assert parameters["stonewall_s"] == 300
    assert parameters["find_tool"] == "pfind"
    assert parameters["file_system_size"] == "1.5 PiB"


DEFECTS = [
    ({"short": "ior-easy-write"}, ["io500.stonewall.short"], []),
    ({"seconds": {"mdtest-hard-write": 299.99}}, ["io500.stonewall.short"], []),
    ({"invalid": ("find",)}, ["io500.invalid-mark"], ["io500.invalid-by-tool"]),
    ({"missing": "find"}, ["io500.phase.missing"], []),
    ({"reordered": True}, ["io500.phase.order"], []),
    ({"edited_phase": "mdtest-easy-stat"}, ["io500.score.inconsistent"], ["io500.score.hash-mismatch"]),
    ({"edited_summary": True}, ["io500.summary.inconsistent"], []),
    ({"edited_hash": True}, [], ["io500.score.hash-mismatch"]),
    ({"truncated": True}, ["io500.result.truncated"], []),
    ({"product": True}, [], ["io500.score.no-root"]),
    ({"without": ("result.txt",)}, [], ["io500.result.missing"]),
    ({"without": ("result_summary.txt",)}, [], ["io500.summary.missing"]),
    ({"without": ("mdtest-easy-stat.txt",)}, [], ["io500.raw.missing"]),
    ({"version": ""}, [], ["io500.version.empty"]),
    ({"seconds": {"ior-rnd4K-easy-read": 4.5}}, [], ["io500.rnd4k.short"]),
    ({"options": {("global", "dataPacketType"): "random"}}, [], ["io500.option.data-packet-type"]),
    ({"values": {"find": "-3.000000"}}, ["io500.value.negative"], ["io500.raw.no-value"]),
    ({"values": {"find": "12,5"}}, ["io500.value.number-format"], ["io500.find.nothing-found"]),
    ({"values": {"find": "nan"}}, ["io500.value.not-a-number"], ["io500.find.nothing-found"]),
    ({"values": {"find": "inf"}}, ["io500.value.not-a-number"], ["io500.find.nothing-found"]),
    ({"values": {"find": "0.000000"}}, ["io500.value.zero"], ["io500.find.nothing-found"]),
]


@pytest.mark.parametrize(("changes", "errors", "warnings"), DEFECTS, ids=[next(iter(each[0])) for each in DEFECTS])
def test_a_defect_is_reported(tmp_path, changes, errors, warnings):
    reading = read_made(tmp_path, **changes)
    assert codes(reading, "error") == errors
    assert codes(reading, "warning") == warnings


@pytest.mark.parametrize(("changes", "errors", "warnings"), DEFECTS, ids=[next(iter(each[0])) for each in DEFECTS])
def test_status_follows_from_the_errors(tmp_path, changes, errors, warnings):
    report = check(make_archive(tmp_path / "run.tar.gz", **changes))
    assert report.status == ("invalid" if errors else "valid")


@pytest.mark.parametrize(
    ("changes", "errors"),
    [
        ({"short": "mdtest-easy-write"}, ["io500.stonewall.short"]),
        ({"missing": "ior-hard-read"}, ["io500.phase.missing"]),
        ({"reordered": True}, ["io500.phase.order"]),
        ({"edited_phase": "find"}, ["io500.score.inconsistent"]),
        ({"edited_summary": True}, ["io500.score.inconsistent"]),
        ({"values": {"find": "nan"}}, ["io500.value.not-a-number"]),
    ],
)
def test_a_defect_of_the_shell_format_is_reported(tmp_path, changes, errors):
    assert codes(read_made(tmp_path, format="shell", **changes), "error") == errors


def test_a_total_without_root_of_the_shell_format(tmp_path):
    assert "io500.score.no-root" in codes(read_made(tmp_path, format="shell", product=True), "warning")


def test_a_competition_run_may_be_short(tmp_path):
    short = {name: 31.0 for name in PHASES if name.endswith("-write")}
    assert codes(read_made(tmp_path, scc=True, seconds=short), "error") == []


def test_a_changed_option_beside_the_old_hash_is_a_warning(tmp_path):
    files = make_run()
    for name in ("config.ini", "config-orig.ini"):
        files[f"{HOME}/{name}"] += b"\n[global]\ndrop-caches = TRUE\n"
    assert codes(read_files(tmp_path, files), "warning") == ["io500.config.hash-mismatch"]


def test_raw_output_of_another_value_is_an_error(tmp_path):
    files = make_run()
    other = make_run(performance=1.1)
    files[f"{HOME}/ior-hard-read.txt"] = other[f"{HOME}/ior-hard-read.txt"]
    assert codes(read_files(tmp_path, files), "error") == ["io500.raw.inconsistent"]


def test_glued_columns_of_mdtest_are_read(tmp_path):
    files = make_run(values={"mdtest-easy-stat": "1234567.890000"})
    name = f"{HOME}/mdtest-easy-stat.txt"
    text = files[name].decode().replace("1234567890.000 1234567890.000 1234567890.000", "1234567890.000" * 3)
    assert "1234567890.0001234567890.000" in text
    assert codes(read_files(tmp_path, {**files, name: text.encode()})) == []


def test_a_truncated_raw_output_is_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/mdtest-easy-stat.txt"
    assert codes(read_files(tmp_path, {**files, name: files[name][:300]})) == ["io500.raw.no-value"]


def test_a_find_rate_that_contradicts_its_parts_is_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/result.txt"
    lines = files[name].decode().split("\n")
    changed = ["total-files     = 1000" if line.startswith("total-files") else line for line in lines]
    assert codes(read_files(tmp_path, {**files, name: "\n".join(changed).encode()})) == ["io500.find.rate"]


def test_phases_on_different_nodes_are_reported(tmp_path):
    files = make_run()
    files[f"{HOME}/mdtest-hard-stat.txt"] = make_run(client_nodes=8, procs_per_node=20)[f"{HOME}/mdtest-hard-stat.txt"]
    assert codes(read_files(tmp_path, files)) == ["io500.nodes.inconsistent"]


def test_another_number_of_processes_in_result_is_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/result.txt"
    changed = files[name].replace(b"procs           = 160", b"procs           = 320")
    assert codes(read_files(tmp_path, {**files, name: changed})) == ["io500.tasks.inconsistent"]


def test_a_dry_run_has_only_the_dry_run_finding(tmp_path):
    values = dict.fromkeys(PHASES, "0.000000")
    assert codes(read_made(tmp_path, values=values)) == ["io500.dry-run"]


def test_a_phase_printed_twice_is_reported(tmp_path):
    files = make_run(without=("result.txt",))
    name = f"{HOME}/result_summary.txt"
    lines = files[name].split(b"\n")
    finding_codes = codes(
        read_files(tmp_path, {**files, name: b"\n".join([*lines[:2], lines[1], *lines[2:]])}), "error"
    )
    assert "io500.phase.repeated" not in finding_codes
    again = lines[1].replace(b" 48.25", b" 58.25")
    finding_codes = codes(read_files(tmp_path, {**files, name: b"\n".join([*lines[:2], again, *lines[2:]])}), "error")
    assert "io500.phase.repeated" in finding_codes


@pytest.mark.parametrize(
    ("name", "old", "new", "code"),
    [
        ("result.txt", b"\n[SCORE]\n", b"\n[find]\nscore = 2210.500000\n\n[SCORE]\n", "io500.phase.repeated"),
        ("result.txt", b"\nSCORE  ", b"\nSCORE = 99.0\nSCORE  ", "io500.phase.repeated"),
        ("result.txt", b"version         = io500-sc25", b"version         = io500-sc24", "io500.summary.inconsistent"),
        ("result_summary.txt", b"(standard)", b"(extended)", "io500.summary.inconsistent"),
        (
            "result_summary.txt",
            b"[SCORE ]",
            b"[SCORE ] Bandwidth 9 GiB/s : IOPS 9 kiops : TOTAL 9\n[SCORE ]",
            "io500.phase.repeated",
        ),
    ],
)
def test_duplicate_or_changed_lines_of_the_summary_are_errors(tmp_path, name, old, new, code):
    files = make_run()
    path = f"{HOME}/{name}"
    assert files[path].count(old) == 1
    assert code in codes(read_files(tmp_path, {**files, path: files[path].replace(old, new)}), "error")


def test_a_standard_run_labelled_extended_is_reported(tmp_path):
    files = make_run()
    for name, old, new in (
        ("result.txt", b"mode            = standard", b"mode            = extended"),
        ("result_summary.txt", b"(standard)", b"(extended)"),
    ):
        files[f"{HOME}/{name}"] = files[f"{HOME}/{name}"].replace(old, new)
    assert codes(read_files(tmp_path, files)) == ["io500.mode.inconsistent"]


def test_a_bandwidth_in_another_unit_is_not_read(tmp_path):
    files = make_run()
    name = f"{HOME}/ior-hard-read.txt"
    changed = files[name].replace(b"bw(MiB/s)", b"bw(MB/s)")
    assert codes(read_files(tmp_path, {**files, name: changed})) == ["io500.raw.no-value"]


def test_the_log_of_the_shell_script_has_each_phase_twice(tmp_path):
    """As they end, and once more sorted by kind: the first tell the order, and nothing is wrong."""
    files = make_run(format="shell")
    name = f"{HOME}/result_summary.txt"
    lines = files.pop(name).splitlines(keepends=True)
    by_kind = sorted((line for line in lines if line.startswith(b"[RESULT]")), key=lambda line: b"IOPS" in line)
    score = [line for line in lines if line.startswith(b"[SCORE]")]
    files[f"{HOME}/io-500-summary.2019.11.18-15.37.18.txt"] = b"".join([*lines[: -len(score)], *by_kind, *score])
    assert codes(read_files(tmp_path, files), "error") == []


def test_an_unknown_phase_is_a_warning(tmp_path):
    files = make_run(format="shell")
    name = f"{HOME}/result_summary.txt"
    extra = b"[RESULT] BW   phase 5            ior_turbo_write               9.000 GB/s : time 301.00 seconds\n"
    assert codes(read_files(tmp_path, {**files, name: files[name] + extra}), "warning") == ["io500.phase.unknown"]


def test_a_phase_in_only_one_file_is_reported(tmp_path):
    files = make_run()
    summary, result = f"{HOME}/result_summary.txt", f"{HOME}/result.txt"
    line = next(line for line in files[summary].split(b"\n") if b" find " in line) + b"\n"
    assert codes(read_files(tmp_path, {**files, summary: files[summary].replace(line, b"")})) == [
        "io500.summary.inconsistent"
    ]
    extra = files[result].replace(b"\n[SCORE]\n", b"\n[find-easy]\nscore = 3.0\n\n[SCORE]\n")
    assert "io500.summary.inconsistent" in codes(read_files(tmp_path, {**files, result: extra}), "error")


def test_a_time_edited_in_the_summary_is_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/result_summary.txt"
    changed = files[name].replace(b"time 331.500", b"time 431.500")
    assert codes(read_files(tmp_path, {**files, name: changed}), "error") == ["io500.summary.inconsistent"]


def test_a_time_that_contradicts_the_clock_is_reported(tmp_path):
    files = make_run(short="ior-easy-write")
    for name, old, new in (("result.txt", b"120.0000", b"320.0000"), ("result_summary.txt", b"120.000", b"320.000")):
        files[f"{HOME}/{name}"] = files[f"{HOME}/{name}"].replace(old, new)
    assert codes(read_files(tmp_path, files)) == ["io500.time.inconsistent"]


def test_an_edited_copy_in_the_root_is_reported(tmp_path):
    edited = make_run(edited_summary=True)[f"{HOME}/result_summary.txt"]
    reading = read_files(tmp_path, {**make_run(), "result_summary.txt": edited})
    assert codes(reading, "error") == ["io500.summary.inconsistent"]
    assert reading.runs[0].scores["SCORE"]["printed"] == 81.326085


def test_a_unit_that_io500_never_prints_is_an_error(tmp_path):
    files = make_run()
    name = f"{HOME}/result_summary.txt"
    changed = files[name].replace(b"48.250000 GiB/s", b"48.250000 MiB/s")
    finding_codes = codes(read_files(tmp_path, {**files, name: changed}), "error")
    assert finding_codes == ["io500.unit.unit-not-understood"]


def test_lines_that_only_begin_like_results_are_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/result_summary.txt"
    changed = files[name] + b"[RESULT] something else\n[SCORE ] nothing\n"
    assert codes(read_files(tmp_path, {**files, name: changed})) == ["io500.summary.line-not-recognised"] * 2


# Which run counts


def test_a_copy_of_the_summary_in_the_root_changes_nothing(tmp_path):
    files = make_run()
    reading = read_files(tmp_path, {**files, "result_summary.txt": files[f"{HOME}/result_summary.txt"]})
    assert (len(reading.runs), reading.primary, codes(reading)) == (1, 0, [])


def test_a_summary_of_another_run_in_the_root_is_reported_and_ignored(tmp_path):
    other = make_run(performance=2.0)[f"{HOME}/result_summary.txt"]
    for place in ("result_summary.txt", "zzz/result_summary.txt"):
        reading = read_files(tmp_path, {**make_run(), place: other})
        assert codes(reading) == ["io500.summary.other-run"]
        assert reading.runs[reading.primary].path == HOME


def test_two_runs_are_kept_without_a_primary(tmp_path):
    files = {**make_run(), **make_run(performance=2.0, folder="results/second")}
    reading = read_files(tmp_path, files)
    assert reading.primary is None
    assert sorted(run.path for run in reading.runs) == [HOME, "results/second"]
    assert codes(reading) == ["io500.several-runs"]


def test_the_same_run_twice_is_one_run(tmp_path):
    files = make_run()
    copy = {f"backup/copy/{path}": content for path, content in files.items()}
    reading = read_files(tmp_path, {**copy, **files})
    assert (len(reading.runs), reading.primary, reading.runs[0].path) == (1, 0, HOME)
    assert codes(reading) == ["io500.duplicate-run"]


@pytest.mark.parametrize("folder", ["", "results", "results/results/x", "a b/G:/c, (d)"])
def test_the_run_is_found_at_any_depth(tmp_path, folder):
    for format in ("c", "shell"):
        reading = read_made(tmp_path, folder=folder or "flat", format=format)
        assert reading.runs[0].path == (folder or "flat")


def test_a_run_in_the_root_is_found(tmp_path):
    files = {path.removeprefix(f"{HOME}/"): content for path, content in make_run().items()}
    reading = read_files(tmp_path, files)
    assert (reading.primary, reading.runs[0].path, codes(reading)) == (0, "", [])


def test_a_summary_alone_is_a_run_with_warnings(tmp_path):
    path = tmp_path / "result_summary.txt"
    path.write_bytes(make_run()[f"{HOME}/result_summary.txt"])
    report = check(path)
    assert report.status == "valid"
    finding_codes = [finding.code for finding in report.runs[0].findings]
    assert finding_codes == ["io500.result.missing", "io500.raw.missing", "evidence.summary-alone"]


def test_the_output_of_a_job_is_read_where_there_is_nothing_else(tmp_path):
    summary = make_run()[f"{HOME}/result_summary.txt"]
    reading = read_files(tmp_path, {"slurm-17.out": b"Loading modules\n" + summary + b"done\n"})
    assert reading.runs[0].scores["SCORE"]["printed"] == pytest.approx(81.326085)


def test_files_of_desktops_and_editors_are_ignored(tmp_path):
    files = make_run()
    summary = files[f"{HOME}/result_summary.txt"]
    litter = {f"{HOME}/._result.txt": b"\0\5\x16\7", "__MACOSX/result_summary.txt": summary, f"{HOME}/.x.swp": b"\0"}
    reading = read_files(tmp_path, {**files, **litter})
    assert (len(reading.runs), codes(reading)) == (1, [])


def test_windows_line_ends_and_byte_order_marks_change_nothing(tmp_path):
    files = make_run()
    for name in ("result.txt", "result_summary.txt", "config.ini", "config-orig.ini"):
        path = f"{HOME}/{name}"
        files[path] = b"\xef\xbb\xbf" + files[path].replace(b"\n", b"\r\n")
    assert codes(read_files(tmp_path, files)) == []


def test_a_byte_order_mark_does_not_hide_the_version(tmp_path):
    summary = b"\xef\xbb\xbf" + make_run()[f"{HOME}/result_summary.txt"]
    assert read_files(tmp_path, {"result_summary.txt": summary}).runs[0].version == "io500-sc25"


@pytest.mark.parametrize(
    "files",
    [
        {"io500.sh": b"#!/bin/bash\n./io500 config.ini\n"},
        {"io500.cfg": b"[global]\n"},
        {"output.txt": b"[IOR EASY WRITE]\nIOR-3.2.0: MPI Coordinated Test of Parallel I/O\n"},
    ],
)
def test_scripts_without_results_are_named(tmp_path, files):
    reading = read_files(tmp_path, files)
    assert (reading.runs, reading.primary, codes(reading)) == ([], None, ["io500.no-results"])


def test_an_archive_without_results_is_unreadable(tmp_path):
    report = check(pack(tmp_path / "run.zip", {"io500.sh": b"#!/bin/bash\n", "note.txt": b"soon\n"}))
    assert report.status == "unreadable"
    assert {finding.code for finding in report.findings} == {"bundle.no-result", "io500.no-results"}


def test_files_of_other_programs_are_ignored(tmp_path):
    reading = read_files(tmp_path, {"result.txt": b"score = 3\n", "ior-easy-write.txt": b"IOR-4.0.0\n", "a.csv": b"1"})
    assert (reading.runs, codes(reading), reading.claimed) == ([], [], set())


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "io500.file.empty-file"),
        (b" \n\n", "io500.file.empty-file"),
        (b"\0" * 4096, "io500.file.binary-file"),
        ("IO500 version x (standard)\n".encode("utf-16"), "io500.file.bad-encoding"),
        (b"x" * 300_000, "io500.file.line-too-long"),
        (b"hello\n", "io500.summary.not-recognised"),
    ],
)
def test_invalid_summaries_are_refused(tmp_path, content, code):
    reading = read_files(tmp_path, {"result_summary.txt": content, "job.sh": b""})
    assert reading.runs == []
    assert code in codes(reading, "error")


def test_a_result_with_a_sparse_hole_is_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/result.txt"
    holed = files[name][:1000] + b"\0" * 500 + files[name][1500:]
    assert "io500.file.binary-file" in codes(read_files(tmp_path, {**files, name: holed}), "error")


def test_bytes_that_are_not_utf8_are_reported(tmp_path):
    files = make_run()
    name = f"{HOME}/result.txt"
    assert codes(read_files(tmp_path, {**files, name: files[name] + b"; caf\xe9\n"})) == ["io500.file.bad-encoding"]


def test_reproduce_prints_every_phase_and_the_result(tmp_path):
    lines = parser.explain(read_made(tmp_path).runs[0])
    text = "\n".join(lines)
    assert "ior-easy-write      48.250000 GiB/s" in text
    assert "BW = geometric mean of 4 phases = 18.543135 GiB/s" in text
    assert "SCORE = sqrt(BW x MD) = 81.326085" in text
    assert "SCORE as printed: 81.326085" in text
