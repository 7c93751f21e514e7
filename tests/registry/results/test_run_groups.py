"""Several runs of one tool seen together, and their parameters as a table."""

from registry.presentation.parameter_table import build_parameter_table
from registry.results.run_groups import groups
from tests.registry.presentation.test_measurement_tables import row
from validators.distributions import summed

GIB = 2**30


def report(kind, depths, values, distributions=()):
    runs = [{"measurements": [row(value=value * GIB)]} for value in values]
    varies = {"iodepth": depths} if kind == "sweep" else {}
    group = {"kind": kind, "tool": "fio", "runs": list(range(len(runs))), "varies": varies}
    return {"runs": runs, "groups": [group | {"distributions": list(distributions)}]}


def test_a_sweep_has_a_row_and_a_point_for_each_step():
    (group,) = groups(report("sweep", ["1", "4", "16"], [1, 2, 3]))
    assert (group["title"], group["note"]) == ("Sweep: 3 runs of fio over iodepth", "iodepth 1, 4, 16")
    (table,) = group["run"]["tables"]
    assert [[cell.text for cell in cells] for cells in table.rows] == [["1", "1"], ["4", "2"], ["16", "3"]]
    assert [figure["title"] for figure in group["run"]["figures"]] == ["Write: bandwidth by I/O depth"]


def test_steps_that_ran_several_times_show_their_mean():
    (group,) = groups(report("sweep", [1, 1, 4], [1, 3, 5]))
    assert group["note"] == "iodepth 1, 4; mean where a step ran several times"
    assert [[cell.text for cell in cells] for cells in group["run"]["tables"][0].rows] == [["1", "2"], ["4", "5"]]


def test_repeats_have_a_row_for_each_run_and_their_spread():
    over = summed("write", "bandwidth", "mean", "runs", [1.0, 2.0, 3.0], "GiB/s")
    (group,) = groups(report("repeats", [], [1, 2, 3], over))
    assert group["title"] == "Repeats: 3 runs of fio"
    assert [(table.title, len(table.rows)) for table in group["run"]["tables"]] == [("Runs", 3)]
    assert [cell.text for cell in group["run"]["spread"].rows[0]][4:] == [
        *("3", "GiB/s", "1", "1.500", "2", "2.500", "3", "2", "1")
    ]


def test_runs_not_known_to_be_alike_have_neither_table_nor_mean():
    unlike_runs = report("unknown", [], [1, 2, 3])
    unlike_runs["groups"][0] |= {"missing_settings": ["direct", "size"], "varies": {"bs": ["4k", "4k", "1M"]}}
    (group,) = groups(unlike_runs)
    assert group["title"] == "Not known to be alike: 3 runs of fio"
    assert group["note"] == (
        "not known of every run: direct, size; known to differ: bs 4k, 1M; no mean and no spread is made of them"
    )
    assert (group["run"]["tables"], group["run"]["figures"], group["run"]["spread"]) == ([], [], None)


def test_a_report_without_groups_shows_none():
    assert groups({"runs": []}) == []


def test_parameters_have_columns_of_source_and_description():
    parameter_table = build_parameter_table(
        {"tasks": 2, "sums": [{"group": 0}]}, {"tasks": "output"}, {"nps": [1, 4], "tasks": 3}
    )
    assert [head.text for head in parameter_table.heads] == ["Parameter", "Value", "From", "Described system"]
    rows = [[cell.text for cell in cells] for cells in parameter_table.rows]
    assert rows == [["NUMA nodes per socket", "", "", "1, 4"], ["Client processes", "2", "output", "3"]]
    assert [cells[0].note for cells in parameter_table.rows] == ["nps", "tasks"]


def test_a_unix_time_is_written_as_a_moment():
    parameter_table = build_parameter_table({"ended_timestamp_s": 0, "started_timestamp_s": 1e30})
    assert [cells[1].text for cells in parameter_table.rows] == ["1970-01-01 00:00 UTC", "1e+30"]


def test_unknown_sources_have_no_column():
    parameter_table = build_parameter_table({"direct": True})
    assert ([head.text for head in parameter_table.heads], parameter_table.rows[0][1].text) == (
        ["Parameter", "Value"],
        "yes",
    )
