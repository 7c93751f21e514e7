"""What anyone reads is compressed; what an account reads is not."""

from __future__ import annotations

import gzip

import pytest

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


def test_pages_of_an_account_are_not_compressed(client, django_user_model) -> None:
    client.force_login(django_user_model.objects.create_user("reader"))
    assert "Content-Encoding" not in client.get("/about/", headers=GZIP)


def test_answers_to_a_token_are_not_compressed(client) -> None:
    assert "Content-Encoding" not in client.get("/api/v1/lists/", headers=GZIP | {"Authorization": "Bearer hw_wrong"})


def test_errors_and_parts_of_files_stay_as_they_are(client) -> None:
    assert "Content-Encoding" not in client.get("/results/none-such/", headers=GZIP)
    part = client.get("/static/base.css", headers=GZIP | {"Range": "bytes=0-499"})
    assert (part.status_code, "Content-Encoding" in part) == (206, False)
