"""mdtest: what its outputs say in each version, and what makes one not count."""

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.validators import bench_cases
from tests.validators.bench_cases import codes_of
from validators.benchmarks.mdtest import parser, rules
from validators.bundle import LINE_LIMIT, Bundle
from validators.checks import check
from validators.rules import Context

SAMPLES = sorted((Path(parser.__file__).parent / "samples").iterdir())
FIGURES = {
    "File creation": (300.0, 100.0, 200.0, 141.421),
    "File stat": (3000.0, 1000.0, 2000.0, 1414.214),
    "File read": (3000.0, 1000.0, 2000.0, 1414.214),
    "File removal": (0.0, 0.0, 0.0, 0.0),
    "Tree creation": (30.0, 10.0, 20.0, 14.142),
    "Tree removal": (0.0, 0.0, 0.0, 0.0),
}


def of_two(least, most):
    """Maximum, minimum, mean and deviation of two values, as a sample."""
    return most, least, (least + most) / 2, (most - least) / 2**0.5


def table(title="SUMMARY rate (in ops/sec)", figures=FIGURES, colon="", iterations=2):
    """With colons the deviation is that of all values, not that of a sample."""
    if colon:
        figures = {name: (*row[:3], row[3] / 2**0.5) for name, row in figures.items()}
    rows = [f"   {name:<18}{colon} " + " ".join(f"{value:14.3f}" for value in row) for name, row in figures.items()]
    return [f"{title}: (of {iterations} iterations)", "   Operation   Max   Min   Mean   Std Dev", "   ---", *rows]


def output(*tables, version="4.1.0", command="mdtest '-F' '-C' '-T' '-E' '-n' '100' '-d' '/p'", extra="", end=True):
    """A run of two tasks, each with a hundred files, removed by another run."""
    lines = [
        "-- started at 11/20/2026 18:55:56 --",
        "",
        f"mdtest-{version} was launched with 2 total task(s) on 1 node(s)",
        f"Command line used: {command}",
        "Path                : /lustre/prj0042/carol",
        "2 tasks, 200 files",
        *([extra] if extra else []),
        "",
        *(line for table_lines in tables or (table(),) for line in [*table_lines, ""]),
        *(["-- finished at 11/20/2026 18:55:58 --"] if end else []),
    ]
    return "\n".join(lines) + "\n"


def changed(name, *row):
    return table(figures={**FIGURES, name: row})


def checked(tmp_path, text):
    (tmp_path / "out.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return check(tmp_path / "out.txt", benchmark="mdtest")


def run_of(tmp_path, text):
    report = checked(tmp_path, text)
    assert report.status == "valid", codes_of(report)
    return report.runs[0]


def test_a_run_gives_rates_and_leaves_out_what_was_not_run(tmp_path):
    run = run_of(tmp_path, output())
    figures = {(m.op, m.stat): (m.value, m.printed_unit) for m in run.measurements}
    assert figures["file_create", "max"] == (300, "ops/s")
    assert figures["tree_create", "stdev"] == (14.142, "ops/s")
    assert {op for op, _ in figures} == {"file_create", "file_stat", "file_read", "tree_create"}
    assert run.parameters["not_run"] == ["file_remove", "tree_remove"]


ALIKE = {name: (row[2], row[2], row[2], 0.0) for name, row in FIGURES.items()}


@pytest.mark.parametrize(
    ("version", "colon", "iterations", "has_deviation"),
    [("4.1.0", "", 1, False), ("4.1.0", "", 2, True), ("3.3.0", " :", 1, True)],
)
def test_one_iteration_has_no_deviation(tmp_path, version, colon, iterations, has_deviation):
    """Until 3.3 it is over the ranks, too, of which there are two."""
    run = run_of(tmp_path, output(table(figures=ALIKE, colon=colon, iterations=iterations), version=version))
    assert any(measurement.stat == "stdev" for measurement in run.measurements) is has_deviation
    assert any(finding.code == "mdtest.not-measured" for finding in run.findings) is not has_deviation


def test_parameters_have_the_fields_names(tmp_path):
    run = run_of(tmp_path, output(command="mdtest -F -C -T -E -n 100 -u -N 1 -w 3901 -W 300 -d /p"))
    expected = {
        "client_nodes": 1,
        "tasks": 2,
        "items_total": 200,
        "items_kind": "files",
        "iterations": 2,
        "items_per_task": 100,
        "write_bytes": 3901,
        "stonewall_s": 300,
        "stride": 1,
        "unique_dir_per_task": True,
        "leaf_only": False,
    }
    assert {name: run.parameters.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("colon", "scope"),
    [(":", "ranks and iterations, population stdev"), ("", "iterations (slowest rank x tasks), sample stdev")],
)
def test_the_form_of_the_table_gives_the_coverage_of_statistics(tmp_path, colon, scope):
    run = run_of(tmp_path, output(table("SUMMARY rate", colon=colon), version="3.4.0+dev"))
    assert {m.context["scope"] for m in run.measurements} == {scope}
    assert run.parameters["statistics_over"] == scope


def test_rates_of_iterations_are_kept_one_by_one(tmp_path):
    lines = [
        "V-1: main: * iteration 1 *",
        "V-1: main:   Tree creation     :          0.006 sec,        873.033 ops/sec",
        "V-1: Rank   0 Line  2063 main: * iteration 2 *",
        "V-1: Rank   0 Line  1435   File creation     :          0.031 sec,       9698.336 ops/sec",
        "V-1: Rank   0 Line  1441   File removal      :          0.000 sec,          0.000 ops/sec",
    ]
    run = run_of(tmp_path, output(extra="\n".join(lines)))
    rates = [(m.op, m.printed_value, m.context["iter"]) for m in run.measurements if m.stat == "iteration"]
    assert rates == [
        ("tree_create", 873.033, 0),
        ("tree_create", 0.006, 0),
        ("file_create", 9698.336, 1),
        ("file_create", 0.031, 1),
    ]


def test_the_stonewall_is_recorded_with_the_counts_of_ranks(tmp_path):
    extra = "Continue stonewall hit min: 39 max: 97 avg: 63.0 "
    stonewalled = table()
    stonewalled.insert(6, "   File create (stonewall)   :             NA             NA      70131.711             NA")
    run = run_of(tmp_path, output(stonewalled, extra=extra))
    assert run.parameters["stonewall"] == {"min": 39, "max": 97, "avg": 63.0}
    values = {(m.op, m.quantity, m.stat): m.value for m in run.measurements}
    assert values["file_create", "stonewall_rate", "mean"] == 70131.711
    assert values["stonewall", "items", "max"] == 97


def test_more_tasks_in_one_output_are_several_tests(tmp_path):
    text = output(end=False, extra="").replace("2 tasks, 200", "1 tasks, 100")
    text += "2 tasks, 200 files\n\n" + "\n".join(table()) + "\n-- finished at now --\n"
    run = run_of(tmp_path, text)
    assert [(test["test"], test["tasks"]) for test in run.tests] == [(0, 1), (1, 2)]
    assert {m.context["test"] for m in run.measurements} == {0, 1}
    assert "tasks" not in run.parameters
    assert run.parameters["iterations"] == 2


def test_names_paths_and_seeds_are_not_recorded(tmp_path):
    command = "/home/carol/mdtest '-d' '/lustre/prj0042/carol' '--S3.secret-key=hunter2' '-n' '100' '-x' 'carol.stone'"
    run = run_of(tmp_path, output(command=command))
    text = json.dumps(run.as_json())
    assert not [word for word in ("carol", "prj0042", "hunter2") if word in text]
    assert run.parameters["command_line"] == "-d ... --S3.secret-key=... -n 100 -x ..."


TIMES = {name: tuple(value / 1000 for value in row) for name, row in FIGURES.items()}
SECONDS = {name: of_two(100 / row[0], 100 / row[1]) if row[2] else row for name, row in FIGURES.items()}
"""Of 100 items of both tasks together."""


def test_times_are_not_read_as_rates_and_skipped_phases_are_left_out(tmp_path):
    report = checked(tmp_path, output(table("SUMMARY time (in ms/op)", TIMES), command="mdtest -Z -C -F"))
    assert codes_of(report) == ["mdtest.time-not-rate"]
    run = report.runs[0]
    assert {m.quantity for m in run.measurements} == {"time"}
    assert {m.printed_unit for m in run.measurements} == {"ms/op"}
    assert run.parameters["not_run"] == ["file_remove", "tree_remove"]


@pytest.mark.parametrize(
    ("title", "codes"),
    [
        ("SUMMARY time (in ms/op)", ["mdtest.time-unit-doubtful"]),
        ("SUMMARY time (in ops/sec)", ["mdtest.time-unit-doubtful"]),
        ("SUMMARY time", []),
    ],
)
def test_mislabelled_seconds_are_recognised_by_their_rates(tmp_path, title, codes):
    text = output(table(), table(title, SECONDS), command="mdtest -P -F -C -T -E").replace("200 files", "100 files")
    report = checked(tmp_path, text)
    assert codes_of(report) == codes


def test_plausible_times_of_an_operation_are_kept(tmp_path):
    true = {name: of_two(1000 / row[0], 1000 / row[1]) if row[2] else row for name, row in FIGURES.items()}
    report = checked(tmp_path, output(table(), table("SUMMARY time (in ms/op)", true), command="mdtest -P"))
    assert codes_of(report) == []


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("WARNING: unable to stat file /p/test-dir.0-0/mdtest_tree.0.0/file.mdtest.0.0", ["mdtest.operations-failed"]),
        ("WARNING: unable to rename directory /p/mdtest_tree.0/dir.mdtest.1.0", ["mdtest.operations-failed"]),
        ("WARNING: Unable to create file /p/x", ["mdtest.operations-failed"]),
        ("WARNING: unable to remove directory /p/dir.mdtest.1.0", ["mdtest.operations-failed"]),
        ("WARNING: unable to create tree directory '/p/mdtest_tree.0/'", ["mdtest.directory-failed"]),
        ("WARNING: Unable to create test directory path /p", ["mdtest.directory-failed"]),
        ("WARNING: unable to remove directory /p/test-dir.0-0", ["mdtest.directory-failed"]),
        ("WARNING: unable to use realpath() on file system", []),
        ("WARNING: unable to stat file system /p", []),
        ("WARNING: Read bytes is 0, thus, a read test will actually just open/close", []),
        ("ERROR: verifying the data read! Take the performance values with care!", ["mdtest.data-verification-errors"]),
    ],
)
def test_failed_operations_get_their_own_codes(tmp_path, line, codes):
    assert codes_of(checked(tmp_path, output(extra=line))) == codes


def test_a_summary_without_the_last_line_counts_with_a_warning(tmp_path):
    report = checked(tmp_path, output(end=False))
    assert (report.status, codes_of(report)) == ("valid", ["mdtest.no-finished-line"])


@pytest.mark.parametrize("label", ["[0] ", "0: ", "[1,0]<stdout>:", "node017: "])
def test_labels_of_launchers_are_removed(tmp_path, label):
    labelled = "".join(label + line for line in output().splitlines(keepends=True))
    assert len(run_of(tmp_path, labelled).measurements) == len(run_of(tmp_path, output()).measurements)


def test_messages_of_the_job_and_windows_line_ends_are_ignored(tmp_path):
    text = "Loading modules\r\n" + output().replace("\n", "\r\n") + "ERROR: of a later step\r\n"
    assert codes_of(checked(tmp_path, text)) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (output().partition("SUMMARY")[0], "mdtest.truncated"),
        (output(end=False).partition("Tree removal")[0], "mdtest.truncated"),
        (output(end=False).partition("Tree removal")[0] + "Tree removal   1.0", "mdtest.truncated"),
        (output(table(), command="mdtest -P", end=False), "mdtest.truncated"),
        (output().partition("SUMMARY")[0] + "srun: error: node017: task 1: Killed\n", "mdtest.run-failed"),
        (output().partition("SUMMARY")[0] + "ERROR: mkdir failed, (mdtest.c:513)\n", "mdtest.run-failed"),
        ("ERROR: -c not compatible with -B, (mdtest.c:2380)\n", "mdtest.run-failed"),
        (output(changed("File stat", 1000, 3000, 2000, 1)), "mdtest.inconsistent"),
        (output(changed("File stat", 3000, 1000, 5000, 1)), "mdtest.inconsistent"),
        (output(changed("File stat", 3000, 1000)), "mdtest.inconsistent"),
        (output(changed("File stat", 3000, 1000, 2000, 1500)), "mdtest.inconsistent"),
        (output(table(figures={"File stat": FIGURES["File stat"]})), "mdtest.inconsistent"),
        (output([*table(), table()[3]]), "mdtest.inconsistent"),
        (output().replace("2 tasks, 200", "9 tasks, 200"), "mdtest.inconsistent"),
        (output(changed("File stat", float("inf"), 1, 2, 1)), "mdtest.not-a-number"),
        (output().replace(" 300.000", "-300.000"), "mdtest.not-a-number"),
        (output().replace("300.000", "300,000"), "mdtest.number-format"),
        (output().replace("in ops/sec", "in kops/sec"), "mdtest.unit-not-understood"),
        (output(table(figures=dict.fromkeys(FIGURES, (0, 0, 0, 0)))), "mdtest.no-results"),
        (output(extra="x" * (LINE_LIMIT + 1)), "mdtest.line-too-long"),
        (output(extra="Continue stonewall hit min: 1 max: 1 avg: 1.0\n" * 20_001), "mdtest.too-large"),
        (output().encode("utf-16"), "mdtest.bad-encoding"),
    ],
)
def test_invalid_outputs_are_refused_with_a_code(tmp_path, text, code):
    report = checked(tmp_path, text)
    assert report.status == "invalid"
    assert code in codes_of(report)


def test_outputs_of_io500_are_no_runs_of_mdtest(tmp_path):
    report = checked(tmp_path, "[START TIME] 2019\n[MDTEST EASY WRITE]\n" + output())
    assert report.runs == []


@pytest.mark.parametrize(
    ("command", "nodes", "outcome"),
    [
        ("mdtest -n 100 -N 1 -d /p", 2, "satisfied"),
        ("mdtest -n 100 -d /p", 2, "violated"),
        ("mdtest -n 100 -N 1 -d /p", 1, "violated"),
    ],
)
def test_reading_files_created_by_the_same_node_is_reported(tmp_path, command, nodes, outcome):
    run = run_of(tmp_path, output(command=command).replace("on 1 node", f"on {nodes} node"))
    outcomes = {rule.code: rule.outcome for rule in run.rules}
    assert outcomes == {"mdtest.shifted": outcome, "mdtest.repeated": "violated"}


def test_one_task_has_no_neighbour_to_shift_to(tmp_path):
    text = output().replace("with 2 total task(s)", "with 1 total task(s)").replace("2 tasks, 200", "1 tasks, 100")
    (shifted,) = [rule for rule in run_of(tmp_path, text).rules if rule.code == "mdtest.shifted"]
    assert (shifted.outcome, shifted.why) == (
        "not_evaluated",
        "There is one task, and no other whose items it could read.",
    )


def test_the_cache_rule_is_skipped_for_several_task_counts(tmp_path):
    """With -f and -l several are printed; their number counted as 0, and the rule as satisfied or broken."""
    run = run_of(tmp_path, output(command="mdtest -n 100 -f 1 -l 2 -d /p"))
    run.parameters.pop("tasks")
    rule = next(rule for rule in rules.RULES if rule.code == "mdtest.shifted")
    assert rule.evaluate(run, Context(Bundle())).outcome == "not_evaluated"


def test_the_cache_rule_is_skipped_without_reads(tmp_path):
    of_three = {"File creation": (300, 100, 200, 100), "Tree creation": (30, 10, 20, 10)}
    zeros = {name: of_three.get(name, (0, 0, 0, 0)) for name in FIGURES}
    run = run_of(tmp_path, output(table(figures=zeros, iterations=3)))
    assert {rule.code: rule.outcome for rule in run.rules} == {
        "mdtest.shifted": "not_evaluated",
        "mdtest.repeated": "satisfied",
    }


def test_parameters_of_every_case_are_there_under_the_fields_names(shared):
    """All but the command line, of which only what is not private is kept."""
    compared = 0
    for folder in sorted((shared / "data" / "bench" / "mdtest").iterdir()):
        case = json.loads((folder / "case.json").read_text())
        expect = case["expect"]
        if "error" in expect:
            continue
        (run,) = check(folder / case["primary"], benchmark="mdtest").runs
        settings = {"client_nodes" if name == "nodes" else name: value for name, value in expect["config"].items()}
        settings |= {name: expect[name] for name in ("not_run", "statistics_over", "stonewall") if name in expect}
        assert {name: run.parameters.get(name) for name in settings if name != "command_line"} == {
            name: value for name, value in settings.items() if name != "command_line"
        }, folder.name
        compared += 1
    assert compared > 15


read_bytes = partial(bench_cases.read_bytes, parser.find_runs)


def test_every_truncated_sample_is_read_or_refused(tmp_path):
    """A cut output counts only where its summary is whole."""
    for sample in SAMPLES:
        expected = json.loads((sample / "expected.json").read_text())
        content = (sample / expected["path"]).read_bytes()
        for length in range(0, len(content) - 40, max(1, len(content) // 60)):
            cut = content[:length] + b"\0\xff" * (length % 2)
            for run in read_bytes(tmp_path, cut).runs:
                assert run.findings or b"Tree removal" in cut.rpartition(b"SUMMARY")[2], (sample.name, length)


@pytest.mark.parametrize(
    "begun", ["", "File stat", "File stat :", "V-1: File stat", "V-1: File stat  1 sec,", "SUMMARY"]
)
def test_a_long_line_of_blanks_is_read_in_linear_time(tmp_path, begun):
    """With an expression that tries every way to divide the blanks this test does not end."""
    text = output([*table(), f"{begun}{' ' * (LINE_LIMIT - 100)}ops/sec"])
    assert [run.tool for run in read_bytes(tmp_path, text.encode()).runs] == ["mdtest"]


PIECES = st.sampled_from(
    [
        *output().splitlines(),
        *table("SUMMARY time (in ms/op)", TIMES),
        *table(colon=":"),
        "0 tasks, 0 files",
        "9 tasks, 1 files/directories",
        "SUMMARY rate: (of 0 iterations)",
        "V-1:   File stat  :  0.1 sec,  9.0 ops/sec",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(PIECES, st.text(max_size=30)), max_size=50))
def test_lines_in_any_order_never_raise(tmp_path_factory, lines):
    read_bytes(tmp_path_factory.mktemp("mdtest"), "\n".join([output().splitlines()[2], *lines]).encode())


def test_programs_with_one_version_string_are_distinguished(tmp_path):
    """The mdtest of IOR 3.2 calls itself 1.9.3, too, and prints its command in quotes."""
    plain, quoted = "mdtest -F -C -T -E -n 100 -d /p", 'mdtest "-F" "-C" "-T" "-E" "-n" "100" "-d" "/p"'
    for name, command in (("a", plain), ("b", quoted)):
        (tmp_path / name).write_text(output(version="1.9.3", command=command))
    (group,) = check(tmp_path).groups
    assert group["kind"] == "sweep"


def test_tests_with_growing_task_counts_have_task_counts(tmp_path):
    text = output(table(iterations=2), extra="").replace("-- finished", "4 tasks, 400 files\n\n@@\n-- finished")
    run = checked(tmp_path, text.replace("@@", "\n".join(table()))).runs[0]
    rule = next(rule for rule in run.rules if rule.code == "mdtest.shifted")
    assert "tasks" not in run.parameters
    assert (rule.outcome, "0 tasks" in rule.why) == ("not_evaluated", False)
