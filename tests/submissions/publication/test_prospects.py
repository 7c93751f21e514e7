"""Where a checked run can rank: yes, no with the value that decides, or that no file tells; seen by its people."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from django.test import Client

from submissions.bundles import file_viewer
from submissions.models import Submission
from submissions.publication import prospects
from tests.submissions.publication.test_evidence import without_all_but_the_summary

LISTS = ("full", "io500", "ten", "production")
OUTCOMES = tuple[str, str, str]
"""Outcome, code and deciding fact of a list."""

CAN: OUTCOMES = ("can", "", "")
CASES: dict[str, tuple[dict[str, Any], dict[str, OUTCOMES]]] = {
    "ten nodes": ({}, dict.fromkeys(LISTS, CAN)),
    "nine nodes": (
        {"client_nodes": 9},
        {
            "full": CAN,
            "io500": ("cannot", "fewer-than-ten-client-nodes", "client nodes: 9"),
            "ten": ("cannot", "not-ten-client-nodes", "client nodes: 9"),
            "production": ("cannot", "fewer-than-ten-client-nodes", "client nodes: 9"),
        },
    ),
    "186 nodes": (
        {"client_nodes": 186},
        {
            "full": CAN,
            "io500": CAN,
            "ten": ("cannot", "not-ten-client-nodes", "client nodes: 186"),
            "production": CAN,
        },
    ),
    "no count of nodes": (
        {"client_nodes": None},
        {
            "full": CAN,
            "io500": ("unknown", "fewer-than-ten-client-nodes", "client nodes: not found in any file"),
            "ten": ("unknown", "not-ten-client-nodes", "client nodes: not found in any file"),
            "production": ("unknown", "fewer-than-ten-client-nodes", "client nodes: not found in any file"),
        },
    ),
}


def first_run(submission: Submission) -> dict[str, Any]:
    check = submission.checks.first()
    assert check is not None
    return copy.deepcopy(check.report["runs"][0])


def judge(submission: Submission, run: dict[str, Any], lists: tuple[str, ...] = LISTS) -> dict[str, Any]:
    return {row.name: row for row in prospects.find_prospects(submission, run, lists)}


@pytest.mark.usefixtures("definitions")
def test_each_list_gives_the_outcome_and_the_deciding_value(checked) -> None:
    submission = checked()
    run = first_run(submission)
    for name, (parameters, expected) in CASES.items():
        run["parameters"] |= parameters
        rows = judge(submission, run)
        outcomes = {row.name: (row.outcome, row.code, row.fact) for row in rows.values()}
        assert outcomes == expected, name
        for row in rows.values():
            assert bool(row.why) == (row.outcome != "can"), name
            assert not (row.needs and row.outcome != "can"), name
        run = first_run(submission)
    run["parameters"]["client_nodes"] = 9
    run["parameter_sources"] = {"client_nodes": "config-orig.ini:3"}
    assert judge(submission, run)["ten"].source == "config-orig.ini:3"


@pytest.mark.usefixtures("definitions")
def test_a_deciding_value_has_its_file_and_line(checked) -> None:
    submission = checked(client_nodes=9)
    run = first_run(submission)
    path, _, line = judge(submission, run)["ten"].place.rpartition(":")
    file_lines = file_viewer.file_page(submission, path, int(line), [])
    assert "on 9 node(s)" in file_lines.lines[0].text
    run.pop("printed_at")  # as reports were before
    assert judge(submission, run)["ten"].place == run["path"]
    run["parameters"].pop("client_nodes")
    assert judge(submission, run)["ten"].place == run["path"]
    submission.metadata = {"client_nodes": 9}
    assert judge(submission, run)["ten"].place == ""
    run["parameters"]["client_nodes"] = 10
    submission.metadata = {"production": False}
    assert judge(submission, run)["production"].place == ""


@pytest.mark.usefixtures("definitions")
def test_decisions_of_people_are_needs_and_exclude_nothing(checked) -> None:
    submission = checked()
    run = first_run(submission)
    rows = judge(submission, run)
    assert prospects.NOT_PRODUCTION_NEEDED in rows["io500"].needs
    assert prospects.PRODUCTION_NEEDED in rows["production"].needs
    assert prospects.LEVEL_NEEDED in rows["production"].needs
    assert rows["production"].missing_answers > 0
    assert rows["production"].needs[0].startswith(f"{rows['production'].missing_answers} question")
    submission.metadata = {"production": False}
    assert judge(submission, run)["production"].code == "not-production"
    assert judge(submission, run)["production"].why == "The run details say that the system is not in production."
    submission.metadata = {"production": True}
    assert judge(submission, run)["io500"].code == "on-production-list"
    assert judge(submission, run)["io500"].why == "The run details say that the system is in production."
    assert judge(submission, run)["production"].outcome == "can"


@pytest.mark.usefixtures("definitions")
def test_a_declared_count_of_nodes_is_used_without_a_measured_one(checked) -> None:
    submission = checked()
    run = first_run(submission)
    run["parameters"].pop("client_nodes")
    run["parameter_sources"].pop("client_nodes")
    submission.metadata = {"client_nodes": 12}
    rows = judge(submission, run)
    assert rows["io500"].outcome == "can"
    assert (rows["ten"].outcome, rows["ten"].fact, rows["ten"].source) == ("cannot", "client nodes: 12", "")


@pytest.mark.usefixtures("definitions")
def test_an_unverified_run_ranks_on_no_list(checked) -> None:
    submission = checked(without=without_all_but_the_summary())
    rows = judge(submission, first_run(submission))
    assert {(row.outcome, row.code, row.fact) for row in rows.values()} == {
        ("cannot", "not-verified", "trust: reported")
    }


@pytest.mark.usefixtures("definitions")
def test_lists_of_other_benchmarks_and_unknown_lists_are_left_out(checked) -> None:
    submission = checked()
    rows = judge(submission, first_run(submission), ("fio-seq-read", "io500", "no-such-list", "io500"))
    assert list(rows) == ["io500"]
    assert judge(submission, first_run(submission), ()) == {}


@pytest.mark.usefixtures("release")
def test_only_permitted_accounts_see_where_a_run_can_rank(cast, checked) -> None:
    submission = checked(client_nodes=9)
    address = f"/submissions/{submission.pk}/"
    pages = {}
    for name in ("alice", "bob", "charlie", "dana"):
        browser = Client()
        browser.force_login(getattr(cast, name).account)
        pages[name] = browser.get(address)
    for name in ("alice", "bob"):
        text = " ".join(pages[name].content.decode().split())
        assert "This run has client nodes: 9" in text
        assert re.search(r'href="/submissions/[^"]*/files/\?path=[^"]*mdtest[^"]*line=1#L3">[^<]*:3</a>', text)
    stranger = Client().get(address)
    for answer in (pages["charlie"], pages["dana"], stranger):
        assert answer.status_code in (302, 404)
        assert "client nodes: 9" not in answer.content.decode()


@pytest.mark.usefixtures("release")
def test_the_submitter_reads_where_a_run_can_rank_while_it_waits_for_review(cast, submitted) -> None:
    submission = submitted(client_nodes=9, lists=("full",))
    browser = Client()
    for name, may_see in (("alice", True), ("bob", True), ("dana", False)):
        browser.force_login(getattr(cast, name).account)
        answer = browser.get(f"/submissions/{submission.pk}/")
        page = " ".join(answer.content.decode().split())
        assert ("Where this run can rank" in page and "This run has client nodes: 9" in page) == may_see, name
        if may_see:
            assert 'name="lists"' not in page, "it is submitted: nothing to choose"
            assert re.search(r"Full[^<]*<small>requested</small>", page)
            assert page.count("<small>requested</small>") == 1
    Submission.objects.filter(pk=submission.pk).update(state="in_review")
    browser.force_login(cast.alice.account)
    assert "This run has client nodes: 9" in browser.get(f"/submissions/{submission.pk}/").content.decode()
