"""Several runs of one tool in one bundle: repeats, sweeps, and what is neither; where parameters come from."""

import json

import pytest

from tests.make_io500 import make_run
from tests.make_system import make_bag, make_class, make_parameter, make_system
from tests.validators.test_fio import document, job, side
from validators import catalogue, provenance
from validators.checks import check


def fio(bandwidth=1048576, **options):
    return document(job(write=side(bandwidth), **{"job options": {"rw": "write", "bs": "4k", **options}}))


def checked(tmp_path, *texts):
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.json").write_text(text)
    return check(tmp_path).as_json()


def test_one_run_belongs_to_no_group(tmp_path):
    assert "groups" not in checked(tmp_path, fio())


def test_the_same_settings_are_repeats_with_their_spread(tmp_path):
    (group,) = checked(tmp_path, fio(2**20), fio(2**21), fio(3 * 2**20))["groups"]
    assert (group["kind"], group["tool"], group["runs"], group["varies"]) == ("repeats", "fio", [0, 1, 2], {})
    bandwidth = next(one for one in group["distributions"] if one["quantity"] == "bandwidth")
    assert (bandwidth["over"], bandwidth["count"], bandwidth["mean"]) == ("runs", 3, 2**21)
    assert bandwidth["deviation"] == pytest.approx(2**20)


def test_what_differs_makes_a_sweep_and_is_named(tmp_path):
    (group,) = checked(tmp_path, fio(iodepth="1"), fio(iodepth="4"), fio(iodepth="16"))["groups"]
    assert (group["kind"], group["runs"]) == ("sweep", [0, 1, 2])
    assert group["varies"] == {"iodepth": ["1", "4", "16"]}


def test_a_sweep_may_have_repeats_of_its_steps(tmp_path):
    sweep, repeats = checked(tmp_path, fio(iodepth="1"), fio(2**21, iodepth="1"), fio(iodepth="4"))["groups"]
    assert (sweep["kind"], sweep["varies"]) == ("sweep", {"iodepth": ["1", "1", "4"]})
    assert (repeats["kind"], repeats["runs"]) == ("repeats", [0, 1])


def test_a_setting_that_one_run_lacks_varies_too(tmp_path):
    (group,) = checked(tmp_path, fio(), fio(iodepth="4"))["groups"]
    assert group["varies"] == {"iodepth": [None, "4"]}


def test_times_of_runs_are_no_settings(tmp_path):
    made = [json.loads(fio()) | {"timestamp": 1795201254 + number} for number in range(2)]
    (group,) = checked(tmp_path, *map(json.dumps, made))["groups"]
    assert group["kind"] == "repeats"


def test_repeats_stand_in_the_order_of_their_time_where_all_tell_it(tmp_path):
    texts = [fio(bandwidth) for bandwidth in (2**20, 2**21, 3 * 2**20)]
    timed = [json.dumps(json.loads(text) | {"timestamp": 1795201254 - place}) for place, text in enumerate(texts)]
    (group,) = checked(tmp_path, *timed)["groups"]
    assert group["runs"] == [2, 1, 0]
    bandwidth = next(one for one in group["distributions"] if one["quantity"] == "bandwidth")
    assert bandwidth["members"] == [3 * 2**20, 2**21, 2**20]
    (group,) = checked(tmp_path, timed[0], timed[1], texts[2])["groups"]
    assert group["runs"] == [0, 1, 2]


def test_values_of_repeats_are_canonical_whatever_their_label_says(tmp_path):
    """The script of early IO500 releases prints GiB/s and labels it GB/s."""
    for place, times in enumerate((1.0, 1.1)):
        for path, content in make_run(performance=times, format="shell", version="io500-isc20").items():
            (tmp_path / str(place) / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / str(place) / path).write_bytes(content)
    report = check(tmp_path).as_json()
    (group,) = report["groups"]
    easy = next(one for one in group["distributions"] if one["quantity"] == "bandwidth")
    values = [
        row["value"] for run in report["runs"] for row in run["measurements"]
        if (row["op"], row["quantity"]) == (easy["op"], "bandwidth")
    ]  # fmt: skip
    assert (easy["members"], easy["printed_unit"]) == (values, "GB/s")


def test_a_run_that_failed_is_no_repeat(tmp_path):
    failed = document(job(error=28, **{"job options": {"rw": "write", "bs": "4k"}}))
    assert "groups" not in checked(tmp_path, fio(), failed)


def test_parameters_say_where_they_come_from(tmp_path):
    (run,) = checked(tmp_path, fio())["runs"]
    assert run["parameter_sources"].keys() == run["parameters"].keys()
    assert (run["parameter_sources"]["bs"], run["parameter_sources"]["jobs"]) == ("output", "result")
    assert run["described_parameters"] == {}


def test_a_described_system_stands_beside_and_replaces_nothing(tmp_path):
    told = [make_parameter("bios.nps", 4), make_parameter("libcfs.cpu_npartitions", 8)]
    bag = make_bag({"out.json": fio(numjobs="2").encode()}, make_system(node_classes=[make_class(parameters=told)]))
    for name, content in bag.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (run,) = check(tmp_path).as_json()["runs"]
    assert (run["described_parameters"]["nps"], run["described_parameters"]["cpt"]) == (4, 8)
    assert "nps" not in run["parameters"]


@pytest.mark.parametrize("tool", [one.tool for one in catalogue.benchmarks()])
def test_a_parameter_has_one_source(tool):
    path = catalogue.FOLDER / catalogue.benchmark(tool).slug / "parameters.json"
    by_source = json.loads(path.read_text()) if path.exists() else {}
    names = [name for names in by_source.values() for name in names]
    assert len(names) == len(set(names))
    assert set(by_source) <= provenance.SOURCES
