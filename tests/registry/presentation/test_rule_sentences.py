"""Sentences of rules on pages: declared fields by their labels, everything else as it was stored."""

from __future__ import annotations

import pytest

from registry.presentation.filters import are_dashed, group_bytes, keep_percent, rule_sentence


@pytest.mark.parametrize(
    ("stored", "labelled"),
    [
        (
            "institution, system, filesystem_type, storage_vendor, client_nodes, tasks are given.",
            "institution, system, file system type, storage vendor, client nodes, client processes are given.",
        ),
        ("Missing: storage_vendor.", "Missing: storage vendor."),
        ("Missing: tasks.", "Missing: client processes."),
        ("The run confirms client_nodes 10, tasks 320.", "The run confirms client nodes 10, client processes 320."),
        ("The stonewall of tasks 3 is 30.492837465 s.", "The stonewall of tasks 3 is 30.49 s."),
    ],
)
def test_fields_stand_under_their_labels(stored: str, labelled: str) -> None:
    assert rule_sentence(stored) == labelled


@pytest.mark.parametrize(
    "stored",
    [
        "How many tasks took part in all tests is not known.",
        "Tasks are shifted by 2, with 320 tasks on 10 nodes.",
        "The file conf/client_nodes.ini is not read.",
        "max_client_nodes and client_nodes_at_least are other names.",
        "",
    ],
)
def test_other_words_stay(stored: str) -> None:
    assert rule_sentence(stored) == stored


@pytest.mark.parametrize(
    ("sentence", "grouped"),
    [
        ("it has 137438953472000 B, where 1024 B are usual", "it has 137,438,953,472,000 B, where 1,024 B are usual"),
        (
            "hash 12345678, a/1234567.txt, 5203 Bytes, 512 B",
            "hash 12345678, a/1234567.txt, 5203 Bytes, 512 B",
        ),
    ],
)
def test_counts_of_bytes_are_grouped(sentence: str, grouped: str) -> None:
    assert group_bytes(sentence) == grouped


def test_a_percent_sign_stays_beside_its_number() -> None:
    assert keep_percent("6.6 %, 24 % and % alone") == "6.6\N{NO-BREAK SPACE}%, 24\N{NO-BREAK SPACE}% and % alone"


def test_a_dash_is_explained_where_a_cell_has_one() -> None:
    row = {"institution": "LRZ", "filesystem_type": "DAOS", "release_name": "SC25", "clients": "90", "measured": ""}
    figures = {"score": "1.00", "bandwidth": "2.00", "rate": "3.00"}
    missing = {"score": "\N{EM DASH}", "bandwidth": "\N{EM DASH}", "rate": "\N{EM DASH}"}
    assert not are_dashed([row | figures])
    assert are_dashed([row | figures, row | missing])
    assert not are_dashed([row | missing | {"measured": "write 5 GB/s"}]), "one cell says what was measured"
    assert are_dashed([row | figures | {"release_name": None}])
