"""Settings that are malformed stop the start with a sentence that names them."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from registry import environment


@pytest.mark.parametrize("given", ["registry", "registry.example.org", "ftp://host", "https://", "https://host/path"])
def test_an_invalid_address_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("SITE_URL", given)
    with pytest.raises(ImproperlyConfigured, match="SITE_URL must look like https://host"):
        environment.read_origin("SITE_URL")


@pytest.mark.parametrize(
    ("given", "read"), [("", ""), ("https://host/", "https://host"), ("http://127.0.0.1:8000", "http://127.0.0.1:8000")]
)
def test_an_address_is_read_without_its_last_slash(monkeypatch: pytest.MonkeyPatch, given: str, read: str) -> None:
    monkeypatch.setenv("SITE_URL", given)
    assert environment.read_origin("SITE_URL") == read


@pytest.mark.parametrize("given", ["4", "-60", "sixty", "6e1", "60.0", "9" * 10, "\u0666\u0660"])
def test_an_invalid_or_too_low_number_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("CHECK_SECONDS", given)
    with pytest.raises(ImproperlyConfigured, match="CHECK_SECONDS must be a whole number of at least 5"):
        environment.read_number("CHECK_SECONDS", 60, least=5)


def test_a_number_is_read_or_has_a_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHECK_SECONDS", "90")
    assert environment.read_number("CHECK_SECONDS", 60, least=5) == 90
    monkeypatch.delenv("CHECK_SECONDS")
    assert environment.read_number("CHECK_SECONDS", 60, least=5) == 60


def test_an_empty_file_name_is_treated_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", "")
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY is not set"):
        environment.read_text("SECRET_KEY")


def test_an_unreadable_file_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"\xff\xfe")
    monkeypatch.delenv("SECRET_KEY", raising=False)
    monkeypatch.setenv("SECRET_KEY_FILE", str(tmp_path / "key"))
    with pytest.raises(ImproperlyConfigured, match="SECRET_KEY_FILE"):
        environment.read_text("SECRET_KEY")


OIDC = '{"provider": "openid_connect", "id": "north", "name": "North", "server": "%s", "client_id": "a", "secret": "b"}'


@pytest.mark.parametrize(
    "given",
    [
        "github",
        "{}",
        "[1]",
        '[{"provider": "facebook", "client_id": "a", "secret": "b"}]',
        '[{"provider": ["github"], "client_id": "a", "secret": "b"}]',
        '[{"provider": "github", "client_id": "a"}]',
        '[{"provider": "github", "client_id": "a", "secret": ""}]',
        '[{"provider": "github", "client_id": "a", "secret": "b", "sekret": "c"}]',
        f"[{OIDC % 'http://login.example'}]",
    ],
)
def test_invalid_providers_are_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("LOGIN_PROVIDERS", given)
    with pytest.raises(ImproperlyConfigured, match="LOGIN_PROVIDERS"):
        environment.login_providers("LOGIN_PROVIDERS")


def test_providers_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    github = '{"provider": "github", "client_id": "a", "secret": "b"}'
    monkeypatch.setenv("LOGIN_PROVIDERS", f"[{github}, {OIDC % 'https://login.example'}]")
    read = environment.login_providers("LOGIN_PROVIDERS")
    assert read["github"] == {"APPS": [{"client_id": "a", "secret": "b"}]}
    assert read["openid_connect"]["APPS"][0]["settings"] == {"server_url": "https://login.example"}
    monkeypatch.setenv("LOGIN_PROVIDERS", "")
    assert environment.login_providers("LOGIN_PROVIDERS") == {}
