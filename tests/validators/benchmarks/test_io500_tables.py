"""The CSV tables of the ranks: they agree with the phases, or it is told; whole ones give the spread of the ranks."""

import pytest

from tests.make_io500 import PHASES, make_run, pack
from tests.validators.io500_reading import codes, read_files
from validators.benchmarks.io500.ranktables import read_table
from validators.bundle import open_bundle
from validators.checks import check

HOME = "results/2025.10.01-09.00.00"
GIB = 2**30
IOR_HEADER = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n"
MDTEST_HEADER = (
    "rank,items,rate-Directory creation,time-Directory creation,rate-File creation,time-File creation,"
    "rate-File stat,time-File stat,rate-File read,time-File read,rate-File removal,time-File removal\n"
)


def ior_table(seconds_and_rates, access="write"):
    """IOR's table from the time (s) and rate (B/s) of each rank."""
    rows = [
        f"{access},{rank},{seconds:.10e},{seconds:.10e},{rate:.10e},{rate:.10e}\n"
        for rank, (seconds, rate) in enumerate(seconds_and_rates)
    ]
    return (IOR_HEADER + "".join(rows)).encode()


def mdtest_table(ops_per_s, rates):
    """mdtest's table of file creations: the row of all ranks, then one for each."""
    rows = [f"{rank},,,,{rate:.10e},1.0e+01,,,,,,\n" for rank, rate in enumerate(rates)]
    return (MDTEST_HEADER + f"all,1000,,,{ops_per_s:.10e},1.0e+01,,,,,,\n" + "".join(rows)).encode()


def with_tables(tmp_path, tables, **plan):
    files = make_run(**plan)
    files |= {f"{HOME}/{name}": content for name, content in tables.items()}
    return read_files(tmp_path, files)


def shares(total, number):
    return [total / number] * number


def test_agreeing_tables_give_the_spread_of_ranks_without_a_finding(tmp_path):
    bandwidth, rate = PHASES["ior-easy-write"][0] * GIB, PHASES["mdtest-easy-write"][0] * 1000
    ior = [(300.0, bandwidth / 4), (300.0, bandwidth / 4), (300.0, bandwidth / 2)]
    reading = with_tables(
        tmp_path,
        {
            "ior-easy-write.csv": ior_table(ior),
            "mdtest-easy-write.csv": mdtest_table(rate, [100.0, 200.0, 900.0]),
        },
        client_nodes=1,
        procs_per_node=3,
    )
    assert [code for code in codes(reading) if "table" in code] == []
    assert reading.runs[0].parameters["rank_rates"] == {
        "ior-easy-write": {
            "unit": "B/s",
            "ranks": 3,
            "slowest": pytest.approx(bandwidth / 4),
            "median": pytest.approx(bandwidth / 4),
            "fastest": pytest.approx(bandwidth / 2),
        },
        "mdtest-easy-write": {"unit": "ops/s", "ranks": 3, "slowest": 100.0, "median": 200.0, "fastest": 900.0},
    }


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_rate_of_mdtest_missing_in_its_table_is_an_error(tmp_path, factor):
    rate = PHASES["mdtest-easy-write"][0] * 1000 * factor
    reading = with_tables(tmp_path, {"mdtest-easy-write.csv": mdtest_table(rate, [1.0])})
    assert "io500.table.inconsistent" in codes(reading, "error")


def test_a_bandwidth_beyond_all_bytes_over_the_longest_time_is_an_error(tmp_path):
    total = PHASES["ior-easy-write"][0] * GIB
    rows = [(300.0, rate) for rate in shares(total * 0.99, 4)]
    plan = {"client_nodes": 2, "procs_per_node": 2}
    reading = with_tables(tmp_path, {"ior-easy-write.csv": ior_table(rows)}, **plan)
    assert "io500.table.inconsistent" in codes(reading, "error")


def test_a_phase_of_late_ranks_may_be_slower_than_its_table(tmp_path):
    total = PHASES["ior-easy-write"][0] * GIB
    rows = [(300.0, rate) for rate in shares(total * 1.5, 4)]
    reading = with_tables(tmp_path, {"ior-easy-write.csv": ior_table(rows)}, client_nodes=2, procs_per_node=2)
    assert [code for code in codes(reading) if "table" in code] == []


def test_an_incomplete_rank_table_gives_no_spread(tmp_path):
    total = PHASES["ior-easy-write"][0] * GIB
    rows = [(300.0, rate) for rate in shares(total * 0.1, 3)]
    reading = with_tables(tmp_path, {"ior-easy-write.csv": ior_table(rows)}, client_nodes=2, procs_per_node=2)
    assert [code for code in codes(reading) if "table" in code] == []
    assert "rank_rates" not in reading.runs[0].parameters


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\xff\x00",
        IOR_HEADER.encode(),
        IOR_HEADER.encode() + b"write,0\n",
        IOR_HEADER.encode() + b"write,0,nan,1,1,1\n",
        IOR_HEADER.encode() + b"write,0,1,1,inf,1\n",
        IOR_HEADER.encode() + b"write,0,1,1,-5,1\n",
        b"rank,items\n1,2\n",
        b"x" * 100000,
    ],
)
@pytest.mark.parametrize("phase", ["ior-easy-write", "mdtest-easy-write"])
def test_an_unreadable_rank_table_is_a_warning(tmp_path, phase, content):
    reading = with_tables(tmp_path, {f"{phase}.csv": content})
    assert "io500.table.unreadable" in codes(reading, "warning")
    assert not read_table(content, "x.csv", phase).readable


def test_an_edited_table_is_found_in_a_packed_bundle_too(tmp_path):
    files = make_run()
    files[f"{HOME}/mdtest-hard-write.csv"] = mdtest_table(1.0, [1.0])
    report = check(pack(tmp_path / "run.tar.gz", files))
    assert "io500.table.inconsistent" in [finding.code for finding in report.runs[0].findings]


def test_the_published_tables_agree_with_the_published_phases(shared):
    """Ten archives with whole tables; the 480 ranks of submission 538 spread as its files say."""
    folder = shared / "data" / "io500" / "submissions"
    for number in (111, 538, 578, 680, 727, 734, 736, 740, 744, 777):
        report = check(folder / f"submission-{number}.tar.gz")
        assert not [f for run in report.runs for f in run.findings if f.code.startswith("io500.table")], number
    report = check(folder / "submission-538.tar.gz")
    rates = report.runs[0].parameters["rank_rates"]["ior-easy-write"]
    with open_bundle(folder / "submission-538.tar.gz") as bundle:
        lines = bundle.read("submission-538/ior-easy-write.csv", 2**20).decode().splitlines()[1:]
    printed_rates = sorted(float(line.split(",")[4]) for line in lines)
    assert (rates["ranks"], rates["slowest"], rates["fastest"]) == (480, printed_rates[0], printed_rates[-1])
