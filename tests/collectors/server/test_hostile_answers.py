"""`verify` names what a hostile registry answers; it never ends without a verdict or a reason."""

from __future__ import annotations

import pytest

from tests.collectors.registry_peer import busy
from tests.collectors.server.log.made_log import MadeLog
from tests.collectors.server.test_verify import LIST, envelope, memory_files, show

PROOF = "/api/v1/results/hw-1/proof/"


@pytest.fixture
def log(peer):
    """A registry with one published result, leaf 5 of a log of 9, and the record of a list."""
    return serve_record(peer, envelope("result", {"id": "hw-1", "score": 44.82}))


def serve_record(peer, record):
    log = MadeLog().fill(5)
    log.add(record)
    log.add(envelope("list", LIST))
    show(peer, log.fill(2), facts={"id": "hw-1", "score": 44.82})
    return log


@pytest.mark.parametrize("kind", [[], {}, None, 7])
def test_a_type_that_is_no_text_is_refused(every_python, reader, peer, kind):
    serve_record(peer, {"type": kind, "version": 1})
    command = reader("verify", "hw-1", python=every_python)
    assert command.returncode != 0
    assert "`canonical` is not a JSON object with a type" in command.stderr


@pytest.mark.parametrize("address", ["http://[", "//[::1", 5, ["?cursor=2"]])
def test_a_next_page_without_an_address_is_refused(every_python, reader, peer, log, address):
    peer.public["/api/v1/lists/sc26/full/"] = LIST | {"length": 3, "next": address}
    command = reader("verify", "sc26/full", python=every_python)
    assert "Traceback" not in command.stderr
    is_text = isinstance(address, str)
    assert command.returncode == (4 if is_text else 0)
    assert ("answers, but not as a Highwater registry" in command.stderr) == is_text


@pytest.mark.parametrize("address", ["http://[", 5, ["?cursor=2"]])
def test_a_next_page_of_submissions_without_an_address_is_refused(collector, peer, address):
    collector.environ.update(HIGHWATER_URL=peer.url, HIGHWATER_TOKEN="alice-token")
    peer.private["/api/v1/submissions/"] = {"results": [], "next": address}
    command = collector("list")
    assert command.returncode == 4
    assert "answers, but not as a Highwater registry" in command.stderr


@pytest.mark.parametrize("wait", ["\N{SUPERSCRIPT TWO}", "0\N{SUPERSCRIPT THREE}"])
def test_a_wait_in_other_digits_is_no_wait(every_python, reader, peer, log, wait):
    peer.misbehaviours.append(busy(503, wait))
    command = reader("verify", "hw-1", python=every_python)
    assert command.returncode == 0, command.stdout + command.stderr


@pytest.mark.parametrize("facts", [5, [], None])
def test_earlier_records_without_facts_are_refuted(every_python, reader, peer, facts):
    log = MadeLog().fill(3)
    acts = ("first-recorded", "identified")
    places = log.chain([{**envelope("result", facts), "act": act} for act in acts])
    log.serve(peer)
    for place in places:
        document = log.proof(place) | {"records": log.listed(places)}
        peer.public[f"{PROOF}?leaf={log.entries[place].hex()}"] = peer.public[PROOF] = document
    command = reader("verify", "hw-1", python=every_python)
    assert command.returncode == 1, command.stdout + command.stderr
    assert "says identified, and changes what that never does: result." in command.stdout


def test_earlier_records_whose_entries_are_no_rows_are_compared(reader, peer):
    log = MadeLog().fill(3)
    odd = LIST | {"entries": [1, "two", None]}
    places = log.chain([{**envelope("list", odd), "act": act} for act in ("published", "ranged")])
    log.serve(peer)
    for place in places:
        document = log.proof(place) | {"records": log.listed(places)}
        address = "/api/v1/lists/sc26/full/proof/"
        peer.public[f"{address}?leaf={log.entries[place].hex()}"] = peer.public[address] = document
    peer.public["/api/v1/lists/sc26/full/"] = odd | {"next": None}
    command = reader("verify", "sc26/full")
    assert command.returncode == 0, command.stdout + command.stderr


def test_checkpoints_of_another_verify_are_not_overwritten(reader, peer, log):
    """It saw a longer log of another past, while this one waited for an answer."""
    assert reader("verify", "hw-1").returncode == 0
    (path,) = memory_files(reader)
    first = path.read_text()
    other = MadeLog().fill(5)
    other.add(envelope("result", {"id": "hw-1", "score": 44.82}))
    other.add(envelope("list", LIST))
    show(peer, other.fill(5), facts={"id": "hw-1", "score": 44.82})
    assert reader("verify", "hw-1").returncode == 0
    second = path.read_text()
    assert second != first
    path.write_text(first)
    show(peer, log.fill(2), facts={"id": "hw-1", "score": 44.82})

    def write_meanwhile(handler):
        path.write_text(second)
        handler.give(peer.public["/log/checkpoint"])

    peer.misbehaviours.extend([lambda handler: handler.answer(200, peer.public[PROOF]), write_meanwhile])
    command = reader("verify", "hw-1")
    assert path.read_text() == second
    assert command.returncode == 3, command.stdout + command.stderr
    assert "Another `verify` remembered other checkpoints of this log meanwhile" in command.stdout
