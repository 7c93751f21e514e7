"""`search`, `compare`, `open`, `completion`, and --json on every verb."""

import json
import os
import shutil
import subprocess
from urllib.parse import unquote_plus

import pytest

from collectors.verbs import VERBS, WITHOUT_JSON

RUN_ID = "784c6d71-5a3e-4f0a-9d53-0a1d7c9c2f11"
NO_TEXT = os.fsdecode(b"\xff")
HIT = {"kind": "result", "title": "Fjord", "url": "https://elsewhere.invalid/results/hw-7/#x"}
SUMMARY = "North Lab, 2026-11-02, score 4.2"
ANSWER = {
    "next": None,
    "counts": {"result": 3},
    "counts_are_least": False,
    "results": [dict(HIT, summary=SUMMARY)],
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

ROW = {"trust": "verified", "institution": "North", "system": "Fjord", "score": 4.2, "release": "sc26"}


@pytest.fixture
def reader(collector, peer):
    """The collector of somebody without an account."""
    collector.environ["HIGHWATER_URL"] = peer.url
    peer.public["/api/v1/search/"] = ANSWER
    peer.public["/api/v1/compare/"] = COMPARED
    return collector


def test_hits_are_shown_with_addresses_of_the_registry(every_python, reader, peer):
    done = reader("search", "fjord", "lake", python=every_python)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"result  Fjord  {SUMMARY}  {peer.url}/results/hw-7/#x\n"
    assert "1 of 3 hits are shown" in done.stderr and "searched as well: scratch" in done.stderr
    assert peer.received[0].path == "/api/v1/search/?q=fjord+lake"


def test_a_search_of_the_shelf_sends_the_scope_and_the_token(alice, peer):
    peer.private["/api/v1/search/"] = ANSWER
    done = alice("search", "fjord", "--scope", "institution")
    assert done.returncode == 0, done.stderr
    request = peer.received[-1]
    assert request.path == "/api/v1/search/?q=fjord&scope=institution" and request.headers["Authorization"]


@pytest.mark.parametrize(("typed", "sent"), [("own", "institution"), ("both", "all"), ("all", "all")])
def test_each_verb_sends_the_scope_and_the_token(alice, peer, typed, sent):
    peer.private.update({f"/api/v1/{name}/": ANSWER for name in ("search", "compare", "results")})
    peer.private["/api/v1/shelf/"] = {"next": None, "results": []}
    for words in (["search", "fjord"], ["compare", "hw-1", "hw-2"], ["list"]):
        if words == ["compare", "hw-1", "hw-2"] and typed == "own":
            continue  # the public ids are looked up as one's own submissions first
        assert alice(*words, "--scope", typed).returncode == 0
        request = peer.received[-1]
        is_shelf = words == ["list"] and typed == "own"
        assert request.path.startswith("/api/v1/shelf/") if is_shelf else f"scope={sent}" in request.path
        assert request.headers["Authorization"]


def test_public_scope_sends_no_token(alice, peer):
    peer.public["/api/v1/results/"] = {"next": None, "results": [dict(ROW, id="hw-1")]}
    peer.public["/api/v1/search/"], peer.public["/api/v1/compare/"] = ANSWER, COMPARED
    done = alice("list", "--scope", "public")
    assert done.stdout == "hw-1  verified  North Fjord  score 4.2  sc26\n"
    assert json.loads(alice("list", "--scope", "public", "--json").stdout)["results"][0]["id"] == "hw-1"
    assert alice("search", "x", "--scope", "public").returncode == 0
    assert alice("compare", "hw-1", "hw-2", "--scope", "public").returncode == 0
    assert not any("scope" in request.path or request.headers["Authorization"] for request in peer.received)


@pytest.mark.parametrize(
    "words",
    [["search", "x"], ["compare", "hw-1", "hw-2"], ["list"], ["show", "hw-1"]],
    ids=lambda words: words[0],
)
def test_own_runs_are_not_asked_without_a_token(reader, peer, words):
    done = reader(*words, "--scope", "own")
    assert (done.returncode, done.stdout) == (2, "")
    assert "collector.token" in done.stderr and "login" in done.stderr
    assert peer.received == []


@pytest.mark.parametrize(
    "words",
    [
        ["compare", ID, "hw-1", "--scope", "public"],
        ["show", ID, "--scope", "public"],
        ["show", "system.json", "--scope", "own"],
        ["list", "--scope", "public", "--label", "tuned"],
        ["list", "--scope", "both", "--state", "checked"],
        ["list", "--scope", "own", "--release", "sc26"],
    ],
    ids=" ".join,
)
def test_a_scope_that_has_no_such_thing_is_refused(alice, peer, words):
    done = alice(*words)
    assert done.returncode == 2
    assert "collector.s" in done.stderr
    assert peer.received == []


def test_an_unknown_scope_is_no_scope(alice):
    done = alice("list", "--scope", "mine")
    assert done.returncode == 2
    assert "'own'" in done.stderr and "'both'" in done.stderr


@pytest.mark.parametrize("url", [None, 7, "http://[", "//elsewhere.invalid", "@elsewhere.invalid/", "\x1b[2J"])
def test_addresses_of_hits_outside_the_registry_are_dropped(reader, peer, url):
    peer.public["/api/v1/search/"] = dict(ANSWER, results=[dict(HIT, url=url)])
    done = reader("search", "x")
    assert done.returncode == 0
    assert f"  {peer.url}/" in done.stdout and "\x1b" not in done.stdout


def test_a_search_without_hits_is_no_error(reader, peer):
    peer.public["/api/v1/search/"] = dict(ANSWER, results=[], counts={}, also_searched=[])
    done = reader("search", "x")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing has these words" in done.stderr


def test_a_comparison_lists_unknown_facts(every_python, reader):
    done = reader("compare", "hw-1", "hw-2", python=every_python)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert ["ior-easy-write", "bandwidth", "mean", "GiB/s", "10", "20", "2", "1.5", "to", "2.5"] in lines
    assert ["find", "bandwidth", "mean", "GiB/s", "1", "-", "-", "-"] in lines
    assert "  unknown: ppn (not known / 4)" in done.stdout
    assert ["rpcs", "8", "not", "known"] in lines
    assert done.stdout.endswith("12 parameters are equal\n")


@pytest.mark.parametrize(
    ("unit", "values", "written"),
    [
        ("B/s", [3245331329.0, 1091016006.0], ["GiB/s", "3.02245", "1.01609"]),
        ("B/s", [1024.0, 1023], ["KiB/s", "1", "0.999023"]),
        ("B", [2**70, None], ["PiB", "1.04858e+06", "-"]),
        ("ns", [1500, 2000000.0], ["ms", "0.0015", "2"]),
        ("ops/s", [3072.0, 123456.789], ["ops/s", "3072", "123456.789"]),
        ("B/s", [0.0, "fast"], ["B/s", "0", "fast"]),
        ("B/s", [None, None], ["B/s", "-", "-"]),
        (None, [10.0, 20.0], ["10", "20"]),
    ],
)
def test_numbers_are_written_in_a_unit_that_people_read(reader, peer, unit, values, written) -> None:
    peer.public["/api/v1/compare/"] = dict(
        COMPARED, measurements=[dict(COMPARED["measurements"][0], unit=unit, values=values)]
    )
    done = reader("compare", "hw-1", "hw-2")
    assert done.returncode == 0, done.stderr
    [line] = [line for line in done.stdout.splitlines() if line.startswith("ior-easy-write")]
    assert line.split()[3 : 3 + len(written)] == written


def test_an_impossible_comparison_gives_the_reason(reader, peer):
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
    assert alice("compare", ID, "hw-2").returncode == 0
    assert peer.received[-1].path == f"/api/v1/compare/?results={ID}%2Chw-2&scope=all", "a run on the shelf"
    peer.private[f"/api/v1/submissions/{ID}/"] = {"id": ID, "state": "invalid", "result": None}
    done = alice("compare", ID, "hw-2")
    assert done.returncode == 2
    assert "Only checked runs are compared" in done.stderr


def test_runs_of_a_label_are_listed_from_the_shelf(alice, peer):
    row = {"id": ID, "state": "checked", "name": "Fjord", "score": 4.2, "labels": ["tuned"], "project": ""}
    peer.private["/api/v1/shelf/"] = {"next": None, "results": [row]}
    done = alice("list", "--label", "tuned")
    assert done.returncode == 0, done.stderr
    assert "Fjord" in done.stdout and "score 4.2" in done.stdout
    assert "/api/v1/shelf/?" in peer.received[-1].path and "label=tuned" in peer.received[-1].path
    done = alice("list", "--label", "tuned", "--state", "checked")
    assert done.returncode == 2
    assert "collector.shelf" in done.stderr


@pytest.mark.parametrize(
    "document", [{}, {"measurements": [{}], "matched": 3, "results": [1]}, {"configuration": [{}]}]
)
def test_an_answer_of_another_form_ends_in_no_traceback(reader, peer, document):
    peer.public["/api/v1/compare/"] = document
    assert reader("compare", "hw-1", "hw-2").returncode == 0


def test_open_prints_the_address_without_a_browser(oldest_and_this_python, alice, peer):
    done = alice("open", ID, python=oldest_and_this_python)
    assert (done.returncode, done.stdout) == (0, f"{peer.url}/submissions/{ID}/\n")
    assert json.loads(alice("open", "hw-7", "--json").stdout) == {"url": f"{peer.url}/results/hw-7/", "opened": False}
    assert peer.received == []


@pytest.mark.parametrize("word", ["../x", "a b", "-"])
def test_an_invalid_id_is_not_opened(alice, peer, word):
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
    for words, expected in (
        ("highwater sub", "submit"),
        ("highwater submit --acknow", "--acknowledge"),
        ('highwater import ""', "tree reframe jube redfish racadm ilorest"),
        ("highwater import tr", "tree"),
        ('highwater search otter --scope ""', "public own both"),
        ("highwater compare a b --scope bo", "both"),
        ("highwater list --scope = o", "own"),
        ("highwater completion z", "zsh"),
        ("highwater import --dry", "--dry-run"),
    ):
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


# A closed registry


@pytest.fixture
def closed(reader, peer):
    """The registry answers nobody without a token; Alice has one."""
    peer.public["/api/v1/results/hw-7/"] = {"id": "hw-7", "institution": "North Lab", "tool": "io500"}
    peer.private, peer.public = peer.public, {}
    reader.environ["HIGHWATER_TOKEN"] = "alice-token"
    return reader


@pytest.mark.parametrize("arguments", [("search", "x"), ("compare", "hw-1", "hw-2"), ("show", "hw-7")])
def test_a_closed_registry_is_sent_the_token_once_it_asks(closed, peer, arguments):
    done = closed(*arguments)
    assert done.returncode == 0, done.stderr
    assert [request.headers.get("Authorization") for request in peer.received] == [None, "Token alice-token"]


def test_an_open_registry_is_sent_no_token(reader, peer):
    reader.environ["HIGHWATER_TOKEN"] = "alice-token"
    assert reader("search", "x").returncode == 0
    assert [request.headers.get("Authorization") for request in peer.received] == [None]


def test_without_a_token_a_closed_registry_is_named(closed, peer):
    del closed.environ["HIGHWATER_TOKEN"]
    done = closed("search", "x")
    assert (done.returncode, done.stdout) == (2, "")
    assert "collector.token" in done.stderr and f"No token for {peer.url} is set" in done.stderr


def test_a_token_that_is_not_good_is_sent_once(closed, peer):
    closed.environ["HIGHWATER_TOKEN"] = "of-another-registry"
    done = closed("search", "x")
    assert done.returncode == 4 and "auth.token" in done.stderr
    assert len(peer.received) == 2


@pytest.mark.parametrize(
    "command",
    [
        ("search", "Z\u00fcrich"),
        ("list", "--label", "Z\u00fcrich"),
        ("withdraw", RUN_ID, "--yes", "--reason", "Z\u00fcrich"),
    ],
    ids=lambda command: command[0],
)
def test_words_in_utf_8_are_sent_whatever_the_locale(oldest_and_this_python, alice, peer, command) -> None:
    """The oldest Python does not know the letters of LC_ALL=C; nor does a newer one that is told so."""
    peer.public["/api/v1/search/"] = ANSWER
    peer.private[f"/api/v1/submissions/{RUN_ID}/withdraw/"] = {"id": RUN_ID, "state": "withdrawn"}
    alice.environ.update(PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    done = alice(*command, python=oldest_and_this_python)
    assert "Traceback" not in done.stderr
    requests_text = "".join(unquote_plus(received.path) + str(received.json) for received in peer.received)
    assert "Z\u00fcrich" in requests_text, done.stderr


@pytest.mark.parametrize(
    "command",
    [("search", NO_TEXT), ("list", "--label", NO_TEXT), ("withdraw", RUN_ID, "--yes", "--reason", NO_TEXT)],
    ids=lambda command: command[0],
)
def test_bytes_that_are_no_text_are_refused_before_anything_is_sent(alice, peer, command) -> None:
    done = alice(*command)
    assert (done.returncode, "collector.text" in done.stderr) == (2, True), done.stderr
    assert not any(received.method == "POST" for received in peer.received)


def test_a_python_without_tls_measures_validates_and_reaches_http(
    oldest_and_this_python, alice, peer, tmp_path
) -> None:
    """As on clusters whose modules put other libraries in the way."""
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "ssl.py").write_text("raise ImportError('undefined symbol')\n")
    alice.environ["PYTHONPATH"] = f"{tmp_path / 'broken'}{os.pathsep}{alice.environ['PYTHONPATH']}"
    peer.public["/api/v1/search/"] = ANSWER
    for command, status in ((("list-probes",), 0), (("run", "--out", "r", "--", "true"), 0), (("search", "fjord"), 0)):
        done = alice(*command, python=oldest_and_this_python)
        assert done.returncode == status, done.stderr
    alice.environ.update(HIGHWATER_URL="https://127.0.0.1:1", HIGHWATER_TOKEN="hw_x")
    done = alice("whoami", python=oldest_and_this_python)
    assert (done.returncode, "collector.tls" in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("facts", [{"trust_label": "verified, 2 rules violated"}, {"rules_violated": 2}])
def test_verified_never_stands_alone_over_violated_rules(reader, peer, facts):
    row = dict(ROW, id="hw-7", tool="fio", tool_version="3.33", **facts)
    peer.public["/api/v1/results/hw-7/"] = row
    peer.public["/api/v1/compare/"] = dict(COMPARED, results=[row, dict(row, id="hw-8")])
    for command in (("show", "hw-7"), ("compare", "hw-7", "hw-8")):
        done = reader(*command)
        assert done.returncode == 0, done.stderr
        assert "verified, 2 rules violated" in done.stdout


def test_trust_without_violated_rules_is_one_word(reader, peer):
    peer.public["/api/v1/results/hw-7/"] = dict(ROW, id="hw-7", tool="fio", tool_version="3.33", rules_violated=0)
    assert "trust           verified\n" in reader("show", "hw-7").stdout


def test_an_answer_without_results_is_no_empty_search(reader, peer):
    peer.public["/api/v1/search/"] = {"id": 5}
    done = reader("search", "otter")
    assert done.returncode == 4
    assert "not as a Highwater registry" in done.stderr and "nothing has these words" not in done.stderr
