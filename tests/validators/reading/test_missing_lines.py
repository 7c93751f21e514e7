"""Lines that an output tells to be missing, and outputs of which none is, though they look so."""

import json
import re

import pytest

from validators import catalogue
from validators.checks import check


def sample(slug, name):
    folder = catalogue.FOLDER / slug / "samples" / name
    return (folder / json.loads((folder / "expected.json").read_text())["path"]).read_text()


def missing(tmp_path, text):
    (tmp_path / "out.txt").write_text(text)
    report = check(tmp_path / "out.txt")
    assert report.runs
    return [
        finding.message for run in report.runs for finding in run.findings if finding.code.endswith(".lines-missing")
    ]


def without(text, pattern):
    changed, count = re.subn(rf"^{pattern}.*\n", "", text, flags=re.M)
    assert count
    return changed


WRF = ("wrf", "nested-with-restart")
STEP_2 = "Timing for main: time 2026-01-05_00:0{} on domain   2:"
STEP_1 = "Timing for main: time 2026-01-05_00:0{} on domain   1:"
FILE = "Timing for Writing wrfout_d0{}_2026-01-05_00:0{}:00"


@pytest.mark.parametrize(
    ("of", "pattern", "message"),
    [
        (WRF, STEP_2.format("0:30"), "time of the model jumps"),
        (WRF, STEP_1.format("1:00"), "time of the model jumps"),
        (WRF, STEP_1.format("3:00"), "time of the model jumps"),
        (WRF, STEP_2.format("3:00"), "time of the model jumps"),
        (WRF, STEP_1.format(".:00"), "time of the model jumps"),
        (WRF, FILE.format(1, 0), "first or the last file of wrfout"),
        (WRF, FILE.format(2, 3), "first or the last file of wrfout"),
        (WRF, FILE.format(2, 1), "equal intervals"),
        (WRF, "Timing for Writing restart for domain        2", "files of restarts"),
        (WRF, "Timing for processing wrfinput", "no state that the model started from"),
        (("wrf", "adaptive-steps"), r"Timing for main \(dt= 15", "time of the model jumps"),
        (("wrf", "adaptive-steps"), r"Timing for main \(dt= 18", "last step is before"),
        (("gdsio", "sweep"), "IoType: WRITE", "called 4 times, and there are 3 results"),
        (("obdfilter_survey", "sweep-write-rewrite-read"), "ost .* obj    4 thr    4 ", "4 objects, 4 threads"),
        (("cray_mpich", "stats-and-timers"), r"\|   net read BW", "net read BW"),
        (("fio", "terse-clients"), "3;fio-3.33;b", "All clients moved"),
        (("ior", "3.3.0-stonewall-wearout"), "remove ", "remove of test 0 has no row"),
        (("mdtest", "4.1-stonewall"), "Continue stonewall", "stonewall"),
        (("darshan", "ior-posix-fpp-perf"), "total_POSIX_FSYNCS", "FSYNCS"),
    ],
)
def test_a_missing_line_that_an_output_implies_is_reported(tmp_path, of, pattern, message):
    text = sample(*of)
    assert missing(tmp_path, text) == []
    assert [message in text_of_finding for text_of_finding in missing(tmp_path, without(text, pattern))] == [True]


STEPS = "".join(
    f"Timing for main: time 2026-01-05_{hour:02}:00:00 on domain   1: 1.0 elapsed seconds\n" for hour in range(7, 13)
)
WRITES = "".join(
    f"Timing for Writing wrfout_d01_2026-01-05_{hour:02}:00:00 for domain   1: 1.0 elapsed seconds\n"
    for hour in (9, 12)
)
RESTARTED = "Timing for processing restart file for domain        1:    2.6 elapsed seconds\n"
ENDED = "d01 2026-01-05_12:00:00 wrf: SUCCESS COMPLETE WRF\n"
ROW = "ost  1 sz  2097152K rsz 1024K obj {:4} thr {:4} write 875.69 [ 365.09,  514.08] \n"
GDSIO = (
    "IoType: READ XferType: GPUD Threads: 8 DataSetSize: 62914560/8388608(KiB) IOSize: 1024(KiB) Throughput: 2.000000 "
    "GiB/sec, Avg_Latency: 3906.250000 usecs ops: 61440 total_time 30.000000 secs\n"
)


@pytest.mark.parametrize(
    "text",
    [
        "WRF V4.5.2 MODEL\n" + RESTARTED + STEPS + WRITES + ENDED,
        "WRF V4.5.2 MODEL\n" + STEPS + ENDED,
        "".join(f"$ gdsio -D /gds -w 8 -x {kind} &\n" for kind in range(3)) + GDSIO * 3,
        "$ gdsio --help\nSee gdsio -h for more\n" + GDSIO,
        GDSIO * 4,
        "".join(ROW.format(objects, threads) for objects, threads in ((1, 4), (1, 8), (2, 4), (2, 8))) + "done!\n",
        "".join(ROW.format(1, threads) for threads in (3, 5, 7)) + "done!\n",
        without(sample("ior", "3.3.0-stonewall-wearout"), "remove ").replace(" -w -o", " -w -k -o"),
        without(sample("ior", "4.1-iorhard"), "none|read ").replace(" -w -r -R ", " -w -O readFile=0 "),
        without(sample("mdtest", "4.1-stonewall"), "Continue").replace("18:55:55", "18:56:55"),
        without(sample("mdtest", "4.1-stonewall"), "Continue").replace("2 task", "1 task"),
        without(sample("darshan", "log-3.0-unit-in-heading"), "# unique files: slowest_rank:"),
    ],
)
def test_optional_lines_are_not_missing(tmp_path, text):
    assert missing(tmp_path, text) == []
