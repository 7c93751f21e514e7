"""Rules between a description and a run: satisfied, broken, and never satisfied without their input."""

from __future__ import annotations

import json

import pytest

from tests.make_system import make_class, make_parameter, make_system
from validators import schema
from validators.bundle import Bundle
from validators.catalogue import FOLDER
from validators.findings import LEVELS
from validators.measurements import Measurement, Run
from validators.rules import Context, system_rules
from validators.system.document import System

RULES = {rule.code: rule for rule in system_rules.RULES}
RAN = {
    "client_nodes": 10,
    "tasks": 160,
    "procs_per_node": 16,
    "started": "2025-10-01 09:00:00",
    "ended": "2025-10-01 09:52:37",
    "file_system_size": "1.5 PiB",
}
OSS = make_class(role=["oss"], count=4, class_id="00112233445566bb", mounts=[])


def judged(code: str, system: dict | None = None, ran: dict | None = None, **context) -> tuple[str, str]:
    run = Run("io500", "", parameters=RAN if ran is None else ran)
    document = make_system() if system is None else system
    assert schema.errors(document, "system.1") == []
    about = Context(Bundle(), system=System("data/system.json", "0" * 64, document), **context)
    result = RULES[f"system.{code}"].evaluate(run, about)
    assert result.why.endswith(".")
    return result.outcome, result.why


def outcome(*arguments, **context) -> str:
    return judged(*arguments, **context)[0]


def without(*names: str) -> dict:
    return {name: value for name, value in make_system().items() if name not in names}


def system_of(**facts) -> dict:
    return make_system(storage_systems=[{"name": "scratch", "type": "lustre", **facts}])


def test_rules_are_data_of_the_known_form_and_each_has_a_judge_and_a_hint() -> None:
    rows = json.loads((FOLDER.parent / "rules" / "data" / "system.json").read_text(encoding="utf-8"))
    assert schema.errors(rows, "rules.1") == []
    codes = [row["code"] for row in rows]
    assert codes == list(RULES) == list(system_rules.JUDGES) == list(system_rules.HINTS)
    assert all(rule.level in LEVELS and rule.level != "error" for rule in system_rules.RULES)


def test_no_system_rule_is_evaluated_without_a_description() -> None:
    for rule in system_rules.RULES:
        assert rule.evaluate(Run("io500", "", parameters=RAN), Context(Bundle())).outcome == "not_evaluated"


def test_an_empty_description_and_an_empty_run_satisfy_nothing() -> None:
    bare = {
        "schema_version": "1",
        "collector": {"name": "x", "version": "1", "redaction_profile": "strict"},
        "captures": [{"id": "a", "phase": "imported", "started": "2025-10-01T08:58:00Z"}],
        "node_classes": [],
    }
    for code in RULES:
        assert outcome(code.removeprefix("system."), bare, {}) == "not_evaluated"


@pytest.mark.parametrize("nodes", [9, 11, 1])
def test_client_nodes(nodes: int) -> None:
    assert outcome("client-nodes") == "satisfied"
    assert outcome("client-nodes", make_system(node_classes=[make_class(), OSS])) == "satisfied"
    assert outcome("client-nodes", make_system(node_classes=[make_class(count=nodes)])) == "violated"
    assert outcome("client-nodes", make_system(node_classes=[OSS])) == "not_evaluated"
    assert outcome("client-nodes", ran={}) == "not_evaluated"


@pytest.mark.parametrize(
    ("code", "job", "parameter"),
    [
        ("job-nodes", "nodes", "client_nodes"),
        ("job-ranks", "ranks", "tasks"),
        ("ranks-per-node", "ranks_per_node", "procs_per_node"),
    ],
)
def test_job(code: str, job: str, parameter: str) -> None:
    assert outcome(code) == "satisfied"
    assert outcome(code, make_system(job={job: RAN[parameter] + 1})) == "violated"
    assert outcome(code, make_system(job={})) == "not_evaluated"
    assert outcome(code, without("job")) == "not_evaluated"
    assert outcome(code, ran={}) == "not_evaluated"


def test_ranks_per_node_may_be_unknown() -> None:
    assert outcome("ranks-per-node", make_system(job={"ranks_per_node": None})) == "not_evaluated"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("Lustre", "satisfied"),
        ("EXAScaler 6 (lustre)", "satisfied"),
        ("BeeGFS", "violated"),
        ("IBM Spectrum Scale", "violated"),
        ("SomethingFS", "not_evaluated"),
        ("lustr", "violated"),
        ("IME", "not_evaluated"),
        ("ext4", "not_evaluated"),
        ("", "not_evaluated"),
    ],
)
def test_filesystem_type(declared: str, expected: str) -> None:
    assert outcome("filesystem-type", metadata={"filesystem_type": declared}) == expected


def test_filesystem_type_is_that_of_the_mounts_where_no_storage_system_is_described() -> None:
    context = {"metadata": {"filesystem_type": "Lustre 2.15"}}
    assert outcome("filesystem-type", without("storage_systems"), **context) == "satisfied"
    nfs = make_system(storage_systems=[], node_classes=[make_class(mounts=[{"type": "nfs4", "options": []}])])
    assert outcome("filesystem-type", nfs, **context) == "violated"
    local = make_system(storage_systems=[], node_classes=[make_class(mounts=[{"type": "xfs", "options": []}])])
    assert outcome("filesystem-type", local, **context) == "not_evaluated"


def wrote(gib_per_s: float, seconds: float) -> Run:
    measurements = [
        Measurement.printed("ior-easy-write", "bandwidth", "phase", gib_per_s, "GiB/s"),
        Measurement.printed("ior-easy-write", "time", "phase", seconds, "s"),
        Measurement.printed("ior-easy-read", "bandwidth", "phase", 1e6, "GiB/s"),
        Measurement.printed("ior-easy-read", "time", "phase", 1e6, "s"),
    ]
    return Run("io500", "", measurements=measurements)


@pytest.mark.parametrize(("capacity_gib", "expected"), [(3000, "satisfied"), (2999, "violated")])
def test_written_bytes(capacity_gib: int, expected: str) -> None:
    system = System("s", "0", system_of(usable_bytes=capacity_gib * 2**30))
    result = RULES["system.written-bytes"].evaluate(wrote(10, 300), Context(Bundle(), system=system))
    assert result.outcome == expected


def test_written_bytes_need_a_capacity_and_phases() -> None:
    assert outcome("written-bytes") == "not_evaluated"
    system = System("s", "0", system_of())
    result = RULES["system.written-bytes"].evaluate(wrote(10, 300), Context(Bundle(), system=system))
    assert result.outcome == "not_evaluated"


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("1.5 PiB", "satisfied"),
        ("1.4 PiB", "satisfied"),
        ("1.3 PiB", "violated"),
        ("900 TiB", "violated"),
        ("many", "not_evaluated"),
        ("1e9 PiB", "not_evaluated"),
        (None, "not_evaluated"),
    ],
)
def test_capacity(printed: str | None, expected: str) -> None:
    assert outcome("capacity", ran={"file_system_size": printed}) == expected
    assert outcome("capacity", system_of(), {"file_system_size": printed}) == "not_evaluated"


def test_kernel() -> None:
    assert outcome("kernel", ran={"kernel": "5.14.0-427.el9.x86_64"}) == "satisfied"
    assert outcome("kernel", ran={"kernel": "4.18.0-553.el8.x86_64"}) == "violated"
    assert outcome("kernel") == "not_evaluated"
    servers = make_system(node_classes=[OSS])
    assert outcome("kernel", servers, {"kernel": "5.14.0-427.el9.x86_64"}) == "not_evaluated"


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("Lustre 2.15.4", "satisfied"),
        ("Lustre 2.15", "satisfied"),
        ("lustre-2.15.4 on ldiskfs", "satisfied"),
        ("Lustre 2.12.9", "violated"),
        ("Lustre 2.1", "violated"),
        ("Lustre", "not_evaluated"),
        ("DAOS 2.4", "not_evaluated"),
    ],
)
def test_lustre_version(declared: str, expected: str) -> None:
    assert outcome("lustre-version", metadata={"filesystem_type": declared}) == expected


def test_lustre_version_with_a_vendor_suffix() -> None:
    client = make_class(parameters=[make_parameter("lustre.version", "2.15.4_1.llnl")])
    context = {"metadata": {"filesystem_type": "Lustre 2.15.4"}}
    assert outcome("lustre-version", make_system(node_classes=[client]), **context) == "satisfied"
    assert (
        outcome("lustre-version", make_system(node_classes=[make_class(parameters=[])]), **context) == "not_evaluated"
    )


@pytest.mark.parametrize(
    ("started", "expected"),
    [
        ("2025-10-01 09:00:00", "satisfied"),
        ("2025-10-02 22:00:00", "satisfied"),
        ("2025-10-03 09:00:00", "violated"),
        ("2025-09-25 09:00:00", "violated"),
        ("soon", "not_evaluated"),
        (None, "not_evaluated"),
    ],
)
def test_capture_time(started: str | None, expected: str) -> None:
    assert outcome("capture-time", ran={"started": started}) == expected


def test_run_duration() -> None:
    assert outcome("run-duration") == "satisfied"
    short = make_system()["run"] | {"duration_s": 600}
    assert outcome("run-duration", make_system(run=short)) == "violated"
    assert outcome("run-duration", without("run")) == "not_evaluated"
    assert outcome("run-duration", ran={"started": "2025-10-01 09:00:00"}) == "not_evaluated"


def test_run_ended() -> None:
    run = {name: value for name, value in make_system()["run"].items() if name != "exit_status"}
    assert outcome("run-ended") == "satisfied"
    assert outcome("run-ended", make_system(run=run | {"exit_status": 3})) == "violated"
    assert outcome("run-ended", make_system(run=run | {"signal": 9})) == "violated"
    assert outcome("run-ended", without("run")) == "not_evaluated"


@pytest.mark.parametrize(
    ("described", "answered", "expected"),
    [
        (True, "yes", "satisfied"),
        (True, None, "satisfied"),
        (False, None, "violated"),
        (False, "no", "violated"),
        (True, "no", "violated"),
        (False, "yes", "violated"),
        (None, "yes", "not_evaluated"),
    ],
)
def test_exclusive(described: bool | None, answered: str | None, expected: str) -> None:
    document = make_system(system={"exclusive_during_run": described})
    assert outcome("exclusive", document, answers={"exclusive_cluster_usage": answered}) == expected


@pytest.mark.parametrize(("code", "severity"), [("drift-critical", "invalidating"), ("drift", "warning")])
def test_drift(code: str, severity: str) -> None:
    changed = [{"pointer": "/network/0/rate_bit_s", "pre": 200, "post": 100, "severity": severity}]
    assert outcome(code) == "satisfied"
    assert outcome(code, make_system(drift=changed)) == "violated"
    assert outcome(code, make_system(drift=[changed[0] | {"severity": "info"}])) == "satisfied"
    once = make_system(captures=make_system()["captures"][:1])
    assert outcome(code, once) == "not_evaluated"


def test_drift_of_many_pointers_is_one_line() -> None:
    many = [{"pointer": f"/parameters/{number}", "severity": "warning"} for number in range(5000)]
    judged_outcome, why = judged("drift", make_system(drift=many))
    assert (judged_outcome, why) == (
        "violated",
        "Changed during the run: /parameters/0, /parameters/1, /parameters/2 and 4997 more.",
    )


def test_nodes_reported() -> None:
    (pre, post) = make_system()["captures"]
    failed = [{"member": "m-1", "reason": "timeout"}]
    assert outcome("nodes-reported") == "satisfied"
    assert outcome("nodes-reported", make_system(captures=[pre, post | {"nodes_reported": 9}])) == "violated"
    assert outcome("nodes-reported", make_system(captures=[pre | {"nodes_failed": failed}])) == "violated"
    unsaid = {name: pre[name] for name in ("id", "phase", "started")}
    assert outcome("nodes-reported", make_system(captures=[unsaid])) == "not_evaluated"


def test_outliers() -> None:
    outlier = {"member": "m-1", "pointer": "/hardware/memory/total_bytes", "value": 1, "majority": 2}
    assert outcome("outliers") == "satisfied"
    assert outcome("outliers", make_system(node_classes=[make_class(outliers=[outlier])])) == "violated"
    assert outcome("outliers", make_system(node_classes=[])) == "not_evaluated"


def test_a_broken_rule_becomes_a_finding_of_the_same_code_with_a_hint() -> None:
    run = Run("io500", "", parameters=RAN)
    document = make_system(job={"nodes": 9, "ranks": 160})
    system_rules.evaluate(run, Context(Bundle(), system=System("data/system.json", "0" * 64, document)))
    assert [(finding.code, finding.level, finding.where) for finding in run.findings] == [
        ("system.job-nodes", "warning", "data/system.json")
    ]
    assert run.findings[0].hint
    assert len(run.rules) == len(RULES)
