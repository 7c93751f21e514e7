"""Lists and tables of results say what was reproduced, can be asked for it, and change when a mark comes or goes."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from datetime import UTC, datetime

import pytest

from registry.dumps import dump
from registry.log.records import list_records
from registry.models import RankedList, RecordChange, Reproduction, Result
from submissions.publication.erasure import erase
from submissions.reproduction import judging
from tests.html import page_source
from tests.submissions.cast import Cast
from tests.submissions.reproduction.conftest import Publish
from tests.submissions.reproduction.test_counting import person_at

pytestmark = pytest.mark.django_db

LIST = "r1/fio-seq-write"
"""The frozen list of the release that the first run of a test is published in."""


@pytest.fixture
def disputed(cast: Cast, publish: Publish) -> Result:
    """Alice's run, which one institution reproduced and another one did not."""
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    publish(person_at("east-lab"), (71, 70, 72), in_flight=1, reproduces=original.public_id)
    return original


def words_of_list(cast: Cast, query: str = "") -> dict[str, str]:
    entries = cast.stranger.get(f"/api/v1/lists/{LIST}/{query}").json()["entries"]
    return {entry["result"]: entry["reproduced"] for entry in entries}


def words_of_results(cast: Cast, query: str = "") -> dict[str, str]:
    return {row["id"]: row["reproduced"] for row in cast.stranger.get(f"/api/v1/results/{query}").json()["results"]}


def test_rows_have_all_words_that_the_filter_finds_them_by(cast: Cast, disputed: Result) -> None:
    words = {disputed.public_id: "agrees, not-reproduced"}
    assert words_of_list(cast) == words
    assert words_of_list(cast, "?reproduced=agrees") == words_of_list(cast, "?reproduced=not-reproduced") == words
    assert words_of_list(cast, "?reproduced=undecided") == words_of_list(cast, "?reproduced=none") == {}
    others = words_of_results(cast, "?reproduced=none")
    assert len(others) == 2 and set(others.values()) == {"none"}
    assert words_of_results(cast) == words | others


def test_an_undecided_run_has_its_word_and_no_mark_beside_its_name(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (100,), reproduces=original.public_id)
    assert words_of_list(cast) == {original.public_id: "undecided"}
    assert words_of_list(cast, "?reproduced=undecided") == words_of_list(cast)
    assert '#reproduced"' not in page_source(cast.stranger.get(f"/lists/{LIST}/"))


def test_repeated_and_replicated_runs_leave_the_word_none(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.bob, (101, 100, 102), reproduces=original.public_id)
    publish(cast.charlie, reproduces=original.public_id, iodepth="32")
    assert words_of_list(cast) == {original.public_id: "none"}


def test_csv_and_files_of_the_record_have_the_words(cast: Cast, disputed: Result, tmp_path) -> None:
    for address, key in ((f"/api/v1/lists/{LIST}/?format=csv", "result"), ("/api/v1/results/?format=csv", "id")):
        rows = list(csv.DictReader(io.StringIO(cast.stranger.get(address).content.decode())))
        by_id = {row[key]: row["reproduced"] for row in rows}
        assert by_id[disputed.public_id] == "agrees, not-reproduced", address
    dump.write_dump(tmp_path)
    with sqlite3.connect(tmp_path / "record.sqlite") as database:
        stored = dict(database.execute("SELECT id, reproduced FROM results").fetchall())
    assert stored[disputed.public_id] == "agrees, not-reproduced" and sorted(stored.values())[1:] == ["none", "none"]


def test_pages_name_both_marks_and_lead_to_what_they_mean(cast: Cast, disputed: Result) -> None:
    for address in (f"/lists/{LIST}/", "/results/"):
        page = page_source(cast.stranger.get(address))
        for words in ("reproduced", "not reproduced"):
            assert f'<a class="tag" href="/results/{disputed.public_id}/#reproduced">{words}</a>' in page, address
        assert 'href="/docs/reproduce/#what-counts"' in page
    assert 'id="reproduced"' in page_source(cast.stranger.get(f"/results/{disputed.public_id}/"))
    assert 'id="what-counts"' in page_source(cast.stranger.get("/docs/reproduce/"))


def test_results_of_a_system_and_of_its_site_name_both_marks(cast: Cast, disputed: Result) -> None:
    assert disputed.system is not None and disputed.site is not None
    for address in (f"/systems/{disputed.system.slug}/", f"/sites/{disputed.site.slug}/"):
        page = page_source(cast.stranger.get(address))
        for words in ("reproduced", "not reproduced"):
            assert f'<a class="tag" href="/results/{disputed.public_id}/#reproduced">{words}</a>' in page, address


def test_a_field_asks_for_each_word_and_an_empty_answer_says_what_would_be_there(cast: Cast, publish: Publish) -> None:
    publish(cast.alice)
    for address in (f"/lists/{LIST}/", "/results/"):
        page = page_source(cast.stranger.get(address))
        assert '<select name="reproduced">' in page
        assert "/docs/reproduce/#what-counts" not in page, "marks are explained where there are none"
        empty = page_source(cast.stranger.get(f"{address}?reproduced=not-reproduced"))
        assert '<option value="not-reproduced" selected>not reproduced</option>' in empty
        assert "match these filters" in empty and 'href="/docs/reproduce/#run-it-again"' in empty


def test_another_word_is_refused_at_its_field(cast: Cast, publish: Publish) -> None:
    publish(cast.alice)
    for address in (f"/lists/{LIST}/", "/results/"):
        answer = cast.stranger.get(f"{address}?reproduced=twice")
        assert answer.status_code == 400
        assert 'id="error-reproduced">One of agrees, not-reproduced, undecided, none.' in page_source(answer)


def test_kept_copies_of_a_frozen_list_end_when_a_mark_comes_or_goes(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    addresses = (f"/api/v1/lists/{LIST}/", f"/lists/{LIST}/")
    etags = [[cast.stranger.get(address)["ETag"] for address in addresses]]
    again = publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    etags.append([cast.stranger.get(address)["ETag"] for address in addresses])
    for address, etag in zip(addresses, etags[1], strict=True):
        assert cast.stranger.get(address, headers={"if-none-match": etag}).status_code == 304
    erase.erase_result(again.public_id, cast.fay.account, "law")
    assert words_of_list(cast) == {original.public_id: "none"}
    etags.append([cast.stranger.get(address)["ETag"] for address in addresses])
    for before, marked, after in zip(*etags, strict=True):
        assert before != marked != after


def test_the_page_of_a_frozen_list_was_last_modified_by_a_mark(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id)
    Reproduction.objects.update(judged_at=datetime(2050, 1, 1, tzinfo=UTC))
    assert cast.stranger.get(f"/lists/{LIST}/")["Last-Modified"] == "Sat, 01 Jan 2050 00:00:00 GMT"


def test_a_mark_makes_the_files_of_the_record_due_and_no_logged_record_new(cast: Cast, publish: Publish) -> None:
    original = publish(cast.alice)
    publish(cast.charlie, (101, 100, 102), reproduces=original.public_id, judged=False)
    lists = list(RankedList.objects.filter(release__slug="r1").select_related("release", "definition"))
    logged = json.dumps(list(list_records(lists)), default=str)
    RecordChange.objects.all().delete()
    assert judging.judge_due() == 1
    assert RecordChange.objects.exists()
    assert json.dumps(list(list_records(lists)), default=str) == logged
    assert words_of_list(cast)[original.public_id] == "agrees"
