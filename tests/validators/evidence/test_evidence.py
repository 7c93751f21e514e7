"""What is said twice and agrees, what contradicts, what is absent; and that no forgery passes without a word."""

import json
import re
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import islice

import pytest

from tests.make_io500 import PHASES, make_run, pack
from tests.validators import forging_scripts
from tests.validators.benchmarks.test_io500_tables import GIB, IOR_HEADER, MDTEST_HEADER
from tests.validators.forging import FORGERIES as OF_PHASES
from tests.validators.forging import Archive, all_with_a_summary, files_of, forge
from tools.io500_evidence_spreads import measure_spreads
from validators import catalogue, schema
from validators.benchmarks.io500.evidence_kinds import raw_texts
from validators.checks import check
from validators.evidence import AGREES, CONTRADICTS, Comparison, Kind, examine, unconfirmed_line
from validators.metric_semantics import ComparableValue, incomparable_reason

FORGERIES = OF_PHASES | forging_scripts.FORGERIES
HOME = "results/2025.10.01-09.00.00"
PREFIX = "io500.evidence."
FOLDER = catalogue.FOLDER
KIND = {
    "code": "tool.evidence.bytes", "level": "error", "text": "Bytes stay.", "held": "one says", "against": "other says",
    "tolerance": {"ratio": [0.999, 1.001], "unit": "B"}, "files": ["raw text"], "hint": "Explain it.",
    "spread": {"archives": 0, "comparisons": 0, "outside": []},
}  # fmt: skip


def tables():
    """Tables of 160 ranks that belong to the made run."""
    bandwidth, seconds = PHASES["ior-easy-write"]
    each = bandwidth * GIB * seconds / 160
    ior = "".join(
        f"write,{rank},{seconds:.10e},{seconds:.10e},{each / seconds:.10e},{each / seconds:.10e}\n"
        for rank in range(160)
    )
    rate, seconds = PHASES["mdtest-easy-write"]
    items = round(rate * 1000 * seconds / 160)
    mdtest = f"all,{items},,,{rate * 1000:.10e},{seconds:.10e},,,,,,\n" + "".join(
        f"{rank},,,,{items / seconds:.10e},{seconds:.10e},,,,,,\n" for rank in range(160)
    )
    return {
        f"{HOME}/ior-easy-write.csv": (IOR_HEADER + ior).encode(),
        f"{HOME}/mdtest-easy-write.csv": (MDTEST_HEADER + mdtest).encode(),
    }


def evidence_of(tmp_path, files):
    """Evidence by kind, and the finding codes with their levels, of the run that counts."""
    report = check(pack(tmp_path / "run.tar.gz", files))
    run = report.runs[report.primary or 0]
    kinds = {row["code"].removeprefix(PREFIX): row["outcome"] for row in run.evidence_outcomes["kinds"]}
    return run, kinds


@pytest.fixture(scope="module")
def run_files():
    return make_run() | tables()


OF_THE_SCRIPT = {"summed-up", "log", "started-with", "launcher", "span-of-phase"}
"""Kinds of what only the shell script and the tools of its time print."""
ABSENT_KINDS = OF_THE_SCRIPT | {"copies"}
"""Of a made run, which lies in its archive once."""


def test_a_generated_run_agrees_with_itself_in_every_kind(tmp_path, run_files):
    run, kinds = evidence_of(tmp_path, run_files)
    assert {kind for kind, outcome in kinds.items() if outcome != AGREES} == ABSENT_KINDS
    agreeing = len(kinds) - len(ABSENT_KINDS)
    assert run.evidence_outcomes["in_short"] == f"{agreeing} of {len(kinds)} kinds agree, {len(ABSENT_KINDS)} absent"
    assert [finding.code for finding in run.findings if "evidence" in finding.code] == []
    assert run.evidence_outcomes["unconfirmed"] == []


@pytest.mark.parametrize("name", FORGERIES)
def test_every_forgery_of_a_generated_run_is_reported(tmp_path, run_files, name):
    run, kinds = evidence_of(tmp_path, forge(run_files, FORGERIES[name]))
    revealed = {kind for kind, outcome in kinds.items() if outcome == CONTRADICTS}
    assert revealed & set(FORGERIES[name].kinds), (revealed, kinds)
    finding_of_kind = {finding.code.removeprefix(PREFIX) for finding in run.findings}
    assert revealed <= finding_of_kind
    assert "io500.score.inconsistent" not in finding_of_kind and "io500.score.hash-mismatch" not in finding_of_kind


@pytest.mark.parametrize("name", FORGERIES)
def test_each_expected_kind_reveals_its_forgery(tmp_path, run_files, name):
    _, kinds = evidence_of(tmp_path, forge(run_files, FORGERIES[name]))
    assert {kind: kinds[kind] for kind in FORGERIES[name].kinds} == dict.fromkeys(FORGERIES[name].kinds, CONTRADICTS)


def test_violated_conservation_is_an_error_and_clocks_are_a_warning(tmp_path, run_files):
    assert check(pack(tmp_path / "a.tar.gz", forge(run_files, FORGERIES["f all reads"]))).status == "invalid"
    assert check(pack(tmp_path / "b.tar.gz", forge(run_files, FORGERIES["another time zone"]))).status == "valid"


def test_a_contradiction_is_reported_with_both_numbers_and_lines(tmp_path, run_files):
    run, _ = evidence_of(tmp_path, forge(run_files, FORGERIES["e stat, in text and table"]))
    (finding_of_kind,) = [finding for finding in run.findings if finding.code == "io500.evidence.items"]
    assert finding_of_kind.level == "error"
    assert finding_of_kind.where == f"{HOME}/mdtest-easy-stat.txt:24"
    assert f"{HOME}/mdtest-easy-write.txt:24" in finding_of_kind.message
    assert run_files[f"{HOME}/mdtest-easy-write.txt"].split(b"\n")[23].startswith(b"   File creation          322.750")
    assert "3 times as much, where 0.998 to 1.002 times is allowed" in finding_of_kind.message
    assert (finding_of_kind.expected, finding_of_kind.actual) == ("132488875 items", "397466307 items")


def test_a_summary_alone_is_reported(tmp_path, run_files):
    archive = Archive(run_files)
    all_with_a_summary(archive)
    run, kinds = evidence_of(tmp_path, archive.files)
    assert run.evidence_outcomes["summary_alone"]
    assert "evidence.summary-alone" in [finding.code for finding in run.findings]
    assert kinds["bytes"] == "absent"
    assert run.evidence_outcomes["unconfirmed"] == [phase for phase in PHASES if phase != "timestamp"]
    assert run.evidence_outcomes["missing"] == [
        "raw text of the phases", "tables of the ranks", "find.csv", "files that find saw", "result.txt", "config.ini",
    ]  # fmt: skip


def test_absent_evidence_contradicts_nothing(tmp_path, run_files):
    files = {path: content for path, content in run_files.items() if not path.endswith(".csv")}
    _, kinds = evidence_of(tmp_path, files)
    assert {kind for kind, outcome in kinds.items() if outcome != AGREES} == {
        "ranks", "rows", "table-rows", "table-seconds", "find-table", "find-ranks", *ABSENT_KINDS,
    }  # fmt: skip
    assert {kinds["ranks"], kinds["rows"]} == {"absent"}


def test_runs_of_the_shell_script_agree_with_themselves(tmp_path):
    run, kinds = evidence_of(tmp_path, make_run(format="shell"))
    assert CONTRADICTS not in kinds.values()
    assert {kinds[kind] for kind in OF_THE_SCRIPT - {"span-of-phase"}} == {AGREES}
    assert run.evidence_outcomes["missing"] == ["tables of the ranks", "find.csv", "result.txt", "config.ini"]


@pytest.mark.parametrize("name", forging_scripts.EDITS)
def test_every_edit_of_a_shell_script_run_is_reported(tmp_path, name):
    edit = forging_scripts.EDITS[name]
    files = make_run(format="shell")
    run, kinds = evidence_of(tmp_path, edit.forge(files))
    assert kinds[edit.kind] == CONTRADICTS, kinds
    assert f"{PREFIX}{edit.kind}" in [finding.code for finding in run.findings]


def test_the_time_of_a_phase_is_checked_against_its_dates_without_mdtest_seconds(tmp_path):
    files = forging_scripts.edited(make_run(format="shell"), *forging_scripts.WITHOUT_SECONDS)
    run, kinds = evidence_of(tmp_path, files)
    assert kinds["span-of-phase"] == AGREES
    assert kinds["items"] == "absent"
    assert run.evidence_outcomes["unconfirmed"] == [phase for phase in PHASES if phase.startswith("mdtest")]


@pytest.mark.parametrize("count", [0, 1, 10, 101, 102, 1920, 10_100, 10_101, 100_200, 123_456])
def test_names_with_01_are_counted_by_a_formula(count):
    assert raw_texts.count_with_01(count) == sum("01" in str(number) for number in range(count))


def test_find_that_stops_early_or_looks_for_other_names_is_not_counted_by(tmp_path):
    for word, kind in ((b"*10*", "absent"), (b"*01* -s 300", "absent"), (b"*01*", AGREES)):
        files = {path: content.replace(b"*01*", word) for path, content in make_run().items()}
        _, kinds = evidence_of(tmp_path, files)
        assert kinds["matches"] == kind


def test_random_reads_faster_than_sequential_ones_are_reported(tmp_path):
    run, _ = evidence_of(tmp_path, make_run(values={"ior-rnd4K-easy-read": "123.000000"}))
    (finding_of_kind,) = [finding for finding in run.findings if finding.code == "io500.rnd4k.faster"]
    assert finding_of_kind.level == "warning" and "2.00 times the 61.500000 GiB/s" in finding_of_kind.message
    run, _ = evidence_of(tmp_path, make_run(values={"ior-rnd4K-easy-read": "61.400000"}))
    assert "io500.rnd4k.faster" not in [finding.code for finding in run.findings]


COMMAND = {
    "isc25_v1": "ior -C -k -e -o ./d/f -F -r -D 300 -z -z -a POSIX -t=4096 -b=4096 -s=1000000",
    "sc25": "ior -C -k -e -o ./d/f -F -r -D 300 -z -z -a POSIX -t=4096 -b=4096 -s=10000000 -O stoneWallingWearOut=1",
}
"""As builds before and since the second tag of ISC25 print it."""


def random_read_of(tmp_path, build):
    """The figure of the random read of a run whose result.txt has that command."""
    files = make_run()
    before, mark, after = files[f"{HOME}/result.txt"].partition(b"[ior-rnd4K-easy-read]")
    changed = re.sub(rb"exe +=[^\n]*", f"exe = {COMMAND[build]}".encode(), after, count=1)
    run = check(pack(tmp_path / f"{build}.tar.gz", files | {f"{HOME}/result.txt": before + mark + changed})).runs[0]
    measurement = next(row for row in run.measurements if (row.op, row.stat) == ("ior-rnd4K-easy-read", "phase"))
    return ComparableValue(measurement.as_json(), run.version, run.parameters)


def test_random_reads_compare_only_between_builds_that_read_as_much(tmp_path):
    old, new = (random_read_of(tmp_path, build) for build in COMMAND)
    assert old.parameters["rnd4k_segments"] == 1000000 and not old.parameters["rnd4k_wear_out"]
    assert new.parameters["rnd4k_segments"] == 10000000 and new.parameters["rnd4k_wear_out"]
    entries = catalogue.meanings("io500")
    assert "rnd4k_segments" in incomparable_reason(entries, old, new)
    assert incomparable_reason(entries, new, new) == ""
    unknown = ComparableValue(new.measurement, "io500-sc25", {})
    assert "not known of both" in incomparable_reason(entries, unknown, new)
    easy = ComparableValue({**new.measurement, "op": "ior-easy-read"}, "io500-sc25", {})
    assert incomparable_reason(entries, easy, easy) == ""


# The generic part


def kinds_of(**changes):
    return [Kind.from_json({**KIND, **changes})]


@pytest.mark.parametrize(
    ("tolerance", "value", "against", "slack", "outcome"),
    [
        ({"ratio": [0.999, 1.001]}, 1001.0, 1000.0, 0.0, AGREES),
        ({"ratio": [0.999, 1.001]}, 1002.0, 1000.0, 0.0, CONTRADICTS),
        ({"ratio": [0.999, 1.001]}, 1002.0, 1000.0, 0.002, AGREES),
        ({"ratio": [0.999, 1.001]}, 1.0, 0.0, 0.0, CONTRADICTS),
        ({"ratio": [0.999, 1.001]}, float("nan"), 1.0, 0.0, CONTRADICTS),
        ({"difference": [-5, 5], "unit": "s"}, 95.0, 100.0, 0.0, AGREES),
        ({"difference": [-5, 5], "unit": "s"}, 94.9, 100.0, 0.0, CONTRADICTS),
        ({"same": True}, "a -D 300", "a -D 300", 0.0, AGREES),
        ({"same": True}, "a -D 300", "a -D 100", 0.0, CONTRADICTS),
    ],
)
def test_two_values_agree_within_the_tolerance_of_their_kind(tolerance, value, against, slack, outcome):
    pair = Comparison("tool.evidence.bytes", "write", value, against, "out.txt:3", "out.txt:4", slack)
    result, findings = examine(kinds_of(tolerance=tolerance), [pair])
    assert result["kinds"][0]["outcome"] == outcome
    assert [finding.level for finding in findings] == ([] if outcome == AGREES else ["error"])


def confirming(pairs, operations):
    """The operations that nothing confirms, where `bytes` speaks of all that IOR writes and reads."""
    result, _ = examine(kinds_of(confirms=["ior-*"]), pairs, operations=operations)
    return result["unconfirmed"]


def test_a_value_is_confirmed_by_its_own_agreeing_pair():
    names = ["ior-read", "ior-write", "stat"]
    agreeing = Comparison("tool.evidence.bytes", "ior-read", 1.0, 1.0, "out.txt:3")
    assert confirming([], names) == names
    assert confirming([agreeing], names) == ["ior-write", "stat"]
    assert confirming([replace(agreeing, what="ior-read, by rank")], names) == ["ior-write", "stat"]
    assert confirming([replace(agreeing, against_what="ior-write")], names) == ["stat"]
    assert confirming([replace(agreeing, value=2.0)], names) == names
    assert confirming([replace(agreeing, what="stat")], names) == names
    result, _ = examine(kinds_of(), [agreeing], operations=names)
    assert result["unconfirmed"] == names


def test_unconfirmed_phases_have_a_sentence():
    assert unconfirmed_line({"unconfirmed": ["a", "b"]}) == "no independent figure confirms: a, b"
    assert unconfirmed_line({"unconfirmed": []}) == "each figure agrees with an independent one"
    assert unconfirmed_line({"agree": 3}) == "which figures nothing independent confirms was not looked at"
    assert (unconfirmed_line({}), unconfirmed_line(None)) == ("", "")
    long = unconfirmed_line({"unconfirmed": ["x" * 90_000] * 50})
    assert len(long) < 2000 and long.endswith(" and 30 more")


def test_each_kind_that_confirms_names_phases_of_the_benchmark():
    patterns = {each for kind in catalogue.benchmark("io500").evidence_kinds for each in kind.confirms}
    assert {each for each in patterns if not any(fnmatchcase(phase, each) for phase in PHASES)} == set()


def test_many_contradictions_of_a_kind_are_counted():
    pairs = [Comparison("tool.evidence.bytes", f"phase {n}", 2.0, 1.0, f"out.txt:{n}") for n in range(40)]
    result, findings = examine(kinds_of(), pairs)
    assert result["kinds"][0]["compared"] == 40
    assert len(findings) == 9 and "32 more of 40" in findings[-1].message


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/evidence.json")), ids=lambda path: path.parent.name)
def test_the_kinds_of_every_benchmark_are_valid(path):
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert schema.errors(rows, "evidence.1") == []
    assert len({row["code"] for row in rows}) == len(rows)


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": "info"}, {"tolerance": {}}, {"code": "tool.bytes"}, {"spread": {}}, {"confirms": []},
        {"confirms": ["a b"]},
    ],
)  # fmt: skip
def test_wrong_kinds_are_refused_by_the_schema(wrong):
    assert schema.errors([KIND | wrong], "evidence.1")


# Published archives


def checked(path):
    """The report of an archive, and the evidence of its run by kind; None where no run counts."""
    report = check(path)
    if report.primary is None:
        return report, None
    rows = report.runs[report.primary].evidence_outcomes["kinds"]
    return report, {row["code"].removeprefix(PREFIX): row["outcome"] for row in rows}


def errors_of(report):
    levels = {kind.code: kind.level for kind in catalogue.benchmark("io500").evidence_kinds}
    return {finding.code for run in report.runs for finding in run.findings if levels.get(finding.code) == "error"}


@pytest.mark.real_data
def test_no_published_archive_gets_an_error_but_one(published_archives):
    """That of 109: a run of SC17 that read 4 % more than it wrote (decision 39)."""
    result = {path.name: errors_of(check(path)) for path in published_archives}
    assert {name: codes for name, codes in result.items() if codes and "-109." not in name} == {}


@pytest.mark.deep
@pytest.mark.real_data
def test_all_published_archives_have_the_spread_that_the_kinds_state(shared):
    folders = [shared / "data" / name / "submissions" for name in ("io500", "io500-rest")]
    archives = sorted(path for folder in folders for path in folder.glob("*.tar.gz"))
    assert len(archives) == 334
    stated = {kind.code: kind.spread for kind in catalogue.benchmark("io500").evidence_kinds}
    assert measure_spreads(archives) == stated
    conservation = [kind for kind in catalogue.benchmark("io500").evidence_kinds if kind.level == "error"]
    assert {kind.code: kind.spread["outside"] for kind in conservation if kind.spread["outside"]} == {
        "io500.evidence.bytes-read": [109]
    }


def is_forgeable(path):
    """Whether an archive has the files that forgeries change."""
    try:
        return bool(Archive(files_of(path)))
    except LookupError:
        return False


@pytest.mark.real_data
@pytest.mark.parametrize("archives", [1, pytest.param(4, marks=pytest.mark.deep)])
def test_every_forgery_of_a_published_archive_with_evidence_is_reported(published_archives, tmp_path, archives):
    tried, unseen = 0, []
    for path in islice(filter(is_forgeable, reversed(published_archives)), archives):
        _, before = checked(path)
        for name, forgery in FORGERIES.items():
            try:
                forged = forge(files_of(path), forgery)
            except LookupError:
                continue
            _, after = checked(pack(tmp_path / "forged.tar.gz", forged))
            held = [kind for kind in forgery.kinds if before[kind] == AGREES and after[kind] != "absent"]
            tried += 1
            if held and not any(after[kind] == CONTRADICTS for kind in held):
                unseen.append((path.name, name, held))
    assert unseen == []
    assert tried > 40 * archives
