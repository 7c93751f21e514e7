"""MLPerf Storage 3.0: real folders against the table of their figures, its traps, its rules, and folders that lie."""

import csv
import json
import math
import random
import re
import shutil
from pathlib import Path

import pytest

from tests.validators.bench_cases import codes_of
from tests.validators.benchmarks.test_bench_hostile import made_wrong
from validators.benchmarks.mlperf_storage import parser
from validators.benchmarks.mlperf_storage.rules import RULES
from validators.bundle import open_bundle
from validators.checks import check

FOLDER = Path(parser.__file__).parent
SAMPLES = FOLDER / "samples"
TABLE = {
    "train_samples_per_s": ("{model}", "samples_rate", "mean"),
    "train_MiB_per_s": ("{model}", "bandwidth", "mean"),
    "train_au_pct": ("{model}", "au", "mean"),
    "ckpt_write_GiB_per_s": ("checkpoint-write", "bandwidth", "mean"),
    "ckpt_write_s": ("checkpoint-write", "time", "mean"),
    "ckpt_read_GiB_per_s": ("checkpoint-read", "bandwidth", "mean"),
    "ckpt_read_s": ("checkpoint-read", "time", "mean"),
    "kv_opt{n}_read_GiBps": ("kv-option-{n}-read", "bandwidth", "mean"),
    "kv_opt{n}_write_GiBps": ("kv-option-{n}-write", "bandwidth", "mean"),
    "kv_opt{n}_tokens_per_s": ("kv-option-{n}", "token_rate", "mean"),
    "kv_opt{n}_storage_tokens_per_s": ("kv-option-{n}-storage", "token_rate", "mean"),
    "kv_opt{n}_p95_latency_ms": ("kv-option-{n}", "latency", "p95"),
    "vdb_qps": ("search", "query_rate", "mean"),
    "vdb_p99_ms": ("search", "latency", "p99"),
    "vdb_recall": ("search", "recall", "mean"),
}
ARGUED: dict[tuple[str, str], str] = {}
"""Public id and figure: why the table and the raw files differ. Nothing does."""


def published(shared):
    """(row, its folder, its figures) of each result of the table that has raw files."""
    data = shared / "data" / "mlperf-v3"
    with (data / "mlperf_storage_v3.0_metrics.csv").open(newline="") as table:
        figures = {}
        for figure in csv.DictReader(table):
            figures.setdefault(figure["public_id"], []).append(figure)
    with (data / "mlperf_storage_v3.0.csv").open(newline="") as table:
        for row in csv.DictReader(table):
            if row["public_id"] in figures:
                model = row["model"].replace(" ", "/")
                place = f"{row['division']}/{row['submitter']}/results/{row['system']}/{row['benchmark']}/{model}"
                yield row, place, figures[row["public_id"]]


@pytest.fixture(scope="module")
def results(shared, tmp_path_factory):
    """The report of every row by its public id, each folder under the path that it was published at."""
    raw, reports = shared / "data" / "mlperf-v3" / "raw", {}
    for row, place, _ in published(shared):
        folder = tmp_path_factory.mktemp("raw")
        shutil.copytree(raw / place, folder / place)
        reports[row["public_id"]] = check(folder)
    return reports


def key_of(metric, model):
    option = re.search(r"kv_opt(\d)", metric)
    n = option[1] if option else ""
    parts = TABLE[re.sub(r"opt\d", "opt{n}", metric)]
    return tuple(part.format(n=n, model=model) for part in parts)


def test_every_figure_of_the_table_is_computed_again(shared, results):
    compared, wrong = 0, []
    for row, _, figures in published(shared):
        (run,) = results[row["public_id"]].runs
        for figure in figures:
            key = key_of(figure["metric"], row["model"])
            fitting = [
                item
                for item in run.measurements
                if (item.op, item.quantity, item.stat) == key and (key[0].startswith("checkpoint") or not item.context)
            ]
            compared += 1
            if (row["public_id"], figure["metric"]) in ARGUED:
                continue
            if len(fitting) != 1 or not math.isclose(fitting[0].printed_value, float(figure["value"]), rel_tol=1e-6):
                wrong.append((row["public_id"], figure["metric"], figure["value"], fitting))
    assert wrong == []
    assert compared == 218


def test_every_folder_has_version_kind_model_and_division(shared, results):
    for row, _, _ in published(shared):
        (run,) = results[row["public_id"]].runs
        assert run.version == "3.0", row["public_id"]
        assert run.mode == row["benchmark"]
        assert run.parameters["model"] == row["model"]
        assert run.parameters["division"] == row["division"]
        assert results[row["public_id"]].status == "valid"


def test_the_whole_tree_at_once_is_as_many_results(shared):
    report = check(shared / "data" / "mlperf-v3" / "raw")
    assert len(report.runs) == 36
    assert report.primary is None


def test_the_warm_up_is_no_part_of_the_published_mean(results):
    for public_id, five, six in (("v3.0-0151", 1225.05, 1224.73), ("v3.0-0153", 2532.69, 2532.79)):
        (run,) = results[public_id].runs
        (mean,) = [
            item.printed_value for item in run.measurements if item.quantity == "samples_rate" and item.stat == "mean"
        ]
        assert abs(mean - five) < 0.01 < abs(mean - six)
        assert [row["counts"] for row in run.tests] == [False, True, True, True, True, True]
        assert (run.parameters["runs"], run.parameters["run_folders"]) == (5, 6)


def test_units_are_binary_though_they_are_printed_as_decimal(results):
    (run,) = results["v3.0-0151"].runs
    rate, bandwidth = (
        next(item for item in run.measurements if (item.quantity, item.stat) == (quantity, "mean"))
        for quantity in ("samples_rate", "bandwidth")
    )
    assert bandwidth.value / rate.value == pytest.approx(139.8093 * 2**20, rel=1e-6)
    (run,) = results["v3.0-0149"].runs
    read = next(item for item in run.measurements if item.op == "kv-option-1-read")
    assert read.value == pytest.approx(151.71400427609973 * 2**30)


def test_memory_is_the_sum_of_a_list_that_holds_sums(results):
    """15 hosts of 188 GiB stand as seven entries of 376 and one of 188: 2,821 GiB, as the metadata says."""
    (run,) = results["v3.0-0151"].runs
    assert run.tests[1]["host_memory_GiB_sum"] == pytest.approx(3029183778816 / 2**30, rel=1e-3)
    assert run.parameters["dataset_over_memory"] == pytest.approx(5.0816, abs=1e-3)
    assert "dataset_over_memory" not in results["v3.0-0053"].runs[0].parameters  # one of 21 entries was left


def test_a_checkpoint_after_training_is_no_result_of_checkpoints(results):
    (run,) = results["v3.0-0139"].runs
    assert {item.op for item in run.measurements} == {"unet3d"}
    assert "mlperf-storage.checkpoint-beside-training" in codes_of(results["v3.0-0139"])


def test_flags_of_caching_that_compare_with_sums_are_left_out(results):
    """RetinaNet of XSKY is flagged on one of nine hosts, with 5.005 times the memory of all."""
    report = results["v3.0-0129"]
    assert "mlperf-storage.potential-caching" not in codes_of(report)
    assert report.runs[0].parameters["dataset_over_memory"] >= 5
    assert "hosts_flagged_potential_caching" not in report.runs[0].parameters


def test_missing_ranks_are_reported_without_paths(results):
    report = results["v3.0-0178"]
    (finding,) = [item for item in report.runs[0].findings if item.code == "mlperf-storage.ranks-missing"]
    assert "24 in option 1, 21 in option 2" in finding.message
    assert "farmgpu" not in json.dumps(report.runs[0].as_json()["tests"])


def outcomes(run):
    return {item.code.rpartition(".")[2]: (item.outcome, item.why) for item in run.rules}


def test_published_results_violate_only_known_rules(shared, results):
    """One run of six is here of most trainings, so that there are fewer; FarmGPU's ranks are missing in truth."""
    expected = {"five-runs", "six-run-folders", "phases", "kv-ranks", "equal-hosts", "checkpoint-memory"}
    for row, _, _ in published(shared):
        (run,) = results[row["public_id"]].runs
        violated = {word for word, (outcome, _) in outcomes(run).items() if outcome == "violated"}
        assert violated <= expected, (row["public_id"], violated)
        assert ("kv-ranks" in violated) is (row["public_id"] == "v3.0-0178")


def test_rules_that_do_not_apply_are_left_out(results):
    rules_said = outcomes(results["v3.0-0117"].runs[0])
    assert not {"utilisation", "five-runs", "dataset-size", "kv-trials", "vector-runs"} & set(rules_said)
    assert rules_said["checkpoint-count"][0] == "not_evaluated"
    assert rules_said["checkpoint-count"][1].startswith("Missing: ")
    open_division = outcomes(results["v3.0-0179"].runs[0])
    assert open_division["kv-trials"] == ("not_evaluated", "Does not apply to division open.")
    row = results["v3.0-0107"].runs[0].tests[0]
    assert "au_mean" not in row and "checkpoint-read_GiB_per_s" not in row


# Samples of our own, and what happens when one thing in them changes


def sample(tmp_path, name):
    place = tmp_path / "result"
    shutil.copytree(SAMPLES / name / "result", place)
    return place


def change(path, **changes):
    """Set values of a JSON file by keys joined with `__`; None removes one."""
    document = json.loads(path.read_text())
    for keys, value in changes.items():
        *above, last = keys.split("__")
        inner = document
        for key in above:
            inner = inner[key]
        if value is None:
            del inner[last]
        else:
            inner[last] = value
    path.write_text(json.dumps(document))


def first(place, pattern):
    return sorted(place.rglob(pattern))[0]


TRAINING, CHECKPOINTS, KV, VECTORS = "v3.0-training", "v3.0-checkpoints", "v3.0-kv-cache", "v3.0-vector-database"
BROKEN = {
    # rule: sample, file, changes
    "utilisation": (TRAINING, "*_120000/summary.json", {"metric__train_au_mean_percentage": 80.0}),
    "equal-hosts": (TRAINING, "*_120000/summary.json", None),
    "steps": (TRAINING, "*_120000/summary.json", None),
    "filesystems-apart": (TRAINING, "*_120000/fs_separation.json", {"same_filesystem": True}),
    "checkpoint-ranks": (CHECKPOINTS, "summary.json", {"num_accelerators": 32}),
    "checkpoint-size": (CHECKPOINTS, "summary.json", {"metric__checkpoint_size_GB": 450.0}),
    "checkpoint-gap": (CHECKPOINTS, "summary.json", {"end": "2026-06-02T09:09:00.000000"}),
    "checkpoint-memory": (CHECKPOINTS, "summary.json", {"host_memory_GB": [4096.0] + [0.0] * 7}),
    "kv-options": (KV, "summary.json", {"options__3": None}),
    "kv-trials": (KV, "summary.json", {"options__2__trial_count": 2}),
    "kv-ranks": (KV, "summary.json", {"options__2__rank_count": 1}),
    "kv-storage": (KV, "summary.json", {"options__2__cpu_tier_ranks": [0, 1]}),
    "vector-loaded": (VECTORS, "datagen/*/summary.json", {"dimension": 768}),
    "vector-inserted": (VECTORS, "datagen/*/summary.json", {"inserted_vectors": 999999}),
    "vector-reference": (VECTORS, "result_verdict.json", {"flat_setup__coverage": 0.99}),
}


@pytest.mark.parametrize("word", sorted(BROKEN))
def test_one_change_breaks_each_rule(tmp_path, word):
    name, pattern, changes = BROKEN[word]
    place = sample(tmp_path, name)
    (before,) = check(place).runs
    assert outcomes(before)[word][0] == "satisfied"
    if changes:
        change(first(place, pattern), **changes)
    else:
        for path in place.rglob("run/*/summary.json"):
            change(path, **({"num_accelerators": 5} if word == "equal-hosts" else {"num_files_train": 13999}))
    report = check(place)
    assert "violated" in {outcomes(run)[word][0] for run in report.runs}


@pytest.mark.parametrize(
    ("name", "pattern", "word"),
    [
        (TRAINING, "20260601_1[1]0000", "six-run-folders"),
        (TRAINING, "datagen", "phases"),
        (CHECKPOINTS, "20260602_091020", "checkpoint-phases"),
        (VECTORS, "20260605_101000", "vector-runs"),
    ],
)
def test_a_missing_folder_violates_the_counting_rule(tmp_path, name, pattern, word):
    place = sample(tmp_path, name)
    assert outcomes(check(place).runs[0])[word][0] == "satisfied"
    shutil.rmtree(first(place, pattern))
    assert outcomes(check(place).runs[0])[word][0] == "violated"


def mean_of(report, quantity):
    (run,) = report.runs
    return [
        item.printed_value
        for item in run.measurements
        if item.quantity == quantity and item.stat == "mean" and not item.context
    ]


def test_five_folders_leave_the_warm_up_unknown(tmp_path):
    place = sample(tmp_path, TRAINING)
    shutil.rmtree(first(place, "20260601_100000"))
    report = check(place)
    assert codes_of(report) == ["mlperf-storage.warm-up-unknown"]
    assert mean_of(report, "samples_rate") == [102.125]


def test_seven_folders_have_no_mean(tmp_path):
    place = sample(tmp_path, TRAINING)
    last = first(place, "20260601_150000")
    shutil.copytree(last, last.with_name("20260601_160000"))
    report = check(place)
    assert "mlperf-storage.runs-ambiguous" in codes_of(report)
    assert mean_of(report, "samples_rate") == []
    assert {row["counts"] for row in report.runs[0].tests} == {None}


@pytest.mark.parametrize("stat_of", [{}, {"num_checkpoints": 1}])
def test_a_deviation_of_one_checkpoint_is_none(tmp_path, stat_of):
    place = sample(tmp_path, CHECKPOINTS)
    change(first(place, "summary.json"), metric__save_checkpoint_io_stdev_GB_per_second=0.0)
    overrides = first(place, "overrides.yaml")
    overrides.write_text(overrides.read_text().replace("write=10", "write=1") if stat_of else "- workload=llama3_70b\n")
    report = check(place)
    (finding,) = [item for item in report.runs[0].findings if item.code == "mlperf-storage.not-measured"]
    assert "checkpoint-write bandwidth stdev" in finding.message
    assert not [item for item in report.runs[0].measurements if item.op == "checkpoint-write" and item.value == 0]


def test_one_search_has_no_deviation(tmp_path):
    place = sample(tmp_path, VECTORS)
    for leaf in sorted((first(place, "DISKANN") / "run").iterdir())[1:]:
        shutil.rmtree(leaf)
    (run,) = check(place).runs
    assert [item for item in run.measurements if item.stat == "stdev"] == []


@pytest.mark.parametrize(
    ("name", "pattern", "changes", "code"),
    [
        (KV, "summary.json", {"options__1__aggregated_read_bandwidth_gbps": "fast"}, "measurement-missing"),
        (KV, "summary.json", {"options__1__aggregated_p95_latency_ms": 10**400}, "measurement-missing"),
        (KV, "summary.json", {"options__1__aggregated_read_bandwidth_gbps": -1}, "measurement-missing"),
        (KV, "summary.json", {"options": []}, "no-results"),
        (KV, "summary.json", {"options": {"1": 7, "../2": {}}}, "no-results"),
        (KV, "summary.json", {"options__4": {"option": 4}}, "options-differ"),
        (KV, "summary.json", {"options__3__option": 1}, "inconsistent"),
        (VECTORS, "run/*/summary.json", {"recall": None}, "measurement-missing"),
        (VECTORS, "run/*/summary.json", {"recall": 1.5}, "measurement-missing"),
        (VECTORS, "run/*/summary.json", {"throughput_qps": 99999.0}, "inconsistent"),
        (VECTORS, "run/*/summary.json", {"dimension": 768}, "runs-differ"),
        (VECTORS, "statistics.json", {"recall__recall_at_k": 0.9}, "inconsistent"),
        (TRAINING, "*_110000/summary.json", {"metric__train_throughput_mean_samples_per_second": []}, "no-results"),
        (TRAINING, "*_110000/summary.json", {"metric__train_io_mean_MB_per_second": 99.0}, "inconsistent"),
        (TRAINING, "*_110000/training_*_metadata.json", {"model": "retinanet"}, "runs-differ"),
        (CHECKPOINTS, "summary.json", {"metric__save_checkpoint_io_mean_GB_per_second": None}, "measurement-missing"),
    ],
)
def test_an_error_in_one_file_is_found(tmp_path, name, pattern, changes, code):
    place = sample(tmp_path, name)
    change(first(place, pattern), **changes)
    report = check(place)
    assert f"mlperf-storage.{code}" in codes_of(report)
    assert report.runs


@pytest.mark.parametrize("name", [TRAINING, CHECKPOINTS, KV, VECTORS])
@pytest.mark.parametrize("text", ["", '{"sta', "[" * 100_000, '{"a": NaN}'])
def test_a_truncated_or_invalid_summary_makes_the_result_invalid(tmp_path, name, text):
    place = sample(tmp_path, name)
    first(place, "run/*/summary.json" if name != CHECKPOINTS else "summary.json").write_text(text)
    report = check(place)
    assert report.status == "invalid"
    assert {"mlperf-storage.truncated", "mlperf-storage.inconsistent", "mlperf-storage.not-a-number"} & set(
        codes_of(report)
    )


def test_runs_of_two_tool_versions_are_no_result(tmp_path):
    place = sample(tmp_path, TRAINING)
    leaf = first(place, "20260601_120000")
    (leaf / ".mlps-code-image").write_text("md5-tree-v2:" + "f" * 32)
    other = place / "closed" / "Example" / "code-ffffffff"
    other.mkdir()
    (other / ".code-hash.json").write_text(json.dumps({"hash": "f" * 32, "mlpstorage_version": "2.0.9"}))
    (leaf / "fs_separation.json").unlink()
    report = check(place)
    assert "mlperf-storage.runs-differ" in codes_of(report)
    assert (report.status, report.runs[0].version) == ("invalid", "")


def test_an_untested_version_is_reported(tmp_path):
    place = sample(tmp_path, KV)
    change(first(place, ".code-hash.json"), mlpstorage_version="4.1.2")
    for path in [*place.rglob("fs_separation.json"), *place.rglob("*_metadata.json")]:
        path.unlink()
    report = check(place)
    assert report.runs[0].version == "4.1"
    assert "mlperf-storage.version-untested" in codes_of(report)


def test_a_folder_named_after_another_model_is_reported(tmp_path):
    place = sample(tmp_path, KV)
    change(first(place, "*_metadata.json"), model="llama3.1-70b-instruct")
    assert codes_of(check(place)) == ["mlperf-storage.model-disagrees"]


def test_files_in_only_one_run_are_compared_with_the_other_runs(tmp_path):
    """Files of the same content are sometimes packed once."""
    place = sample(tmp_path, CHECKPOINTS)
    first(place, "overrides.yaml").unlink()
    for root in (place, first(place, "llama3-70b")):
        (run,) = check(root).runs
        assert run.parameters["model"] == "llama3-70b"


def test_latency_of_the_device_needs_the_files_of_all_ranks(tmp_path):
    place = sample(tmp_path, KV)
    first(place, "option_1/trial_1/rank_1/*.json").unlink()
    (run,) = check(place).runs
    assert [item for item in run.measurements if item.stat == "p95_max"] == []


def test_folders_of_all_kinds_that_are_garbled_are_read_or_refused(tmp_path, every_nth):
    chance = random.Random("mlperf-storage-3")
    for name in (TRAINING, CHECKPOINTS, KV, VECTORS):
        place = sample(tmp_path / name, name)
        paths = [path for path in sorted(place.rglob("*")) if path.is_file()]
        for path in chance.sample(paths, min(6, len(paths))):
            content = path.read_bytes()
            for wrong in made_wrong(content, chance, len(every_nth(range(8), 4))):
                path.write_bytes(wrong)
                with open_bundle(place) as bundle:
                    reading = parser.find_runs(bundle)
                json.dumps([run.as_json() for run in reading.runs], allow_nan=False)
            path.write_bytes(content)


def test_results_of_earlier_versions_follow_the_earlier_rules():
    """What was published keeps its rules: those of v3.0 are for results of v3.0."""
    for name in ("v1.0-two-hosts", "v2.0-checkpoints", "v0.5-hosts-added"):
        (run,) = check(SAMPLES / name / "result").runs
        assert [rule.code for rule in run.rules if not rule.code.startswith("system.")] == [
            f"mlperf-storage.{word}"
            for word in (
                "five-runs", "utilisation", "dataset-size", "report-of-runs", "closed-parameters", "division"
            )
        ]  # fmt: skip


# The rules and what is covered of them


def coverage():
    """(paragraphs, words of the rules that check them, what stands there) of each row of the table in the README."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    for line in text.splitlines():
        if re.match(r"\| \d+\.\d", line):
            paragraphs, _, checked = (cell.strip() for cell in line.strip("|").split("|"))
            yield re.findall(r"\d+(?:\.\d+){1,3}", paragraphs), re.findall(r"`([a-z0-9-]+)`", checked), checked


def test_every_paragraph_is_covered_or_listed_as_uncovered(shared):
    facts = (shared / "data" / "mlperf-v3" / "rules-facts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ((?:table 2|enforcement|id|[\d.]+)[^|]*?) \|", facts, re.MULTILINE)
    numbered = {number for row in rows for number in re.findall(r"\d\.\d+\.\d+(?:\.\d+)?", row)}
    covered = {paragraph for paragraphs, _, _ in coverage() for paragraph in paragraphs}
    assert len(numbered) > 40
    assert sorted(numbered - covered) == []


def test_the_table_of_coverage_names_the_rules_that_cite_its_paragraphs():
    codes = {rule.code.rpartition(".")[2]: rule.source for rule in RULES}
    named = set()
    for paragraphs, words, checked in coverage():
        assert words or "not checked" in checked, checked
        for word in words:
            if word in codes and "Rules.md" in codes[word]:
                named.add(word)
                assert any(paragraph in codes[word] for paragraph in paragraphs), (word, paragraphs)
    assert named == {word for word, source in codes.items() if "Rules.md" in source}
