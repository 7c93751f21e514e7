"""Curated studies: every number of five documents comes back with its unit, and every claim is computed anew."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from registry.models import Measurement, Release, Result
from registry.query.facts import fact_index
from registry.query.values.formulas import FormulaError, evaluate_formula
from registry.studies import curated
from tests.html import page_source
from validators.hardware import KINDS, entries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("loaded")]

STUDIES = "/api/v1/studies/"
COVERAGE = curated.STUDIES / "coverage.csv"
SEEDS = {"cug25": "000", "perlmutter": "002", "dell-lustre": "004"}


@pytest.fixture(scope="module")
def answers(loaded: None, django_db_blocker: Any) -> dict[str, dict[str, Any]]:
    """Every study by the API."""
    with django_db_blocker.unblock():
        client = Client()
        response_by_slug = {slug: client.get(f"{STUDIES}{slug}/") for slug in curated.load_studies()}
    assert {
        slug: response.status_code for slug, response in response_by_slug.items() if response.status_code != 200
    } == {}
    return {slug: response.json() for slug, response in response_by_slug.items()}


def row(answers: dict[str, Any], slug: str, **at: Any) -> dict[str, Any]:
    (matching_row,) = [
        candidate for candidate in answers[slug]["rows"] if all(candidate[name] == value for name, value in at.items())
    ]
    return matching_row


def test_every_study_has_points_and_sources(answers) -> None:
    empty = [slug for slug, answer in answers.items() if not answer["rows"]]
    assert empty == []
    unsourced = [
        slug
        for slug, answer in answers.items()
        for point in answer["rows"]
        if not point["source"] and point["count"] == 1
    ]
    assert unsourced == []


def test_every_interval_of_every_study_comes_from_three_runs_and_more(answers) -> None:
    """Numbers of papers, slides and copied lists: none of their single measurements has an interval."""
    points = [(slug, row) for slug, answer in answers.items() for row in answer["rows"]]
    ranged = [(slug, row) for slug, row in points if row.get("interval_low") is not None]
    assert [slug for slug, row in ranged if row["interval_basis"] != "repeats" or row["interval_runs"] < 3] == []
    single = [row for _, row in points if row["count"] == 1 and "interval_low" in row and row not in ranged]
    assert len(single) > 400
    repeated_ids = set(Measurement.objects.filter(stat="stdev").values_list("result__public_id", flat=True))
    assert [slug for slug, row in ranged if row["result"] not in repeated_ids] == []
    for answer in answers.values():
        interval_names = [f"interval_{end}" for end in ("low", "high", "basis", "runs")]
        assert all(
            len({row[name] is None for name in interval_names}) == 1 for row in answer["rows"] if "interval_low" in row
        )
        drawn = answer["chart"]["data"]["values"] if answer["chart"] else []
        assert all(point["low"] == point["high"] for point in drawn if point.get("spread") == "not repeated")


@pytest.mark.parametrize(
    ("slug", "at", "value", "unit"),
    [
        ("e2000-per-drive", {"targets": 4, "drives_per_controller": 32, "op": "read"}, 10261, "MiB/s"),
        ("e2000-per-drive", {"targets": 2, "op": "read"}, 6971, "MiB/s"),
        ("e2000-lst-bandwidth", {"cpt": 8, "op": "send"}, 99033, "MB/s"),
        ("e2000-lst-rate", {"cpt": 16, "op": "send"}, 457183, "RPC/s"),
        ("mlperf-unet3d", {"client_nodes": 20}, 725, "samples/s"),
        ("wrf-time", {"platform": "HPE Cray Supercomputing Storage Systems E2000"}, 1485, "s"),
        ("e1000-fabric-direct", {"fabric": "InfiniBand HDR", "op": "read"}, 85.3, "GB/s"),
        ("e1000-fabric-4k", {"fabric": "Slingshot-11", "op": "read"}, 735866, "ops/s"),
        ("e1000-hdd-fabric", {"fabric": "InfiniBand HDR", "op": "write", "jbods": 2}, 35.9, "GB/s"),
        ("es400-rates", {"io500_release": "ISC23", "op": "find"}, 13229.11, "kIOPS"),
        ("perlmutter-ost-bandwidth", {"op": "write"}, 27.1, "GB/s"),
        ("perlmutter-efficiency-printed", {"op": "read", "context.of": "ops_rate"}, 15.1, "%"),
        ("dell-sequential", {"op": "read", "label": "one client, one thread, 8 OSTs"}, 1.005, "GB/s"),
        ("gpudirect-bandwidth", {"op": "ior-rnd1MB-read", "allocate_buffer_on_gpu": 0}, 26.9, "GiB/s"),
        ("e2000-drives", {"drive": "Samsung 1743", "figure": "sequential read"}, 14000, "MB/s"),
    ],
)
def test_a_printed_number_is_returned_with_its_unit(answers, slug, at, value, unit) -> None:
    cells = row(answers, slug, **at)
    assert (cells["value"], cells["unit"], cells["trust"]) == (pytest.approx(value, rel=1e-12), unit, "reported")


TABLES = (
    *("drives", "obdfilter_e2000", "lst_e2000_nps_cpt", "mlperf_e1000_e2000"),
    *("e1000_fabric_ior_flash", "e1000_fabric_ior_hdd", "e1000_fabric_mdtest", "mdtest_ksocklnd_vs_ko2iblnd"),
    *("io500_lustre_history", "io500_sc23_lists", "io500_sc23_awards", "io500_gpudirect_modes", "perlmutter_table1"),
    *("straggler_probability", "dell_mdtest_parameters", "dell_results", "platforms", "test_scale"),
)
NOT_PRINTED = re.compile(r"recomputed|_percent|ratio|status|used_in|source|seed|fabric$|system|test$|lustre")
LANES = "Samsung PM1733 15.36 TB, two PCIe Gen4 lanes"  # in GB/s in the document


@pytest.mark.parametrize("table", TABLES)
def test_every_number_of_a_table_is_returned(answers, shared: Path, table: str) -> None:
    with (shared / "data" / "seed-tables" / f"{table}.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    expected = {
        float(cell)
        for line in rows
        for column, cell in line.items()
        if re.fullmatch(r"-?\d+(\.\d+)?", cell or "")
        and not (NOT_PRINTED.search(column) or LANES in line.values() or "recomputed" in line.get("metric", ""))
    }  # fmt: skip
    assert len(expected) > 2
    assert sorted(expected - _numbers(answers)) == []


def _numbers(answers: dict[str, Any]) -> set[float]:
    """Every number that a study gives: values, places on axes, and what is printed beside what is computed."""
    cells = [cell for answer in answers.values() for point in answer["rows"] for cell in point.values()]
    numbers = {float(cell) for cell in cells if isinstance(cell, int | float)}
    return numbers | {
        float(digits) for cell in cells if isinstance(cell, str) for digits in re.findall(r"\d+(?:\.\d+)?", cell)
    }


def test_claims_that_hold_are_computed_to_their_last_digit(answers, shared: Path) -> None:
    with (shared / "data" / "seed-tables" / "claims.csv").open(encoding="utf-8", newline="") as lines:
        claims = {claim["id"]: claim for claim in csv.DictReader(lines)}
    computed_rows = {computed_row["claim"]: computed_row for computed_row in answers["claims"]["rows"]}
    assert computed_rows.keys() == claims.keys()
    ranges = ("roce-hdr", "tcp-hdr")
    holding = [claim for claim in claims.values() if claim["verdict"].startswith("holds") and claim["id"] not in ranges]
    assert len(holding) >= 27
    for claim in holding:
        digits = re.findall(r"\d+(?:\.\d+)?", claim["recomputed"].replace(",", ""))
        last_number = digits[-1] if claim["id"] in ("wrf-share", "wrf-files") else digits[0]
        unit_of_last_digit = 10 ** -len(last_number.partition(".")[2])
        assert computed_rows[claim["id"]]["value"] == pytest.approx(float(last_number), abs=unit_of_last_digit), claim[
            "id"
        ]


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("obdfilter-gain", [68.1, 86.1]),
        ("ior-gain", [136.6, 140.1]),
        ("iops-gain", [358653.2, 2434124.0]),
        ("roce-hdr", [0.9, 1.1]),
        ("kfi-hdr", [0.6, 1.1]),
        ("tcp-hdr", [0.6, 1.0]),
        ("au90", [90.0, 70.0]),
        ("iops-hist", [12.5, 91.3, 33.8]),
    ],
)
def test_a_claim_of_several_numbers_has_as_many_rows(answers, claim: str, values: list[float]) -> None:
    assert [
        round(claim_row["value"], 1) for claim_row in answers["claims"]["rows"] if claim_row["claim"] == claim
    ] == values


def test_every_claim_is_shown_with_what_is_printed_and_a_verdict(answers) -> None:
    for claim in answers["claims"]["rows"]:
        assert claim["printed"] and claim["verdict"], claim["claim"]
        assert claim["value"] is not None or claim["note"], claim["claim"]
    assert row(answers, "claims", claim="t3-r1-read")["verdict"] == "misprint"


@pytest.mark.parametrize(
    ("value", "printed", "said"),
    [
        (4.171, "4.1x", "holds"),
        (5.704, "5.6x", "differs"),
        (83.51, "84 %", "holds"),
        (1000000.0, "1,000,000", "holds"),
        (33.846, "34.05", "differs"),
        (1.0, "at least 45 / 90", None),
        (None, "4.1x", None),
    ],
)
def test_a_printed_number_holds_within_one_unit_of_its_last_digit(value, printed: str, said: str | None) -> None:
    assert curated.compare_with_printed(value, printed) == said


def test_computed_values_name_their_inputs(answers) -> None:
    computed_row = row(answers, "es400-recomputed", release="Pre-SC19", score="bandwidth")
    assert computed_row["inputs"].startswith(
        "b0: 25.8 GiB/s (ior-easy-write bandwidth phase of sc23-bof-es400-pre-sc19); b1: 39"
    )
    assert computed_row["verdict"] == "differs"
    assert "peak: 42 GB/s (drives ceiling of read" in row(
        answers, "perlmutter-efficiency", figure="bandwidth efficiency", op="read"
    )["inputs"]  # fmt: skip


def test_a_claim_is_computed_from_the_stored_results(client) -> None:
    selection = {"result__public_id": "cug25-table3-3", "op": "read", "stat": "aggregate"}
    Measurement.objects.filter(**selection).update(value=32 * 14_000_000_000)
    rows = {claim_row["claim"]: claim_row for claim_row in client.get(f"{STUDIES}claims/").json()["rows"]}
    assert rows["read-of-drives"]["value"] == pytest.approx(100.0)
    Measurement.objects.filter(**selection).delete()
    rows = {claim_row["claim"]: claim_row for claim_row in client.get(f"{STUDIES}claims/").json()["rows"]}
    assert rows["read-of-drives"]["value"] is None


@pytest.mark.parametrize(("stripes", "percent"), [(1, 6.59), (4, 24.00), (16, 67.49)])
def test_slow_targets_are_drawn_without_replacement(answers, stripes, percent) -> None:
    chance_row = row(answers, "perlmutter-stragglers", **{"stripes": stripes, "drawn from": "273 OSTs, none twice"})
    assert chance_row["value"] == pytest.approx(percent, abs=0.005)


def test_gains_are_computed_from_measurements(answers) -> None:
    assert row(answers, "es400-gains", phase="find")["value"] == pytest.approx(13229.11 / 1735.4)
    assert row(answers, "es400-gains", phase="mdtest-hard-stat")["printed"] == "54.1x"


def test_coverage_names_studies_that_exist_and_every_study_is_named() -> None:
    with COVERAGE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    named = {slug for line in rows for slug in line["study"].split()}
    assert named <= curated.load_studies().keys()
    assert curated.load_studies().keys() - named == set()
    assert [line for line in rows if not line["study"] and not line["why"]] == []
    assert len({(line["document"], line["item"]) for line in rows}) == len(rows)


@pytest.mark.parametrize("document", SEEDS)
def test_coverage_has_every_figure_and_table_of_a_document(shared: Path, document: str) -> None:
    (text,) = (shared / "seeds").glob(f"{SEEDS[document]}_*.txt")
    captions = re.findall(r"\b(Fig(?:ure|\.)|Table|TABLE)\s+([0-9]+|[IVX]+)\b", text.read_text(encoding="utf-8"))
    captioned_items = {f"{'Table' if kind.upper() == 'TABLE' else 'Figure'} {number}" for kind, number in captions}
    with COVERAGE.open(encoding="utf-8", newline="") as lines:
        covered = {line["item"] for line in csv.DictReader(lines) if line["document"] == document}
    assert captioned_items - covered == set()


def covered(document: str) -> dict[str, dict[str, str]]:
    """The rows of coverage of one document, by item."""
    with COVERAGE.open(encoding="utf-8", newline="") as lines:
        return {line["item"]: line for line in csv.DictReader(lines) if line["document"] == document}


SLIDE_TABLES = {
    "e1000_fabric_ior_flash": "table of fabrics on one flash unit",
    "e1000_fabric_ior_hdd": "table of fabrics on hard disks",
    "e1000_fabric_mdtest": "table of fabrics on a single MDT",
    "mdtest_ksocklnd_vs_ko2iblnd": "table of network drivers on a single MDT",
    "ssu_definitions": "table of scalable storage units",
    "software_stacks": "list of software stacks",
    "standard_sweep": "lists of benchmark details",
    "tunables": "lists of test permutations",
    "io500_lustre_history": "table of the performance history",
    "io500_sc23_lists": "tables of the four lists",
    "io500_sc23_awards": "table of awarded systems",
    "io500_sc23_counts": "growth in entries and institutions",
    "io500_gpudirect_modes": "table of preliminary results with GPUDirect",
    "io500_gpudirect_check": "table of preliminary results with GPUDirect",
    "gpudirect_mode_definitions": "table of buffer modes",
}
"""Tables of the slides that the shared data lists in its manifest, and the item of coverage.csv that has each."""


@pytest.mark.parametrize(("document", "number"), [("benchmarking-lustre", "001"), ("sc23-bof", "003")])
def test_coverage_has_every_table_of_the_slides(shared: Path, document: str, number: str) -> None:
    with (shared / "data" / "seed-tables" / "MANIFEST.csv").open(encoding="utf-8", newline="") as lines:
        listed = {line["file"].partition(".")[0] for line in csv.DictReader(lines) if line["source"].startswith(number)}
    assert listed
    covered_items = covered(document)
    assert [table for table in listed if not covered_items[SLIDE_TABLES[table]]["study"]] == []


SLIDES = {
    "All Flash Array with PD-RAID LDISKFS": "figure of an all-flash array on ldiskfs",
    "Clusterstor E1000 SSU Flash Gridraid LDISKFS": "figure of a flash unit with GridRAID",
    "HDD Performance": "figure of two enclosures of hard disks: firmware and BIOS and release",
    "All Flash RAID-10 LDISKFS IOPS": "figure of flash with RAID-10: operations by release",
    "Single All Flash MDT LDISKFS": "figure of a flash metadata target by release",
    "All Flash OST - Single Stream IO": "figure of a single stream with and without overstriping",
    "HDD TCP Performance": "figure of TCP on hard disks: NPS4 and NPS2",
    "Comparing RDMA Fabrics Protocols": "table of fabrics on one flash unit",
    "GridRAID": "table of fabrics on one flash unit",
    "Throughput Comparison HDD": "table of fabrics on hard disks",
    "E1000 SINGLE MDT RAID-10": "table of fabrics on a single MDT",
    "Lustre MDT performance": "table of network drivers on a single MDT",
    "Scalable Storage Units": "table of scalable storage units",
    "Benchmarking Lustre": "",  # titles of the document
    "Torben": "", "Hardware complexity": "", "Problem Statement": "", "Benchmarking methodology": "",
    "Process and Lessons": "", "John": "", "Switching from Intel": "",
    "Test Permutations": "lists of test permutations",
}  # fmt: skip
"""Slides of 001 without running text or with a table, by how their headings begin."""


def test_coverage_has_every_slide_that_shows_a_picture_or_a_table(shared: Path) -> None:
    """In the text of the slides a picture leaves a heading with nothing or one line below it."""
    (text,) = (shared / "seeds").glob("001_*.txt")
    slides = re.split(r"^#+ ", text.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    covered_items = covered("benchmarking-lustre")
    missing = []
    for slide in slides:
        heading, _, body = slide.partition("\n")
        if "|" in body or len([line for line in body.splitlines() if line.strip()]) <= 1:
            item = next((item for start, item in SLIDES.items() if heading.strip(" *").startswith(start)), None)
            if item is None or (item and item not in covered_items):
                missing.append(heading)
    assert missing == []


def test_studies_are_listed(client) -> None:
    listed = client.get(STUDIES).json()["results"]
    assert [study["slug"] for study in listed] == list(curated.load_studies())
    assert client.get(listed[0]["url"]).status_code == 200


def test_a_missing_study_names_the_nearest(client) -> None:
    answer = client.get(f"{STUDIES}perlmuter-cori/")
    assert (answer.status_code, answer.json()["code"]) == (404, "record.no-study")
    assert "cori" in client.get(f"{STUDIES}corii/").json()["hint"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_claims_are_available_as_a_file(client, form) -> None:
    answer = client.get(f"{STUDIES}es400-gains/?format={form}")
    assert answer.status_code == 200
    assert b"find" in answer.content


# Files of studies


@pytest.mark.parametrize(
    "change",
    [
        {"slug": "Not A Slug"},
        {"question": "metric=a&x=b"},  # figures and a question
        {"figures": []},
        {"surprise": 1},
        {"figures": [{"at": ["a"], "inputs": {"n": {"value": 1}}}]},  # an input without a source
    ],
)
def test_a_file_that_breaks_the_schema_is_refused(tmp_path, monkeypatch, change) -> None:
    study = {
        "slug": "one",
        "title": "One",
        "topic": "drives",
        "place": "Table 1",
        "axes": ["x"],
        "figures": [{"at": ["a"], "value": 1}],
    }
    _write(tmp_path, [study | change])
    _refused(monkeypatch, tmp_path)


def test_two_studies_of_one_slug_are_refused(tmp_path, monkeypatch) -> None:
    study = {"slug": "one", "title": "One", "topic": "drives", "place": "Table 1", "question": "metric=a&x=b"}
    _write(tmp_path, [study, study])
    _refused(monkeypatch, tmp_path)


def _write(folder: Path, studies: list[dict[str, Any]]) -> None:
    content = {"document": {"slug": "d", "title": "D", "publisher": "P"}, "studies": studies}
    (folder / "d.json").write_text(json.dumps(content))


def _refused(monkeypatch, folder: Path) -> None:
    monkeypatch.setattr(curated, "STUDIES", folder)
    with pytest.raises(curated.StudyError):
        curated.load_studies.__wrapped__()


# Formulas


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("a + b * 2", 7.0),
        ("-(a - b) ** 2", -1.0),
        ("100 * (1 - comb(255, 4) / comb(273, 4))", 23.997066893745856),
        ("sqrt(a * 27)", 9.0),
        ("max(a, b) - min(a, b)", 1.0),
    ],
)
def test_a_formula_is_arithmetic(formula, value) -> None:
    assert evaluate_formula(formula, {"a": 3, "b": 2}) == pytest.approx(value)


@pytest.mark.parametrize(
    "formula",
    [
        "c", "a.real", "a[0]", "__import__('os')", "open('x')", "lambda: 1", "'a'", "True", "a if b else 1", "a; b",
        "a / 0", "9 ** 9 ** 9", "comb(10 ** 9, 5)", "sqrt(a, key=1)", "(", "1" * 400, "sqrt()", "a < b", "[a]",
    ],
)  # fmt: skip
def test_formulas_that_are_no_arithmetic_are_refused(formula) -> None:
    with pytest.raises(FormulaError):
        evaluate_formula(formula, {"a": 3, "b": 2})


# Ceilings of what the documents report


@pytest.mark.parametrize(
    ("figure", "op", "value", "unit"),
    [
        ("peak of the drives", "read", 42, "GB/s"),
        ("peak of the drives", "write", 30.72, "GB/s"),
        ("bandwidth efficiency", "read", 97.143, "%"),
        ("bandwidth efficiency", "write", 88.216, "%"),
        ("IOPS efficiency", "read", 15.126, "%"),
        ("IOPS efficiency", "write", 5.333, "%"),
    ],
)
def test_the_efficiency_of_a_perlmutter_ost_is_that_of_its_ceilings(answers, figure, op, value, unit) -> None:
    efficiency = row(answers, "perlmutter-efficiency", figure=figure, op=op)
    assert (efficiency["value"], efficiency["unit"]) == (pytest.approx(value, abs=0.001), unit)
    assert "ceiling of" in efficiency["inputs"]


@pytest.mark.parametrize(
    ("result", "op", "limit", "percent", "above"),
    [
        ("cug25-table3-1", "read", "PCIe of the slots", 92.7, []),
        ("cug25-table3-3", "read", "drives", 76.9, []),
        ("cug25-table3-1", "write", "drives, less parity", 101.6, ["parity"]),
        ("cug25-ior-e2000", "read", "network", 100.0, []),
        ("cug25-ior-e2000", "write", "drives, less parity", 97.7, []),
        ("cug25-table4-2", "send", "network", 99.0, []),
    ],
)
def test_the_limiting_layer_of_an_e2000_is_named(client, result, op, limit, percent, above) -> None:
    ceilings = client.get(f"/api/v1/results/{result}/ceilings/").json()["results"]
    ceiling = next(candidate for candidate in ceilings if candidate["op"] == op and candidate["stat"] != "per_drive")
    assert (ceiling["limiting"]["words"], ceiling["above"]) == (limit, above)
    assert ceiling["limiting"]["percent"] == pytest.approx(percent, abs=0.05)
    assert all(factor["source"] for layer in ceiling["layers"] for factor in layer["factors"])


def test_the_result_page_marks_values_above_ceilings_with_sources(client) -> None:
    page = page_source(client.get("/results/cug25-table3-1/"))
    assert "2 above their ceilings" in page
    assert "at most 240.5" in page, "what was observed of 32 slots"
    assert "section 3.1: of each controller to each slot" in page
    assert page.count("above its ceiling<") == 2, "writes of the unit and of a drive, and no read"
    assert 'id="ceilings"' not in client.get("/results/sc23-bof-es400-isc23/").content.decode(), "no part is known"


def test_ceilings_of_missing_and_unknown_parts(client, django_assert_num_queries) -> None:
    missing = client.get("/api/v1/results/nothing/ceilings/")
    assert (missing.status_code, missing.json()["code"]) == (404, "record.no-result")
    assert client.get("/api/v1/results/sc23-bof-es400-isc23/ceilings/").json() == {"next": None, "results": []}
    with django_assert_num_queries(3):
        client.get("/api/v1/results/perlmutter-table1/ceilings/")


def test_an_enclosure_without_counts_is_assumed_complete(client) -> None:
    result = Result.objects.filter(public_id="benchmarking-lustre-flash-bio-ib")
    result.update(parameters={"enclosures": 2, "data_servers": True, "raid": 7})
    layers = client.get("/api/v1/results/benchmarking-lustre-flash-bio-ib/ceilings/").json()["results"][0]["layers"]
    assert [layer["layer"] for layer in layers] == ["drives", "slots", "parity"], "a count that is no number is none"
    assert layers[0]["factors"][0]["value"] == 48
    assert layers[0]["estimated"]


def test_the_hardware_page_shows_every_part_with_its_source(client) -> None:
    page = client.get("/hardware/").content.decode()
    for kind in KINDS:
        for entry in entries(kind).values():
            assert entry["model"] in page
    assert "Cray User Group 2025, Table 1" in page
    assert "estimated" in page


# Generations and sizing


def gain(client: Client, address: str, op: str, trust: str = "reported") -> dict[str, Any]:
    rows = client.get(f"/api/v1/generations/{address}").json()["rows"]
    (gain_row,) = [
        candidate
        for candidate in rows
        if candidate["op"] == op and candidate["trust"] == trust and candidate["tool"] in ("io500", "ior")
    ]
    return dict(gain_row)


@pytest.mark.parametrize(
    ("op", "times"), [("score", 4.17), ("find", 7.62), ("ior-hard-read", 5.70), ("mdtest-hard-stat", 54.18)]
)
def test_gains_of_the_es400_line_follow_from_its_values(client, op, times) -> None:
    gain_row = gain(client, "ddn-es400nvx2/?x=io500_release", op)
    assert [step["step"] for step in gain_row["steps"]] == ["Pre-SC19", "SC19", "ISC20", "ISC22", "SC22", "ISC23"]
    assert gain_row["steps"][-1]["x_first"] == pytest.approx(times, abs=0.006)


def test_causes_that_the_slide_combines_are_not_separated(client) -> None:
    gain_row = gain(client, "ddn-es400nv/?x=io500_release", "score")
    assert (gain_row["chain"], gain_row["by_cause"]) == ([], {})
    possible = {" or ".join(link["may_be"]): link["factor"] for link in gain_row["by_possible"]}
    assert possible == {
        "software or tuning": pytest.approx(63.87 / 34.05 * 69.93 / 63.87 * 142.03 / 133.8),
        "hardware or software or tuning": pytest.approx(107.0 / 69.93 * 133.8 / 107.0),
    }


def unmatched(client: Client, address: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    rows = client.get(f"/api/v1/generations/{address}").json()["unmatched"]
    return {(row["op"], row["quantity"], row["stat"]): row for row in rows}


def both(pairs: list[dict[str, Any]]) -> dict[str, tuple[str | None, str | None]]:
    return {pair["name"]: (pair["before"], pair["after"]) for pair in pairs}


@pytest.mark.parametrize(("per", "units"), [("", (1, 1)), ("drive", (24, 32)), ("server", (2, 2))])
def test_flash_units_that_ran_with_other_processes_give_no_factor(client, per, units) -> None:
    """IOR on the E1000 with 64 processes per node on 20 nodes or more, on the E2000 with 8 on 32."""
    address = f"cray-e2000/?metric=write.bandwidth.max&tool=ior&per={per}"
    assert client.get(f"/api/v1/generations/{address}").json()["rows"] == []
    row = unmatched(client, address)["write", "bandwidth", "max"]
    values = [row[end]["value"] for end in ("before", "after")]
    assert values == [pytest.approx(64.4e9 / units[0]), pytest.approx(150e9 / units[1])]
    assert both(row["differs"]) == {"procs_per_node": ("64", "8")}
    assert both(row["unknown"]) == {
        "access": (None, None),
        "client_nodes_at_least": ("20", None),
        "stonewalling": ("true", None),
        "client_nodes": (None, "32"),
        "tasks": (None, "256"),
        "transfer_size_bytes": (None, None),
    }
    assert [row[end]["qualifier"] for end in ("before", "after")] == ["", "about"]


def test_reads_are_compared_with_reads_of_the_same_kind(client) -> None:
    """Buffered reads of the E2000 stand beside buffered ones, though direct ones of the E1000 are faster."""
    row = unmatched(client, "cray-e2000/?metric=read.bandwidth.max&tool=ior")["read", "bandwidth", "max"]
    assert (row["before"]["value"], row["after"]["qualifier"]) == (pytest.approx(83.3e9), "below")
    assert "direct_io" not in both(row["differs"])


@pytest.mark.parametrize("per", ["", "client"])
def test_five_clients_and_twenty_are_not_matched(client, per) -> None:
    """UNet3D: 293 samples/s of 5 clients with 15 accelerators, 725 of 20 with 40."""
    row = unmatched(client, f"cray-e2000/?tool=mlperf-storage&per={per}")["unet3d", "samples_rate", "mean"]
    differs = both(row["differs"])
    assert differs["client_nodes"][0] != differs["client_nodes"][1]
    assert differs["num_accelerators"][0] != differs["num_accelerators"][1]
    if not per:
        assert differs == {"client_nodes": ("5", "20"), "num_accelerators": ("15", "40")}


def test_limits_of_comparison_prevent_a_gain(client) -> None:
    """WRF ran on other compute nodes, and its bandwidths are the two ends of a range over files."""
    rows = unmatched(client, "cray-e2000/?tool=wrf")
    assert set(rows) == {("run", "time", "wall"), ("write", "bandwidth", "min"), ("write", "bandwidth", "max")}
    (reason,) = rows["run", "time", "wall"]["reasons"]
    assert "compute nodes of the two systems differ" in reason
    assert all("ends of a printed range" in rows["write", "bandwidth", end]["reasons"][0] for end in ("min", "max"))
    comparison = client.get("/api/v1/compare/?results=cug25-wrf-e1000,cug25-wrf-e2000").json()
    ratios = {(row["op"], row["quantity"], row["stat"]): row["ratios"] for row in comparison["measurements"]}
    assert ratios == {
        ("run", "time", "wall"): [1.0, None],
        ("io", "share", "wall"): [1.0, None],
        ("write", "bandwidth", "min"): [1.0, None],
        ("write", "bandwidth", "max"): [1.0, None],
    }
    notes = [note["message"] for note in comparison["notes"] if note["code"] == "compare.not-comparable-for"]
    assert len(notes) == 2 and "run time, io share of cug25-wrf-e2000 and cug25-wrf-e1000" in notes[0]


def test_the_page_shows_what_is_not_matched_and_gives_it_no_factor(client) -> None:
    page = client.get("/generations/cray-e2000/").content.decode()
    section = page[page.index("Not matched") :]
    assert "so no factor is given" in page
    assert "client nodes 5 / 20" in section and "compute nodes of the two systems differ" in section
    assert not re.search("1[.]95|2[.]3[34]|2[.]47|1[.]67", page)


def test_training_samples_of_the_record_are_ranked_by_division_and_name_the_accelerators(client) -> None:
    """MLPerf Storage v1.0: IEI trained UNet3D with 507.46 samples/s on one client; two are of the open one."""
    answer = client.get("/api/v1/ranking/?formula=[unet3d.samples_rate.mean]/client_nodes&tool=mlperf-storage").json()
    assert answer["unit"] == "samples/s"
    assert (answer["rows"][0]["result"], answer["rows"][0]["trust"]) == ("mlperf-3.0-hpe-training-2", "derived")
    first = next(row for row in answer["rows"] if row["trust"] == "imported")
    assert (first["result"], first["value"]) == (
        "mlperf-1.0-iei-unet3d-h100-3",
        pytest.approx(507.4644, abs=1e-4),
    )
    imported = [group for group in answer["groups"] if group["trust"] == "imported"]
    assert [(group["division"], group["ranked"]) for group in imported] == [("closed", 52), ("open", 2)]
    varies = {fact["name"]: {row["value"]: row["count"] for row in fact["values"]} for fact in imported[0]["varies"]}
    assert varies["accelerator"] == {"h100": 34, "a100": 18}


def test_run_times_of_other_compute_nodes_have_no_rank(client) -> None:
    answer = client.get("/api/v1/ranking/?formula=[run.time.wall]&tool=wrf").json()
    assert answer["rows"] == []
    assert [row["result"] for row in answer["not_comparable"]] == ["cug25-wrf-e1000", "cug25-wrf-e2000"]
    alone = client.get("/api/v1/ranking/?formula=[run.time.wall]&tool=wrf&platform=cray-e2000").json()
    assert [row["value"] for row in alone["rows"]] == [1485.0]


def test_steps_of_a_system_list_unmatched_facts(client) -> None:
    page = client.get("/results/benchmarking-lustre-flash-dio-ib/").content.decode()
    assert "not matched</small></summary><small>direct I/O false / true" in " ".join(page.split())
    comparison = client.get(
        "/api/v1/compare/?results=benchmarking-lustre-flash-dio-ib,benchmarking-lustre-flash-bio-ib"
    ).json()
    first, other = comparison["matched"]
    assert (first, other["outcome"]) == (None, "different")
    assert other["differs"] == [{"name": "direct_io", "values": ["true", "false"]}]
    assert {"name": "client_nodes", "values": [None, None]} in other["unknown"]
    write = next(row for row in comparison["measurements"] if row["op"] == "write")
    assert write["ratios"][1] == pytest.approx(63.4 / 58.9)
    pair = client.get("/compare/?results=benchmarking-lustre-flash-dio-ib,benchmarking-lustre-flash-bio-ib")
    assert "not like for like: " in pair.content.decode() and "direct I/O true / false" in pair.content.decode()


def test_generations_are_listed_and_linked(client, django_assert_num_queries) -> None:
    lines = client.get("/api/v1/generations/").json()["results"]
    assert [[platform["slug"] for platform in line["platforms"]] for line in lines] == [
        ["ddn-es400nv", "ddn-es400nvx", "ddn-es400nvx2"],
        ["clusterstor-e1000", "cray-e2000"],
    ]
    assert "/generations/cray-e2000/" in client.get("/generations/").content.decode()
    assert "/generations/cray-e2000/" in client.get("/platforms/cray-e2000/").content.decode()
    units = client.get("/generations/cray-e2000/").content.decode()
    assert "samples/s" in units and "64.40</a>" in units and "GiB/s" not in units
    assert "about 150</a>" in units and "less than 200</a>" in units
    assert "1,485" in units
    with django_assert_num_queries(5):
        client.get("/api/v1/generations/cray-e2000/")


def test_the_page_of_a_line_has_picture_table_and_causes(client) -> None:
    page = page_source(client.get("/generations/ddn-es400nv/?x=io500_release&per=&metric="))
    assert "software or tuning 2.18" in page
    assert 'role="img"' in page
    assert "/compare/?results=sc23-bof-es400-isc20,sc23-bof-es400-isc22" in page
    empty = client.get("/generations/cray-e2000/?metric=score").content.decode()
    assert client.get("/generations/cray-e2000/?per=watt").status_code == 200
    assert "No number is known of two steps" in client.get("/generations/cray-e2000/?per=watt").content.decode()
    assert "score" in empty


@pytest.mark.parametrize(
    ("address", "status", "code"),
    [
        ("generations/nothing/", 404, "record.no-platform"),
        ("generations/cray-e2000/?per=dollar", 400, "query.invalid-value"),
        ("generations/cray-e2000/?per=drive&per=server", 400, "query.invalid-value"),
        ("generations/cray-e2000/?x=release&x=platform", 400, "query.invalid-value"),
        ("generations/cray-e2000/?metric=nothing", 400, "study.unknown-metric"),
        ("generations/cray-e2000/?platform=x", 400, "query.unknown-parameter"),
        ("sizing/?target=1", 400, "query.invalid-value"),
        ("sizing/?platform=nothing&target=1", 404, "record.no-platform"),
        ("sizing/?platform=cray-e2000", 400, "query.invalid-value"),
        ("sizing/?platform=cray-e2000&target=-1", 400, "query.invalid-value"),
        ("sizing/?platform=cray-e2000&target=nan", 400, "query.invalid-value"),
        ("sizing/?platform=cray-e2000&target=1e300&unit=PB/s", 400, "query.invalid-value"),
        ("sizing/?platform=cray-e2000&target=1&unit=s", 400, "query.invalid-value"),
        ("sizing/?platform=cray-e2000&target=1&direction=both", 400, "query.invalid-value"),
        ("sizing/?platform=cray-e2000&target=1&kind=iops", 400, "sizing.nothing-measured"),
        ("sizing/?platform=cray-e2000&target=1&nothing=1", 400, "query.unknown-parameter"),
    ],
)
def test_invalid_queries_of_lines_and_sizing_are_refused(client, address, status, code) -> None:
    answer = client.get(f"/api/v1/{address}")
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    ("query", "units", "limit", "at_least"),
    [
        ("cray-e2000&target=1&unit=TB/s&direction=read", (6, None, None, 0, "above"), "network", 5),
        ("cray-e2000&target=1&unit=TB/s&direction=write", (None, 7, None, 1, "about"), "drives, less parity", 7),
        ("clusterstor-e1000&target=1000&direction=write", (None, None, None, 9, "unknown"), "drives, less parity", 17),
        (
            "clusterstor-e1000&target=1000&direction=write&p.direct_io=true&p.fabric=InfiniBand%20HDR",
            (None, 17, None, 1, ""),
            "drives, less parity",
            17,
        ),
    ],
)
def test_units_for_a_rate_with_the_limiting_layer(client, query, units, limit, at_least) -> None:
    sizing = client.get(f"/api/v1/sizing/?platform={query}").json()
    assert tuple(sizing["units"].values()) == units
    assert limit is None or (sizing["ceiling"]["words"], sizing["ceiling"]["units"]) == (limit, at_least)


def test_the_page_of_sizing_answers_an_example_until_something_is_asked(client) -> None:
    page = client.get("/sizing/").content.decode()
    answer = client.get("/sizing/?platform=cray-e2000&target=1000&unit=GB/s&direction=write&kind=bandwidth")
    assert "An example is filled in." in page
    assert "An example is filled in." not in answer.content.decode()
    assert page.count("Enclosures for 1,000") == answer.content.decode().count("Enclosures for 1,000") == 1
    chosen = client.get("/sizing/?platform=cray-e2000").content.decode()
    assert "enter the rate that you need" in chosen
    assert "Enclosures for" not in chosen


def sizing_of_e1000(client: Client, query: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/sizing/?platform=clusterstor-e1000&{query}")
    assert answer.status_code == 200
    return dict(answer.json())


def test_fabrics_and_kinds_of_io_are_groups_and_no_range(client) -> None:
    """Writes of one E1000 flash unit (slide on RDMA fabrics): 35.7 to 58.9 GB/s direct, 36.5 to 64.4 GB/s buffered."""
    sizing = sizing_of_e1000(client, "target=1000&direction=write&tool=ior&p.drives=24")
    names = [fact["name"] for fact in sizing["varies"]]
    assert names == ["fabric", "direct_io"]
    units = {tuple(fact["value"] for fact in group["facts"]): group["units"]["middle"] for group in sizing["groups"]}
    assert units == {
        ("InfiniBand HDR", "true"): 17,
        ("200 Gb/s Ethernet, TCP", "true"): 29,
        ("200 Gb/s Ethernet, RoCE", "true"): 18,
        ("Slingshot-11", "true"): 19,
        ("InfiniBand HDR", "false"): 16,
        ("200 Gb/s Ethernet, TCP", "false"): 28,
        ("200 Gb/s Ethernet, RoCE", "false"): 16,
        ("Slingshot-11", "false"): 17,
    }
    page = client.get("/sizing/?platform=clusterstor-e1000&target=1000&direction=write").content.decode()
    assert "no single number" in page and "median" not in page
    assert "p.fabric=InfiniBand+HDR" in page
    page = client.get("/sizing/?platform=clusterstor-e1000&target=1000&direction=write&p.drives=24").content.decode()
    links = re.findall(r'href="\?([^"]*p.fabric=InfiniBand[^"]*)"', page)
    assert links and all("p.drives=24" in link for link in links)


def like_the_e1000(public_id: str, gigabytes_per_s: float, **facts: Any) -> Result:
    """One more result like benchmarking-lustre-flash-dio-ib, one enclosure that wrote 58.9 GB/s."""
    result = Result.objects.get(public_id="benchmarking-lustre-flash-dio-ib")
    (measurement,) = result.measurements.filter(op="write", quantity="bandwidth")
    result.pk, result.public_id = None, public_id
    for name, value in facts.items():
        setattr(result, name, value)
    result.save()
    measurement.pk, measurement.result, measurement.value = None, result, gigabytes_per_s * 1e9
    measurement.stat = {"iozone": "children_sum"}.get(result.tool, measurement.stat)
    measurement.save()
    fact_index.rebuild_facts([result.pk])
    return result


DIRECT_IO = "target=1000&direction=write&p.direct_io=true&p.fabric=InfiniBand%20HDR"


def test_a_duplicate_measurement_widens_no_range_of_units(client) -> None:
    like_the_e1000("hw-copy", 58.9, same_as=Result.objects.get(public_id="benchmarking-lustre-flash-dio-ib"))
    sizing = sizing_of_e1000(client, DIRECT_IO)
    assert tuple(sizing["units"].values()) == (None, 17, None, 1, "")  # 1000 / 58.9 = 16.98
    assert [row["result"] for row in sizing["basis"]] == ["benchmarking-lustre-flash-dio-ib"]


@pytest.mark.parametrize("other", [{"trust": Result.Trust.IMPORTED}, {"tool": "iozone"}])
def test_rates_of_a_unit_are_grouped_by_trust_and_benchmark(client, other) -> None:
    like_the_e1000("hw-other", 40.0, release=Release.objects.first(), **other)
    sizing = sizing_of_e1000(client, DIRECT_IO)
    ((name, value),) = other.items()
    assert [fact["name"] for fact in sizing["varies"]] == [name]
    units = {group["facts"][0]["value"]: group["units"]["middle"] for group in sizing["groups"]}
    assert units == {"reported" if name == "trust" else "ior": 17, str(value): 25}
    page = client.get(f"/sizing/?platform=clusterstor-e1000&{DIRECT_IO}").content.decode()
    assert f"&amp;{name}={value}" in page


def test_one_unit_has_one_ceiling(client) -> None:
    """24 drives of 3.2 GB/s, eight tenths for data, on the page of a result and where units are counted."""
    sizing = sizing_of_e1000(client, "target=1000&direction=write&unit=GB/s")
    assert sizing["ceiling"]["of_one"] == pytest.approx(24 * 3.2 * 0.8)
    assert [factor["value"] for factor in sizing["ceiling"]["factors"]] == [24, 3.2e9, 0.8]
    assert (sizing["ceiling"]["drive"], sizing["ceiling"]["drive_assumed"]) == ("Samsung PM1733, 15.36 TB", False)
    rows = client.get("/api/v1/results/benchmarking-lustre-flash-bio-roce/ceilings/").json()["results"]
    (write,) = [row for row in rows if row["op"] == "write"]
    layers = {layer["layer"]: layer["value"] for layer in write["layers"]}
    assert layers["parity"] == pytest.approx(1e9 * sizing["ceiling"]["of_one"])
    shares = {row["result"]: (row["percent_of_ceiling"], row["above_ceiling"]) for row in sizing["basis"]}
    assert shares["benchmarking-lustre-flash-bio-roce"] == (pytest.approx(100 * 64.4 / 61.44), True)
    assert shares["benchmarking-lustre-flash-dio-ib"] == (pytest.approx(100 * 58.9 / 61.44), False)
    assert sizing["ceiling"]["above"] == ["benchmarking-lustre-flash-bio-roce", "benchmarking-lustre-flash-bio-ib"]
    page = client.get("/sizing/?platform=clusterstor-e1000&target=1000&direction=write").content.decode()
    assert "Measured above the ceiling of the parts" in page and "61.44" in page


def test_parity_is_counted_alike_for_both_generations(client) -> None:
    """The E2000: 32 drives of 6 GB/s, eight tenths for data; its survey wrote 148,855 to 150,128 MiB/s."""
    sizing = client.get("/api/v1/sizing/?platform=cray-e2000&target=1000&direction=write").json()
    assert sizing["ceiling"]["of_one"] == pytest.approx(32 * 6.0 * 0.8)
    rows = client.get("/api/v1/results/cug25-table3-2/ceilings/").json()["results"]
    (write,) = [row for row in rows if (row["op"], row["stat"]) == ("write", "aggregate")]
    assert write["limiting"]["percent"] == pytest.approx(100 * 150128 * 2**20 / 153.6e9)
    assert write["above"] == ["parity"]


def test_another_drive_of_the_enclosure_has_the_ceiling_of_that_drive(client) -> None:
    """With the PM1733a, 4.1 GB/s each, the two PCIe lanes of a slot limit: 24 of 3.938 GB/s, eight tenths for data."""
    for result in Result.objects.filter(platform__slug="clusterstor-e1000", tool="ior"):
        result.parameters["drive_model"] = "Samsung PM1733a"
        result.save(update_fields=["parameters"])
    ceiling = sizing_of_e1000(client, "target=1000&direction=write")["ceiling"]
    assert (ceiling["drive"], ceiling["words"]) == ("Samsung PM1733a", "PCIe of the slots, less parity")
    assert ceiling["of_one"] == pytest.approx(24 * 2 * 16 / 8 * 128 / 130 * 0.8, rel=1e-9)
    units = Result.objects.filter(platform__slug="clusterstor-e1000")
    units.update(parameters={"enclosures": 1, "direct_io": False})
    fact_index.rebuild_facts(units.values_list("pk", flat=True))
    unnamed = sizing_of_e1000(client, "target=1000&direction=write&p.direct_io=false")["ceiling"]
    assert (unnamed["drive"], unnamed["drive_assumed"]) == ("Samsung PM1733a", True)


def test_a_bound_gives_a_bounded_share_of_its_ceiling(client) -> None:
    """Reads of less than 200 GB/s through ports of 200 GB/s: less than 100 %, and above nothing."""
    ceilings = client.get("/api/v1/results/cug25-ior-e2000/ceilings/").json()["results"]
    bounds_by_op = {row["op"]: (row["qualifier"], row["above"]) for row in ceilings}
    assert bounds_by_op == {"read": ("below", []), "write": ("about", [])}
    page = client.get("/results/cug25-ior-e2000/").content.decode()
    assert "less than 200" in page[: page.index("<h2>Measurements")]
    assert "less than 100.0" in page and "less than 200" in page and "about 97.7" in page


def test_half_an_enclosure_has_half_the_ceiling(client) -> None:
    sizing = client.get("/api/v1/sizing/?platform=clusterstor-e1000&target=1&unit=TB/s&institution=NERSC").json()
    (basis_row,) = sizing["basis"]
    assert (basis_row["result"], basis_row["enclosures"]) == ("perlmutter-table1", 0.5)
    assert basis_row["of_one"] * 1000 == pytest.approx(81.6)


def test_the_sizing_page_has_form_answer_and_errors(client) -> None:
    assert "<form" in client.get("/sizing/").content.decode()
    page = page_source(client.get("/sizing/?platform=cray-e2000&target=1000&unit=&direction=write&kind=bandwidth"))
    assert "limited by drives, less parity" in page
    assert "about 150" in page
    assert "about 7" in page and "from one measurement" in page
    bound = client.get("/sizing/?platform=cray-e2000&target=1000&direction=read").content.decode()
    assert "at least 6" in bound and "how many are enough is not known" in bound and "median" not in bound
    wrong = client.get("/sizing/?platform=cray-e2000&target=much")
    assert (wrong.status_code, "a number above zero" in wrong.content.decode()) == (400, True)


def test_a_table_with_units_in_a_column_has_none_in_its_caption(client: Client) -> None:
    caption = page_source(client.get("/studies/e2000-drives/")).partition("<caption>")[2].partition("</caption>")[0]
    assert caption.split() == ["Table"]


def test_the_finding_names_what_is_above_its_ceiling_and_the_only_note(client) -> None:
    page = page_source(client.get("/studies/e1000-fabric-direct/"))
    finding, rest = page[page.index('<p class="note">') :].split("</p>", 1)
    text = re.sub(r"<[^>]*>", "", finding)
    assert "\N{BLACK UP-POINTING TRIANGLE} 2 of 8 values lie above what the parts allow." in text
    assert text.rstrip().endswith("The slide prints no unit of bandwidth; GB/s is assumed.")
    assert "prints no unit" not in rest
    assert "\N{EM DASH}: not in the source" not in rest, "no cell of its table is empty"
    assert "\N{EM DASH}: not in the source" in page_source(client.get("/studies/scores-by-clients/"))
