"""The page of an upload of many runs: each run in a row, and the tables of one of them."""

from __future__ import annotations

import io
import re
import tarfile

import pytest
from django.test import Client

from submissions.checks import processing
from submissions.overview.views_runs import FEW_RUNS
from tests.make_fio import make_output

MANY = FEW_RUNS + 4


@pytest.fixture
def page_of_runs(cast):
    """The page of an upload of that many outputs of fio, of n GiB/s in run n; with a query."""

    def upload(count: int):
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz") as packed:
            for number in range(count):
                content = make_output(1 + number, bs=f"{1 + number}M")
                member = tarfile.TarInfo(f"tree/run-{number:03}.json")
                member.size = len(content)
                packed.addfile(member, io.BytesIO(content))
        answer = cast.alice.upload(archive.getvalue(), name="tree.tar.gz")
        assert answer.status_code == 202, answer.content
        processing.check_submission(answer.json()["id"])
        pages = Client()
        pages.force_login(cast.alice.account)

        def read(query: str = "") -> str:
            answered = pages.get(f"/submissions/{answer.json()['id']}/{query}")
            assert answered.status_code == 200
            return answered.content.decode()

        return read

    return upload


def test_many_runs_have_a_row_each_and_no_tables(page_of_runs) -> None:
    page = page_of_runs(MANY)()
    assert f"<summary>{MANY} runs</summary>" in page
    assert page.count('name="primary"') == MANY
    assert re.search(r"Write bandwidth 3(\.0+)? GiB/s", page), "what a run measured stands beside its name"
    assert "Measured by fio" not in page


def test_one_of_many_runs_is_opened_by_its_row(page_of_runs) -> None:
    read = page_of_runs(MANY)
    assert 'href="?run=7#measured"' in read()
    opened = read("?run=7")
    assert opened.count("Measured by fio") == 1
    assert 'Measured by fio <small class="mono">tree/run-007.json</small>' in opened
    assert "The public copy is being made" not in opened


@pytest.mark.parametrize("query", ["?run=24", "?run=-1", "?run=", "?run=%D9%A3", "?run=7.0", "?run=" + "9" * 5000])
def test_a_number_of_no_run_opens_none(page_of_runs, query) -> None:
    assert "Measured by fio" not in page_of_runs(MANY)(query)


def test_the_tables_of_few_runs_are_all_there(page_of_runs) -> None:
    page = page_of_runs(3)("?run=1")
    assert page.count("Measured by fio") == 3
    assert "3 runs</summary>" not in page
