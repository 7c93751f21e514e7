"""Where the time of a phase goes: shares in %, or the reason why the files do not tell."""

import math

import pytest

from tests.make_io500 import make_run
from tests.validators.benchmarks.test_io500_tables import HOME, MDTEST_HEADER, ior_table
from tests.validators.io500_reading import read_files
from validators import catalogue
from validators.benchmarks.io500.phase_shares import NotPrinted, imbalance_percent, share_percent
from validators.checks import check

EASY, HARD, MDTEST = f"{HOME}/ior-easy-write.txt", f"{HOME}/ior-hard-write.txt", f"{HOME}/mdtest-easy-write.txt"
RESULT, FIND = f"{HOME}/result.txt", f"{HOME}/find.csv"
ROW = b"0.01 331.50 0.01 331.50 0"
"""Opening, transfers, closing, the whole, and the iteration of ior-easy-write in a made run."""
CLOSE, WEAR_OUT = ("ior-easy-write", "close_share"), ("ior-easy-write", "wear_out_share")
WORK, IMBALANCE = ("ior-easy-write", "wear_out_work"), ("ior-easy-write", "rank_imbalance")
FILES, FILES_TIME = ("mdtest-easy-write", "wear_out_work"), ("mdtest-easy-write", "wear_out_share")
SEARCH = ("find", "rank_imbalance")


def read_shares(files, tmp_path):
    """Shares by phase and quantity, and the reasons of those that are not there."""
    run = read_files(tmp_path, files).runs[0]
    shares = {(m.op, m.quantity): m.printed_value for m in run.measurements if m.unit == "%"}
    missing = {(row["op"], row["quantity"]): row["reason"] for row in run.missing_measurements}
    assert not shares.keys() & missing.keys()
    assert all(math.isfinite(percent) and 0 <= percent <= 100 for percent in shares.values())
    return shares, missing


def edited(path, old, new, **plan):
    """The files of a made run with one text of one file changed."""
    files = make_run(**plan)
    assert old in files[path]
    return files | {path: files[path].replace(old, new)}


def test_a_run_gives_shares_of_its_time(tmp_path):
    shares, missing = read_shares(edited(EASY, ROW, b"0.50 328.00 3.00 331.50 0"), tmp_path)
    assert shares[CLOSE] == pytest.approx(100 * 3 / 331.5)
    assert shares[WEAR_OUT] == pytest.approx(100 * (328 - 300.1) / 331.5)
    assert shares[WORK] == pytest.approx(25, abs=0.1), "at the stonewall a rank had done 75 % of what the fastest had"
    assert shares[FILES] == pytest.approx(25, abs=1e-4)
    assert shares[FILES_TIME] == pytest.approx(100 * (322.75 - 300.1) / 322.75, abs=1e-3)
    assert missing[IMBALANCE] == "no-table"
    assert ("ior-easy-read", "wear_out_share") not in shares | missing, "reads read what there is"
    assert ("ior-easy-read", "rank_imbalance") not in shares | missing, "IOR has the ranks of a read wait for the last"


def test_missing_shares_have_reasons(tmp_path):
    shares, missing = read_shares(make_run(), tmp_path)
    report = check(tmp_path / "run.tar.gz", benchmark="io500").as_json()["runs"][0]
    assert {(row["op"], row["quantity"]) for row in report["measurements"] if row["unit"] == "%"} == shares.keys()
    assert {(row["op"], row["quantity"]) for row in report["missing_measurements"]} == missing.keys()
    assert all(row["stat"] == "phase" for row in report["measurements"] if row["unit"] == "%")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"0.01 331.50 nan 331.50 0", "no-figures"),
        (b"0.01 331.50 -1.0 331.50 0", "no-figures"),
        (b"0.01 331.50 0,01 331.50 0", "no-figures"),
        (b"0.01 331.50 inf 331.50 0", "no-figures"),
        (b"0.01 331.50 331.50 0", "no-figures"),
        (b"0.01 331.50", "no-figures"),
        (b"0.00 0.00 0.00 0.00 0", "no-figures"),
        (b"0.01 331.50 9.00 331.50 0", "overlap"),
        (b"0.01 331.50 400.0 331.50 0", "overlap"),
    ],
)
def test_a_row_without_its_parts_has_no_close_share(tmp_path, row, reason):
    shares, missing = read_shares(edited(EASY, ROW, row), tmp_path)
    assert CLOSE not in shares
    assert missing[CLOSE] == reason


@pytest.mark.parametrize(
    ("path", "old", "new", "reasons"),
    [
        (RESULT, b"-D 300", b"-D 0", {WEAR_OUT: "no-stonewall", WORK: "no-stonewall"}),
        (EASY, b"stonewalling pairs", b"pairs", {WEAR_OUT: "no-line", WORK: "no-line"}),
        (EASY, b"time: 300.1s", b"time: 120.0s", {WEAR_OUT: "not-reached", WORK: "not-reached"}),
        (EASY, b"time: 300.1s", b"time: 900.0s", {WEAR_OUT: "contradicts"}),
        (EASY, b"time: 300.1s", b"time: nans", {WEAR_OUT: "no-line"}),
        (EASY, b"min data: 50.0 GiB", b"min data: 99.9 GiB", {WORK: "contradicts"}),
        (EASY, b"min data: 50.0 GiB", b"min data: 50.0 xB", {WORK: "no-figures"}),
        (EASY, ROW, b"0.01 331.50 0.01 331.50 0\nwrite " + b"1 " * 9 + b"1", {WEAR_OUT: "several", CLOSE: "several"}),
        (EASY, b"IOR-4.1", b"IOR-9", {}),
        (MDTEST, b"Continue stonewall", b"Stonewall", {FILES: "no-line", FILES_TIME: "no-line"}),
        (MDTEST, b"avg: 621041.2", b"avg: 928055.0", {FILES: "contradicts"}),
        (MDTEST, b"avg: 621041.2", b"avg: 0.0", {FILES: "contradicts", FILES_TIME: "contradicts"}),
        (MDTEST, b"max: 828055", b"max: -5", {FILES: "no-line"}),
        (MDTEST, b"(of 1 iterations)", b"(of 3 iterations)", {FILES: "several", FILES_TIME: "several"}),
        (RESULT, b"rate-stonewall  = 331.111629", b"; nothing", {FILES_TIME: "no-stonewall-time"}),
        (RESULT, b"rate-stonewall  = 331.111629", b"rate-stonewall = nan", {FILES_TIME: "no-figures"}),
        (RESULT, b"rate-stonewall  = 331.111629", b"rate-stonewall = 1e-320", {FILES_TIME: "no-figures"}),
        (RESULT, b"rate-stonewall  = 331.111629", b"rate-stonewall = 331", {}),
        (RESULT, b"rate-stonewall  = 331.111629", b"rate-stonewall = 3311.0", {FILES_TIME: "not-reached"}),
        (RESULT, b"-W 300", b"", {FILES: "no-stonewall"}),
        (FIND, b"0, 0, 0,", b"x, 0, 0,", {}),
        (FIND, b"runtime:", b"walltime:", {SEARCH: "no-table"}),
        (FIND, b"\n159, 0, 0,", b"\n", {SEARCH: "no-table"}),
        (FIND, b"\n159, 0, 0,", b"\n158, 0, 0,", {SEARCH: "no-table"}),
        (FIND, b"\n159, 0, 0,", b"\n159, 0,5, 0,", {SEARCH: "no-table"}),
        (FIND, b"\n159, 0, 0, 7695, ", b"\n159, 0, 0, 7695, 9" + b"0" * 400, {SEARCH: "contradicts"}),
        (FIND, b"\n9, 0, 0, 7695, 1032717", b"\n9, 0, 0, 7695, 0", {SEARCH: "contradicts"}),
        (EASY, b"tasks               : 160", "tasks               : \u0663".encode(), {WORK: "no-figures"}),
        (EASY, b"mean data: 75.0 ", b"mean data: 0.00 ", {WORK: "contradicts"}),
        (MDTEST, b"avg: 621041.2", b"avg: 1e-308", {FILES: "no-line", FILES_TIME: "no-line"}),
        (MDTEST, b"avg: 621041.2", b"avg: 1.5", {FILES: "contradicts", FILES_TIME: "contradicts"}),
        (
            MDTEST,
            b"   File creation       410500.000",
            b"   No creation         410500.000",
            {FILES_TIME: "contradicts"},
        ),
    ],
)
def test_shares_that_the_files_do_not_give_have_a_reason(tmp_path, path, old, new, reasons):
    shares, missing = read_shares(edited(path, old, new), tmp_path)
    assert {key: missing.get(key) for key in reasons} == reasons
    assert not shares.keys() & reasons.keys()


def test_a_phase_without_text_or_value_has_no_share(tmp_path):
    files = {path: content for path, content in make_run().items() if path != EASY}
    assert read_shares(files, tmp_path)[1][CLOSE] == "no-text"
    _, missing = read_shares(make_run(invalid=("ior-easy-write",)), tmp_path)
    assert {missing[key] for key in (CLOSE, WEAR_OUT, WORK, IMBALANCE)} == {"phase-invalid"}
    _, missing = read_shares(make_run(values={"mdtest-easy-write": "0.000000"}), tmp_path)
    assert missing[FILES] == "phase-invalid"
    shares, missing = read_shares(make_run(missing="find"), tmp_path)
    assert SEARCH not in shares | missing


def test_the_shell_script_gives_fewer_shares(tmp_path):
    shares, missing = read_shares(make_run(format="shell"), tmp_path)
    assert CLOSE in shares
    assert missing[FILES_TIME] == "no-stonewall-time"
    assert missing[SEARCH] == "no-table"


def test_an_early_build_prints_the_bandwidth_until_the_stonewall_in_another_unit(tmp_path):
    """Then the mean of the ranks counts, which has fewer digits."""
    shares, _ = read_shares(edited(RESULT, b"throughput-stonewall = 39.97", b"throughput-stonewall = 1498.2"), tmp_path)
    assert shares[WORK] == pytest.approx(25, abs=0.1)


def test_bytes_that_are_printed_too_coarsely_have_no_share_percent(tmp_path):
    files = edited(RESULT, b"throughput-stonewall = 2.49", b"throughput-stonewall = 7777")
    assert read_shares(files, tmp_path)[1]["ior-hard-write", "wear_out_work"] == "coarse"


def test_ranks_are_compared_with_the_fastest_rank(tmp_path):
    bandwidth = 48.25 * 2**30
    seconds = [300.0, 310.0, 330.0, 300.0]
    rates = [bandwidth / 4 * 330 / second for second in seconds]
    table = ior_table(zip(seconds, rates, strict=True))
    plain = make_run(client_nodes=1, procs_per_node=4)
    rows = "".join(f"{rank},,,,1.0e+05,{second:.4e},,,,,,\n" for rank, second in enumerate([10, 20, 30, 40]))
    files = make_run(client_nodes=1, procs_per_node=4) | {
        f"{HOME}/ior-easy-write.csv": table,
        f"{HOME}/mdtest-easy-write.csv": (MDTEST_HEADER + f"all,1000,,,4.105e+05,4.0e+01,,,,,,\n{rows}").encode(),
        FIND: _share_out(plain[FIND], [1, 2, 3, 4]),
    }
    shares, _ = read_shares(files, tmp_path)
    assert shares[IMBALANCE] == pytest.approx(100 * (1 - 310 / 330))
    assert shares["mdtest-easy-write", "rank_imbalance"] == pytest.approx(37.5)
    assert shares[SEARCH] == pytest.approx(37.5, abs=1e-3)


def _share_out(table, parts):
    """find.csv with its files shared out over the ranks as `parts` say."""
    head, names, *rows = table.decode().splitlines()
    files = sum(int(row.rsplit(",", 1)[1]) for row in rows)
    lines = [f"{row.rsplit(',', 1)[0]}, {files * part // sum(parts)}" for row, part in zip(rows, parts, strict=True)]
    return "\n".join([head, names, *lines, ""]).encode()


def test_only_a_complete_rank_table_of_the_phase_is_used(tmp_path):
    bandwidth = 48.25 * 2**30
    ranks = [(330.0, bandwidth / 4)] * 4
    for table, reason in (
        (ior_table(ranks[:3]), "no-table"),
        (ior_table([(second, rate / 2) for second, rate in ranks]), "contradicts"),
        (ior_table(ranks).replace(b"3.3000000000e+02", b"-3.3e+02"), "no-table"),
        (b"access,rank\n", "no-table"),
    ):
        files = make_run(client_nodes=1, procs_per_node=4) | {f"{HOME}/ior-easy-write.csv": table}
        assert read_shares(files, tmp_path)[1][IMBALANCE] == reason
    alone = make_run(client_nodes=1, procs_per_node=1) | {f"{HOME}/ior-easy-write.csv": ior_table([(330.0, bandwidth)])}
    assert read_shares(alone, tmp_path)[1][IMBALANCE] == "one-rank"


def test_invalid_shares_are_refused():
    assert share_percent(0.0, 10.0) == 0
    assert share_percent(-0.01, 10.0, 0.02) == 0, "below 0 by no more than the printed digits"
    for part, total, error, reason in (
        (1.0, 0.0, 0.0, "no-figures"),
        (math.nan, 1.0, 0.0, "no-figures"),
        (1.0, math.inf, 0.0, "no-figures"),
        (-1.0, 10.0, 0.01, "contradicts"),
        (11.0, 10.0, 0.01, "contradicts"),
        (1.0, 10.0, 0.06, "coarse"),
    ):
        with pytest.raises(NotPrinted, match=reason):
            share_percent(part, total, error)
    assert imbalance_percent([5.0, 5.0]) == 0
    assert imbalance_percent([0, 0, 0, 8]) == 75
    assert imbalance_percent([1.0] * 100_000) == 0
    for amounts, reason in (
        ([], "no-table"),
        ([1.0], "one-rank"),
        ([0.0, 0.0], "contradicts"),
        ([math.nan, 1.0], "contradicts"),
        ([-1.0, 1.0], "contradicts"),
        ([10**400, 1], "contradicts"),
    ):
        with pytest.raises(NotPrinted, match=reason):
            imbalance_percent(amounts)


def test_every_reason_has_a_sentence():
    """The codes of the module and those of the descriptor are the same."""
    source = (catalogue.FOLDER / "io500" / "phase_shares.py").read_text(encoding="utf-8")
    reasons = catalogue.descriptor("io500")["missing_reasons"]
    assert [code for code in reasons if f'"{code}"' not in source] == []


READ_BY_HAND = {
    14: {"closing": (0.000651, 422.65), "stopped": (415.69, 300.0, 422.65), "items": (446985.2, 467072)},
    49: {"closing": (0.089181, 372.54), "stopped": (372.37, 300.1, 372.54), "items": (169990.8, 203537)},
    72: {"closing": (0.054066, 377.39), "stopped": (377.28, 300.1, 377.39), "items": (67479.8, 70015)},
    140: {"closing": (0.001342, 525.03), "stopped": (525.01, 300.1, 525.03), "items": (14434.4, 14698)},
    181: {"closing": (0.025612, 348.24), "stopped": (348.21, 300.0, 348.24), "items": (46264.9, 48350)},
    548: {
        "closing": (0.000815, 334.95), "stopped": (334.94, 300.0, 334.95), "items": (40217.0, 42019),
        "stat": (8069.4513, 320, 35.108186), "find": (87197441, 320, 12928623),
    },
    709: {"items": (23704.3, 24945), "stat": (86288.3376, 1280, 79.846838)},
    727: {
        "closing": (4.09, 674.17), "stopped": (671.98, 300.1, 674.17), "items": (43828.7, 56499),
        "stat": (3453.9078, 300, 14.701994), "find": (214854902, 300, 16354248),
    },
    742: {
        "closing": (0.119394, 306.31), "stopped": (306.01, 300.1, 306.31), "items": (665457.6, 708604),
        "stat": (48769.7413, 620, 81.609541), "find": (1177856781, 30, 418316963),
    },
    751: {
        "closing": (0.082961, 303.22), "stopped": (302.92, 300.2, 303.22),
        "stat": (87155.7734, 1280, 75.562579), "find": (166401281, 640, 48953835),
    },
}  # fmt: skip
"""Figures of ten published archives, drawn with a fixed seed, as grep and awk find them: of ior-easy-write seconds of
closing and the whole, and of transfers, until the stonewall and the whole; of mdtest-hard-write items at the stonewall
on average and at most; of the ranks of mdtest-hard-stat (seconds) and find (files) the sum, their number and the most.
"""


@pytest.mark.parametrize("number", READ_BY_HAND)
def test_ten_published_archives_give_what_was_read_by_hand(shared, number):
    report = check(shared / "data" / "io500" / "submissions" / f"submission-{number}.tar.gz", benchmark="io500")
    run = report.as_json()["runs"][report.primary]
    shares = {(row["op"], row["quantity"]): row["value"] for row in run["measurements"] if row["unit"] == "%"}
    expected = READ_BY_HAND[number]
    if "closing" in expected:
        closing, total = expected["closing"]
        assert shares[CLOSE] == pytest.approx(100 * closing / total, rel=1e-9)
        transfers, until_stop, total = expected["stopped"]
        assert shares[WEAR_OUT] == pytest.approx(100 * (transfers - until_stop) / total, rel=1e-9)
    else:
        assert not {CLOSE, WEAR_OUT} & shares.keys(), "1.98 s + 317.26 s + 1.96 s are more than 317.84 s"
    if "items" in expected:
        mean, most = expected["items"]
        assert shares["mdtest-hard-write", "wear_out_work"] == pytest.approx(100 * (1 - mean / most), rel=1e-9)
    for what, phase in (("stat", "mdtest-hard-stat"), ("find", "find")):
        if what in expected:
            amount, ranks, most = expected[what]
            assert shares[phase, "rank_imbalance"] == pytest.approx(100 * (1 - amount / ranks / most), rel=1e-6)
