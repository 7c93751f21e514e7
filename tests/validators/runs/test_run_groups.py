"""Several runs of one tool in one bundle: repeats, sweeps, and what is neither; where parameters come from."""

import json
import re
import shutil

import pytest

from tests.make_io500 import make_run
from tests.make_system import make_bag, make_class, make_parameter, make_system
from tests.validators.benchmarks.test_fio import document, job, side
from validators import catalogue
from validators.checks import check
from validators.runs import provenance


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
    bandwidth = next(distribution for distribution in group["distributions"] if distribution["quantity"] == "bandwidth")
    assert (bandwidth["over"], bandwidth["count"], bandwidth["mean"]) == ("runs", 3, 2**21)
    assert bandwidth["deviation"] == pytest.approx(2**20)


def test_differing_settings_make_a_sweep_and_are_named(tmp_path):
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
    documents = [json.loads(fio()) | {"timestamp": 1795201254 + number} for number in range(2)]
    (group,) = checked(tmp_path, *map(json.dumps, documents))["groups"]
    assert group["kind"] == "repeats"


def test_repeats_are_ordered_by_their_times(tmp_path):
    texts = [fio(bandwidth) for bandwidth in (2**20, 2**21, 3 * 2**20)]
    timed = [json.dumps(json.loads(text) | {"timestamp": 1795201254 - place}) for place, text in enumerate(texts)]
    (group,) = checked(tmp_path, *timed)["groups"]
    assert group["runs"] == [2, 1, 0]
    bandwidth = next(distribution for distribution in group["distributions"] if distribution["quantity"] == "bandwidth")
    assert bandwidth["members"] == [3 * 2**20, 2**21, 2**20]
    (group,) = checked(tmp_path, timed[0], timed[1], texts[2])["groups"]
    assert group["runs"] == [0, 1, 2]


def io500(tmp_path, *changes):
    for place, changed in enumerate(changes):
        for path, content in make_run(**changed).items():
            (tmp_path / str(place) / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / str(place) / path).write_bytes(content)
    return check(tmp_path).as_json()


def test_values_of_repeats_are_those_of_the_runs(tmp_path):
    report = io500(tmp_path, {"performance": 1.0}, {"performance": 1.1})
    (group,) = report["groups"]
    assert (group["kind"], group["missing_settings"]) == ("repeats", [])
    easy = next(distribution for distribution in group["distributions"] if distribution["quantity"] == "bandwidth")
    values = [
        row["value"] for run in report["runs"] for row in run["measurements"]
        if (row["op"], row["quantity"]) == (easy["op"], "bandwidth")
    ]  # fmt: skip
    assert (easy["members"], easy["printed_unit"]) == (values, "GiB/s")


def test_runs_of_the_early_io500_script_without_version_are_no_repeats(tmp_path):
    report = io500(
        tmp_path,
        *({"performance": performance, "format": "shell", "version": "io500-isc20"} for performance in (1.0, 1.1)),
    )
    (group,) = report["groups"]
    assert (group["kind"], group["runs"], group["distributions"]) == ("unknown", [0, 1], [])
    assert group["missing_settings"] == ["version", "stonewall_s", "data_packet_type"]


# What is not known


def later(text, years):
    """The output of another run: its dates are some years later."""
    text = re.sub(rb"(?<![\d.])20[12]\d(?![\d.])", lambda match: b"%d" % (int(match[0]) + years), text)
    return re.sub(rb'("timestamp" ?: ?1\d{9})', lambda match: match[1][:-1] + b"%d" % years, text)


def samples(tmp_path, *names):
    """Outputs of samples, each in a folder of its own and a year later; the same name may be given twice."""
    for place, name in enumerate(names):
        folder = catalogue.FOLDER / name.split("/")[0] / "samples" / name.split("/")[1]
        source = folder / json.loads((folder / "expected.json").read_text())["path"]
        (tmp_path / str(place)).mkdir()
        (tmp_path / str(place) / source.name).write_bytes(later(source.read_bytes(), place))
    report = check(tmp_path).as_json()
    assert len(report["runs"]) == len(names)
    return report


@pytest.mark.parametrize(
    ("pair", "missing"),
    [
        (("darshan/ior-posix-fpp-perf", "darshan/ior-mpiio-collective-parser"), "arguments"),
        (("darshan/ior-posix-fpp-perf", "darshan/ior-posix-fpp-perf"), "arguments"),
        (("lst/lst-survey-table4", "lst/lstsh-read-1m-mbs"), "concurrency"),
        (("lst/lstsh-write-1m-mib", "lst/lstsh-write-1m-mib"), "version"),
        (("fio/terse-v3", "fio/text-normal"), "bs"),
        (("fio/terse-v3", "fio/terse-v3"), "rw"),
        (("fio/text-normal", "fio/text-normal"), "direct"),
        (("fio/text-normal", "fio/json-two-jobs"), "direct"),
        (("ior/4.1-csv-i3", "ior/4.1-csv-i3"), "command_line"),
        (("ior/4.1-script-two-tests", "ior/4.1-script-two-tests"), "script"),
        (("mlperf_storage/report-alone", "mlperf_storage/report-alone"), "num_hosts"),
        (("obdfilter_survey/short-runs", "obdfilter_survey/seed000-table3-row1-2ost"), "version"),
        (("cray_mpich/stats-and-timers", "cray_mpich/stats-and-timers"), "program"),
        (("gdsio/sweep", "gdsio/sweep"), "version"),
        (("wrf/quilted", "wrf/nested-with-restart"), "namelist"),
        (("elbencho/text-latency", "elbencho/text-latency"), "threads"),
    ],
)
def test_runs_with_unknown_settings_are_neither_repeats_nor_a_sweep(tmp_path, pair, missing):
    report = samples(tmp_path, *pair)
    (group,) = report["groups"]
    assert (group["kind"], group["runs"], group["distributions"]) == ("unknown", [0, 1], [])
    assert missing in group["missing_settings"]


@pytest.mark.parametrize(
    "name", ["ior/4.1-iorhard", "mdtest/4.1-rank-labelled", "fio/json-two-jobs", "fio/json-2.16",
             "elbencho/large-file-write-read", "iozone/throughput-retest"],
)  # fmt: skip
def test_runs_with_all_settings_known_are_repeats(tmp_path, name):
    (group,) = samples(tmp_path, name, name)["groups"]
    assert (group["kind"], group["varies"], group["missing_settings"]) == ("repeats", {}, [])
    assert group["distributions"]


def sample_of(name, folder):
    """The one output of a sample, its files in `folder` instead of where they were."""
    tool, case = name.split("/")
    source = catalogue.FOLDER / tool / "samples" / case
    text = (source / json.loads((source / "expected.json").read_text())["path"]).read_text()
    assert "/mnt/" in text
    return text.replace("/mnt/", folder)


@pytest.mark.parametrize("name", ["ior/4.1-iorhard", "mdtest/4.1-rank-labelled", "iozone/throughput-retest"])
def test_runs_in_folders_of_two_file_systems_are_no_repeats(tmp_path, name):
    (group,) = checked(tmp_path, sample_of(name, "/scratch/"), sample_of(name, "/home/"))["groups"]
    assert (group["kind"], group["distributions"]) == ("sweep", [])
    assert group["varies"] == {"places": ["not kept (1)", "not kept (2)"]}


@pytest.mark.parametrize("name", ["ior/4.1-iorhard", "mdtest/4.1-rank-labelled", "iozone/throughput-retest"])
def test_runs_in_numbered_folders_are_repeats(tmp_path, name):
    other = later(sample_of(name, "/scratch/job-183/").encode(), 1).decode()
    (group,) = checked(tmp_path, sample_of(name, "/scratch/job-17/"), other)["groups"]
    assert group["kind"] == "repeats"


@pytest.mark.parametrize(
    ("first", "second", "kind"),
    [
        ({"directory": "/scratch"}, {"directory": "/home"}, "sweep"),
        ({"filename": "/scratch/a"}, {"filename": "/home/a"}, "sweep"),
        ({"filename": "/scratch/a"}, {}, "sweep"),
        ({"directory": "/scratch/run-1"}, {"directory": "/scratch/run-12"}, "repeats"),
    ],
)
def test_files_of_fio_are_compared_by_their_directory(tmp_path, first, second, kind):
    assert [group["kind"] for group in checked(tmp_path, fio(**first), fio(2**21, **second))["groups"]] == [kind]


def text_run(rw="write", bs="4096B", rate=1024):
    return f"""a: (g=0): rw={rw}, bs=(R) {bs}-{bs}, (W) {bs}-{bs}, (T) {bs}-{bs}, ioengine=psync, iodepth=1
fio-3.33

a: (groupid=0, jobs=1): err= 0: pid=17: Fri Nov 20 19:00:55 2026
  write: IOPS=256, BW={rate}KiB/s ({rate}kB/s)({2 * rate}KiB/2000msec)

Run status group 0 (all jobs):
"""


def test_differing_settings_in_text_of_fio_are_named(tmp_path):
    (group,) = checked(tmp_path, text_run(bs="4096B"), text_run(bs="64.0KiB"))["groups"]
    assert (group["kind"], group["varies"]) == ("unknown", {"bs": ["4096B", "64.0KiB"]})
    assert group["missing_settings"] == ["numjobs", "direct", "size", "runtime"]


def test_known_runs_stay_repeats_beside_one_that_is_not_known(tmp_path):
    repeats, unknown = checked(tmp_path, fio(), fio(2**21), text_run())["groups"]
    assert (repeats["kind"], repeats["runs"]) == ("repeats", [0, 1])
    assert (unknown["kind"], unknown["runs"]) == ("unknown", [0, 1, 2])


def test_missing_options_are_not_taken_for_defaults(tmp_path):
    document = json.loads(fio())
    del document["jobs"][0]["job options"]
    (group,) = checked(tmp_path, json.dumps(document), json.dumps(document))["groups"]
    assert group["kind"] == "unknown"
    assert "rw" in group["missing_settings"]


@pytest.mark.parametrize("version", ["", "fio-"])
def test_runs_with_an_unknown_version_are_no_repeats(tmp_path, version):
    content = json.dumps(json.loads(fio()) | {"fio version": version})
    (tmp_path / "0.json").write_text(content)
    (tmp_path / "1.json").write_text(fio())
    report = check(tmp_path, benchmark="fio").as_json()
    assert [group["kind"] for group in report.get("groups", [])] in ([], ["unknown"])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"random_distribution": "zipf:1.1"}, {}),
        ({"filename": "/dev/nvme0n1"}, {"filename": "/dev/nvme1n1"}),
        ({"offset": "0"}, {"offset": "1g"}),
    ],
)
def test_options_that_are_not_kept_are_compared_all_the_same(tmp_path, one, other):
    report = checked(tmp_path, fio(**one), fio(**other))
    (group,) = report["groups"]
    (name,) = {*one, *other}
    values = group["varies"][name]
    assert (group["kind"], len(set(values))) == ("sweep", 2)
    assert "nvme" not in json.dumps(report)
    for run in report["runs"]:
        del run["given_options"]
    assert not [value for value in ("zipf", "1g") if value in json.dumps(report)]


def test_directories_and_names_make_no_other_configuration(tmp_path):
    option_sets = [{"directory": "/scratch/17", "name": "a"}, {"directory": "/scratch/18", "name": "b"}]
    (group,) = checked(tmp_path, *(fio(2**20 + place, **options) for place, options in enumerate(option_sets)))[
        "groups"
    ]
    assert group["kind"] == "repeats"


def test_a_duplicate_output_is_no_repeat(tmp_path):
    report = checked(tmp_path, fio(), fio(), fio(2**21))
    (group,) = report["groups"]
    assert (group["kind"], group["runs"]) == ("repeats", [0, 2])
    (finding,) = [finding for finding in report["findings"] if finding["code"] == "bundle.same-run"]
    assert (finding["level"], finding["where"]) == ("info", "1.json")
    assert "0.json" in finding["message"]


def test_two_copies_of_one_output_are_no_group(tmp_path):
    assert "groups" not in checked(tmp_path, fio(), fio())


def test_runs_that_measured_the_same_at_another_time_are_repeats(tmp_path):
    first = json.loads(fio()) | {"timestamp": 1700000000}
    texts = [json.dumps(first | {"timestamp": 1700000000 + 900 * number}) for number in range(2)]
    report = checked(tmp_path, *texts)
    assert [group["kind"] for group in report["groups"]] == ["repeats"]
    assert "bundle.same-run" not in json.dumps(report)


def test_jobs_that_differ_inside_their_runs_make_no_repeats(tmp_path):
    """No block size stands above all jobs of a run here, in either run."""

    def made(*sizes):
        return document(*(job(write=side(), **{"job options": {"rw": "write", "bs": size}}) for size in sizes))

    (group,) = checked(tmp_path, made("4k", "1M"), made("4k", "64k"))["groups"]
    assert (group["kind"], group["varies"]) == ("sweep", {"bs": ["4k, 1M", "4k, 64k"]})


def test_a_sweep_always_names_differing_settings(tmp_path):
    """The settings of both are the same; one of them only read."""
    documents = [json.loads(fio()), json.loads(fio())]
    documents[1]["jobs"][0]["read"] = documents[1]["jobs"][0].pop("write")
    (group,) = checked(tmp_path, *map(json.dumps, documents))["groups"]
    assert (group["kind"], group["varies"]) == ("sweep", {"operations": ["write", "read"]})


@pytest.mark.parametrize("option", ["-O lustreStripeCount={}", "--posix.mmap={}", "-O a=1 -O lustreStripeCount={}"])
def test_values_of_ior_that_are_not_shown_are_compared(tmp_path, option):
    sample = (catalogue.FOLDER / "ior" / "samples" / "4.1-iorhard" / "stdout.txt").read_text()
    assert sample.count(" -w ") == 1
    texts = [sample.replace(" -w ", f" -w {option.format(value)} ") for value in ("on", "off")]
    (group,) = checked(tmp_path, *texts)["groups"]
    assert (group["kind"], len(group["varies"])) == ("sweep", 1)
    texts = [sample.replace(" -w ", f" -w -O summaryFile={value}.json ") for value in ("on", "off")]
    (group,) = checked(tmp_path, texts[0], later(texts[1].encode(), 1).decode())["groups"]
    assert group["kind"] == "repeats"


def test_a_run_that_failed_is_no_repeat(tmp_path):
    failed = document(job(error=28, **{"job options": {"rw": "write", "bs": "4k"}}))
    assert "groups" not in checked(tmp_path, fio(), failed)


def test_parameters_have_their_source(tmp_path):
    (run,) = checked(tmp_path, fio())["runs"]
    assert run["parameter_sources"].keys() == run["parameters"].keys()
    assert (run["parameter_sources"]["bs"], run["parameter_sources"]["jobs"]) == ("output", "result")
    assert run["described_parameters"] == {}


def test_a_described_system_replaces_no_parameter_of_the_run(tmp_path):
    parameters = [
        make_parameter("bios.nps", 4),
        make_parameter("libcfs.cpu_npartitions", 0),
        make_parameter("lnet.cpu_partition_table", 8, key="partitions"),
    ]
    bag = make_bag(
        {"out.json": fio(numjobs="2").encode()}, make_system(node_classes=[make_class(parameters=parameters)])
    )
    for name, content in bag.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (run,) = check(tmp_path).as_json()["runs"]
    assert (run["described_parameters"]["nps"], run["described_parameters"]["cpt"]) == (4, 8)
    assert "nps" not in run["parameters"]


@pytest.mark.parametrize("tool", [benchmark.tool for benchmark in catalogue.benchmarks()])
def test_a_parameter_has_one_source(tool):
    path = catalogue.FOLDER / catalogue.benchmark(tool).slug / "parameters.json"
    by_source = json.loads(path.read_text()) if path.exists() else {}
    names = [name for names in by_source.values() for name in names]
    assert len(names) == len(set(names))
    assert set(by_source) <= provenance.SOURCES


@pytest.mark.parametrize("benchmark", catalogue.benchmarks(), ids=lambda benchmark: benchmark.slug)
def test_a_parameter_is_described_once(benchmark):
    assert [row.name for row in catalogue.run_parameters(benchmark) if not row.description] == []
    described = {row["name"] for row in benchmark.descriptor["parameters"]}
    path = catalogue.FOLDER / benchmark.slug / "parameters.json"
    by_source = json.loads(path.read_text()) if path.exists() else {}
    stated = {name: text for names in by_source.values() for name, text in names.items()}
    assert [name for name, text in stated.items() if bool(text) == (name in described)] == []


@pytest.mark.parametrize("folder", ["bench/darshan", "bench/lst", "bench/wrf", "bench/elbencho", "outputs2/elbencho"])
def test_no_two_real_runs_that_differ_are_called_repeats(shared, tmp_path, folder):
    cases = [case for case in sorted((shared / "data" / folder).iterdir()) if case.is_dir()]
    assert len(cases) > 1
    for case in cases:
        shutil.copytree(case, tmp_path / case.name)
    assert "repeats" not in {group["kind"] for group in check(tmp_path).groups}


def test_summaries_of_two_systems_are_no_repeats(shared, tmp_path):
    """What was called repeats once: IO500 summaries of 2019 and 2020, of two systems."""
    for case in ("pub-2019-shell-GB", "pub-isc20-noversion"):
        shutil.copytree(shared / "data" / "bench" / "io500" / case, tmp_path / case)
    report = check(tmp_path)
    assert len(report.runs) == 2
    assert "repeats" not in {group["kind"] for group in report.groups}
