"""What leads the page of a result: how near it came to a limit, and the line of what was checked."""

import re
from typing import Any

import pytest

from registry.results.page_lead import add_shares, check_line, draw_ceiling_columns, nearest_limit, phase_ceilings
from registry.results.views import checks
from registry.results.why_section import build_why
from tests.html import page_source
from tests.registry.record import make_measurement, make_release, make_result
from validators.ceilings import Ceiling
from validators.ceilings.ceiling_fraction import Efficiency
from validators.hardware import Figure

GIB = 2**30
ARCHIVE = {
    "archive": {
        "started": "2019-11-11 04:23:30", "ended": "2019-11-11 05:01:00", "status": "beside", "reason": "",
        "differences": [],
    }
}  # fmt: skip


def efficiency(op: str, gib_per_s: float, limit: float, **context: Any) -> Efficiency:
    measurement = {"op": op, "stat": "phase", "unit": "B/s", "value": gib_per_s * GIB, "context": context}
    measurement["printed_unit"] = "GiB/s"
    ceiling = Ceiling("network", (("ports", Figure(limit * GIB, "B/s", "datasheet")),), "B/s")
    return Efficiency(measurement, "write", "system", [ceiling])


def checked(rules: tuple[str, ...] = (), evidence: tuple[str, ...] = (), **snapshot: Any) -> dict[str, Any]:
    """The checks of a snapshot with rules and kinds of evidence of these outcomes."""
    snapshot["rules"] = [{"code": f"io500.rule{place}", "outcome": outcome} for place, outcome in enumerate(rules)]
    kinds = [{"code": f"io500.kind{place}", "outcome": outcome} for place, outcome in enumerate(evidence)]
    return checks(snapshot | {"evidence": {"kinds": kinds, "in_short": ""}}, "io500")


def test_the_line_counts_rules_and_evidence() -> None:
    rules = ("satisfied",) * 14 + ("needs_human",) * 2 + ("not_evaluated",) * 5
    line = check_line("verified", checked(rules, ("agrees",) * 11 + ("absent",) * 3))
    assert line == "14 of 21 rules, none violated; evidence 11 of 14"


def test_the_line_names_errors_of_the_run() -> None:
    hashes = {"config": {"printed": "A", "computed": "A"}, "score": {"printed": "B", "computed": "C"}}
    line = check_line("verified", checked(("satisfied", "violated"), ("agrees", "contradicts"), hashes=hashes))
    assert line == "1 of 2 rules, 1 violated; 1 of 2 hashes agree; evidence 1 of 2, 1 contradicts"


@pytest.mark.parametrize(
    ("trust", "expected"),
    [
        ("imported", "copied from a published list, nothing was recomputed"),
        ("reported", "a number from a paper or slide, nothing was checked"),
        ("derived", "no checks of it are recorded"),
    ],
)
def test_without_checks_the_line_counts_nothing(trust: str, expected: str) -> None:
    assert check_line(trust, checks({})) == expected


def test_the_phase_nearest_to_its_ceiling_leads() -> None:
    near = nearest_limit([efficiency("ior-easy-write", 50, 200), efficiency("ior-easy-read", 180, 200)], None)
    assert (near.value, near.unit, near.section) == ("90.0", "%", "ceilings")
    assert near.about.startswith("IOR easy read, of ")


def test_an_upper_bound_is_not_near_a_ceiling() -> None:
    """And without a ceiling the phase that limits the score leads."""
    phases = {"limiting_phase": "find", "score_rise_percent": 4.26, "systems": 6}
    near = nearest_limit([efficiency("ior-easy-read", 180, 200, qualifier="below")], phases)
    assert near == ("find", "", "score +4.3 % at the median of 6 similar systems", "why")


def test_columns_show_each_operation_once_under_its_ceiling() -> None:
    rows = [efficiency("write", 40, 80), efficiency("write", 60, 80), efficiency("read", 20, 40, qualifier="about")]
    columns = draw_ceiling_columns(rows)
    assert columns is not None and columns.unit == "GiB/s"
    assert columns.chart.words == (
        "Bars, GiB/s: write 60.00, 75.0 % of its ceiling of 80.00; read, about 20.00, 50.0 % of its ceiling of 40.00"
    )


def test_no_column_is_drawn_of_what_is_only_below_a_number() -> None:
    assert draw_ceiling_columns([efficiency("write", 40, 80, qualifier="below")]) is None
    assert draw_ceiling_columns([]) is None


def test_an_unknown_limit_has_its_reason() -> None:
    assert nearest_limit([], {"limiting_phase": None}) == ("", "", "no ceiling is known", "")


def test_ceilings_of_phases_are_in_gib_per_s() -> None:
    assert phase_ceilings([efficiency("ior-easy-write", 50, 200)]) == {"ior-easy-write": 200.0}


def test_a_derived_result_says_that_no_rule_was_evaluated() -> None:
    line = check_line("derived", checked((), ("agrees",) * 51 + ("absent",) * 6))
    assert line == "read from published files, so the rules for uploads were not applied; evidence 51 of 57"


def test_phases_have_their_share_and_empty_columns_are_left_out() -> None:
    empty = {"quantity": "bandwidth", "start": "", "seconds": "", "median": None}
    phases = [{"name": "ior-easy-write", "value": 50.0} | empty, {"name": "ior-hard-write", "value": 1.0} | empty]
    columns = add_shares(phases, {"ior-easy-write": 200.0})
    assert columns == {"share": True, "start": False, "seconds": False, "median": False, "width": 3}
    assert [row["share"] for row in phases] == ["25.0", ""]
    assert add_shares([phases[0] | {"median": 40.0}], {})["width"] == 4


@pytest.mark.django_db
def test_the_page_says_what_was_checked_before_its_charts(client) -> None:
    result = make_result(make_release("sc25"), "r1")
    make_measurement(result)
    page = client.get(f"/results/{result.public_id}/").content.decode()
    assert "copied from a published list, nothing was recomputed." in page
    assert (
        page.index("<dt>Nearest to a limit</dt>")
        < page.index('id="checked"')
        < page.index('id="ran"')
        < page.index('id="phases"')
    )
    assert "no ceiling is known" in page
    assert "vega" not in page


@pytest.mark.django_db
def test_a_result_of_another_benchmark_begins_with_what_was_measured(client) -> None:
    result = make_result(make_release("T1"), "hw-1", None, tool="ior")
    make_measurement(result, "write", 50.0, stat="max")
    page = page_source(client.get("/results/hw-1/"))
    assert page.index('id="phases"') < page.index('id="ran"') < page.index('id="checks"')
    assert page.count('id="ran"') == 1


def test_results_without_a_score_stand_beside_each_other_with_their_figure(client, db) -> None:
    release = make_release("next")
    for number, (rate, times) in enumerate(((5.0, 1), (6.0, 1), (7.0, 2)), 1):
        result = make_result(release, f"ml-{number}", None, tool="mlperf-storage")
        for _ in range(times):
            make_measurement(result, "unet3d", rate, stat="mean")
    page = page_source(client.get("/results/ml-1/"))
    rail = page[page.index("This system") : page.index("Compare with")]
    assert "Bandwidth<br>" in rail and "Score" not in rail
    assert "<b>5</b>" in rail and "<b>6</b>" in rail
    assert "<b>7</b>" not in rail and "<b>\N{EM DASH}</b>" in rail, "of two figures neither stands for the run"


def test_a_run_without_phases_has_no_table_of_their_time() -> None:
    assert build_why({"shares_read": True, "phases": []}) == {}


@pytest.mark.django_db
def test_the_lead_counts_violated_rules_once(client) -> None:
    """It said "verified, 1 rule violated: 1 of 2 rules, 1 violated"."""
    rules = [{"code": "io500.x", "outcome": "violated", "why": ""}, {"code": "io500.y", "outcome": "satisfied"}]
    facts = {"trust": "verified", "bundle_sha256": "1" * 64, "snapshot": {"rules": rules}}
    result = make_result(make_release("sc25"), "r1", **facts)
    page = page_source(client.get(f"/results/{result.public_id}/"))
    (line,) = re.findall(r'<p id="checked">(.*?)</p>', page)
    text = re.sub(r"<[^>]*>", "", line)
    assert text.startswith("verified: 1 of 2 rules, 1 violated.") and text.count("violated") == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("parameters", "snapshot", "day", "ran"),
    [
        ({"started": "2025-09-22 03:31:43"}, {}, "2025-09-22", "2025-09-22 03:31:43, local time"),
        ({"started": "2026-07-04T08:00:00Z"}, {}, "2026-07-04", "2026-07-04 08:00:00, UTC"),
        ({}, ARCHIVE, "2019-11-11", "2019-11-11 04:23:30 to 2019-11-11 05:01:00, local time"),
        ({"started": "Mon Sep 22"}, {}, "", ""),
        ({"ended": "2025-09-22 04:10:00"}, {}, "", "until 2025-09-22 04:10:00, local time"),
    ],
)
def test_the_lead_has_the_day_of_the_run(client, parameters, snapshot, day: str, ran: str) -> None:
    result = make_result(make_release("sc25"), "r1", parameters=parameters, snapshot=snapshot)
    page = page_source(client.get(f"/results/{result.public_id}/"))
    assert re.findall(r"IO500, run of ([0-9-]+)", page) == ([day] if day else [])
    assert re.findall(r"<dt>Ran</dt> ?<dd> ?([^<]*?) ?</dd>", page) == ([ran] if ran else [])


@pytest.mark.django_db
def test_checks_have_each_rule_in_words(client) -> None:
    rules = [
        {"code": "io500.one-run", "outcome": "satisfied", "why": "All phases in order."},
        {"code": "io500.uploads", "outcome": "violated", "why": "Not found by its name: job output."},
    ]
    scores = {"SCORE": {"value": 3470.2161, "printed": 3470.2161}, "MD": {"value": 1.0, "printed": 2.0}}
    facts = {"trust": "verified", "bundle_sha256": "1" * 64, "snapshot": {"rules": rules, "scores": scores}}
    result = make_result(make_release("sc25"), "r1", **facts)
    page = page_source(client.get(f"/results/{result.public_id}/"))
    (table,) = re.findall(r'aria-label="Checks">(.*?)</table>', page)
    cells = [re.sub(r"<[^>]*>| +", " ", cell).split() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table)]
    rows = [" ".join(cell) for cell in cells[3:]]
    assert rows[:2] == ["recomputed", "MD"] and rows[3:5] == ["✓ same", "Score"]
    assert [row for row in rows if "io500." in row] == [
        "Result folder, job script and job output are uploaded. io500.uploads",
        "All phases run in order, without interruption, on one storage system. io500.one-run",
    ]
