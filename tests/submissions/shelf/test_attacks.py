"""Who tries to see another's shelf: by its words, its ids, its addresses, its caches and its forms."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from submissions.models import ShelfRun, ShelfShare

STUDY = "study/?metric=score&x=client_nodes"
MISSING = "00000000-0000-4000-8000-000000000000"


def as_text(answer: Any) -> tuple[int, bytes]:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return answer.status_code, body


def label(submission: Any, *words: str, project: str = "") -> None:
    ShelfRun.objects.filter(submission=submission).update(labels=list(words), project=project)


def listed(person: Any, query: str) -> set[str]:
    answer = person.get(f"results/?{query}")
    assert answer.status_code == 200, answer.content
    return {row["id"] for row in answer.json()["results"]}


def test_equal_words_of_two_institutions_do_not_meet(cast, shelved) -> None:
    mine, theirs = shelved(cast.alice), shelved(cast.charlie, performance=2.0)
    for submission in (mine, theirs):
        label(submission, "tuned", project="Winter")
    for words in ("label=tuned", "project=Winter", "project=winter", "label=tuned&project=Winter"):
        assert listed(cast.alice, f"scope=all&{words}") == {str(mine.pk)}
        assert listed(cast.charlie, f"scope=all&{words}") == {str(theirs.pk)}
    for words in ("label=TUNED", "label=tune", "label=%25", "project=W%25", "project=_inter", "label={tuned}"):
        assert listed(cast.alice, f"scope=all&{words}") == set(), words


def test_a_shared_run_keeps_its_words_to_itself(cast, shelved) -> None:
    mine = shelved(cast.alice)
    label(mine, "secret-cpu", project="Winter")
    ShelfShare.objects.create(
        run=mine.shelf_runs.get(),
        username="charlie",
        account=cast.charlie.account,
        until=timezone.now() + timedelta(hours=1),
    )
    assert listed(cast.charlie, "scope=all") == {str(mine.pk)}
    assert (
        listed(cast.charlie, "scope=all&label=secret-cpu") == listed(cast.charlie, "scope=all&project=Winter") == set()
    )
    browser = Client()
    browser.force_login(cast.charlie.account)
    for address in ("/shelf/", f"/shelf/runs/{mine.pk}/", "/api/v1/shelf/", f"/api/v1/shelf/{mine.pk}/"):
        status, body = as_text(browser.get(address))
        assert status == 200 and b"secret-cpu" not in body and b"Winter" not in body, address
    assert cast.charlie.patch(f"shelf/{mine.pk}/", {"project": "mine"}).status_code == 404


@pytest.mark.parametrize(
    "address", ["api/v1/shelf/{}/", "api/v1/compare/?scope=all&results={},hw-1", "api/v1/results/?scope=all&ids={}"]
)
def test_an_id_of_another_shelf_is_as_one_that_is_not_there(cast, shelved, address) -> None:
    mine = shelved(cast.alice)
    for person in (cast.charlie, cast.dana, cast.fay):
        browser = Client()
        browser.force_login(person.account)
        guessed, missing = (as_text(browser.get(f"/{address.format(id_)}")) for id_ in (mine.pk, MISSING))
        assert guessed[0] == missing[0]
        assert guessed[1].replace(str(mine.pk).encode(), b"ID") == missing[1].replace(MISSING.encode(), b"ID")


@pytest.mark.parametrize(
    "query",
    ["scope=all%00", "scope=all,public", "scope=public&scope=all",
     "scope=all&scope=institution", "scope=institution&project=a&project=b", "scope=all&label=a&label=b",
     "scope=public&label=tuned"],
)  # fmt: skip
def test_a_scope_that_is_none_is_refused(cast, shelved, query) -> None:
    shelved(cast.alice)
    for question in (
        "results/?",
        f"{STUDY}&",
        "ranking/?formula=score&",
        "search/?q=io500&",
        "compare/?results=hw-1,hw-2&",
    ):
        answer = cast.alice.get(f"{question}{query}")
        assert (answer.status_code, answer.json()["code"]) == (400, "query.invalid-value"), question
        assert cast.stranger.get(f"/api/v1/{question}{query}").status_code == 401, question


def test_addresses_without_a_scope_have_none(cast, shelved) -> None:
    mine = shelved(cast.alice, system="Zsystem")
    for address in (
        "export/results.csv",
        "systems/",
        "sites/",
        "lists/",
        "studies/",
        "facets/",
        "study/axes/",
        "gaps/",
    ):
        for query in ("", "?scope=all", f"?scope=institution&ids={mine.pk}"):
            status, body = as_text(cast.alice.get(f"{address}{query}"))
            assert status in (200, 302, 400, 404) and b"Zsystem" not in body and str(mine.pk).encode() not in body
    browser = Client()
    browser.force_login(cast.alice.account)
    for scope in ("public", "All", "ALL", "all%00", "institution.", "..", "x"):
        assert browser.get(f"/shelf/{scope}/{STUDY}").status_code == 404, scope
    for page in ("results/", "systems/", "search/", "export/results.csv", "lists/", "shelf/"):
        assert browser.get(f"/shelf/all/{page}").status_code == 404, page


def test_the_scope_of_an_address_is_not_widened_by_its_query(cast, shelved, published) -> None:
    shelved(cast.alice, system="Heron", performance=2.0)
    browser = Client()
    browser.force_login(cast.alice.account)
    plain = as_text(browser.get(f"/shelf/institution/{STUDY}"))
    assert plain[0] == 200
    for query in ("&scope=all", "&scope=public", "&scope=all&scope=public"):
        answer = browser.get(f"/shelf/institution/{STUDY}{query}")
        assert answer.status_code in (200, 400)
        assert published.require_result().public_id.encode() not in as_text(answer)[1]


def test_pictures_and_files_are_closed_as_their_questions(cast, shelved) -> None:
    shelved(cast.alice)
    for form in ("json", "csv", "parquet", "svg", "png"):
        address = f"{STUDY}&scope=institution&format={form}"
        status, drawn = as_text(cast.alice.get(address))
        assert status == 200 and drawn
        answer = cast.alice.get(address)
        assert answer["Cache-Control"] == "private, no-store" and "ETag" not in answer
        assert as_text(cast.charlie.get(address))[1] != drawn
        assert cast.stranger.get(f"/api/v1/{address}").status_code == 401
        for header in ("*", '"x"'):
            closed = cast.stranger.get(f"/api/v1/{address}", headers={"If-None-Match": header})
            assert closed.status_code == 401


def test_answers_of_an_account_are_not_cached_for_others(cast, shelved) -> None:
    questions = [
        f"{question}scope={scope}"
        for scope in ("institution", "all")
        for question in ("results/?", f"{STUDY}&", "ranking/?formula=score&", "search/?q=Zsystem&")
    ]

    def ask(person: Any) -> list[tuple[int, bytes]]:
        return [as_text(person.get(question)) for question in questions]

    before = [ask(person) for person in (cast.charlie, cast.fay)]
    public = as_text(cast.stranger.get(f"/api/v1/{STUDY}"))
    shelved(cast.alice, system="Zsystem")
    assert any(b"Zsystem" in body or b"zsystem" in body for _, body in ask(cast.alice))
    assert [ask(person) for person in (cast.charlie, cast.fay)] == before
    assert as_text(cast.stranger.get(f"/api/v1/{STUDY}")) == public


def test_a_cursor_of_another_opens_nothing(cast, shelved) -> None:
    for place in range(3):
        shelved(cast.alice, performance=1.0 + place)
    following = cast.alice.get("results/?scope=institution&page_size=1").json()["next"]
    assert following and "scope=institution" in following
    path = following.partition("/api/v1/")[2]
    assert len(cast.alice.get(path).json()["results"]) == 1
    assert cast.charlie.get(path).json()["results"] == []
    assert cast.stranger.get(f"/api/v1/{path}").status_code == 401
