"""What a page shows of a run: leading figures, what its tests differ in, plots where they help, and the spread."""

import re

import pytest

from registry.presentation.charts import model, result_charts, scales
from registry.results.run_page import leading, varying_parameters, view, with_tool
from tests.registry.presentation.test_measurement_tables import row
from validators.distributions import summed


def sweep(*counts, **context):
    return [row(op, value=count * 2**30, threads=count, **context) for count in counts for op in ("write", "read")]


def titles(run):
    return [figure["title"] for figure in run["figures"]]


def paths(chart: model.Chart, kind: str) -> list[str]:
    return [mark.d for mark in chart.marks if isinstance(mark, model.Path) and mark.kind == kind]


def test_a_sweep_is_drawn_for_each_operation_over_its_steps():
    run = view(sweep(1, 2, 4))
    assert titles(run) == ["Write: bandwidth by threads", "Read: bandwidth by threads"]
    drawing = run["figures"][0]["drawing"]
    assert [mark.text for mark in drawing.marks if isinstance(mark, model.Text) and mark.dy == 18] == ["1", "2", "4"]
    assert drawing.ticks[0].text == "0"
    heights = [float(point.split(" ")[1]) for point in paths(drawing, model.LINE)[0][1:].split("L")]
    assert heights == sorted(heights, reverse=True)
    assert "from zero" in run["figures"][0]["note"]


@pytest.mark.parametrize("counts", [(1,), (1, 2)])
def test_two_steps_have_a_table_without_a_chart(counts):
    assert view(sweep(*counts))["figures"] == []


@pytest.mark.parametrize("what", ["test", "server_group"])
def test_counters_are_not_steps_of_a_sweep(what):
    assert view([row(**{what: number}) for number in range(5)])["figures"] == []


def test_epochs_are_stairs_under_their_threshold():
    au = summed("unet3d", "au", "epoch", "epochs", [98.0, 97.0, 96.0], "%", {"run": "run1"})
    (figure,) = view([], au, parameters={"au_threshold": 90.0})["figures"]
    assert figure["title"] == "unet3d: accelerator utilisation in order of epochs"
    assert "threshold, 90 %" in figure["note"]
    chart = figure["drawing"]
    assert chart.words.endswith("; limit 90.0")
    assert chart.marks[-1].text == "90.0"
    (limit,), (stairs,) = paths(chart, model.CEILING_LINE), paths(chart, model.LINE)
    assert float(limit.split(" ")[1].split("H")[0]) > float(stairs.split("V")[1].split("H")[0])


def test_ranks_are_boxes_from_the_least_to_the_most():
    ranks = summed("write", "bandwidth", "rank", "ranks", [1.0, 2.0, 3.0], "GiB/s", {"iter": 0})
    (figure,) = view([], ranks)["figures"]
    chart = figure["drawing"]
    (box,) = [mark for mark in chart.marks if isinstance(mark, model.Bar)]
    low, high = (float(end) for end in re.findall(r"[MH]([0-9.]+)", paths(chart, model.AXIS)[0])[:2])
    middle = float(paths(chart, model.EDGE)[0][1:].split(" ")[0])
    assert low < box.x < middle < box.x + box.width < high
    assert chart.words.endswith("1.000\N{EN DASH}3.000, median 2.000")


def test_two_iterations_are_not_drawn_as_a_distribution():
    twice = summed("write", "bandwidth", "iteration", "iterations", [1.0, 2.0], "GiB/s")
    run = view([], twice)
    assert run["figures"] == []
    assert [cell.text for cell in run["spread"].rows[0]][4:] == [
        *("2", "GiB/s", "1", "1.250", "1.500", "1.750", "2", "1.500", "0.7071")
    ]


@pytest.mark.parametrize(("values", "said"), [([1.0, 16.0], "GiB/s, from zero"), ([98.0, 99.0], "not from zero")])
def test_a_note_says_if_the_axis_begins_at_zero(values, said):
    ranks = summed("write", "bandwidth", "rank", "ranks", values, "GiB/s")
    assert said in view([], ranks)["figures"][0]["note"]


def test_widely_ranging_values_have_a_labelled_logarithmic_axis():
    ranks = summed("file_stat", "rate", "rank", "ranks", [10.0, 5000.0], "ops/s")
    assert "logarithmic" in view([], ranks)["figures"][0]["note"]


def test_tests_are_labelled_by_settings_and_not_by_measurements():
    tests = [{"test": 0, "api": "POSIX", "tasks": 2, "s": 1.5}, {"test": 1, "api": "MPIIO", "tasks": 2, "s": 2.5}]
    assert varying_parameters(tests, [row(test=0)]) == ["api"]
    assert varying_parameters(tests, [row(threads=0)]) == []
    assert view([row(test=0), row(test=1)], tests=tests)["tables"][0].rows[1][1].text == "MPIIO"


def test_common_settings_are_shown_first():
    settings = {"api": "POSIX", "transfer_size_bytes": 2**20, "fsync": True, "stonewall_s": 30, "shortest_phase_s": 1.5}
    assert view([row()], parameters=settings, tool=("ior", "4.1"))["settings"] == (
        "I/O interface POSIX, transfer size 1\xa0MiB, fsync yes, stonewall 30\xa0s"
    )
    assert view([row()], parameters=settings)["settings"] == ""


def test_the_best_figures_lead_with_what_they_are_of():
    write, read = leading(sweep(1, 4, 2, record_KiB=4), {})
    assert (write["name"], write["value"], write["unit"], write["of"]) == (
        "Write bandwidth", "4", "GiB/s", "mean, threads 4",
    )  # fmt: skip
    assert read["name"] == "Read bandwidth"
    best = leading([row(value=(job + 1) * 2**30, job=job) for job in range(3)], {})
    assert [(lead["value"], lead["of"]) for lead in best] == [("3", "mean, job 2")]
    (net,) = leading([row(stat="raw", value=3 * 2**30), row(stat="net", value=2**30)], {})
    assert (net["value"], net["of"]) == ("1", "net")
    (au,) = leading([row("unet3d", "au", value=95.5, unit="%", printed_unit="%")], {"au_threshold": 90.0})
    assert au["of"] == "mean, threshold 90"
    (searched,) = leading([row("search", "query_rate", unit="queries/s", printed_unit="queries/s")], {})
    assert searched["name"] == "Search query rate"
    assert leading([row(quantity="volume", unit="B", printed_unit="B"), row(quantity="stonewall_bandwidth")], {}) == []


def test_an_ambiguous_name_is_explained_by_the_tool():
    rates = [row("send", "rate", value=2.0, unit="ops/s", printed_unit="RPC/s")]
    names = [leading(with_tool(rates, tool), {})[0]["name"] for tool in ("lst", "iozone", "mdtest", "")]
    assert names == ["Send message rate", "Send I/O rate", "Send metadata rate", "Send rate"]


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (0.0, 3.0, ["0", "1", "2", "3"]),
        (98.61, 98.65, ["98.61", "98.62", "98.63", "98.64", "98.65"]),
        (5.0, 5.0, ["4", "6"]),
        (0.0, 0.0, ["0.0", "0.5"]),
    ],
)
def test_ticks_are_round_numbers_around_all_values(low, high, texts):
    axis = scales.LinearAxis(low, high, 0, 100)
    assert [tick.text for tick in axis.ticks] == texts
    assert (axis.at(axis.low), axis.at(axis.high)) == (0, 100)


def test_names_of_lines_that_end_together_are_joined():
    drawn = result_charts.draw_lines(["1", "2"], [("2", [(0, 1.0), (1, 2.0)]), ("4", [(0, 1.0), (1, 2.01)])], 0.0, 2.0)
    assert [mark.text for mark in drawn.marks if isinstance(mark, model.Text) and mark.strong] == ["2, 4"]
    assert len([mark for mark in drawn.marks if isinstance(mark, model.Path) and mark.kind == model.LINE]) == 2


def test_a_run_that_was_only_repeated_is_led_by_its_repeats():
    """Of MLPerf Storage some files hold one run of several: its figures stand alone, and each says of which run."""
    repeat_rows = with_tool(
        [row("checkpoint-write", value=48 * 2**30, run="a"), row("read", value=2**30, run="b")], "ior"
    )
    assert [(figure["value"], figure["of"]) for figure in leading(repeat_rows, {})] == [
        ("48", "mean, run a"),
        ("1", "mean, run b"),
    ]
    summary = row("read", value=3 * 2**30)
    assert [figure["value"] for figure in leading([*repeat_rows, summary], {})] == ["3"]


def test_a_source_that_prints_accelerators_alone_is_led_by_them():
    (figure,) = leading([row("unet3d", "accelerators", "max", 20.0, "count", "count") | {"tool": "mlperf-storage"}], {})
    assert (figure["name"], figure["value"], figure["unit"]) == ("3D U-Net accelerators", "20", "")
    assert leading([row("unet3d", "elapsed", "mean", 20.0, "s", "s")], {}) == []


def test_crowded_steps_are_named_evenly() -> None:
    """Where not all names fit, every second has one, and not those that chance leaves room for."""
    steps = ["SC17", "ISC18", "SC18*", "ISC19", "SC19", "ISC20", "SC20", "ISC21"]
    series = [("", [(step, float(step)) for step in range(8)])]

    def written_steps(width: int) -> list[str]:
        chart = result_charts.draw_lines(steps, series, 0.0, 7.0, width)
        return [mark.text for mark in chart.marks if isinstance(mark, model.Text) and mark.text in steps]

    assert written_steps(595) == steps
    assert written_steps(350) == steps[::2]
    assert written_steps(120) == steps[::4]
