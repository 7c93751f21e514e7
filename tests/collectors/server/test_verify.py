"""`verify`: a result is as the log has it, in a log that continues the remembered one; and what is not so."""

from __future__ import annotations

import copy
import hashlib
import json
import stat
import time
from urllib.parse import urlsplit

import pytest

from registry.log.canonical_form import canonical_text
from tests.collectors import registry_peer
from tests.collectors.server.log.made_log import MadeLog

FACTS = {
    "id": "hw-1",
    "score": 44.82,
    "system": "Fjörd",
    "production": True,
    "client_nodes": 10,
    "withdrawn_at": None,
    "bytes": str(2**60),
    "measurements": [
        {"op": "write", "value": 1.5, "context": {}},
        {"op": "read", "value": 3.0, "context": {"iter": 1}},
    ],
}
ANSWER = FACTS | {"bytes": 2**60, "extra": "beside the record"}
LIST = {
    "release": "sc26",
    "list": "full",
    "title": "Full list",
    "entries": [{"rank": number, "result": f"hw-{number}", "score": 10.0 - number} for number in (1, 2, 3)],
}


def envelope(kind, facts):
    return {"type": kind, "version": 1, "act": "published", "recorded_at": "2026-11-24T09:00:00Z", kind: facts}


@pytest.fixture
def log(peer):
    """A registry with one published result, leaf 5 of a log of 9, and the record of a list."""
    log = MadeLog().fill(5)
    log.add(envelope("result", FACTS))
    log.add(envelope("list", LIST))
    log.fill(2)
    show(peer, log)
    return log


def show(peer, log, size=None, facts=ANSWER):
    log.serve(peer, size)
    peer.public["/api/v1/results/hw-1/"] = facts
    peer.public["/api/v1/results/hw-1/proof/"] = log.proof(5, size)
    peer.public["/api/v1/lists/sc26/full/"] = LIST | {"length": 3, "next": None}
    peer.public["/api/v1/lists/sc26/full/proof/"] = log.proof(6, size)


def memory_files(reader):
    return sorted((reader.home / ".config" / "highwater" / "log").glob("*.json"))


def forged(seed=1, word="forged", count=9):
    """The same registry with another past: what the private leaves were made of differs."""
    log = MadeLog(seed=seed).fill(5, word)
    log.add(envelope("result", FACTS))
    log.add(envelope("list", LIST))
    return log.fill(count - 7)


def test_a_result_is_verified_without_an_account(every_python, reader, peer, log):
    done = reader("verify", "hw-1", python=every_python)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "assumed  consistency  Trusted on first use" in done.stdout
    assert "proven   shown        The registry shows the same 12 values" in done.stdout
    assert "verified  results/hw-1" in done.stdout
    assert "not proven: that the numbers are true" in done.stdout
    assert {request.headers.get("Authorization") for request in peer.received} == {None}
    (path,) = memory_files(reader)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    log.fill(700)
    show(peer, log)
    done = reader("verify", "hw-1", python=every_python)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The log of 709 leaves begins with the 9 that were remembered." in done.stdout


def test_a_list_is_verified_over_its_pages(reader, peer, log):
    document = peer.public["/api/v1/lists/sc26/full/"]
    assert reader("verify", "sc26/full").returncode == 0
    peer.public["/api/v1/lists/sc26/full/"] = document | {"entries": LIST["entries"][::-1]}
    done = reader("verify", "sc26/full")
    assert done.returncode == 1
    assert "entries[0].rank: the log has 1, the registry shows 3." in done.stdout


def test_programs_get_one_document(reader, log):
    done = reader("verify", "hw-1", "--json")
    document = json.loads(done.stdout)
    assert (document["verdict"], document["subject"], document["leaf_index"]) == ("verified", "results/hw-1", 5)
    assert [row["outcome"] for row in document["statements"]] == ["proven"] * 3 + ["assumed", "proven"]
    assert document["checkpoint"]["size"] == 9
    assert document["act"] == "published"
    assert len(document["not_proven"]) == 3


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"score": 89.64}, "score: the log has 44.82, the registry shows 89.64."),
        ({"production": 1}, "production: the log has true, the registry shows 1."),
        ({"client_nodes": 10.5}, "client_nodes:"),
        ({"withdrawn_at": "2026-11-24T09:00:00Z"}, "withdrawn_at: the log has null"),
        ({"bytes": 2**60 + 1}, "bytes:"),
        ({"measurements": FACTS["measurements"][:1]}, "measurements: "),
        (
            {"measurements": [FACTS["measurements"][0], FACTS["measurements"][1] | {"value": 6.0}]},
            "measurements[1].value",
        ),
        (
            {"measurements": [{**FACTS["measurements"][0], "context": {"iter": 2}}, FACTS["measurements"][1]]},
            "measurements[0].context.iter: the log has ",
        ),
        ({"system": "\x1b[2J"}, "system:"),
    ],
)
def test_numbers_missing_in_the_log_are_named(reader, peer, log, changed, named):
    show(peer, log, facts=ANSWER | changed)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert f"refuted  shown        {named}" in done.stdout
    assert "not verified  results/hw-1" in done.stdout
    assert "\x1b" not in done.stdout


PARTS = {
    "distributions": [{"op": "write", "values": [1.0, 1e21, 2**60]}],
    "files": [{"path": "result.txt", "size": 5, "sha256": "0" * 64}],
    "system": {"nodes": [{"name": "Fj\u00f6rd", "share": 0.1}]},
}


def show_parts(peer, served_parts=PARTS, system=PARTS["system"]):
    """The same registry, whose record of the result has digests of its parts; `system` None: none was described."""
    digests = {name: hashlib.sha256(canonical_text(part).encode()).hexdigest() for name, part in PARTS.items()}
    log = MadeLog().fill(5)
    log.add(envelope("result", FACTS) | {"parts": digests | ({} if system else {"system": None})})
    log.add(envelope("list", LIST))
    show(peer, log.fill(2))
    for name, part in served_parts.items():
        peer.public[f"/api/v1/results/hw-1/{name}/"] = {
            "document" if name == "system" else "results": part,
            "next": None,
        }


def test_parts_with_their_own_address_are_checked_against_their_digest(every_python, reader, peer):
    show_parts(peer)
    done = reader("verify", "hw-1", python=every_python)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proven   parts        The registry shows as recorded, too: distributions, files, system." in done.stdout


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("distributions", [{"op": "write", "values": [2.0, 1e21, 2**60]}]),
        ("distributions", None),
        ("files", []),
        ("system", {"nodes": []}),
    ],
)
def test_parts_missing_in_the_log_are_named(reader, peer, name, part):
    show_parts(peer, PARTS | {name: part})
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert f"refuted  parts        {name}: the registry does not show what the log has." in done.stdout


def test_a_missing_part_is_refuted(reader, peer):
    without_system = {name: part for name, part in PARTS.items() if name != "system"}
    show_parts(peer, without_system)
    peer.public["/api/v1/results/hw-1/system/"] = registry_peer.NOTHING_HERE
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "system: the registry does not show what the log has." in done.stdout


def test_a_system_missing_in_the_log_is_refuted(reader, peer):
    show_parts(peer, system=None)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "system: the registry does not show what the log has." in done.stdout


@pytest.mark.parametrize(
    "answer", [[], {}, {"results": PARTS["files"], "next": "/api/v1/results/hw-1/files/?cursor=x"}]
)
def test_an_incomplete_part_is_unknown(reader, peer, answer):
    show_parts(peer)
    peer.public["/api/v1/results/hw-1/files/"] = answer
    done = reader("verify", "hw-1")
    assert done.returncode == 3
    assert "unknown  parts        files:" in done.stdout


def test_fields_that_the_registry_does_not_show_are_not_verified(reader, peer, log):
    show(peer, log, facts={name: value for name, value in ANSWER.items() if name != "score"})
    done = reader("verify", "hw-1")
    assert done.returncode == 3
    assert "It does not show: score." in done.stdout
    peer.public["/api/v1/results/hw-1/"] = {}
    assert reader("verify", "hw-1").returncode == 3
    del peer.public["/api/v1/results/hw-1/"]
    peer.misbehaviours.clear()
    done = reader("verify", "hw-1")
    assert done.returncode != 0


def test_a_leaf_not_yet_in_the_log_is_reported_as_unverified(reader, peer, log):
    peer.public["/api/v1/results/hw-1/proof/"] = log.waiting_proof(5)
    done = reader("verify", "hw-1")
    assert done.returncode == 3
    assert "It waits to be appended" in done.stdout
    assert "unknown  results/hw-1" in done.stdout
    assert memory_files(reader) == []


def test_the_proof_of_something_else_is_refuted(reader, peer, log):
    peer.public["/api/v1/results/hw-1/proof/"] = log.proof(6)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "The proof is of lists/sc26/full, not of results/hw-1." in done.stdout
    peer.public["/api/v1/results/hw-1/proof/"] = log.proof(2)
    assert reader("verify", "hw-1").returncode == 1


def damaged(proof, name, value):
    return copy.deepcopy(proof) | {name: value}


@pytest.mark.parametrize(
    ("name", "value", "statement"),
    [
        ("digest", "0" * 64, "refuted  record"),
        ("salt", "0" * 64, "refuted  record"),
        ("leaf", "0" * 64, "refuted  record"),
        ("leaf_index", 4, "refuted  inclusion"),
        ("tree_size", 10, "refuted  inclusion"),
        ("inclusion_proof", [], "refuted  inclusion"),
        ("inclusion_proof", ["0" * 64] * 4, "refuted  inclusion"),
        ("canonical", json.dumps(envelope("result", FACTS | {"score": 89.64})), "refuted  record"),
        ("verifier_key", MadeLog(seed=2).verifier_key(), "refuted  signature"),
        ("verifier_key", "", "refuted  signature"),
    ],
)
def test_a_changed_proof_verifies_nothing(reader, peer, log, name, value, statement):
    peer.public["/api/v1/results/hw-1/proof/"] = damaged(log.proof(5), name, value)
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert statement in done.stdout
    assert memory_files(reader) == []


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        "text",
        {"canonical": 1},
        damaged({}, "canonical", "{}"),
        "nested",
        ("canonical", "[1]"),
        ("canonical", '{"a": 1, "a": 2}'),
        ("canonical", '{"a": NaN}'),
        ("canonical", "[" * 100000),
        ("canonical", '{"a": "\ud800"}'),
        ("salt", "00"),
        ("salt", "\u0660" * 64),
        ("salt", None),
        ("leaf_index", "5"),
        ("leaf_index", True),
        ("leaf_index", -1),
        ("tree_size", None),
        ("tree_size", 1e9),
        ("inclusion_proof", None),
        ("inclusion_proof", ["0" * 64] * 65),
        ("inclusion_proof", [["0" * 64]]),
        ("checkpoint", 7),
        ("checkpoint", "not a note"),
        ("checkpoint", "registry.example/log\n9\n" + "A" * 43 + "=\n\n\u2014 registry.example/log =A\n"),
        ("verifier_key", ["x"]),
        ("verifier_key", "x+y+z"),
    ],
)
def test_an_invalid_proof_is_refused(reader, peer, log, document):
    if isinstance(document, tuple):
        document = damaged(log.proof(5), *document)
    peer.public["/api/v1/results/hw-1/proof/"] = document
    done = reader("verify", "hw-1", "--timeout", "1")
    assert done.returncode == 2 if document is None else done.returncode in (1, 4), done.stdout
    assert "error: " in done.stderr


def test_a_truncated_log_is_found(reader, peer, log):
    assert reader("verify", "hw-1").returncode == 0
    before = [path.read_text() for path in memory_files(reader)]
    show(peer, log, size=8)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "The log has 8 leaves now, and had 9: some were taken back." in done.stdout
    assert [path.read_text() for path in memory_files(reader)] == before


@pytest.mark.parametrize("count", [9, 12])
def test_a_rewritten_log_is_found(reader, peer, log, count):
    assert reader("verify", "hw-1").returncode == 0
    before = [path.read_text() for path in memory_files(reader)]
    show(peer, forged(count=count))
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "it has two pasts" in done.stdout
    assert [path.read_text() for path in memory_files(reader)] == before


def test_a_proof_of_another_log_than_the_served_one_is_found(reader, peer, log):
    """Also on first use: the proof's checkpoint and the served one are held against each other."""
    peer.public["/api/v1/results/hw-1/proof/"] = forged(count=8).proof(5)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "it has two pasts" in done.stdout


def test_another_key_is_found_and_a_known_one_accepted(reader, peer, log):
    assert reader("verify", "hw-1").returncode == 0
    successor = MadeLog(seed=2).fill(5)
    successor.entries, successor.openings = log.entries, log.openings
    show(peer, successor)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "give it with --key" in done.stdout
    assert reader("verify", "hw-1", "--key", MadeLog(seed=3).verifier_key()).returncode == 1
    done = reader("verify", "hw-1", "--key", successor.verifier_key())
    assert done.returncode == 0, done.stdout
    assert reader("verify", "hw-1").returncode == 0, "the key is remembered"


SIGNED_S = 1_800_000_000
"""2027-01-15 08:00 UTC."""


def add_late_record(log, recorded_at, signed_s):
    """One more result behind all that was remembered, and its place; the next checkpoint is signed at `signed_s`."""
    place = log.add(envelope("result", FACTS | {"id": "hw-2"}) | {"recorded_at": recorded_at})
    log.fill(1)
    log.signed_s = signed_s
    return place


@pytest.mark.parametrize(
    ("recorded_at", "why"),
    [
        ("2027-01-15T06:59:59Z", "2027-01-15 06:59 UTC, and the checkpoint of 2027-01-15 08:00 UTC does not have it."),
        ("2026-01-01T00:00:00Z", "2026-01-01 00:00 UTC, and the checkpoint of 2027-01-15 08:00 UTC does not have it."),
        ("2027-01-15T10:01:01Z", "2027-01-15 10:01 UTC, and the checkpoint of 2027-01-15 09:01 UTC has it already."),
        ("2027-01-15T07:00:00Z", ""),
        ("2027-01-15T08:30:00.5Z", ""),
        ("2027-01-15T10:01:00Z", ""),
        ("yesterday", ""),
        (7, ""),
    ],
)
def test_a_record_fits_the_times_of_its_checkpoints(every_python, reader, peer, log, recorded_at, why):
    """The remembered checkpoint does not have it, and the one of the proof does: it was made between their times."""
    log.signed_s = SIGNED_S
    show(peer, log)
    assert reader("verify", "hw-1", python=every_python).returncode == 0
    place = add_late_record(log, recorded_at, SIGNED_S + 3660)
    show(peer, log)
    peer.public["/api/v1/results/hw-2/"] = ANSWER | {"id": "hw-2"}
    peer.public["/api/v1/results/hw-2/proof/"] = log.proof(place)
    verified = reader("verify", "hw-2", python=every_python)
    assert verified.returncode == (1 if why else 0), verified.stdout + verified.stderr
    assert ("time " in verified.stdout) == bool(why) and why in verified.stdout


def test_a_checkpoint_of_the_user_has_a_time_too(reader, peer, log, tmp_path):
    log.signed_s = SIGNED_S
    brought = tmp_path / "checkpoint"
    brought.write_text(log.checkpoint())
    place = add_late_record(log, "2026-01-01T00:00:00Z", SIGNED_S + 60)
    show(peer, log)
    peer.public["/api/v1/results/hw-2/"] = ANSWER | {"id": "hw-2"}
    peer.public["/api/v1/results/hw-2/proof/"] = log.proof(place)
    assert reader("verify", "hw-2", "--json").returncode == 0
    verified = reader("verify", "hw-2", "--checkpoint", brought)
    assert verified.returncode == 1
    assert "the checkpoint of 2027-01-15 08:00 UTC does not have it." in verified.stdout


def test_a_record_under_a_clock_set_back_is_accepted(reader, peer, log):
    """The later checkpoint has the earlier time: which of both clocks was wrong is not known."""
    log.signed_s = SIGNED_S + 86_400
    show(peer, log)
    assert reader("verify", "hw-1").returncode == 0
    place = add_late_record(log, "2027-01-15T07:50:00Z", SIGNED_S)
    show(peer, log)
    peer.public["/api/v1/results/hw-2/"] = ANSWER | {"id": "hw-2"}
    peer.public["/api/v1/results/hw-2/proof/"] = log.proof(place)
    assert reader("verify", "hw-2").returncode == 0


def test_the_signed_time_is_printed_and_another_one_refuted(every_python, reader, peer, log):
    log.signed_s = 1795906474  # date -ud '2026-11-28 22:54:34' +%s
    show(peer, log)
    done = reader("verify", "hw-1", python=every_python)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "leaves at 2026-11-28 22:54:34 UTC. Key: " in done.stdout
    log.shifted_s = -86400
    show(peer, log)
    done = reader("verify", "hw-1", python=every_python)
    assert done.returncode == 1
    assert "The key did not sign the time in the checkpoint." in done.stdout


def test_another_name_of_the_log_at_the_same_address_is_found(reader, peer, log):
    """Else a registry would begin a second past under a second name."""
    assert reader("verify", "hw-1").returncode == 0
    renamed = MadeLog(origin="registry.example/log2").fill(5)
    renamed.add(envelope("result", FACTS))
    renamed.add(envelope("list", LIST))
    show(peer, renamed)
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert "The log calls itself registry.example/log2" in done.stdout


def test_a_given_key_and_checkpoint_are_used_on_first_use(reader, peer, log, tmp_path):
    earlier, other = tmp_path / "checkpoint", tmp_path / "other"
    earlier.write_text(log.checkpoint(7))
    other.write_text(forged().checkpoint(7))
    done = reader("verify", "hw-1", "--key", log.verifier_key(), "--checkpoint", earlier)
    assert done.returncode == 0, done.stdout
    assert "The log of 9 leaves begins with the 7 that were remembered." in done.stdout
    memory_files(reader)[0].unlink()
    done = reader("verify", "hw-1", "--checkpoint", other)
    assert done.returncode == 1
    assert "two pasts" in done.stdout
    other.write_text(MadeLog(seed=4).fill(3).checkpoint())
    assert "not signed by a key" in reader("verify", "hw-1", "--checkpoint", other).stdout
    other.write_text("no note")
    assert reader("verify", "hw-1", "--checkpoint", other).returncode == 2


def test_missing_and_damaged_tiles_give_an_unknown_verdict(reader, peer, log):
    assert reader("verify", "hw-1").returncode == 0
    log.fill(300)
    show(peer, log)
    del peer.public["/log/tile/1/000.p/1"]
    peer.public["/log/tile/0/000"] = peer.public["/log/tile/0/000"][:-1]
    done = reader("verify", "hw-1")
    assert done.returncode == 3
    assert "unknown  consistency  The log's files do not tell: " in done.stdout
    show(peer, log)
    peer.public["/log/tile/0/000"] = bytes(8192)
    assert reader("verify", "hw-1").returncode == 1


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"<html>", b"registry.example/log\n9\n", b"x" * 100000, None], ids=range(6)
)
def test_a_log_without_a_checkpoint_is_never_verified(reader, peer, log, content):
    peer.public["/log/checkpoint"] = registry_peer.NOTHING_HERE if content is None else content
    done = reader("verify", "hw-1", "--timeout", "1")
    assert done.returncode in (3, 4), done.stdout + done.stderr
    assert memory_files(reader) == []


@pytest.mark.parametrize(
    "misbehaviour", [registry_peer.stay_silent, registry_peer.drip, registry_peer.hang_up, registry_peer.cut_short]
)
def test_a_silent_server_is_not_waited_for(reader, peer, log, misbehaviour):
    peer.misbehaviours.extend([misbehaviour] * 20)
    begun = time.monotonic()
    done = reader("verify", "hw-1", "--timeout", "1")
    assert done.returncode == 4
    assert time.monotonic() - begun < 15


def test_a_kept_proof_is_verified_without_a_network(oldest_and_this_python, reader, peer, log, tmp_path):
    path = tmp_path / "kept.json"
    assert reader("verify", "hw-1", "--out", path).returncode == 0
    del reader.environ["HIGHWATER_URL"]
    count = len(peer.received)
    done = reader("verify", path, python=oldest_and_this_python)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proven   consistency  Its checkpoint is the one that was kept." in done.stdout
    assert len(peer.received) == count


ASKING = (
    "http.client",
    "urllib.request",
    "urllib.parse",
    "ssl",
    "socket",
    "email",
    "tempfile",
    "configparser",
    "decimal",
)
"""Modules of Python that only a verification with a network needs, as it writes what it remembers and asks."""


def test_a_kept_proof_is_verified_without_loading_what_asks(reader, log, tmp_path):
    proof = tmp_path / "hw-1.proof.json"
    assert reader("verify", "hw-1", "--out", proof).returncode == 0
    reader.environ["PYTHONPROFILEIMPORTTIME"] = "1"
    process = reader("verify", proof)
    modules = {
        line.rpartition("|")[2].strip() for line in process.stderr.splitlines() if line.startswith("import time:")
    }
    assert process.returncode == 0 and "collectors.server.log.verification" in modules
    assert [name for name in (*ASKING, "collectors.server.config", "collectors.report") if name in modules] == []


def test_a_kept_proof_of_an_unknown_log_is_never_verified_offline(reader, log, tmp_path):
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(log.proof(5)))
    done = reader("verify", path)
    assert done.returncode == 3
    assert "No key of registry.example/log is remembered here." in done.stdout
    done = reader("verify", path, "--key", log.verifier_key())
    assert done.returncode == 3
    (tmp_path / "checkpoint").write_text(log.checkpoint())
    done = reader("verify", path, "--key", log.verifier_key(), "--checkpoint", tmp_path / "checkpoint")
    assert done.returncode == 0, done.stdout


def test_a_kept_proof_of_another_past_is_refuted_offline(reader, log, tmp_path):
    assert reader("verify", "hw-1").returncode == 0
    path = tmp_path / "kept.json"
    path.write_text(json.dumps(forged().proof(5)))
    done = reader("verify", path)
    assert done.returncode == 1
    assert "another root at 9 leaves" in done.stdout


def test_an_older_proof_is_checked_with_the_tiles_of_a_mirror(reader, peer, log, tmp_path):
    early = log.proof(5, size=7)
    assert reader("verify", "hw-1").returncode == 0
    path, mirror = tmp_path / "kept.json", tmp_path / "mirror"
    path.write_text(json.dumps(early))
    done = reader("verify", path)
    assert done.returncode == 3
    assert "--log URL or --log DIR" in done.stdout
    for name, content in log.files().items():
        (mirror / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror / name).write_bytes(content)
    peer.public.clear()
    done = reader("verify", path, "--log", mirror)
    assert done.returncode == 0, done.stdout + done.stderr
    assert reader("verify", path).returncode == 0, "its checkpoint is remembered now"
    (mirror / "checkpoint").write_text(forged().checkpoint())
    assert reader("verify", path, "--log", mirror).returncode == 1


def test_the_registry_follows_from_the_address_of_the_log(collector, peer, log):
    done = collector("verify", "hw-1", "--log", f"{peer.url}/log/")
    assert done.returncode == 0, done.stdout + done.stderr
    assert urlsplit(peer.received[0].path).path == "/api/v1/results/hw-1/proof/"


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"held": []}', "x" * 2_000_000, "mixed"])
def test_a_damaged_file_of_known_logs_is_not_overwritten(reader, log, text):
    assert reader("verify", "hw-1").returncode == 0
    (path,) = memory_files(reader)
    if text == "mixed":
        document = json.loads(path.read_text())
        text = json.dumps(document | {"held": [[9, "00" * 32]]})
    path.write_text(text)
    done = reader("verify", "hw-1")
    assert done.returncode == 2
    assert str(path) in done.stderr
    assert path.read_text() == text


def test_a_file_of_known_logs_that_others_can_write_is_refused(reader, log):
    assert reader("verify", "hw-1").returncode == 0
    (path,) = memory_files(reader)
    path.chmod(0o666)
    done = reader("verify", "hw-1")
    assert done.returncode == 2
    assert f"chmod 0600 {path}" in done.stderr


@pytest.fixture
def receipt(log, tmp_path):
    """A bundle and the receipt beside it, whose record is leaf 9 of the log."""
    bundle, digest = tmp_path / "run.tar.gz", hashlib.sha256(b"bytes").hexdigest()
    bundle.write_bytes(b"bytes")
    facts = {"submission": "7f", "sha256": digest, "size_bytes": 5, "received_at": "2026-11-24T09:00:00.125Z"}
    index = log.add(envelope("receipt", facts))
    signed = {"id": "7f", "sha256": digest, "size_bytes": 5, "received_at": "2026-11-24T09:00:00Z", "state": "checked"}
    path = tmp_path / "run.tar.gz.receipt.json"
    path.write_text(json.dumps({"receipt": signed, "signature": "x", "proof": log.proof(index)}))
    return path


def test_a_bundle_and_its_receipt_are_verified_without_a_network(reader, peer, log, receipt):
    show(peer, log)
    assert reader("verify", "hw-1").returncode == 0
    peer.public.clear()
    for target in (receipt, receipt.with_name("run.tar.gz")):
        done = reader("verify", target)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "The log has the bytes of the receipt" in done.stdout
    receipt.with_name("run.tar.gz").write_bytes(b"other")
    done = reader("verify", receipt.with_name("run.tar.gz"))
    assert done.returncode == 1
    assert "refuted  bundle       The bundle is not the one of the receipt." in done.stdout


@pytest.mark.parametrize(
    ("name", "value"),
    [("id", "70"), ("sha256", "0" * 64), ("size_bytes", 6), ("received_at", "2026-11-24T09:00:01Z"), ("sha256", None)],
)
def test_a_receipt_of_something_else_than_its_record_is_refuted(reader, peer, log, receipt, name, value):
    show(peer, log)
    assert reader("verify", "hw-1").returncode == 0
    document = json.loads(receipt.read_text())
    document["receipt"][name] = value
    receipt.write_text(json.dumps(document))
    done = reader("verify", receipt)
    assert done.returncode == 1
    assert f"{name}: the receipt does not say what the log has." in done.stdout


def test_a_receipt_without_a_proof_is_no_proof(reader, log, receipt):
    document = json.loads(receipt.read_text())
    receipt.write_text(json.dumps(document | {"proof": None}))
    assert reader("verify", receipt).returncode == 1
    receipt.write_text(json.dumps(document | {"proof": log.proof(5)}))
    assert "refuted  receipt" in reader("verify", receipt, "--key", log.verifier_key()).stdout
    receipt.unlink()
    done = reader("verify", receipt.with_name("run.tar.gz"))
    assert done.returncode == 2
    assert "receipt ID --out" in done.stderr


@pytest.mark.parametrize("target", ["", "a b", "../x", "x/y/z", "hw-1/../../x", "é", "missing.json", "missing.tar.gz"])
def test_an_invalid_target_is_a_usage_error(reader, log, target):
    assert reader("verify", target).returncode == 2


def test_a_closed_registry_is_sent_the_token_for_the_proof_and_for_its_log(collector, peer, log):
    peer.private, peer.public = peer.public, {}
    collector.environ |= {"HIGHWATER_URL": peer.url, "HIGHWATER_TOKEN": "alice-token"}
    done = collector("verify", "hw-1")
    assert done.returncode == 0, done.stderr
    sent = {request.path: request.headers.get("Authorization") for request in peer.received}
    assert set(sent.values()) == {"Token alice-token"} and "/log/checkpoint" in sent


def test_the_log_of_another_host_is_sent_no_token(collector, peer, log):
    with registry_peer.serving(registry_peer.Peer()) as other:
        collector.environ |= {"HIGHWATER_URL": peer.url, "HIGHWATER_TOKEN": "alice-token"}
        done = collector("verify", "hw-1", "--log", other.url + "/log")
        assert done.returncode != 0
        assert other.received and {request.headers.get("Authorization") for request in other.received} == {None}


def test_a_mark_of_reproduction_is_verified_at_its_own_address(reader, peer):
    facts = {"result": "hw-2", "original": "hw-1", "outcome": "not reproduced", "ratio": 0.5}
    log = MadeLog().fill(2)
    log.add(envelope("reproduction", facts))
    log.fill(1)
    log.serve(peer, 4)
    peer.public["/api/v1/reproductions/hw-2/"] = facts
    peer.public["/api/v1/reproductions/hw-2/proof/"] = log.proof(2, 4)
    assert reader("verify", "reproductions/hw-2").returncode == 0
    peer.public["/api/v1/reproductions/hw-2/"] = facts | {"outcome": "agrees"}
    process = reader("verify", "reproductions/hw-2")
    assert (process.returncode, "outcome: the log has" in process.stdout) == (1, True), process.stdout
