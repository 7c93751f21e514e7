"""Each rule of the checklist: satisfied, violated, for a person, and never satisfied without its input."""

import pytest

from tests.make_io500 import PHASES, make_run
from tests.validators.io500_reading import read_files, read_made
from validators.benchmarks.io500 import rules
from validators.bundle import Bundle
from validators.findings import LEVELS
from validators.rules import Context

HOME = "results/2025.10.01-09.00.00"
RULES = {rule.code: rule for rule in rules.RULES}


def outcome(code, run, **context):
    result = RULES[f"io500.{code}"].evaluate(run, Context(Bundle(), **context))
    assert result.code == f"io500.{code}"
    assert result.why
    return result.outcome


def changed(tmp_path, name, old, new):
    """A run whose file has other text."""
    files = make_run()
    path = f"{HOME}/{name}"
    assert old in files[path]
    return read_files(tmp_path, {**files, path: files[path].replace(old, new)}).runs[0]


@pytest.fixture
def good(tmp_path):
    return read_made(tmp_path).runs[0]


@pytest.fixture
def summary_only(tmp_path):
    """A run of which only the summary is there."""
    return read_files(tmp_path, {"result_summary.txt": make_run()[f"{HOME}/result_summary.txt"]}).runs[0]


def test_rules_are_complete_and_described():
    assert len(RULES) == len(rules.RULES) == 21
    for rule in rules.RULES:
        assert rule.code.startswith("io500.")
        assert rule.level in LEVELS
        assert rule.text.endswith(".")
        assert rule.source.startswith("https://io500.org/")
    items = [int(rule.source.rsplit(" ", 1)[1]) for rule in rules.RULES]
    assert items == [*range(1, 20), 21, 24]


def test_without_input_no_rule_is_satisfied(tmp_path):
    reading = read_files(tmp_path, {"stdout": b"result file ver = x\n[run]\nscore-hash = AB\n\n[OK] \n"})
    for rule in rules.RULES:
        assert rule.evaluate(reading.runs[0], Context(Bundle())).outcome == "not_evaluated"


def test_a_dry_run_satisfies_nothing(tmp_path):
    run = read_made(tmp_path, values=dict.fromkeys(PHASES, "0.000000")).runs[0]
    outcomes = {rule.code: rule.evaluate(run, Context(Bundle())).outcome for rule in rules.RULES}
    assert outcomes.pop("io500.score") == "violated"
    assert set(outcomes.values()) == {"not_evaluated"}


def test_version(good, tmp_path):
    call = {"slug": "SC25", "benchmark_versions": ["io500-sc25", "io500-sc25_v2"]}
    assert outcome("version", good) == "not_evaluated"
    assert outcome("version", good, release=call) == "satisfied"
    assert outcome("version", good, release={"slug": "sc25"}) == "satisfied"
    assert outcome("version", good, release={"slug": "SC24"}) == "violated"
    assert outcome("version", good, release={"slug": "sc99"}) == "not_evaluated"
    later = read_made(tmp_path, version="io500-sc25-5-gabcdef").runs[0]
    assert outcome("version", later, release=call) == "needs_human"
    assert outcome("version", read_made(tmp_path, version="").runs[0], release=call) == "needs_human"


def test_source(good, tmp_path):
    assert outcome("source", good) == "needs_human"
    assert outcome("source", read_made(tmp_path, version="").runs[0]) == "not_evaluated"
    assert (
        outcome("source", changed(tmp_path, "config-orig.ini", b"# what", b"[global]\nturbo = 9\n# what"))
        == "needs_human"
    )


def test_one_run(good, summary_only, tmp_path):
    assert outcome("one-run", good) == "satisfied"
    assert outcome("one-run", summary_only) == "not_evaluated"
    assert outcome("one-run", read_made(tmp_path, missing="find").runs[0]) == "violated"
    assert outcome("one-run", read_made(tmp_path, reordered=True).runs[0]) == "violated"
    elsewhere = changed(tmp_path, "result.txt", b"09.00.00/ior-hard/file", b"10.00.00/ior-hard/file")
    assert outcome("one-run", elsewhere) == "needs_human"
    paused = changed(
        tmp_path, "result.txt", b"t_end           = 2025-10-01 09:05:31", b"t_end           = 2025-10-01 08:05:31"
    )
    assert outcome("one-run", paused) == "needs_human"


def test_stonewall(good, summary_only, tmp_path):
    assert outcome("stonewall", good) == "satisfied"
    assert outcome("stonewall", summary_only) == "satisfied"
    assert outcome("stonewall", read_made(tmp_path, short="ior-hard-write").runs[0]) == "violated"
    assert outcome("stonewall", read_made(tmp_path, missing="ior-hard-write").runs[0]) == "not_evaluated"
    early = read_made(tmp_path, options={("debug", "stonewall-time"): "200"}).runs[0]
    assert outcome("stonewall", early) == "violated"
    competition = {name: 31.0 for name in PHASES if name.endswith("-write")}
    assert outcome("stonewall", read_made(tmp_path, scc=True, seconds=competition).runs[0]) == "satisfied"


def test_score(good, tmp_path):
    assert outcome("score", good) == "satisfied"
    assert outcome("score", read_made(tmp_path, invalid=("find",)).runs[0]) == "violated"
    assert outcome("score", read_made(tmp_path, edited_phase="find").runs[0]) == "violated"
    assert outcome("score", read_made(tmp_path, product=True).runs[0]) == "violated"
    assert outcome("score", read_made(tmp_path, missing="find").runs[0]) == "not_evaluated"


def test_hashes(good, summary_only, tmp_path):
    assert outcome("hashes", good) == "satisfied"
    assert outcome("hashes", summary_only) == "not_evaluated"
    assert outcome("hashes", read_made(tmp_path, edited_hash=True).runs[0]) == "violated"
    without = read_made(tmp_path, without=("config.ini", "config-orig.ini")).runs[0]
    assert outcome("hashes", without) == "not_evaluated"


def test_read_elsewhere(good, summary_only, tmp_path):
    assert outcome("read-elsewhere", good) == "satisfied"
    assert outcome("read-elsewhere", summary_only) == "not_evaluated"
    alone = {"client_nodes": 1, "procs_per_node": 16}
    assert outcome("read-elsewhere", read_made(tmp_path, **alone).runs[0]) == "violated"
    dropped = read_made(tmp_path, **alone, options={("global", "drop-caches"): "TRUE"}).runs[0]
    assert outcome("read-elsewhere", dropped) == "satisfied"
    assert outcome("read-elsewhere", changed(tmp_path, "result.txt", b" -C -Q 1", b"")) == "needs_human"


@pytest.mark.parametrize("code", ["persistence", "data-reduction"])
def test_rules_that_only_a_person_can_judge(good, summary_only, code):
    for run in (good, summary_only):
        assert outcome(code, run) == "needs_human"


def test_precreated(good, summary_only):
    assert outcome("precreated", good) == "needs_human"
    assert outcome("precreated", summary_only) == "not_evaluated"


def test_clients(good, summary_only, tmp_path):
    assert outcome("clients", good, list_name="production") == "satisfied"
    assert outcome("clients", good) == "satisfied"
    assert outcome("clients", good, list_name="full") == "not_evaluated"
    assert outcome("clients", summary_only, list_name="production") == "not_evaluated"
    assert outcome("clients", read_made(tmp_path, client_nodes=9).runs[0], list_name="production") == "violated"


def test_ten_clients(good, summary_only, tmp_path):
    for list_name in ("ten", "ten-production"):
        assert outcome("ten-clients", good, list_name=list_name) == "satisfied"
        assert outcome("ten-clients", read_made(tmp_path, client_nodes=11).runs[0], list_name=list_name) == "violated"
        assert outcome("ten-clients", summary_only, list_name=list_name) == "not_evaluated"
    assert outcome("ten-clients", good, list_name="full") == "not_evaluated"
    assert outcome("ten-clients", good) == "not_evaluated"


def test_find(good, summary_only, tmp_path):
    assert outcome("find", good) == "satisfied"
    assert outcome("find", summary_only) == "not_evaluated"
    assert outcome("find", changed(tmp_path, "result.txt", b"./pfind ", b"./my-find.sh ")) == "needs_human"
    assert outcome("find", changed(tmp_path, "result.txt", b"-size 3901c", b"-size 1c")) == "needs_human"
    assert (
        outcome("find", changed(tmp_path, "result.txt", b"total-files     = ", b"total-files     = 9")) == "needs_human"
    )
    assert outcome("find", read_made(tmp_path, values={"find": "0.000000"}).runs[0]) == "violated"


def test_scc(good, summary_only, tmp_path):
    student = read_made(tmp_path, scc=True).runs[0]
    assert outcome("scc", student, list_name="scc") == "satisfied"
    assert outcome("scc", student, list_name="production") == "violated"
    assert outcome("scc", good, list_name="production") == "satisfied"
    assert outcome("scc", good, list_name="scc") == "violated"
    assert outcome("scc", good) == "not_evaluated"
    assert outcome("scc", summary_only, list_name="scc") == "not_evaluated"
    assert outcome("scc", read_made(tmp_path, scc=True, client_nodes=1).runs[0], list_name="scc") == "violated"


def test_uploads(good, tmp_path):
    assert outcome("uploads", good) == "satisfied"
    assert outcome("uploads", read_made(tmp_path, without=("job.sh",)).runs[0]) == "violated"
    assert outcome("uploads", read_made(tmp_path, without=("job.out",)).runs[0]) == "violated"


def test_deadline(good):
    release = {"slug": "SC25", "deadline": "2025-10-15T12:00:00Z"}
    early, late = "2025-10-15T11:59:59+00:00", "2025-10-15T14:00:01+02:00"
    assert outcome("deadline", good, release=release, submitted_at=early) == "satisfied"
    assert outcome("deadline", good, release=release, submitted_at=late) == "violated"
    assert outcome("deadline", good, release=release) == "not_evaluated"
    assert outcome("deadline", good, submitted_at=early) == "not_evaluated"
    assert outcome("deadline", good, release={"deadline": "soon"}, submitted_at=early) == "not_evaluated"


def test_metadata(good):
    full = {
        "institution": "Example",
        "system": "One",
        "filesystem_type": "Lustre",
        "storage_vendor": "None",
        "client_nodes": 10,
        "tasks": 160,
    }
    assert outcome("metadata", good) == "not_evaluated"
    assert outcome("metadata", good, metadata=full) == "satisfied"
    assert outcome("metadata", good, metadata={**full, "system": ""}) == "violated"
    unsaid = {name: value for name, value in full.items() if name != "institution"}
    assert outcome("metadata", good, metadata=unsaid) == "violated"
    assert outcome("metadata", good, metadata=unsaid, institution="Example") == "satisfied"


def test_metadata_consistent(good, summary_only, tmp_path):
    declared = {"client_nodes": 10, "tasks": 160}
    assert outcome("metadata-consistent", good, metadata=declared) == "satisfied"
    assert outcome("metadata-consistent", good, metadata={"client_nodes": 11}) == "violated"
    assert outcome("metadata-consistent", good) == "not_evaluated"
    assert outcome("metadata-consistent", summary_only, metadata=declared) == "not_evaluated"
    daos = changed(tmp_path, "ior-easy-write.txt", b"api                 : POSIX", b"api                 : DFS")
    assert outcome("metadata-consistent", daos, metadata={"filesystem_type": "DAOS"}) == "satisfied"
    assert outcome("metadata-consistent", daos, metadata={"filesystem_type": "Lustre"}) == "violated"


def test_questionnaire(good):
    long = "We ran it on the whole machine after a maintenance of one day."
    html = "<p>" + "<b>x</b>" * 9 + "</p>"
    assert outcome("questionnaire", good) == "not_evaluated"
    assert outcome("questionnaire", good, answers={"reproducibility": "fully"}) == "not_evaluated"
    assert outcome("questionnaire", good, answers={"purpose": long, "reproducibility": "fully"}) == "satisfied"
    assert outcome("questionnaire", good, answers={"purpose": long, "trust": "yes"}) == "violated"
    assert outcome("questionnaire", good, answers={"purpose": html}) == "violated"
    assert outcome("questionnaire", good, answers={"purpose": None}) == "violated"


def test_production(good):
    declared = {"usage": "production", "single_point_of_failure": False}
    for name in ("production", "ten-production"):
        assert outcome("production", good, list_name=name) == "not_evaluated"
        assert outcome("production", good, list_name=name, answers={"usage": "production"}) == "not_evaluated"
        assert outcome("production", good, list_name=name, answers=declared) == "needs_human"
        assert outcome("production", good, list_name=name, answers=declared | {"usage": "research"}) == "violated"
        weak = declared | {"single_point_of_failure": "yes"}
        assert outcome("production", good, list_name=name, answers=weak) == "violated"
    assert outcome("production", good, list_name="ten", answers=declared) == "not_evaluated"


def test_the_reviewer_is_warned_of_a_vendor_that_is_the_institution(good):
    context = Context(
        Bundle(),
        metadata={"institution": "Example  Corp", "storage_vendor": "example corp"},
        list_name="production",
        answers={"usage": "production", "single_point_of_failure": False},
    )
    result = RULES["io500.production"].evaluate(good, context)
    assert (result.outcome, result.why.startswith("The institution is the vendor")) == ("needs_human", True)


def test_exclusive(good):
    assert outcome("exclusive", good) == "not_evaluated"
    assert outcome("exclusive", good, answers={"exclusive_cluster_usage": "yes"}) == "satisfied"
    assert outcome("exclusive", good, answers={"exclusive_cluster_usage": False}) == "violated"


# Findings that need the context


def context_findings(run, **context):
    findings = rules.findings(run, Context(Bundle(), **context))
    return [finding.code for finding in findings]


def test_declared_clients_that_differ_are_reported(good):
    assert context_findings(good, metadata={"client_nodes": 10, "tasks": 160}) == []
    assert context_findings(good, metadata={"client_nodes": 12}) == ["io500.nodes.declared"]
    assert context_findings(good, metadata={"tasks": 10}) == ["io500.tasks.declared"]
    assert context_findings(good) == []


def test_a_competition_run_belongs_on_its_list_only(tmp_path):
    run = read_made(tmp_path, scc=True).runs[0]
    assert context_findings(run, list_name="scc") == []
    assert context_findings(run, list_name="production") == ["io500.scc.normal-list"]
    assert context_findings(run) == ["io500.scc.normal-list"]
