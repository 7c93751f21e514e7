"""`search`, `compare`, `open`, `completion`, and --json on every verb."""

import json
import shutil
import subprocess

import pytest

from collectors.verbs import VERBS, WITHOUT_JSON

HIT = {"kind": "result", "title": "Fjord", "url": "https://elsewhere.invalid/results/hw-7/#x", "summary": ""}
ANSWER = {
    "next": None,
    "counts": {"result": 3},
    "counts_are_least": False,
    "results": [HIT],
    "also_searched": ["scratch"],
}
ROW = {
    "op": "ior-easy-write",
    "quantity": "bandwidth",
    "stat": "mean",
    "context": {},
    "unit": "GiB/s",
    "values": [10.0, 20.0],
    "ratios": [None, 2.0],
    "intervals": [None, [1.5, 2.5]],
    "ratio_qualifiers": [None, ""],
}
COMPARED = {
    "results": [{"id": "hw-1", "institution": "North Lab"}, {"id": "hw-2", "institution": "South Lab"}],
    "comparable": True,
    "notes": [],
    "matched": [None, {"outcome": "unknown", "differs": [], "unknown": [{"name": "ppn", "values": [None, 4]}]}],
    "measurements": [ROW, dict(ROW, op="find", values=[1.0, None], ratios=[None, None], intervals=[None, None])],
    "configuration": [{"group": "Tunables", "differences": [{"subject": "", "name": "rpcs", "values": [["8"], None]}]}],
    "equal": 12,
}
ID = "784c6d71-3cb3-4da8-b5c5-f60b044e0da8"


@pytest.fixture
def reader(collector, peer):
    """The collector of somebody without an account."""
    collector.environ["HIGHWATER_URL"] = peer.url
    peer.public["/api/v1/search/"] = ANSWER
    peer.public["/api/v1/compare/"] = COMPARED
    return collector


def test_hits_are_shown_at_the_registry_that_was_asked(every_python, reader, peer):
    done = reader("search", "fjord", "lake", python=every_python)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"result  Fjord  {peer.url}/results/hw-7/#x\n"
    assert "1 of 3 hits are shown" in done.stderr and "searched as well: scratch" in done.stderr
    assert peer.received[0].path == "/api/v1/search/?q=fjord+lake"


@pytest.mark.parametrize("url", [None, 7, "http://[", "//elsewhere.invalid", "@elsewhere.invalid/", "\x1b[2J"])
def test_an_address_of_a_hit_leads_nowhere_else(reader, peer, url):
    peer.public["/api/v1/search/"] = dict(ANSWER, results=[dict(HIT, url=url)])
    done = reader("search", "x")
    assert done.returncode == 0
    assert f"  {peer.url}/" in done.stdout and "\x1b" not in done.stdout


def test_nothing_found_is_said_and_no_error(reader, peer):
    peer.public["/api/v1/search/"] = dict(ANSWER, results=[], counts={}, also_searched=[])
    done = reader("search", "x")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing has these words" in done.stderr


def test_two_results_are_compared_with_what_is_not_known(every_python, reader):
    done = reader("compare", "hw-1", "hw-2", python=every_python)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["ior-easy-write", "bandwidth", "mean", "GiB/s", "10", "20", "2", "1.5", "to", "2.5"] in lines
    assert ["find", "bandwidth", "mean", "GiB/s", "1", "-", "-", "-"] in lines
    assert "  unknown: ppn (not known / 4)" in done.stdout
    assert ["rpcs", "8", "not", "known"] in lines
    assert done.stdout.endswith("12 parameters are equal\n")


def test_what_cannot_be_compared_says_why(reader, peer):
    peer.public["/api/v1/compare/"] = dict(COMPARED, comparable=False, notes=[{"message": "Two benchmarks."}])
    done = reader("compare", "hw-1", "hw-2")
    assert done.returncode == 0
    assert "no ratios" in done.stdout and "note  Two benchmarks." in done.stdout


def test_a_submission_is_compared_as_its_result(alice, peer):
    peer.public["/api/v1/compare/"] = COMPARED
    peer.private[f"/api/v1/submissions/{ID}/"] = {"id": ID, "state": "published", "result": "hw-1"}
    assert alice("compare", ID, "hw-2").returncode == 0
    assert peer.received[-1].path == "/api/v1/compare/?results=hw-1%2Chw-2"
    peer.private[f"/api/v1/submissions/{ID}/"] = {"id": ID, "state": "checked", "result": None}
    done = alice("compare", ID, "hw-2")
    assert done.returncode == 2
    assert "is not published" in done.stderr


@pytest.mark.parametrize(
    "document", [{}, {"measurements": [{}], "matched": 3, "results": [1]}, {"configuration": [{}]}]
)
def test_an_answer_of_another_form_ends_in_no_traceback(reader, peer, document):
    peer.public["/api/v1/compare/"] = document
    assert reader("compare", "hw-1", "hw-2").returncode == 0


def test_an_address_is_printed_where_there_is_no_browser(oldest_and_this_python, alice, peer):
    done = alice("open", ID, python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, f"{peer.url}/submissions/{ID}/\n")
    assert json.loads(alice("open", "hw-7", "--json").stdout) == {"url": f"{peer.url}/results/hw-7/", "opened": False}
    assert peer.received == []


@pytest.mark.parametrize("word", ["../x", "a b", "-"])
def test_what_is_no_id_is_not_opened(alice, peer, word):
    assert alice("open", word).returncode == 2
    assert peer.received == []


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_a_shell_completes_verbs_and_options(oldest_and_this_python, collector, tmp_path, shell):
    script = collector("completion", shell, python=oldest_and_this_python)
    assert script.returncode == 0, script.stderr
    assert "COMPREPLY" in script.stdout
    if shell == "zsh" and shutil.which("zsh") is None:
        pytest.skip("zsh is not installed here")
    path = tmp_path / "completion"
    path.write_text(script.stdout)
    if shell == "zsh":
        assert subprocess.run(["zsh", "-n", path]).returncode == 0
        return
    for words, expected in (("highwater sub", "submit"), ("highwater submit --acknow", "--acknowledge")):
        parts = words.split()
        ask = f"COMP_WORDS=({words}); COMP_CWORD={len(parts) - 1}; _highwater; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", f"source {path}; {ask}"], capture_output=True, text=True)
        assert done.stdout.strip() == expected


def test_every_verb_has_json(collector):
    script = collector("completion", "bash").stdout
    with_json = [line.split(")")[0].strip() for line in script.splitlines() if "--json" in line]
    assert sorted(with_json) == sorted(set(VERBS) - set(WITHOUT_JSON))


def test_files_that_are_written_are_named_as_json(collector, tmp_path):
    example = collector("example", "--out", "run", "--json")
    assert json.loads(example.stdout)["out"] == "run"
    looked = collector("pack", "--results", "run", "--dry-run", "--json")
    assert {row["name"].split("/")[0] for row in json.loads(looked.stdout)["files"]} >= {"data"} or json.loads(
        looked.stdout
    )
    packed = json.loads(collector("pack", "--results", "run", "--out", "run.tar.gz", "--json").stdout)
    assert (packed["out"], len(packed["sha256"])) == ("run.tar.gz", 64)
