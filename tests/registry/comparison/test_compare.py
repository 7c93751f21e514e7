"""Two results side by side: ratios where both numbers mean the same, a reason where they don't."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone

from registry.comparison.compare import Per, Side, compare_sides, group_all_differences
from registry.comparison.views import with_titles
from registry.models import PublicSystemSnapshot, Result
from registry.query.differences import configuration_diff
from registry.query.facts import fact_index
from registry.query.facts.divisors import Divisor
from tests.html import page_source
from tests.make_system import make_class, make_parameter, make_system
from tests.registry.record import IOR, described, make_list, make_measurement, make_rate, make_release, make_result
from validators import parameters
from validators.system.difference import difference

TOO_MANY = ",".join(f"x-{number}" for number in range(21))


def measured(op: str, value: float, quantity: str = "bandwidth", unit: str = "B/s") -> dict:
    return {"op": op, "quantity": quantity, "stat": "phase", "unit": unit, "value": value, "context": {}}


def side(
    id: str, *measurements: dict, tool: str = "io500", version: str = "sc25", mode: str = "standard", **parameters
):
    return Side(id, tool, version, mode, "verified", "next", {"client_nodes": 10} | parameters, measurements)


def test_ratios_are_to_the_first() -> None:
    comparison = compare_sides([side("a", measured("find", 200.0)), side("b", measured("find", 300.0)), side("c")])
    assert comparison["comparable"]
    assert comparison["measurements"][0]["values"] == [200.0, 300.0, None]
    assert comparison["measurements"][0]["ratios"] == [1.0, 1.5, None]


def test_a_zero_makes_no_ratio() -> None:
    comparison = compare_sides([side("a", measured("find", 0.0)), side("b", measured("find", 3.0))])
    assert comparison["measurements"][0]["ratios"] == [None, None]


def survey(id: str, osts: int, value: float, stated_osts: int | None = None):
    """A run on so many targets whose numbers repeat how many, or say another number."""
    row = measured("write", value) | {"context": {"osts": stated_osts or osts}}
    return side(id, row, tool="obdfilter-survey", osts=osts)


def test_context_that_repeats_a_run_parameter_does_not_split_rows() -> None:
    comparison = compare_sides([survey("a", 2, 10.0), survey("b", 4, 15.0)])
    assert [(row["context"], row["ratios"]) for row in comparison["measurements"]] == [({}, [1.0, 1.5])]
    assert comparison["differences"] == [{"parameter": "osts", "values": [2, 4]}]
    other = compare_sides([survey("a", 2, 10.0), survey("b", 4, 15.0, stated_osts=8)])
    assert [row["ratios"] for row in other["measurements"]] == [[1.0, None], [None, None]]


def test_results_without_a_common_measurement_have_a_note() -> None:
    sides = [side("a", measured("find", 1.0)), side("b", measured("find", 2.0)), side("c", measured("stat", 3.0))]
    comparison = compare_sides(sides)
    assert [note["code"] for note in comparison["notes"]] == ["compare.nothing-shared"]
    assert comparison["notes"][0]["message"].startswith("c measured nothing that a did")


def test_other_units_are_other_rows() -> None:
    comparison = compare_sides([side("a", measured("find", 1.0)), side("b", measured("find", 1.0, unit="ops/s"))])
    assert [row["ratios"] for row in comparison["measurements"]] == [[1.0, None], [None, None]]


@pytest.mark.parametrize(
    ("other", "code"),
    [({"tool": "ior"}, "compare.other-tool"), ({"mode": "extended"}, "compare.other-mode")],
)
def test_results_that_cannot_be_compared_have_a_reason_and_no_ratio(other: dict, code: str) -> None:
    comparison = compare_sides([side("a", measured("find", 1.0)), side("b", measured("find", 2.0), **other)])
    assert not comparison["comparable"]
    assert comparison["notes"][0]["code"] == code
    assert comparison["measurements"][0]["ratios"] == [None, None]


def test_another_version_is_noted_and_compared() -> None:
    comparison = compare_sides([side("a", measured("find", 1.0)), side("b", measured("find", 2.0), version="sc24")])
    assert (comparison["comparable"], [note["code"] for note in comparison["notes"]]) == (
        True,
        ["compare.other-version"],
    )


def rate(stat: str, value: float, **context: str) -> dict:
    return {"op": "file_create", "quantity": "rate", "stat": stat, "unit": "ops/s", "value": value, "context": context}


def of_mdtest(version: str, *measurements: dict, **parameters):
    return side(version, *measurements, tool="mdtest", version=version, **parameters)


def test_the_time_of_a_phase_is_not_compared_with_that_of_a_file() -> None:
    """mdtest calls both time, and both are in seconds."""
    fields = {"op": "file_stat", "quantity": "time", "stat": "mean", "unit": "s", "context": {}}
    of_phase, of_file = fields | {"value": 2.0, "printed_unit": "s"}, fields | {"value": 0.002, "printed_unit": "ms/op"}
    comparison = compare_sides([of_mdtest("4.0.0", of_phase), of_mdtest("4.1.0", of_file)])
    (row,) = comparison["measurements"]
    assert (row["ratios"], row["differs"]) == ([1.0, None], ["", "duration; metadata latency"])
    alike = compare_sides([of_mdtest("4.0.0", of_phase), of_mdtest("4.0.0", of_phase | {"value": 4.0})])
    assert alike["measurements"][0]["ratios"] == [1.0, 2.0]


@pytest.mark.parametrize("stat", ["max", "mean"])
def test_max_and_mean_of_mdtest_do_not_mean_the_same_before_and_since_4(stat: str) -> None:
    old, new = rate(stat, 100.0), rate(stat, 150.0)
    comparison = compare_sides(
        [of_mdtest("1.9.3", old, rate("iteration", 7.0)), of_mdtest("4.0.0", new, rate("iteration", 14.0))]
    )
    note = next(note for note in comparison["notes"] if note["code"] == "compare.other-meaning")
    assert all(word in note["message"] for word in (f"Rate ({stat}) of file_create", "1.9.3", "4.0.0", "population"))
    assert [row["ratios"] for row in comparison["measurements"]] == [[1.0, None], [1.0, 2.0]]
    assert comparison["measurements"][0]["differs"][0] == ""
    assert "sample deviation" in comparison["measurements"][0]["differs"][1]


def test_the_printed_coverage_overrides_the_version() -> None:
    same = compare_sides(
        [of_mdtest("3.3.0", rate("max", 1.0, scope="a")), of_mdtest("3.4.0+dev", rate("max", 2.0, scope="a"))]
    )
    other = compare_sides(
        [of_mdtest("3.3.0", rate("max", 1.0, scope="a")), of_mdtest("3.3.0", rate("max", 2.0, scope="b"))]
    )
    assert same["measurements"][0]["ratios"] == [1.0, 2.0]
    assert other["measurements"][0] | {"differs": []} == other["measurements"][0] | {
        "ratios": [1.0, None],
        "differs": [],
    }
    assert other["measurements"][0]["differs"] == ["", "a; b"]


@pytest.mark.parametrize(
    ("versions", "ratios"),
    [
        (("4.0.0", "4.1.0+dev"), [1.0, 2.0]),
        (("1.9.3", "3.3.0"), [1.0, 2.0]),
        (("3.3.0", "4.1.0"), [1.0, None]),
        (("4.0.0", ""), [1.0, None]),
    ],
)
def test_ratios_of_mdtest_by_version(versions: tuple[str, str], ratios: list) -> None:
    comparison = compare_sides([of_mdtest(versions[0], rate("mean", 5.0)), of_mdtest(versions[1], rate("mean", 10.0))])
    assert comparison["measurements"][0]["ratios"] == ratios


@pytest.mark.parametrize(
    ("first", "second", "ratio"), [("3.3.0", "4.0.0", None), ("4.0.0", "4.1.0", 2.0), ("3.2.1", "3.3.0", 2.0)]
)
def test_the_stonewall_rate_of_ior_differs_by_version(first: str, second: str, ratio) -> None:
    sides = [
        side(
            version,
            measured("write", value, "stonewall_bandwidth"),
            measured("write", value),
            tool="ior",
            version=version,
        )
        for version, value in ((first, 1.0), (second, 2.0))
    ]
    stonewalled, completed = compare_sides(sides)["measurements"]
    assert stonewalled["ratios"][1] == ratio
    assert completed["ratios"] == [1.0, 2.0]


def test_parameters_on_which_a_number_depends_must_be_the_same() -> None:
    utilisation = {"op": "unet3d", "quantity": "au", "stat": "mean", "unit": "%", "value": 95.0, "context": {}}

    def of(accelerator: str, version: str = "1.0"):
        return side(accelerator, utilisation, tool="mlperf-storage", version=version, accelerator=accelerator)

    assert compare_sides([of("h100"), of("h100")])["measurements"][0]["ratios"] == [1.0, 1.0]
    assert "accelerator" in compare_sides([of("h100"), of("a100")])["measurements"][0]["differs"][1]
    assert "one version" in compare_sides([of("h100"), of("h100", "2.0")])["measurements"][0]["differs"][1]


def test_wrong_values_of_a_version_are_not_compared() -> None:
    rates = measured("write", 1.0, "ops_rate", "ops/s")
    comparison = compare_sides([side(name, rates, tool="ior", version="2.10.3") for name in "ab"])
    assert comparison["measurements"][0]["ratios"] == [1.0, None]


def codes(comparison: dict) -> list[str]:
    return [note["code"] for note in comparison["notes"]]


def test_reported_and_checked_results_are_not_compared() -> None:
    reported = Side("b", "io500", "sc25", "", "reported", "", {}, [measured("find", 2.0)])
    comparison = compare_sides([side("a", measured("find", 1.0)), reported])
    assert (comparison["comparable"], codes(comparison)) == (False, ["compare.other-trust"])
    assert comparison["measurements"][0]["ratios"] == [None, None]
    both = compare_sides([reported, reported])
    assert (both["comparable"], both["measurements"][0]["ratios"]) == (True, [1.0, 1.0])


@pytest.mark.parametrize(
    ("lists", "told"), [(("full", "ten"), True), (("full ten", "ten"), False), (("full", ""), False)]
)
def test_results_without_a_common_list_have_a_note(lists: tuple[str, str], told: bool) -> None:
    sides = [
        replace(side(name, measured("find", 1.0)), lists=frozenset(on.split()))
        for name, on in zip("ab", lists, strict=True)
    ]
    assert ("compare.other-lists" in codes(compare_sides(sides))) is told


NOT_REPEATED = {"deviation_percent": None, "runs": None}


def again(value: float, *others: float) -> dict:
    return measured("find", value) | {"repeats": [value, *others]}


def test_a_ratio_of_single_runs_has_no_interval() -> None:
    row = compare_sides([side("a", measured("find", 100.0)), side("b", measured("find", 110.0))])["measurements"][0]
    assert (row["ratios"], row["intervals"]) == ([1.0, pytest.approx(1.1)], [None, None])
    assert row["interval_basis"] == [None, None]
    assert row["spreads"] == [NOT_REPEATED] * 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (again(100.0, 99.0, 101.0), measured("find", 110.0)),
        (measured("find", 100.0), again(110.0, 109.0, 111.0)),
        (again(100.0, 99.0, 101.0), again(110.0, 111.0)),
    ],
    ids=["first-alone", "second-alone", "two-runs-are-too-few"],
)
def test_a_ratio_has_no_interval_unless_both_were_repeated_three_times(first, second) -> None:
    row = compare_sides([side("a", first), side("b", second)])["measurements"][0]
    assert (row["intervals"], row["interval_basis"]) == ([None, None], [None, None])


def test_a_ratio_of_repeated_runs_has_the_interval_of_their_own_spreads() -> None:
    """Deviations of 1 % of 100 and of 110, Student's t of three runs, and nothing else."""
    row = compare_sides([side("a", again(100.0, 99.0, 101.0)), side("b", again(110.0, 108.9, 111.1))])["measurements"][
        0
    ]
    width = math.exp(4.303 * math.hypot(0.01, 0.01))
    assert row["intervals"] == [None, pytest.approx((1.1 / width, 1.1 * width))]
    assert row["interval_basis"] == [None, "repeats"]
    assert row["spreads"] == [{"deviation_percent": pytest.approx(1.0), "runs": 3}] * 2


def test_a_number_printed_as_about_has_a_ratio_and_no_interval() -> None:
    about = measured("find", 2.0) | {"context": {"qualifier": "about"}}
    row = compare_sides([side("a", measured("find", 1.0)), side("b", about)])["measurements"][0]
    assert (row["ratios"], row["intervals"], row["qualifiers"]) == ([1.0, 2.0], [None, None], ["", "about"])


def test_values_of_one_drive_are_not_divided() -> None:
    per = Per("drives", [Divisor(4.0, "said"), Divisor(8.0, "said")])
    of_one = measured("write", 2.0) | {"stat": "per_drive"}
    row = compare_sides([side("a", of_one), side("b", of_one)], per)["measurements"][0]
    assert (row["values"], row["divided"]) == ([2.0, 2.0], False)


def test_only_rates_are_divided_and_missing_divisors_give_no_value() -> None:
    per = Per("drives", [Divisor(4.0, "said"), Divisor(None, "not said")])
    time = measured("find", 8.0, "time", "s")
    comparison = compare_sides([side("a", measured("find", 8.0), time), side("b", measured("find", 8.0), time)], per)
    rate, seconds = comparison["measurements"]
    assert (rate["values"], rate["ratios"], rate["intervals"]) == ([2.0, None], [1.0, None], [None, None])
    assert (seconds["values"], seconds["divided"]) == ([8.0, 8.0], False)
    note = next(note["message"] for note in comparison["notes"] if note["code"] == "compare.no-divisor")
    assert "Drives of b: not known" in note


NO_SYSTEM = difference([None, None])


def test_other_differences_are_grouped_and_compared_with_tool_defaults() -> None:
    first = side("a", ior_easy_transfersize="2M", stripe_count=4, started="now", shortest_write_s=1.0, tasks=16)
    other = side("b", ior_easy_transfersize="4m", stripe_count=8.0, started="then", shortest_write_s=2.0, tasks=16)
    differences_by_group = {
        group["group"]: group["differences"] for group in group_all_differences([first, other], NO_SYSTEM)
    }
    assert list(differences_by_group) == ["Layout", "Benchmark options"]
    size = differences_by_group["Benchmark options"][0]
    assert (size["values"], size["differs_from_default"], size["defaults"][0]) == (
        [["2M"], ["4m"]],
        [False, True],
        "2m",
    )
    assert (differences_by_group["Layout"][0]["values"], differences_by_group["Layout"][0]["differs_from_default"]) == (
        [["4"], ["8"]],
        [None, None],
    )


@pytest.mark.parametrize(
    ("parameter", "section", "group"),
    [
        ("lustre.client.osc.max_rpcs_in_flight", "Lustre client", "Tunables"),
        ("lustre.version", "Lustre file system", "File system version"),
        ("block.scheduler", "Block devices", "Tunables"),
        ("", "Block devices", "Hardware"),
        ("", "BIOS", "BIOS"),
        ("lustre.layout.stripe_count", "Lustre layout", "Layout"),
        ("lnet.lnd", "LNet and its network drivers", "Network"),
        ("", "Operating system", "Operating system"),
        ("", "A section that nobody knows", "Benchmark options"),
    ],
)
def test_each_fact_of_a_system_has_its_group(parameter: str, section: str, group: str) -> None:
    row = {"subject": "Clients", "section": section, "name": "x", "parameter": parameter, "values": [["1"], None]}
    systems = {"differences": [row]}
    assert [
        difference_group["group"] for difference_group in group_all_differences([side("a"), side("b")], systems)
    ] == [group]


def test_every_section_of_a_described_system_has_a_group() -> None:
    grouped = {name for group in configuration_diff.load_vocabulary()["groups"] for name in group.get("sections", ())}
    titles = {*parameters.groups().values(), "Hardware", "Network", "Mounts", "Storage systems", "Layouts", "Job"}
    assert titles - grouped == set()


def test_volatile_parameters_are_left_out_of_differences() -> None:
    comparison = compare_sides(
        [side("a", api="POSIX", tasks=16, started="now"), side("b", api="DFS", tasks=16, started="then")]
    )
    assert comparison["differences"] == [{"parameter": "api", "values": ["POSIX", "DFS"]}]
    assert comparison["equal"] == 2  # client nodes and processes


def test_two_published_results_by_the_api(client: Client, loaded, db, django_assert_num_queries) -> None:
    with django_assert_num_queries(3):
        answer = client.get("/api/v1/compare/?results=io500-1,io500-2")
    comparison = answer.json()
    assert [result["id"] for result in comparison["results"]] == ["io500-1", "io500-2"]
    easy_write = next(row for row in comparison["measurements"] if row["op"] == "ior-easy-write")
    assert easy_write["ratios"][1] == pytest.approx(244.31 / 243.64, abs=5e-5), "the list prints two digits"


@pytest.mark.parametrize(
    ("per", "had", "ratio"),
    [("drive", [24, 32], (150 / 32) / (59.1 / 24)), ("server", [2, 2], 150 / 59.1), ("enclosure", [1, 1], 150 / 59.1)],
)
def test_two_generations_per_unit_as_the_documentation_has_it(client: Client, loaded, db, per, had, ratio) -> None:
    """Writes of 59.1 and about 150 GB/s: the E1000 with 24 drives in an enclosure, the E2000 with 32."""
    pair = "benchmarking-lustre-flash-bio-kfi,cug25-ior-e2000"
    assert f"results={pair}&per=" in (settings.BASE_DIR / "docs" / "api.md").read_text()
    comparison = client.get(f"/api/v1/compare/?results={pair}&per={per}").json()
    assert [divisor["value"] for divisor in comparison["per"]["divisors"]] == had
    assert all("of the run, " in divisor["source"] for divisor in comparison["per"]["divisors"])
    write = next(row for row in comparison["measurements"] if row["op"] == "write")
    assert (write["ratios"][1], write["qualifiers"]) == (pytest.approx(ratio), ["", "about"])
    assert write["printed_units"] == ["GB/s", "GB/s"]
    (note,) = [note for note in comparison["notes"] if note["code"] == "compare.other-version"]
    assert "not known of all" in note["message"]


def test_the_page_has_units_of_the_source_and_marks_missing_intervals(client: Client, loaded, db) -> None:
    content = client.get("/compare/?results=benchmarking-lustre-flash-bio-kfi,cug25-ior-e2000").content.decode()
    assert "59.10" in content and "GB/s" in content and "GiB/s" not in content
    assert "\N{WHITE DIAMOND} not repeated" in content and "Without a range, the ratio may be" in content
    assert "95 % range" not in content and "tie:" not in content
    assert "\N{PLUS-MINUS SIGN}0.05<" in content and "\N{PLUS-MINUS SIGN}: the rounding range" in content


def test_a_number_with_more_digits_than_the_page_shows_has_no_rounding_there(client: Client, loaded, db) -> None:
    """896.712345 is shown as 896.71: what the sixth digit leaves open says nothing."""
    content = client.get("/compare/?results=io500-683,io500-772").content.decode()
    assert "896.71" in content and "896.71 <small>\N{PLUS-MINUS SIGN}" not in content
    assert set(re.findall("\N{PLUS-MINUS SIGN}([0-9.e-]+)", content)) == {"0.005"}, "336.69 s is all that one prints"


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "query.invalid-value"),
        ("results=io500-1", 400, "query.invalid-value"),
        ("results=io500-1,io500-1", 400, "query.invalid-value"),
        ("results=" + ",".join(f"io500-{number}" for number in range(21)), 400, "query.invalid-value"),
        ("results=io500-1,%00", 400, "query.invalid-value"),
        ("results=io500-1,nothing", 404, "record.no-result"),
        ("results=io500-1,io500-2&per=wombat", 400, "query.invalid-value"),
        ("results=io500-1,io500-2&divisor=client", 400, "query.unknown-parameter"),
    ],
)
def test_an_invalid_query_is_refused(client: Client, loaded, db, query: str, status: int, code: str) -> None:
    answer = client.get(f"/api/v1/compare/?{query}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("results", "status", "said"),
    [
        (TOO_MANY, 400, "2 to 20 different ids"),
        ("io500-1,nothing", 404, "no result &#x27;nothing&#x27;"),
    ],
)
def test_the_form_keeps_results_that_cannot_be_compared(
    client: Client, loaded, db, results: str, status: int, said: str
):
    answer = client.get(f"/compare/?results={results}")
    content = answer.content.decode()
    assert (answer.status_code, said in content) == (status, True)
    assert f'name="results" value="{results}"' in content


def test_rows_of_the_chart_have_different_labels(client: Client, loaded, db) -> None:
    content = client.get("/compare/?results=cug25-table3-1,cug25-table3-3").content.decode()
    assert "write all targets 1.00 not repeated; read all targets 1.47 not repeated; write per drive" in content


def test_the_page_names_quantities_whose_meaning_changed(client: Client, db) -> None:
    release = make_release("next")
    for public_id, version, value in (("md-1", "1.9.3", 100.0), ("md-2", "4.0.0", 150.0)):
        result = make_result(release, public_id, None, tool="mdtest", tool_version=version)
        make_rate(result, "file_create", "max", value)
        make_rate(result, "file_create", "iteration", value)
    page = client.get("/compare/?results=md-1,md-2").content.decode()
    assert "Rate (max) of file_create does not mean the same: " in page
    assert (page.count("<b>1.500</b>"), page.count("<b>\N{EM DASH}</b>")) == (1, 1)
    assert client.get("/api/v1/compare/?results=md-1,md-2").json()["notes"][-1]["code"] == "compare.other-meaning"


def indexed(*results: Result) -> None:
    fact_index.rebuild_facts(result.pk for result in results)


def repeat(
    release, public_id: str, value: float, trust: str = "verified", facts: dict | None = None, **parameters
) -> Result:
    """A run of one system whose settings are the same but for `parameters`; when it began differs always."""
    settings = {"api": "POSIX", "started": public_id, "stonewall_s": 300} | parameters
    fields = {"tool_version": "io500-sc25", "bundle_sha256": "ab" * 32, "parameters": settings} | (facts or {})
    result = make_result(release, public_id, None, trust=trust, **fields)
    make_measurement(result, "ior-easy-write", value)
    return result


def easy_write(client: Client, results: str, query: str = "") -> dict:
    comparison = client.get(f"/api/v1/compare/?results={results}{query}").json()
    return next(row for row in comparison["measurements"] if row["op"] == "ior-easy-write")


def test_three_verified_runs_of_one_configuration_have_a_spread(client: Client, db) -> None:
    release = make_release("next")
    runs = [repeat(release, f"r-{place}", value) for place, value in enumerate((9.0, 10.0, 11.0))]
    other = repeat(release, "o-1", 20.0, api="DFS")
    imported = [repeat(release, f"i-{place}", 10.0, trust="imported") for place in range(3)]
    for run in runs:
        Result.objects.filter(pk=run.pk).update(score=run.measurements.get().printed_value)
    indexed(*map(described, (*runs, other, *imported)))
    spreads = easy_write(client, "r-0,o-1,i-0")["spreads"]
    assert spreads == [{"deviation_percent": pytest.approx(10.0), "runs": 3}, NOT_REPEATED, NOT_REPEATED]
    score = client.get("/api/v1/compare/?results=r-0,o-1").json()["measurements"][0]
    assert (score["op"], score["spreads"][0]) == ("score", spreads[0])
    Result.objects.filter(public_id="r-2").update(withdrawn_at="2026-01-01T00:00:00Z", withdrawn_reason="wrong")
    assert easy_write(client, "r-0,o-1")["spreads"][0] == NOT_REPEATED


def test_results_that_count_no_more_are_noted(client: Client, db) -> None:
    release = make_release("next")
    first = make_result(release, "a-1", 10.0)
    make_result(release, "a-2", 12.0, revises=first)
    make_result(release, "b-1", 11.0, withdrawn_at="2026-02-03T23:59:59Z", withdrawn_reason="A wrong clock.")
    answer = client.get("/api/v1/compare/?results=a-1,b-1,a-2").json()
    messages = {note["code"]: note["message"] for note in answer["notes"]}
    assert messages["compare.revised"] == "a-1 was revised: a-2 replaces it."
    assert messages["compare.withdrawn"] == "b-1 was withdrawn on 2026-02-03."
    page = page_source(client.get("/compare/?results=a-1,b-1"))
    assert "b-1 was withdrawn on 2026-02-03." in page and "a-1 was revised: a-2 replaces it." in page
    other = make_result(release, "c-1", 13.0)
    answer = client.get(f"/api/v1/compare/?results=a-2,{other.public_id}").json()
    assert not {"compare.revised", "compare.withdrawn"} & {note["code"] for note in answer["notes"]}


@pytest.mark.parametrize(
    "unknown",
    [{"tool_version": ""}, {"parameters": {}}, {"parameters": {"started": "at noon"}}, None],
    ids=["version", "settings", "nothing-but-a-time", "described-parameters"],
)
def test_runs_with_unknown_facts_are_no_repeats(client: Client, db, unknown) -> None:
    """Two unknown versions, settings or descriptions are not equal: nobody knows that nothing else was changed."""
    release = make_release("next")
    runs = [repeat(release, f"r-{place}", value) for place, value in enumerate((9.0, 10.0, 11.0))]
    for run in runs:
        if unknown:
            described(run)
            Result.objects.filter(pk=run.pk).update(**unknown)
    indexed(*runs)
    assert easy_write(client, "r-0,r-1")["spreads"] == [NOT_REPEATED, NOT_REPEATED]


def test_runs_on_systems_that_are_described_otherwise_are_no_repeats(client: Client, db) -> None:
    release = make_release("next")
    runs = [repeat(release, f"r-{place}", value) for place, value in enumerate((9.0, 10.0, 11.0))]
    for run, kernel in zip(runs, ("5.14", "5.14", "6.1"), strict=True):
        described(run, **{"os.kernel": kernel})
    indexed(*runs)
    assert easy_write(client, "r-0,r-1")["spreads"] == [NOT_REPEATED, NOT_REPEATED]


def test_the_page_shows_ranges_of_repeated_values_only(client: Client, db) -> None:
    release = make_release("next")
    runs = [repeat(release, f"r-{place}", 100.0 + place) for place in range(3)]
    for run in runs[:2]:
        run.measurements.update(repeats=[99.0 * 2**30, 100.0 * 2**30, 101.0 * 2**30])
        make_measurement(run, "find", 1.0)
    make_measurement(runs[2], "find", 1.0)
    indexed(*runs)
    page = client.get("/compare/?results=r-0,r-1").content.decode()
    assert "Line: 95 % range by repeats" in page and "IOR easy write 1.01 tie; find 1.00 not repeated" in page
    cells = [" ".join(cell.split()) for cell in re.findall(r'<td role="cell" class="n soft">([^<]*)</td>', page)]
    assert cells == ["0.95\N{EN DASH}1.07 tie", "not repeated"]
    alone = client.get("/compare/?results=r-0,r-2").content.decode()
    assert "95 % range" not in alone and "IOR easy write 1.02 not repeated" in alone


@pytest.mark.parametrize(
    ("known", "ratio", "why"),
    [
        (({"accelerator": "h100"}, {"accelerator": "h100"}), 2.0, ""),
        (({"accelerator": "h100"}, {"accelerator": "a100"}), None, "it depends on accelerator"),
        (({"accelerator": "h100"}, {}), None, "accelerator, which is not known of both"),
        (({}, {}), None, "accelerator, which is not known of both"),
    ],
)
def test_facts_that_decide_a_value_must_be_known_for_both(known, ratio, why) -> None:
    sides = [
        side(
            id, measured("unet3d", value) | {"quantity": "samples_rate"}, tool="mlperf-storage", version="1.0", **named
        )
        for id, value, named in zip("ab", (10.0, 20.0), known, strict=True)
    ]
    (row,) = compare_sides(sides)["measurements"]
    assert row["ratios"][1] == ratio
    assert why in row["differs"][1]


@pytest.mark.parametrize("unknown", [{"client_nodes": None}, {"tool_version": ""}, {"tool_version": " "}])
def test_runs_with_unknown_scale_or_version_are_no_repeats(client: Client, db, unknown) -> None:
    release = make_release("next")
    runs = [repeat(release, f"r-{place}", value, facts=unknown) for place, value in enumerate((9.0, 10.0, 11.0))]
    indexed(*map(described, runs))
    assert easy_write(client, "r-0,r-1")["spreads"][0]["runs"] is None


@pytest.mark.parametrize("unknown", ["transfer_size_bytes", "access", "direct_io"])
def test_runs_with_an_unknown_setting_are_no_repeats(client: Client, db, unknown) -> None:
    release = make_release("next")
    for run_parameters, runs in ((IOR, 3), ({name: IOR[name] for name in IOR if name != unknown}, None)):
        results = [
            make_result(
                release, f"r-{runs}-{place}", None, tool="ior", tool_version="4.0.0", trust="verified",
                bundle_sha256="ab" * 32, parameters=run_parameters,
            )
            for place in range(3)
        ]  # fmt: skip
        for place, result in enumerate(results):
            make_measurement(result, "ior-easy-write", 9.0 + place)
        indexed(*map(described, results))
        assert easy_write(client, f"r-{runs}-0,r-{runs}-1")["spreads"][0]["runs"] == runs


def test_a_bound_makes_its_ratio_one(client: Client, db) -> None:
    release = make_release("next")
    for public_id, value, qualifier in (("a", 100, ""), ("b", 200, "below"), ("c", 50, "below"), ("d", 50, "about")):
        result = make_result(release, public_id, None, trust="reported")
        make_measurement(result, "ior-easy-write", value, context={"qualifier": qualifier} if qualifier else {})
    row = easy_write(client, "a,b,d")
    assert (row["ratios"], row["ratio_qualifiers"]) == ([1, 2, 0.5], ["", "below", "about"])
    row = easy_write(client, "b,a,c")
    assert (row["ratios"], row["ratio_qualifiers"]) == ([1, 0.5, None], ["", "above", "unknown"])
    page = client.get("/compare/?results=b,a,c").content.decode()
    assert "at least 0.500" in page and "not known" in page and "less than" in page


def test_an_unknown_scale_is_reported(client: Client, db) -> None:
    release = make_release("next")
    make_result(release, "a", 10.0), make_result(release, "b", 20.0, client_nodes=None)
    notes = {note["code"]: note["message"] for note in client.get("/api/v1/compare/?results=a,b").json()["notes"]}
    assert "b: client nodes" in notes["compare.unknown-scale"]


def test_a_divisor_comes_with_its_source(client: Client, db, django_assert_num_queries) -> None:
    release = make_release("next")
    results = [
        repeat(release, "d-1", 24.0, drives=24),
        repeat(release, "d-2", 24.0, drives="two dozen"),
        repeat(release, "d-3", 24.0, drives=0),
    ]
    indexed(*results)
    # results, measurements, divisors, why one is missing, descriptions
    with django_assert_num_queries(5):
        comparison = client.get("/api/v1/compare/?results=d-1,d-2,d-3&per=drive").json()
    assert comparison["per"]["divisors"][0] == {"value": 24.0, "source": "drives of the run", "reason": None}
    assert [divisor["value"] for divisor in comparison["per"]["divisors"]] == [24.0, None, None]
    row = easy_write(client, "d-1,d-2,d-3", "&per=drive")
    assert (row["values"], row["divided"]) == ([2.0**30, None, None], True)
    assert easy_write(client, "d-1,d-2", "&per=client")["values"] == [pytest.approx(2.4 * 2**30)] * 2


def test_the_page_leads_with_ratios_and_marks_what_is_no_default(client: Client, db) -> None:
    release = make_release("next")
    results = [repeat(release, "p-1", 2.0), repeat(release, "p-2", 2.02, stonewall_s=30)]
    for result, score in zip(results, (10.0, 15.0), strict=True):
        Result.objects.filter(pk=result.pk).update(score=score)
    indexed(*results)
    page = client.get("/compare/?results=p-1&results=p-2").content.decode()
    assert "\N{MULTIPLICATION SIGN} 1.50" in page
    assert "IOR easy write 1.01 not repeated" in page and "95 % range" not in page
    assert '<b>30</b> <span class="tag">\N{NOT EQUAL TO} default</span>' in page
    assert 'data-l="B / A"><b>1.010</b>' in page
    assert "/docs/uncertainty/" in page
    divided = client.get("/compare/?results=p-1,p-2&per=watt").content.decode()
    assert "Power of p-1, p-2: not known" in divided


@pytest.mark.parametrize(
    "address",
    [
        "/lists/SC21/ten/",
        "/results/?tool=ior",
        "/systems/hewlett-packard-enterprise-e1000-hdd/",
        "/search/?q=E1000",
    ],
)
def test_rows_of_result_tables_can_be_ticked_and_compared(client: Client, loaded, db, address: str) -> None:
    content = client.get(address).content.decode()
    ticked = re.findall(
        r'<input type="checkbox" name="results" value="([^"]+)"\s+aria-label="\1, to compare">', content
    )
    assert len(ticked) > 1 and content.count("Compare selected</button>") == 1
    compared = client.get("/compare/", {"results": ticked[:2]}).content.decode()
    assert f'name="results" value="{ticked[0]},{ticked[1]}"' in compared


def test_pages_of_a_result_and_of_its_system_lead_to_the_comparison(client: Client, db) -> None:
    release = make_release("next")
    results = [repeat(release, "n-1", 2.0), repeat(release, "n-2", 3.0)]
    address = "/compare/?results=n-1,n-2"
    assert address in client.get("/results/n-2/").content.decode()
    assert address in client.get(f"/systems/{results[0].system.slug}/").content.decode()
    assert client.get(address).status_code == 200


def test_the_tunable_that_differed_between_two_runs_is_two_clicks_away(client: Client, db) -> None:
    """From the page of the system to the comparison, and from there to what the tunable is."""
    release = make_release("next")
    tunable = "lustre.client.osc.max_rpcs_in_flight"
    for public_id, value in (("t-1", 8), ("t-2", 64)):
        result = repeat(release, public_id, 2.0)
        read = [
            make_parameter("lustre.version", "2.15.4"),
            make_parameter(tunable, value, instances=8),
            make_parameter("node.load_before", value),
        ]
        document = make_system(node_classes=[make_class(parameters=read)])
        PublicSystemSnapshot.objects.create(result=result, sha256="ab" * 32, summary={}, document=document)
    system = client.get(f"/systems/{result.system.slug}/").content.decode()
    address = re.search(r'href="(/compare/[^"]+)"', system)
    assert address
    page = page_source(client.get(address[1]))
    differences = page[page.index("What else differed") :]
    assert re.findall(r'class="group"><th[^>]*>([^<]+)', differences) == ["Tunables"]
    assert re.search(rf'<a href="/parameters/{tunable}/">{tunable}</a>\s*<small>Clients</small>', differences)
    assert re.search(r'>\s*8\s*</td>\s*<td [^>]*>\s*<b>64</b>\s*<span class="tag">', differences)
    comparison = client.get(f"/api/v1{address[1]}").json()
    assert [group["group"] for group in comparison["configuration"]] == ["Tunables"]
    fact = comparison["configuration"][0]["differences"][0]
    assert (fact["values"], fact["differs_from_default"]) == ([["8"], ["64"]], [False, True])


def test_columns_are_titled_by_system_and_difference(client, db) -> None:
    before, after = make_release("T1"), make_release("T2", "2026-11-01")
    for release, public_id in ((before, "hw-1"), (after, "hw-2")):
        make_measurement(make_result(release, public_id, parameters={"osts": int(public_id[-1])}), "ior-easy-write")
    make_measurement(make_result(after, "hw-3", system_name="Test system B"), "ior-easy-write")
    page = client.get("/compare/?results=hw-1,hw-2").content.decode()
    hidden_title = '<span class="vh">: Test system A, {},</span>'
    head = (
        '<th role="columnheader" class="n"><a href="/results/hw-{}/">{}' + hidden_title + "<small>{}</small></a></th>"
    )
    heads = re.sub(r">\s+|\s+<", lambda match: match[0].strip(), page)
    assert head.format(1, "A", "T1", "T1") in heads and head.format(2, "B", "T2", "T2") in heads
    assert '<th role="columnheader" class="n">B / A</th>' in heads
    assert "<h1>Test system A, T1 and T2</h1>" in page
    assert '<th role="columnheader">Test system A, T1</th><th role="columnheader">Test system A, T2</th>' in page
    other = client.get("/compare/?results=hw-2,hw-3").content.decode()
    assert '<a href="/results/hw-2/">A<span class="vh">: Test system A,</span>' in other
    assert "<h1>Test system A and Test system B</h1>" in other
    three = client.get("/compare/?results=hw-1,hw-2,hw-3").content.decode()
    assert "<h1>3 results side by side</h1>" in three and '<th role="columnheader" class="n">C / A</th>' in three
    assert client.get("/api/v1/compare/?results=hw-1,hw-2").json()["results"][0]["label"] is None


@pytest.mark.django_db
def test_defaults_are_written_as_values_are(client: Client) -> None:
    release = make_release("next")
    for public_id, segments in (("p-1", 30000), ("p-2", 10000000)):
        make_result(release, public_id, parameters={"ior_hard_segmentcount": segments})
    page = page_source(client.get("/compare/?results=p-1,p-2"))
    assert "<b>30,000</b>" in page and 'data-l="by default">10,000,000</td>' in page


@pytest.mark.django_db
def test_releases_of_a_comparison_have_their_names(client) -> None:
    for number, slug in enumerate(("spring-call", "autumn-call"), start=1):
        make_result(make_release(slug, name=f"Call {number}"), f"hw-{number}", system_name="Fjord")
    page = client.get("/compare/?results=hw-1,hw-2").content.decode()
    assert "<h1>Fjord, Call 1 and Call 2</h1>" in page
    assert "-call" not in page
    rows = client.get("/api/v1/compare/?results=hw-1,hw-2").json()["results"]
    assert [(row["release"], row["release_name"]) for row in rows] == [
        ("spring-call", "Call 1"), ("autumn-call", "Call 2"),
    ]  # fmt: skip


def test_columns_without_other_differences_have_their_ids() -> None:
    headings = [{"id": id, "system": "S", "institution": "I", "release_name": "T1", "label": None} for id in ("a", "b")]
    assert [heading["title"] for heading in with_titles(headings)] == ["S, a", "S, b"]
    labelled = [headings[0], headings[1] | {"label": "both at once"}]
    assert [heading["title"] for heading in with_titles(labelled)] == ["S", "S, both at once"]
    nameless = [heading | {"system": "", "institution": ""} for heading in headings]
    assert [heading["title"] for heading in with_titles(nameless)] == ["a", "b"]


def page_text(client: Client, address: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", client.get(address).content.decode()).split())


def test_a_comparison_begins_with_its_answer(client: Client, db) -> None:
    release = make_release("next")
    for public_id, rate, nodes in (("a-1", 2.0, 4), ("a-2", 5.0, 8)):
        repeat(release, public_id, rate, facts={"client_nodes": nodes})
    text = page_text(client, "/compare/?results=a-1,a-2")
    times = "\N{MULTIPLICATION SIGN} 2.50"
    assert f"Same system by name, not like for like: IOR easy write differs most, B / A {times}, not repeated." in text
    assert "Also differed: client nodes 4 / 8." in text


def test_runs_of_unknown_scale_are_neither_similar_nor_different(client: Client, db) -> None:
    release = make_release("next")
    for public_id in ("a-1", "a-2"):
        repeat(release, public_id, 2.0, facts={"client_nodes": None})
    assert "Same system by name, not known to be like for like" in page_text(client, "/compare/?results=a-1,a-2")


def test_one_result_is_offered_its_partners(client: Client, db) -> None:
    old, new = make_release("R1", "2025-11-01"), make_release("R2", "2026-11-01")
    before = make_result(old, "p-1", 10.0)
    now = make_result(new, "p-2", 20.0)
    rival = make_result(new, "p-3", 30.0, system_name="Rival")
    make_list(new, "full", [rival, now])
    text = client.get("/compare/?results=p-2").content.decode()
    assert "/compare/?results=p-2,p-1" in text and "/compare/?results=p-2,p-3" in text
    for name, partner in (("previous", before), ("rival", rival)):
        answer = client.get(f"/compare/?results=p-2&with={name}")
        assert (answer.status_code, answer["Location"]) == (302, f"/compare/?results=p-2,{partner.public_id}")


def test_a_result_without_a_partner_has_a_note(client: Client, db) -> None:
    make_result(make_release("R1"), "p-1", 10.0)
    answer = client.get("/compare/?results=p-1&with=previous")
    assert answer.status_code == 200
    assert "The previous result of this system: the registry has none." in " ".join(answer.content.decode().split())


@pytest.mark.parametrize("partner", ["", "none", "previous'", "\N{WAVE DASH}"])
def test_an_unknown_partner_leads_to_the_page_of_the_result(client: Client, db, partner: str) -> None:
    make_result(make_release("R1"), "p-1", 10.0)
    assert client.get("/compare/", {"results": "p-1", "with": partner}).status_code == 200


def test_results_are_picked_by_name_and_keep_those_chosen(client: Client, db) -> None:
    release = make_release("R1")
    make_result(release, "p-1", 10.0, system_name="Orion Zulu")
    make_result(release, "p-2", 20.0, system_name="Lyra")
    make_result(release, "p-3", 30.0, system_name="Orion Zulu", withdrawn_at=timezone.now(), withdrawn_reason="Wrong")
    text = client.get("/compare/", {"results": "p-2", "pick": "orion zulu", "per": "client"}).content.decode()
    picked = re.findall(r"/compare/\?results=p-2,(\S+?)&amp;per=client", text)
    assert "p-1" in picked and "p-3" not in picked
    assert "No results match these words" in client.get("/compare/?pick=nothing-like-it").content.decode()
    assert client.get("/compare/", {"pick": "x" * 3000}).status_code == 400


def test_a_group_of_results_is_added_at_once(client: Client, db) -> None:
    release = make_release("R1")
    for number, system in enumerate(("Lyra", "Orion Zulu", "Orion Zulu", "Vega Uno"), 1):
        make_result(release, f"p-{number}", 10.0 * number, system_name=system)
    page = page_source(client.get("/compare/", {"results": "p-1", "pick": "orion zulu", "per": "client"}))
    (address,) = re.findall(r'href="(\S+)">Add all 2</a>', page)
    assert address == "/compare/?results=p-1,p-3,p-2&amp;per=client"
    assert client.get(address.replace("&amp;", "&")).status_code == 200
    assert 'href="/studies/?q=orion%20zulu"' in page
    assert "R1, IO500, score 20.00" in page
    assert "Add all" not in page_source(client.get("/compare/", {"pick": "vega uno"})), "one is no group"
    many = [make_result(release, f"x-{number}", 1.0, system_name="Lyra").public_id for number in range(19)]
    page = page_source(client.get("/compare/", {"results": ",".join(many), "pick": "orion zulu"}))
    assert ">Orion Zulu</a>" in page and "Add all" not in page, "there is room for one"


def test_each_of_several_results_can_be_removed(client: Client, db) -> None:
    release = make_release("R1")
    for public_id in ("a-1", "a-2", "a-3"):
        repeat(release, public_id, 2.0)
    text = client.get("/compare/?results=a-1,a-2,a-3").content.decode()
    assert 'href="/compare/?results=a-1,a-3"' in text and 'aria-label="Remove' in text


def test_a_pair_leads_with_its_bandwidth_per_client_node(client: Client, db) -> None:
    release = make_release("next")
    for public_id, nodes, bandwidth in (("a-1", 10, 40.0), ("b-1", 20, 60.0), ("c-1", 10, 50.0), ("d-1", None, 50.0)):
        make_result(
            release, public_id, 100.0, bandwidth_gib_per_s=bandwidth, rate_kiops=100.0, client_nodes=nodes,
        )  # fmt: skip
    page = client.get("/compare/?results=a-1,b-1").content.decode()
    assert "Bandwidth per client node, B / A" in page
    assert "\N{MULTIPLICATION SIGN} 0.75" in page and "4.000 → 3.000 GiB/s" in page
    assert "Client nodes, B / A" in page and "10 → 20" in page and "10 → 20, not repeated" not in page
    for other in ("c-1", "d-1"):
        assert "per client node, B / A" not in client.get(f"/compare/?results=a-1,{other}").content.decode()
    divided = client.get("/compare/?results=a-1,b-1&per=client").content.decode()
    assert "Bandwidth per client, B / A" in divided and "per client node, B / A" not in divided


def test_each_repeat_stands_below_what_was_made_of_them_and_is_not_drawn(client: Client, db) -> None:
    release = make_release("next")
    for public_id, value in (("md-1", 100.0), ("md-2", 150.0)):
        result = make_result(release, public_id, None, tool="mdtest", tool_version="4.0.0")
        for iteration in range(3):
            repeat = make_rate(result, "file_create", "iteration", value + iteration)
            repeat.context = {"iter": iteration}
            repeat.save()
        make_rate(result, "file_create", "mean", value + 1)
    page = client.get("/compare/?results=md-1,md-2").content.decode()
    table = page[page.index('aria-label="Numbers side by side"') :]
    assert table.index("rate mean") < table.index("Each repeat") < table.index("rate iteration 0")
    assert "iteration iteration" not in page
    drawn = re.findall('aria-label="(Ratios[^"]*)"', page)
    assert drawn and all(label.count("file") == 1 and "iteration" not in label for label in drawn)
