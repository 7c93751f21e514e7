"""A run says on which line of which file stands what lists and rules ask; and says nothing where no line does."""

from __future__ import annotations

import json
import random

import pytest

from tests.make_io500 import make_archive, make_run
from validators import catalogue
from validators.bundle import open_bundle
from validators.checks import check
from validators.measurements import Run
from validators.runs import printed_at

SAMPLES = catalogue.FOLDER


def checked(path):
    (run,) = check(path).runs
    return run


def line_at(files, place):
    """The line that a place names, read from the files that were packed."""
    path, _, number = place.rpartition(":")
    return files[path].split(b"\n")[int(number) - 1]


def test_values_that_lists_ask_for_have_file_and_line(tmp_path):
    files = make_run(client_nodes=12, scc=True)
    run = checked(make_archive(tmp_path / "run.tar.gz", client_nodes=12, scc=True))
    assert b"on 12 node(s)" in line_at(files, run.printed_at["client_nodes"])
    assert line_at(files, run.printed_at["scc"]) == b"scc = TRUE"
    assert line_at(files, run.printed_at["tool_version"]).startswith(b"version ")
    assert b"node(s)" in line_at(files, run.printed_at["io500.clients"])
    assert line_at(files, run.printed_at["io500.score"]).startswith(b"SCORE ")


@pytest.mark.parametrize(
    ("sample", "name", "line"),
    [
        ("ior/samples/2.10.3-text-v0", "repetitions", 14),
        ("ior/samples/3.3.0-stonewall-wearout", "client_nodes", 20),
        ("ior/samples/4.1-rank-labelled", "transfer_size_bytes", 26),
        ("ior/samples/3.3.0-json", "ordering_in_file", 72),
        ("fio/samples/json-2.16", "bs", 22),
        ("fio/samples/json-2.16", "tool_version", 2),
    ],
)
def test_lines_of_outputs_are_those_in_the_sample(sample, name, line):
    assert checked(SAMPLES / sample / "stdout.txt").printed_at[name] == f"stdout.txt:{line}"


def test_lines_of_a_run_inside_a_log_are_those_of_the_log(tmp_path):
    output = (SAMPLES / "ior/samples/3.3.0-stonewall-wearout/stdout.txt").read_bytes()
    before = b"nodes               : 64\n" + b"Loading modules\n" * 99
    (tmp_path / "slurm.out").write_bytes(before + output + b"nodes               : 77\n")
    assert checked(tmp_path / "slurm.out").printed_at["client_nodes"] == "slurm.out:120"


@pytest.mark.parametrize("lead", range(1024 * 1024 - 40, 1024 * 1024 + 4, 7))
def test_a_run_across_two_pieces_of_its_file_has_its_lines(lead, tmp_path):
    output = (SAMPLES / "ior/samples/3.3.0-stonewall-wearout/stdout.txt").read_bytes()
    begin = output.index(b"Options")
    (tmp_path / "slurm.out").write_bytes(b"#" * (lead - begin - 1) + b"\n" + output)
    assert checked(tmp_path / "slurm.out").printed_at["client_nodes"] == "slurm.out:21"


def test_runs_of_one_file_have_their_lines_in_any_order(tmp_path):
    pick = random.Random(7)
    lengths = (0, 1, 300, 70_000)
    for _ in range(60):
        lines = [b"#" * pick.choice(lengths) for _ in range(pick.randrange(1, 40))]
        text = b"\n".join(lines) + pick.choice((b"", b"\n"))
        path = tmp_path / "many.out"
        path.write_bytes(text)
        with open_bundle(path) as bundle:
            finder = printed_at.LineFinder(bundle)
            for _ in range(20):
                first = pick.randrange(1, 45)
                run = Run("ior", "many.out", lines=(first, last := first + pick.randrange(6)))
                expected = b"\n".join(text.split(b"\n")[first - 1 : last])[: 64 * 1024]
                assert finder._searched_text(run, "many.out") == (expected, first)


def test_a_file_of_many_runs_is_read_once(tmp_path):
    path = tmp_path / "many.out"
    path.write_bytes(b"x" * 99 + b"\n" * 1_000_000)
    with open_bundle(path) as bundle:
        finder, slices = printed_at.LineFinder(bundle), []
        with pytest.MonkeyPatch.context() as patch:
            slice_of = type(bundle).slice
            patch.setattr(type(bundle), "slice", lambda self, *where: slices.append(where) or slice_of(self, *where))
            for first in range(1, 1_000_000, 10_000):
                finder.find_lines(Run("ior", "many.out", lines=(first, first + 10)))
    assert len(slices) < 250  # 100 runs, each with the slice that its line begins in, and that before


def test_the_line_with_the_value_goes_before_others(tmp_path):
    files = make_run(client_nodes=10)
    first = next(path for path in sorted(files) if path.endswith("/ior-easy-read.txt"))
    text = files[first].replace(b"nodes               : 10", b"nodes               : 100")
    archive = make_archive(tmp_path / "run.tar.gz", client_nodes=10, extra={first: text})
    assert not checked(archive).printed_at["client_nodes"].startswith(first)


def test_a_setting_that_no_file_has_has_no_line(tmp_path):
    settings = ("config.ini", "config-orig.ini", "io500.cfg")
    run = checked(make_archive(tmp_path / "run.tar.gz", without=settings))
    assert "scc" not in run.printed_at
    assert "io500.scc" not in run.printed_at


def test_words_inside_of_others_and_behind_the_limit_are_no_place(tmp_path):
    files = make_run()
    path = next(path for path in files if path.endswith("/config.ini"))
    text = b"[global]\nnoscc = TRUE\nno-scc = TRUE\n" + b"# x\n" * 20000 + b"scc = TRUE\n"
    run = checked(make_archive(tmp_path / "run.tar.gz", extra={path: text}, without=("config-orig.ini",)))
    assert "scc" not in run.printed_at


@pytest.mark.parametrize("content", [b"", b"\0" * 70000, b"\xff\xfe" * 5000, b"node(s) " * 9000, b"node(s)\n" * 9000])
def test_the_search_survives_any_content(tmp_path, content):
    folder = next(path for path in make_run() if path.endswith("/result.txt")).rpartition("/")[0]
    run = checked(make_archive(tmp_path / "run.tar.gz", extra={f"{folder}/aaa.txt": content}))
    assert "mdtest" in run.printed_at["client_nodes"]


@pytest.mark.parametrize("path", sorted(catalogue.FOLDER.glob("*/printed_at.json")), ids=lambda path: path.parent.name)
def test_words_are_of_rules_and_parameters_that_exist(path):
    rows = json.loads(path.read_text())
    benchmark = next(each for each in catalogue.benchmarks() if each.slug == path.parent.name)
    rules = {rule.code for rule in benchmark.rules}
    assert all(texts and all(isinstance(text, str) and text.strip() for text in texts) for texts in rows.values())
    assert {name for name in rows if "." in name} <= rules


def test_first_words_that_begin_no_match_are_passed_over():
    text = b"io_io io-io io nodes io  nodes on io nodes"
    pattern = printed_at._pattern("io nodes")
    assert [match.start() for match in printed_at._find_matches(b"io", pattern, text)] == [12, 21, 34]
