"""MLPerf Storage: what its folders say, which of them belong together, and when a result does not hold."""

import csv
import json
import random
from pathlib import Path

import pytest

from tests.validators.bench_cases import codes_of
from tests.validators.benchmarks.test_bench_hostile import made_wrong
from validators.benchmarks.mlperf_storage import parser
from validators.bundle import open_bundle
from validators.checks import check

RECORD_LENGTH = 2**20
SAMPLES = Path(parser.__file__).parent / "samples"
SECRETS = ("node17", "carol", "prj0042")


def summary(**changes):
    """A run of two accelerators on one host: 40 samples/s of 1 MiB, busy for 95 % of the time, 8 times the memory."""
    fields = {
        "num_accelerators": 2,
        "num_hosts": 1,
        "hostname": "node17",
        "metric": metric(),
        "num_files_train": 100,
        "potential_caching": [0],
        "host_memory_GB": [64.0],
        "data_size_per_host_GB": 512.0,
        "epochs": 2,
    }
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}


def metric(rate=40.0, au=95.0, **changes):
    fields = {
        "train_au_percentage": [au, au],
        "train_au_mean_percentage": au,
        "train_au_meet_expectation": "success",
        "train_throughput_samples_per_second": [rate, rate],
        "train_throughput_mean_samples_per_second": rate,
        "train_io_mean_MB_per_second": rate,
    }
    return {**fields, **changes}


def report(rate=40.0, runs=5, model="unet3d", **overall):
    rates = {"train_throughput_samples_per_second": rate, "train_throughput_MB_per_second": rate}
    return {
        "overall": {
            "model": model,
            "accelerator": "h100",
            "num_benchmark_runs": runs,
            "train_num_accelerators": "2",
            "train_throughput_mean_samples_per_second": rate,
            **overall,
        },
        "runs": {f"run{index}": {**rates, "train_num_accelerators": "2"} for index in range(1, runs + 1)},
    }


def folder(place, summaries, reported=None, workload="unet3d_h100", below="run{}", extra=""):
    """A result folder: summaries with their overrides, and a report."""
    for index, fields in enumerate(summaries, start=1):
        run = place / below.format(index)
        (run / "configs").mkdir(parents=True)
        (run / "summary.json").write_text(json.dumps(fields))
        text = f"- workload={workload}\n- ++workload.dataset.data_folder=/lustre/prj0042/carol\n{extra}"
        (run / "configs" / "overrides.yaml").write_text(text)
    if reported is not None:
        (place / "mlperf_storage_report.json").write_text(json.dumps(reported))
    return place


def checked(place, *args, **kwargs):
    return check(folder(place, *args, **kwargs))


def figures(run):
    return {
        (measurement.op, measurement.quantity, measurement.stat): (measurement.printed_value, measurement.printed_unit)
        for measurement in run.measurements
    }


def test_every_run_of_the_real_folders_is_read_as_expected(shared):
    compared = 0
    for case in sorted((shared / "data" / "bench" / "mlperf-storage").iterdir()):
        expect = json.loads((case / "case.json").read_text())["expect"]
        if "error" in expect:
            continue
        (run,) = check(case).runs
        rows = {test["path"]: test for test in run.tests}
        for expected in expect.get("runs", []):
            for key, value in expected.items():
                tolerance = {"host_memory_GiB_sum": 1e-3, "dataset_GiB": 0.1}.get(key, 1e-9)
                cell = rows[expected["path"]][key]
                assert cell == (value if isinstance(value, str) else pytest.approx(value, abs=tolerance)), key
                compared += 1
        for key in ("model", "accelerator", "num_accelerators", "num_hosts", "au_threshold"):
            assert run.parameters.get(key) == expect.get(key, run.parameters.get(key)), key
        if "checks" in expect:
            checks = expect["checks"]
            assert run.parameters["report_equals_runs"] is checks["report_equals_runs"]
            assert run.parameters["dataset_over_memory"] == pytest.approx(checks["dataset_over_memory"], abs=1e-3)
            assert run.parameters["runs"] == checks["runs"]
    assert compared > 300


def test_the_printed_megabyte_is_a_mebibyte(tmp_path):
    (run,) = checked(tmp_path, [summary()] * 5, report()).runs
    (bandwidth,) = [
        measurement
        for measurement in run.measurements
        if (measurement.quantity, measurement.stat) == ("bandwidth", "mean")
    ]
    assert (bandwidth.value, bandwidth.unit, bandwidth.printed_unit) == (40 * 2**20, "B/s", "MiB/s")


@pytest.mark.parametrize("below", ["run{}", "run{}/node17", "runs/run{}", "a/b/run{}"])
def test_runs_are_found_at_any_depth_under_the_names_of_the_report(tmp_path, below):
    (run,) = checked(tmp_path, [summary()] * 5, report(), below=below).runs
    assert [test["run"] for test in run.tests] == ["run1", "run2", "run3", "run4", "run5"]
    assert codes_of(check(tmp_path)) == []


def test_two_reports_are_two_results_without_a_primary(tmp_path):
    folder(tmp_path / "closed" / "unet3d", [summary()] * 5, report())
    folder(tmp_path / "open" / "resnet50", [summary()] * 5, report(model="resnet50"), workload="resnet50_h100")
    bundle_report = check(tmp_path)
    assert [run.parameters["model"] for run in bundle_report.runs] == ["unet3d", "resnet50"]
    assert [run.parameters["division"] for run in bundle_report.runs] == ["closed", "open"]
    assert bundle_report.primary is None


def test_without_a_report_runs_of_a_workload_are_one_result(tmp_path):
    folder(tmp_path / "unet3d" / "run", [summary(metric=metric(rate=38.0 + index)) for index in range(5)])
    folder(tmp_path / "cosmoflow" / "run", [summary(metric=metric(au=75.0))] * 5, workload="cosmoflow_a100")
    runs_by_model = {run.parameters["model"]: run for run in check(tmp_path).runs}
    assert figures(runs_by_model["unet3d"])["unet3d", "samples_rate", "mean"] == (40.0, "samples/s")
    assert figures(runs_by_model["unet3d"])["unet3d", "samples_rate", "stdev"] == (pytest.approx(2**0.5), "samples/s")
    assert runs_by_model["cosmoflow"].parameters["accelerator"] == "a100"
    assert codes_of(check(tmp_path)) == []


def deviations(report):
    (run,) = report.runs
    return [measurement.printed_value for measurement in run.measurements if measurement.stat == "stdev"]


def test_one_run_has_no_deviation(tmp_path):
    report_of_one = report(
        runs=1, train_throughput_stdev_samples_per_second=0.0, train_throughput_stdev_MB_per_second=0
    )
    bundle_report = checked(tmp_path, [summary()], report_of_one)
    assert deviations(bundle_report) == []
    (finding,) = [
        finding for finding in bundle_report.runs[0].findings if finding.code == "mlperf-storage.not-measured"
    ]
    assert "unet3d samples_rate stdev, unet3d bandwidth stdev" in finding.message


def test_a_report_of_one_run_alone_has_no_deviation(tmp_path):
    text = report(runs=1, train_throughput_stdev_samples_per_second=0.0)
    del text["runs"]
    (tmp_path / "mlperf_storage_report.json").write_text(json.dumps(text))
    assert deviations(check(tmp_path)) == []


def test_one_run_without_a_report_has_no_deviation(tmp_path):
    assert deviations(checked(tmp_path, [summary()])) == []


def test_runs_that_are_the_same_have_a_deviation_of_0(tmp_path):
    alike = report(runs=5, train_throughput_stdev_samples_per_second=0.0)
    assert deviations(checked(tmp_path / "report", [summary()] * 5, alike)) == [0.0, 0.0]
    assert deviations(checked(tmp_path / "runs", [summary()] * 5)) == [0.0, 0.0]


def test_hosts_users_and_folders_are_not_recorded(tmp_path):
    (run,) = checked(tmp_path, [summary()] * 5, report(), below="run{}/node17").runs
    text = json.dumps([run.parameters, run.tests, [measurement.as_json() for measurement in run.measurements]])
    assert [word for word in SECRETS if word in text] == []


@pytest.mark.parametrize(
    ("model", "au", "holds"),
    [
        ("unet3d", 90.0, True),
        ("unet3d", 89.99, False),
        ("resnet50", 89.0, False),
        ("cosmoflow", 70.0, True),
        ("cosmoflow", 69.9, False),
    ],
)
def test_utilisation_has_a_threshold_for_each_workload(tmp_path, model, au, holds):
    summaries = [summary()] * 4 + [summary(metric=metric(au=au))]
    bundle_report = checked(tmp_path, summaries, report(model=model), workload=f"{model}_h100")
    assert ("mlperf-storage.au-below-threshold" not in codes_of(bundle_report)) is holds
    assert (bundle_report.status == "valid") is holds
    outcomes = {rule.code: rule.outcome for rule in bundle_report.runs[0].rules}
    assert outcomes["mlperf-storage.utilisation"] == ("satisfied" if holds else "violated")


def test_a_failure_reported_by_the_benchmark_is_kept(tmp_path):
    failed = summary(metric=metric(train_au_meet_expectation="fail"))
    bundle_report = checked(tmp_path, [summary()] * 4 + [failed], report(model="llama9"), workload="llama9")
    assert codes_of(bundle_report) == ["mlperf-storage.au-below-threshold"]


@pytest.mark.parametrize(
    ("gib", "code"),
    [
        (313.0, "mlperf-storage.dataset-too-small"),
        (314.0, "mlperf-storage.dataset-barely-5x"),
        (319.9, "mlperf-storage.dataset-barely-5x"),
        (320.0, None),
    ],
)
def test_a_data_set_is_five_times_the_memory_of_the_clients(tmp_path, gib, code):
    summaries = [summary()] * 4 + [summary(data_size_per_host_GB=gib)]
    bundle_report = checked(tmp_path, summaries, report())
    assert codes_of(bundle_report) == ([code] if code else [])
    assert (bundle_report.status == "invalid") is (code == "mlperf-storage.dataset-too-small")


def test_memory_and_data_of_all_hosts_are_compared(tmp_path):
    """Clients that share a list of memory leave zeros in it; data is per host."""
    shared_list = summary(num_hosts=2, host_memory_GB=[128.0, 0.0], data_size_per_host_GB=384.0)
    (run,) = checked(tmp_path, [shared_list] * 5, report()).runs
    assert run.parameters["dataset_over_memory"] == 6.0
    assert run.parameters["client_nodes"] == 2


@pytest.mark.parametrize(
    ("changed", "reported", "code"),
    [
        ({"potential_caching": [1]}, {}, "potential-caching"),
        ({"metric": metric(rate=41.0)}, {}, "report-disagrees-with-runs"),
        ({"num_accelerators": 3}, {}, "runs-differ"),
        ({"num_hosts": 2}, {}, "runs-differ"),
        ({"metric": metric(train_au_mean_percentage=96.0)}, {}, "inconsistent"),
        ({"metric": metric(train_throughput_mean_samples_per_second=50.0)}, {}, "inconsistent"),
        ({}, {"rate": 44.0}, "report-disagrees-with-runs"),
        ({}, {"train_num_accelerators": "12"}, "report-disagrees-with-runs"),
        ({}, {"runs": 6}, "run-folders-missing"),
    ],
)
def test_a_changed_value_in_a_run_or_the_report_is_found(tmp_path, changed, reported, code):
    bundle_report = checked(tmp_path, [summary()] * 4 + [summary(**changed)], report(**reported))
    assert f"mlperf-storage.{code}" in codes_of(bundle_report)


def test_a_bandwidth_that_is_not_samples_times_records_is_found(tmp_path):
    folder(tmp_path, [summary()] * 5, report())
    for run in tmp_path.glob("run*"):
        (run / "configs" / "config.yaml").write_text("workload:\n  dataset:\n    record_length: 2097152\n")
    assert "mlperf-storage.inconsistent" in codes_of(check(tmp_path))


def test_fewer_than_five_runs_are_reported(tmp_path):
    bundle_report = checked(tmp_path, [summary()] * 4, report(runs=4))
    assert codes_of(bundle_report) == ["mlperf-storage.fewer-than-5-runs"]
    assert bundle_report.runs[0].rules[0].outcome == "violated"


@pytest.mark.parametrize(
    ("extra", "outcome"),
    [
        ("- ++workload.reader.read_threads=8\n", "satisfied"),
        ("- ++workload.reader.batch_size=99\n", "violated"),
        ("- ++workload.train.computation_time=0.9\n", "violated"),
    ],
)
def test_the_closed_division_lets_one_set_what_its_rules_name(tmp_path, extra, outcome):
    place = folder(tmp_path / "Closed" / "site" / "results", [summary()] * 5, report(), extra=extra)
    assert place.exists()
    (run,) = check(tmp_path).runs
    assert {rule.code: rule.outcome for rule in run.rules}["mlperf-storage.closed-parameters"] == outcome


@pytest.mark.parametrize(
    ("verified", "outcome"), [("CLOSED", "satisfied"), ("OPEN", "satisfied"), ("INVALID", "violated"), (None, None)]
)
def test_version_2_leaves_its_own_verdict_beside_each_run(tmp_path, verified, outcome):
    for day in range(1, 6):
        run = tmp_path / "training" / "unet3d" / "run" / f"2026010{day}_100000"
        run.mkdir(parents=True)
        (run / "summary.json").write_text(json.dumps(summary()))
        metadata = {
            "benchmark_type": "BENCHMARK_TYPES.training",
            "verification": verified and f"PARAM_VALIDATION.{verified}",
            "args": {"model": "unet3d", "accelerator_type": "b200", "hosts": ["node17"], "data_dir": "/lustre/prj0042"},
            "override_parameters": {"reader.batch_size": "9"},
        }
        (run / "training_metadata.json").write_text(json.dumps(metadata))
    (workload_run,) = check(tmp_path).runs
    assert (workload_run.version, workload_run.parameters["model"], workload_run.parameters["accelerator"]) == (
        "2.0",
        "unet3d",
        "b200",
    )
    assert workload_run.parameters["runs"] == 5
    assert workload_run.parameters["open_parameters"] == ["reader.batch_size"]
    assert {rule.code: rule.outcome for rule in workload_run.rules}["mlperf-storage.division"] == (
        outcome or "not_evaluated"
    )
    assert [word for word in SECRETS if word in json.dumps(workload_run.as_json())] == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (json.dumps(summary())[:200], "truncated"),
        (json.dumps(summary(metric=metric(rate=float("nan")))), "not-a-number"),
        (json.dumps(summary(metric=metric(rate=float("inf")))), "not-a-number"),
        ('{"train_au_percentage": ' + "[" * 100_000, "inconsistent"),
        ('["train_au_percentage":', "truncated"),
        ('[{"train_au_percentage": [1]}]', "inconsistent"),
        ('{"metric": {"train_au_percentage": []}}', "no-results"),
        ('{"metric": {"train_au_percentage": "many"}}', "no-results"),
        (json.dumps({"metric": {"train_au_mean_percentage": 10**400}}), "no-results"),
    ],
)
def test_a_summary_that_cannot_count_is_refused_with_its_code(tmp_path, text, code):
    (tmp_path / "run1").mkdir()
    (tmp_path / "run1" / "summary.json").write_text(text)
    bundle_report = check(tmp_path)
    assert f"mlperf-storage.{code}" in codes_of(bundle_report)
    assert bundle_report.status == "invalid"


@pytest.mark.parametrize("reported", [report(), None])
@pytest.mark.parametrize("text", ["", '{"start": "2026-', '{"start": "", "metric": {"train_au_percentage": [9'])
@pytest.mark.parametrize("name", ["run3/summary.json", "mlperf_storage_report.json"])
def test_a_truncated_file_makes_the_result_invalid(tmp_path, reported, text, name):
    folder(tmp_path, [summary()] * 5, reported)
    (tmp_path / name).write_text(text)
    bundle_report = check(tmp_path)
    assert "mlperf-storage.truncated" in codes_of(bundle_report)
    assert (len(bundle_report.runs), bundle_report.status) == (1, "invalid")


def test_truncated_summaries_are_one_result(tmp_path):
    for index in range(5):
        (tmp_path / f"run{index}").mkdir()
        (tmp_path / f"run{index}" / "summary.json").write_text('{"metric": {"train_au_percentage": [9')
    bundle_report = check(tmp_path)
    assert codes_of(bundle_report) == ["mlperf-storage.truncated"] * 5
    assert (len(bundle_report.runs), bundle_report.status) == (1, "invalid")


def test_a_summary_of_data_generation_is_no_run(tmp_path):
    folder(tmp_path, [summary()] * 5)
    (tmp_path / "datagen").mkdir()
    (tmp_path / "datagen" / "summary.json").write_text('{"num_accelerators": 2, "metric": {}}')
    assert codes_of(check(tmp_path)) == []


def test_other_json_files_are_ignored(tmp_path):
    (tmp_path / "summary.json").write_text('{"metric": {"accuracy": 1.0}}')
    assert codes_of(check(tmp_path)) == ["bundle.not-recognised"]


def test_folders_with_files_that_are_cut_or_changed_are_read_or_refused(tmp_path):
    chance = random.Random("mlperf-storage")
    place = folder(tmp_path, [summary()] * 3, report())
    for path in (place / "run1" / "summary.json", place / "mlperf_storage_report.json"):
        content = path.read_bytes()
        for wrong in made_wrong(content, chance, 12):
            path.write_bytes(wrong)
            with open_bundle(place) as bundle:
                reading = parser.find_runs(bundle)
            json.dumps([run.as_json() for run in reading.runs], allow_nan=False)
        path.write_bytes(content)


def test_published_results_of_v1_0_give_the_values_of_their_table(shared, tmp_path):
    """Six data sets that fit into memory, 23 that barely do not, eleven flagged, one report of other runs."""
    codes = {}
    with (shared / "data" / "mlperf_storage_v1.0.csv").open(newline="") as table:
        for index, row in enumerate(csv.DictReader(table)):
            place = tmp_path / str(index)
            for code in codes_of(checked(place, published(row), published_report(row), workload=row["workload"])):
                codes[code] = codes.get(code, 0) + 1
    assert codes == {
        "mlperf-storage.dataset-too-small": 6,
        "mlperf-storage.dataset-barely-5x": 23,
        "mlperf-storage.potential-caching": 11,
        "mlperf-storage.report-disagrees-with-runs": 1,
    }


def published(row):
    """Five runs like a row of the table: nearly one rate, and the data set in units of the clients' memory."""
    rate = float(row["samples_per_s_mean"]) * (1 if row["report_matches_runs"] == "yes" else 0.1)
    flagged, hosts = int(row["hosts_flagged_potential_caching"]), int(row["num_hosts"])
    return [
        summary(
            num_accelerators=int(row["num_accelerators"]),
            num_hosts=hosts,
            metric=metric(rate=rate * (1 + run * 1e-9), au=float(row["au_min_run"])),
            num_files_train=int(row["num_files_train"]),
            potential_caching=[1] * flagged + [0] * (hosts - flagged),
            host_memory_GB=[64.0] * hosts,
            data_size_per_host_GB=64.0 * float(row["dataset_over_client_memory"]),
        )
        for run in (-2, -1, 0, 1, 2)
    ]


def published_report(row):
    return {
        "overall": {
            "model": row["workload"],
            "num_benchmark_runs": 5,
            "accelerator": row["accelerator"],
            "train_num_accelerators": row["num_accelerators"],
            "num_files_train": int(row["num_files_train"]),
            "train_throughput_mean_samples_per_second": float(row["samples_per_s_mean"]),
        },
        "runs": {f"run{index}": {} for index in range(1, 6)},
    }
