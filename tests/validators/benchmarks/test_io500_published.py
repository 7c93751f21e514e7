"""All published archives at hand, against what an independent reading of them found."""

import csv
from functools import cache
from pathlib import Path

import pytest

from tests.validators.io500_reading import codes
from validators.benchmarks.io500 import parser, rules
from validators.bundle import Bundle, open_bundle
from validators.rules import Context

pytestmark = pytest.mark.real_data

OTHER_RUN = {"680", "701", "714", "717", "736"}
SHORT_WRITE = {"55", "97", "193"}
NORMAL_LIST_SCC = {"642", "680", "681", "699"}
WITHOUT_RESULTS = {"177", "194", "203"}


@cache
def index(shared: Path):
    with (shared / "data" / "io500" / "index.csv").open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


@cache
def readings(shared: Path):
    """Every archive, read once."""
    runs_by_identifier = {}
    for identifier in index(shared):
        with open_bundle(shared / "data" / "io500" / "submissions" / f"submission-{identifier}.tar.gz") as bundle:
            runs_by_identifier[identifier] = parser.find_runs(bundle)
    return runs_by_identifier


@pytest.fixture(scope="module")
def published(shared):
    return {identifier: (index(shared)[identifier], reading) for identifier, reading in readings(shared).items()}


def counted(published):
    """Row and the run that counts, of every archive that has one."""
    for row, reading in published.values():
        if reading.primary is not None:
            yield row, reading.runs[reading.primary]


def with_code(published, code):
    return {identifier for identifier, (_, reading) in published.items() if code in codes(reading)}


def test_every_archive_with_results_has_a_primary_run(published):
    without = {identifier for identifier, (_, reading) in published.items() if reading.primary is None}
    assert without == {*WITHOUT_RESULTS, "109"}


def test_the_primary_run_is_in_its_original_folder(published):
    for row, run in counted(published):
        folder = row["primary_result"].rpartition("/")[0]
        assert run.path.endswith(folder), row["id"]


def test_scores_follow_from_the_phases(published):
    for row, run in counted(published):
        assert run.scores["SCORE"]["value"] == pytest.approx(float(row["recomputed_score"]), rel=1e-5), row["id"]
        assert run.scores["SCORE"]["printed"] == pytest.approx(float(row["printed_score"]), rel=1e-6), row["id"]


def test_a_bundle_of_unrelated_runs_has_no_primary(published):
    row, reading = published["109"]
    assert len(reading.runs) == 8
    assert "io500.several-runs" in codes(reading)
    scores = [run.scores["SCORE"]["value"] for run in reading.runs]
    assert any(score == pytest.approx(float(row["recomputed_score"]), rel=1e-5) for score in scores)


def test_every_printed_hash_is_reproduced(published):
    checked = 0
    for row, run in counted(published):
        for name in ("config", "score"):
            if row[f"{name}_hash"]:
                assert run.hashes[name] == {"printed": row[f"{name}_hash"], "computed": row[f"{name}_hash"]}, row["id"]
                checked += 1
    assert checked == 2 * 115


def test_the_extended_hash_is_reproduced(published):
    run = published["578"][1].runs[0]
    assert run.mode == "extended"
    assert run.hashes["scorex"]["computed"] == run.hashes["scorex"]["printed"]


def test_nodes_and_tasks_are_those_that_mdtest_counted(published):
    for row, run in counted(published):
        assert str(run.parameters.get("client_nodes", "")) == row["nodes_measured"], row["id"]
        assert str(run.parameters.get("tasks", "")) == row["tasks_measured"], row["id"]


def test_versions_and_interface(published):
    for row, run in counted(published):
        for name in ("ior_version", "mdtest_version", "api"):
            if row[name]:
                assert run.parameters[name] == row[name], row["id"]


def test_a_copy_of_another_run_is_reported(published):
    assert with_code(published, "io500.summary.other-run") == OTHER_RUN


def test_short_write_phases_are_reported(published):
    assert with_code(published, "io500.stonewall.short") - {"109"} == SHORT_WRITE


def test_a_total_without_the_root_is_reported(published):
    assert with_code(published, "io500.score.no-root") - {"109"} == {"193"}


def test_runs_of_the_student_competition_on_normal_lists_are_reported(published):
    identifiers = {
        identifier
        for identifier, (_, reading) in published.items()
        for run in reading.runs
        if "io500.scc.normal-list" in [finding.code for finding in rules.findings(run, Context(Bundle()))]
    }
    assert identifiers == NORMAL_LIST_SCC


def test_declared_nodes_are_compared_with_measured_ones(published):
    for row, run in counted(published):
        if not (row["nodes_declared"] and row["nodes_measured"]):
            continue
        metadata = {"client_nodes": int(row["nodes_declared"])}
        codes = [finding.code for finding in rules.findings(run, Context(Bundle(), metadata))]
        assert ("io500.nodes.declared" in codes) == (row["nodes_declared"] != row["nodes_measured"]), row["id"]


def test_other_defects_of_published_runs(published):
    assert with_code(published, "io500.option.data-packet-type") == {"578", "693", "730"}
    assert with_code(published, "io500.option.drop-caches") == {"33", "538", "552", "655", "750"}
    assert with_code(published, "io500.find.rate") == {"683", "688", "725"}
    assert with_code(published, "io500.no-results") == WITHOUT_RESULTS
    assert {"739", "740", "743", "744", "751"} <= with_code(published, "io500.rnd4k.short")
    assert with_code(published, "io500.raw.missing") == {"42", "89", "102", "215"}


def test_published_runs_have_no_error_but_short_writes(published):
    for identifier, (_, reading) in published.items():
        assert set(codes(reading, "error")) <= {"io500.stonewall.short"}, identifier


def test_hashes_never_disagree_in_published_runs(published):
    for code in ("io500.score.hash-mismatch", "io500.config.hash-mismatch", "io500.scorex.hash-mismatch"):
        assert with_code(published, code) == set()


def test_every_rule_has_an_outcome_on_every_published_run(published):
    for row, run in counted(published):
        outcomes = [rule.evaluate(run, Context(Bundle())) for rule in rules.RULES]
        assert len(outcomes) == 21
        assert all(outcome.outcome in ("satisfied", "violated", "not_evaluated", "needs_human") for outcome in outcomes)
        assert all(outcome.why for outcome in outcomes), row["id"]
