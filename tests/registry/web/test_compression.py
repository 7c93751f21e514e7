"""What anyone reads is compressed; what an account reads is not."""

from __future__ import annotations

import gzip

import pytest

from registry.web.compression import accepted_codings

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip, br"}


@pytest.mark.parametrize("address", ["/about/", "/api/v1/", "/systems/", "/static/base.css"])
def test_public_answers_are_compressed(client, address: str) -> None:
    plain = client.get(address)
    answer = client.get(address, headers=GZIP)
    bytes_of = {False: lambda a: a.content, True: lambda a: b"".join(a.streaming_content)}
    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert gzip.decompress(bytes_of[answer.streaming](answer)) == bytes_of[plain.streaming](plain)


def test_a_compressed_page_is_still_answered_by_304(client) -> None:
    tag = client.get("/about/", headers=GZIP)["ETag"]
    answer = client.get("/about/", headers=GZIP | {"If-None-Match": tag})
    assert (tag[:2], answer.status_code, answer.content) == ("W/", 304, b"")


def test_clients_without_accept_encoding_get_plain_bytes(client) -> None:
    assert "Content-Encoding" not in client.get("/about/")


REFUSED = (
    *(
        "gzip;q=0",
        "gzip;q=0.0",
        "gzip; q=0.000",
        "GZIP;Q=0",
        "x-gzip;q=0",
        "gzip;q=0, *",
        "br;q=0, gzip;q=0",
        "gzip,gzip;q=0",
    ),
    *("*;q=0", "identity, *;q=0", "*", "identity", "identity;q=0", "", ",;,", "gzip;q=0.5, identity", "gzip;q=0.5, *"),
    *(
        "gzip;q=",
        "gzip;q=x",
        "gzip;q=-1",
        "gzip;q=2",
        "gzip;q=1.5",
        "gzip;q=0.1234",
        "gzip;q =1",
        "gzip;x=1",
        "gzip;q=1;q=1",
    ),
    *("notgzip", "gzip-2", "gzip;q=\u0661", "gzip br", "gzip;q=1e0"),
)
TAKEN = (
    *(
        "gzip",
        "x-gzip",
        "GZip",
        "gzip;q=1",
        "gzip;q=1.000",
        "gzip;q=0.001",
        "gzip ; Q=0.5",
        "br;q=0, gzip",
        "gzip, *;q=0",
    ),
    *("identity;q=0, gzip", "gzip;q=0.5, identity;q=0.5", "deflate, gzip;q=1.0, *;q=0.5", "gzip;q=x, gzip", ", gzip,"),
)


@pytest.mark.parametrize("address", ["/about/", "/lists/", "/api/v1/", "/static/base.css"])
def test_a_coding_is_sent_to_whom_it_is_accepted_by(client, address: str) -> None:
    for accepted in REFUSED:
        answer = client.get(address, headers={"Accept-Encoding": accepted})
        assert (answer.status_code, answer.get("Content-Encoding")) == (200, None), accepted
        assert "Accept-Encoding" in answer["Vary"]
    for accepted in TAKEN:
        assert client.get(address, headers={"Accept-Encoding": accepted}).get("Content-Encoding") == "gzip", accepted


@pytest.mark.parametrize(
    ("header", "codings"), [("br, gzip", ["br", "gzip"]), ("br;q=0, gzip", ["gzip"]), ("br", ["br"])]
)
def test_files_that_lie_compressed_are_chosen_by_the_same_rules(header: str, codings: list[str]) -> None:
    assert accepted_codings(header) == codings


def test_pages_of_an_account_are_not_compressed(client, django_user_model) -> None:
    client.force_login(django_user_model.objects.create_user("reader"))
    assert "Content-Encoding" not in client.get("/about/", headers=GZIP)


def test_answers_to_a_token_are_not_compressed(client) -> None:
    assert "Content-Encoding" not in client.get("/api/v1/lists/", headers=GZIP | {"Authorization": "Bearer hw_wrong"})


def test_errors_and_parts_of_files_stay_as_they_are(client) -> None:
    assert "Content-Encoding" not in client.get("/results/none-such/", headers=GZIP)
    part = client.get("/static/base.css", headers=GZIP | {"Range": "bytes=0-499"})
    assert (part.status_code, "Content-Encoding" in part) == (206, False)
