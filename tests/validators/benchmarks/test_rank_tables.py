"""Tables of ranks beside the outputs of IOR and mdtest: what is kept of them, and when they are not believed."""

import pytest

from tests.validators.bench_cases import codes_of
from tests.validators.benchmarks.test_ior import output as ior_output
from tests.validators.benchmarks.test_mdtest import output as mdtest_output
from validators import rank_tables
from validators.checks import check

IOR_HEADER = "access,rank,runtime-with-openclose,runtime,throughput-withopenclose,throughput\n"
IOR_ROWS = ["write,0,1,1,100,100", "write,1,1,1,300,300", "write,0,1,1,50,50", "write,1,1,1,70,70"]
MDTEST_ROWS = ["rank,items,rate-File creation,time-File creation,rate-Tree creation,time-Tree creation"]
MDTEST_ROWS += ["all,100,400,0.1,9,0.1", "0,,100,0.1", "1,,300,0.1"]


def checked(tmp_path, text, table, name="ranks.csv"):
    (tmp_path / "out.txt").write_text(text)
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(table)
    return check(tmp_path)


def test_each_iteration_of_ior_has_its_spread(tmp_path):
    report = checked(tmp_path, ior_output(), IOR_HEADER + "\n".join(IOR_ROWS))
    assert (report.status, report.primary, codes_of(report)) == ("valid", 0, [])
    rank_rates = report.runs[0].parameters["rank_rates"]
    assert list(rank_rates) == ["write 0", "write 1"]
    first = {name: rank_rates["write 0"][name] for name in ("unit", "ranks", "slowest", "median", "fastest")}
    assert first == {"unit": "B/s", "ranks": 2, "slowest": 100, "median": 200, "fastest": 300}
    assert rank_rates["write 0"]["quantiles"] == [100 + 10 * step for step in range(1, 20)]


def test_the_total_row_of_mdtest_is_no_rank(tmp_path):
    report = checked(tmp_path, mdtest_output(), "\n".join(MDTEST_ROWS))
    rank_rates = report.runs[0].parameters["rank_rates"]
    assert list(rank_rates) == ["file_create 0"]
    assert (rank_rates["file_create 0"]["ranks"], rank_rates["file_create 0"]["unit"]) == (2, "ops/s")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        IOR_ROWS[:3],
        [*IOR_ROWS, "write,2,1,1,9,9"],
        ["write,0,1,1,nan,1", "write,1,1,1,300,300"],
        ["write,0,1,1,-1,1", "write,1,1,1,300,300"],
        ["write,0,1,1,many,1", "write,1,1,1,300,300"],
        ["write", "write"],
        ["write,0,1,1,1,1"] * (rank_tables.MOST_ITERATIONS + 1),
        ["x" * 600_000],
    ],
)
def test_a_table_of_another_run_is_reported_and_not_read(tmp_path, rows):
    report = checked(tmp_path, ior_output(), IOR_HEADER + "\n".join(rows))
    assert report.status == "valid"
    assert codes_of(report) == ["ior.rank-table"]
    assert "rank_rates" not in report.runs[0].parameters


def test_a_table_in_another_folder_belongs_to_no_run(tmp_path):
    report = checked(tmp_path, ior_output(), IOR_HEADER + "\n".join(IOR_ROWS), "other/ranks.csv")
    assert codes_of(report) == []
    assert "rank_rates" not in report.runs[0].parameters


def test_two_rank_tables_are_both_ignored(tmp_path):
    (tmp_path / "more.csv").write_text(IOR_HEADER + "\n".join(IOR_ROWS))
    report = checked(tmp_path, ior_output(), IOR_HEADER + "\n".join(IOR_ROWS))
    assert "rank_rates" not in report.runs[0].parameters
