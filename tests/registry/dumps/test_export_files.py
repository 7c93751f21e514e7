"""Files of the whole record over HTTP: codings, parts, filters, and how many are made at once."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client, override_settings

from registry.dumps import editions, live_streams
from registry.dumps.stored_files import NoSuchPart, Part, find_part
from registry.models import Edition
from tests.registry.record import empty, make_release, make_result, stored_in

EXPORT = "/api/v1/export/"


@pytest.fixture(scope="module", autouse=True)
def record(django_db_setup: None, django_db_blocker: Any, tmp_path_factory) -> Iterator[None]:
    """An edition of a result of IO500 and one of fio."""
    with override_settings(STORAGES=stored_in(tmp_path_factory.mktemp("public"))):
        with django_db_blocker.unblock():
            release = make_release("T1")
            make_result(release, "hw-1", 10.5)
            make_result(release, "hw-2", None, tool="fio", parameters={"osts": 4})
            editions.build_if_due()
        yield
        with django_db_blocker.unblock():
            empty()


pytestmark = pytest.mark.django_db


def ask(client: Client, name: str, **headers: str) -> Any:
    return client.get(EXPORT + name, headers={key.replace("_", "-"): text for key, text in headers.items()})


def go_away(answer: Any) -> None:
    """What the server does with an answer that nobody reads on; the connection of the test stays open."""
    for close in answer._resource_closers:
        close()


@pytest.mark.parametrize("name", ["results.csv", "results.ndjson"])
def test_text_is_sent_as_it_is_stored_to_whom_takes_gzip(client, name) -> None:
    plain, packed, stored = ask(client, name), ask(client, name, accept_encoding="br, gzip"), ask(client, f"{name}.gz")
    content = packed.getvalue()
    assert (packed["Content-Encoding"], packed["Content-Length"]) == ("gzip", str(len(content)))
    assert content == stored.getvalue() and "Content-Encoding" not in stored
    assert gzip.decompress(content) == plain.getvalue()
    assert "Content-Encoding" not in plain and plain["Content-Length"] == str(len(gzip.decompress(content)))
    assert plain["Content-Type"] == packed["Content-Type"] != stored["Content-Type"] == "application/gzip"
    assert plain["ETag"] != packed["ETag"]
    assert "Accept-Encoding" in plain["Vary"] and "Accept-Encoding" in packed["Vary"]
    assert "Content-Encoding" not in ask(client, name, accept_encoding="gzip;q=0")
    assert ask(client, name, accept_encoding="gzip", if_none_match=packed["ETag"]).status_code == 304
    assert ask(client, name, accept_encoding="gzip", if_none_match=plain["ETag"]).status_code == 200


@pytest.mark.parametrize("name", ["results.csv", "results.csv.gz", "results.parquet", "record.sqlite"])
def test_head_says_how_large_a_file_is(client, name) -> None:
    head = client.head(EXPORT + name)
    assert head["Content-Length"] == str(len(ask(client, name).getvalue())) and head.getvalue() == b""


@pytest.mark.parametrize("name", ["results.csv.gz", "results.parquet", "record.sqlite"])
def test_a_range_continues_a_download(client, name) -> None:
    first = ask(client, name)
    content, etag = first.getvalue(), first["ETag"]
    assert first["Accept-Ranges"] == "bytes"
    rest = ask(client, name, range="bytes=100-", if_range=etag)
    assert (rest.status_code, rest.getvalue()) == (206, content[100:])
    assert rest["Content-Range"] == f"bytes 100-{len(content) - 1}/{len(content)}"
    assert (rest["Content-Length"], rest["ETag"]) == (str(len(content) - 100), etag)
    assert ask(client, name, range="bytes=-7").getvalue() == content[-7:]
    assert ask(client, name, range="bytes=0-0").getvalue() == content[:1]


def test_a_part_of_another_edition_is_answered_by_the_whole_file(client) -> None:
    content = ask(client, "record.sqlite").getvalue()
    for other in ('"0123456789abcdef"', "Fri, 27 Nov 2026 22:00:00 GMT"):
        answer = ask(client, "record.sqlite", range="bytes=5-9", if_range=other)
        assert (answer.status_code, answer.getvalue()) == (200, content)


def test_a_part_behind_the_end_is_refused_with_the_size(client) -> None:
    size = len(ask(client, "record.sqlite").getvalue())
    for range_header in (f"bytes={size}-", "bytes=-0", f"bytes={'9' * 18}-"):
        answer = ask(client, "record.sqlite", range=range_header)
        assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{size}"), range_header


@pytest.mark.parametrize(
    "range_header",
    ["", "bytes=-", "bytes=1-2,4-5", "bytes=5-4", "items=0-1", "bytes=a-b", "bytes=1", f"bytes={'9' * 30}-", "-1"],
)
def test_invalid_and_multiple_ranges_return_the_file(client, range_header) -> None:
    assert ask(client, "record.sqlite", range=range_header).status_code == 200


@pytest.mark.parametrize(
    ("range_header", "part"),
    [("bytes=0-", (0, 9)), ("bytes=3-5", (3, 5)), ("bytes=8-99", (8, 9)), ("bytes=-99", (0, 9))],
)
def test_a_part_ends_where_the_file_does(range_header, part) -> None:
    assert find_part(range_header, 10) == Part(*part)


def test_an_empty_file_has_no_part() -> None:
    for range_header in ("bytes=0-", "bytes=-1"):
        with pytest.raises(NoSuchPart):
            find_part(range_header, 0)


def test_parts_of_text_are_not_asked_for(client) -> None:
    answer = ask(client, "results.csv", range="bytes=5-9")
    assert answer.status_code == 200 and "Accept-Ranges" not in answer


def test_filters_of_results_choose_rows(client) -> None:
    of_fio = ask(client, "results.ndjson?tool=fio").getvalue()
    assert of_fio.count(b'"id": "hw-2"') == 1 and b"hw-1" not in of_fio
    assert b"hw-2" in ask(client, "results.csv?p.osts=4").getvalue()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("results.csv?tol=fio", "query.unknown-parameter"),
        ("results.parquet?tool=fio", "query.unknown-parameter"),
        ("results.csv.gz?tool=fio", "query.unknown-parameter"),
        ("manifest.json?tool=fio", "query.unknown-parameter"),
    ],
)
def test_unknown_filters_of_files_are_refused(client, name, code) -> None:
    answer = client.get(EXPORT + name)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_live_streams_beyond_the_limit_are_refused(client) -> None:
    answers_taken = [ask(client, "results.csv?tool=io500") for _ in range(live_streams.AT_ONCE)]
    refused = ask(client, "results.ndjson?tool=io500")
    assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (503, "60", "export.busy")
    assert ask(client, "results.csv").status_code == 200  # that lies ready
    assert client.head(EXPORT + "results.csv?tool=io500").status_code == 200
    go_away(answers_taken[0])  # unread
    go_away(answers_taken[0])
    last = ask(client, "results.ndjson?tool=io500")
    assert last.status_code == 200
    assert ask(client, "results.ndjson?tool=io500").status_code == 503
    for answer in (*answers_taken[1:], last):
        answer.getvalue()
        go_away(answer)


def test_a_refused_filter_takes_no_turn(client) -> None:
    for _ in range(live_streams.AT_ONCE + 1):
        assert ask(client, "results.csv?trust=unheard-of").status_code == 400
    answer = ask(client, "results.csv?tool=io500")
    assert answer.status_code == 200
    go_away(answer)


def test_before_the_first_edition_text_is_made_for_who_asks(client) -> None:
    Edition.objects.all().delete()
    answers = [ask(client, "results.csv") for _ in range(live_streams.AT_ONCE)]
    assert [(answer.status_code, "ETag" in answer) for answer in answers] == [(200, False)] * live_streams.AT_ONCE
    assert ask(client, "results.csv").status_code == 503
    for answer in answers:
        go_away(answer)
