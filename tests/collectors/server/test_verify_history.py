"""`verify` follows a record to all before it: an older one that was hidden, renamed or replaced is noticed."""

from __future__ import annotations

import json

import pytest

from tests.collectors.server.log.made_log import MadeLog
from tests.collectors.server.test_verify import ANSWER, FACTS, envelope

PROOF = "/api/v1/results/hw-1/proof/"
ACTS = ("first-recorded", "rechecked", "identified", "withdrawn")


@pytest.fixture
def log(peer):
    """A registry with a result of four records, the newest of which reads as the result does."""
    log = MadeLog().fill(3)
    records = [{**envelope("result", FACTS), "act": act} for act in ACTS]
    log.places = log.chain(records)
    show(peer, log)
    return log


def show(peer, log, listed=None):
    """Serve the newest record and, by their leaves, the older ones."""
    log.serve(peer)
    peer.public["/api/v1/results/hw-1/"] = ANSWER
    rows = log.listed(log.places) if listed is None else listed
    documents = {log.entries[place].hex(): log.proof(place) | {"records": rows} for place in log.places}
    for leaf, document in documents.items():
        peer.public[f"{PROOF}?leaf={leaf}"] = document
    peer.public[PROOF] = documents[log.entries[log.places[-1]].hex()]


def rows_with(log, number, **changed):
    rows = log.listed(log.places)
    rows[number] = rows[number] | changed
    return rows


def leaf_of(log, number):
    return log.entries[log.places[number]].hex()


def test_all_records_of_a_result_are_followed(every_python, reader, peer, log):
    done = reader("verify", "hw-1", python=every_python)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "proven   history      All 3 records before it are in the log" in done.stdout
    read_paths = [request.path for request in peer.received if "?leaf=" in request.path]
    assert read_paths == [f"{PROOF}?leaf={leaf_of(log, number)}" for number in (2, 1, 0)]


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_hidden_older_record_is_refuted(reader, peer, log, number):
    rows = log.listed(log.places)
    del rows[number]
    show(peer, log, rows)
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert "refuted  history" in done.stdout


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_older_record_called_erased_is_refuted(reader, peer, log, number):
    show(peer, log, rows_with(log, number, erased_at="2026-11-24T09:00:00Z"))
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout


@pytest.mark.parametrize(
    "changed",
    [
        {"act": "amended"},
        {"recorded_at": "2026-11-25T09:00:00Z"},
        {"leaf": "ab" * 32},
        {"leaf": "ab" * 31},
        {"leaf": None},
        {"act": 3},
    ],
    ids=str,
)
@pytest.mark.parametrize("number", [0, 2, 3])
def test_a_renamed_record_is_refuted(reader, peer, log, number, changed):
    show(peer, log, rows_with(log, number, **changed))
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert "refuted  history" in done.stdout


@pytest.mark.parametrize("listed", [[], {}, "rows", [3], [[]], 7])
def test_a_list_of_records_that_is_none_is_refuted(reader, peer, log, listed):
    show(peer, log, listed)
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr


def test_a_record_that_is_listed_twice_is_refuted(reader, peer, log):
    rows = log.listed(log.places)
    show(peer, log, [*rows, rows[-1]])
    assert reader("verify", "hw-1").returncode == 1


def test_a_newer_record_that_is_not_shown_is_refuted(reader, peer, log):
    peer.public[PROOF] = peer.public[f"{PROOF}?leaf={leaf_of(log, 2)}"]
    peer.public["/api/v1/results/hw-1/"] = ANSWER | {"score": 42.0}
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert "a newer one is listed" in done.stdout


def test_an_older_record_that_is_not_served_is_refuted(reader, peer, log):
    peer.public[f"{PROOF}?leaf={leaf_of(log, 1)}"] = None
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert "is listed, and not shown" in done.stdout


def test_another_record_in_place_of_an_older_one_is_refuted(reader, peer, log):
    peer.public[f"{PROOF}?leaf={leaf_of(log, 1)}"] = peer.public[f"{PROOF}?leaf={leaf_of(log, 0)}"]
    assert reader("verify", "hw-1").returncode == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("canonical", "{}"),
        ("salt", "00" * 32),
        ("inclusion_proof", []),
        ("leaf_index", 1),
        ("leaf_index", None),
        ("checkpoint", ""),
    ],
)
def test_a_damaged_older_proof_is_refuted(reader, peer, log, name, value):
    address = f"{PROOF}?leaf={leaf_of(log, 1)}"
    peer.public[address] = peer.public[address] | {name: value}
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("grown", [0, 9])
def test_an_older_record_of_another_past_is_refuted(reader, peer, log, grown):
    """The same records in a log whose first leaves differ: each checkpoint is signed by the same key."""
    other = MadeLog().fill(3, "other")
    other.places = other.chain([json.loads(log.openings[place][1]) for place in log.places])
    log.fill(grown)
    show(peer, log)
    address = f"{PROOF}?leaf={leaf_of(log, 1)}"
    assert leaf_of(other, 1) == leaf_of(log, 1)
    peer.public[address] = other.proof(other.places[1]) | {"records": log.listed(log.places)}
    done = reader("verify", "hw-1")
    assert done.returncode == 1, done.stdout


def test_records_that_were_asked_while_the_log_grew_are_verified(reader, peer, log):
    newest = peer.public[PROOF]
    log.fill(9)
    show(peer, log)
    peer.public[PROOF] = newest
    done = reader("verify", "hw-1")
    assert done.returncode == 0, done.stdout


def test_an_earlier_record_without_a_list_is_unknown(reader, peer, log):
    peer.public[PROOF] = {name: value for name, value in peer.public[PROOF].items() if name != "records"}
    assert reader("verify", "hw-1").returncode == 3


def test_a_kept_proof_with_a_hidden_record_is_refuted_offline(reader, peer, log, tmp_path):
    path = tmp_path / "kept.json"
    assert reader("verify", "hw-1", "--out", path).returncode == 0
    count = len(peer.received)
    done = reader("verify", path)
    assert done.returncode == 0, done.stdout
    assert "as the registry listed" in done.stdout
    document = json.loads(path.read_text())
    del document["records"][1]
    path.write_text(json.dumps(document))
    done = reader("verify", path)
    assert (done.returncode, len(peer.received)) == (1, count), done.stdout


@pytest.mark.parametrize(
    ("act", "changed", "named"),
    [
        ("withdrawn", {"score": 44.82}, "score"),
        ("rechecked", {"measurements": []}, "measurements"),
        ("published", {}, "act"),
        ("loaded", {"trust": "verified"}, "trust"),
    ],
)
def test_a_record_that_changes_what_its_act_never_does_is_refuted(reader, peer, act, changed, named):
    """Somebody who writes to the registry's tables added it, and the log took it up."""
    log = MadeLog().fill(3)
    former = {**envelope("result", {**FACTS, "score": 9.5}), "act": "first-recorded"}
    after = {**envelope("result", {**former["result"], **changed}), "act": act}
    log.places = log.chain([former, after])
    show(peer, log)
    peer.public["/api/v1/results/hw-1/"] = {**ANSWER, **after["result"], "bytes": 2**60}
    done = reader("verify", "hw-1")
    assert done.returncode == 1
    assert f"{act}, and changes what that never does: {named}." in done.stdout


def test_an_act_of_a_later_release_refutes_nothing(reader, peer):
    log = MadeLog().fill(3)
    former = {**envelope("result", {**FACTS, "score": 9.5}), "act": "first-recorded"}
    log.places = log.chain([former, {**envelope("result", FACTS), "act": "reviewed-again"}])
    show(peer, log)
    assert reader("verify", "hw-1").returncode == 0
