"""LDAP_DIRECTORY as an administrator writes it: what is wrong in it stops the start."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from registry import environment

ENTRY = {"name": "North Lab", "server": "ldaps://ldap.north.example", "people": "ou=people,dc=north,dc=example"}
GROUPS = {"groups_in": "ou=groups,dc=north,dc=example", "groups": {"storage": {"institution": "north-lab"}}}


def read(monkeypatch: pytest.MonkeyPatch, value: object) -> dict[str, Any]:
    monkeypatch.setenv("LDAP_DIRECTORY", value if isinstance(value, str) else json.dumps(value))
    return environment.ldap_directory("LDAP_DIRECTORY")


def test_missing_ldap_settings_have_defaults(monkeypatch) -> None:
    assert read(monkeypatch, ENTRY) == ENTRY | {"login": "uid", "entry_id": "entryUUID", "groups": None}
    assert read(monkeypatch, "") == {}
    changed = {"login": "sAMAccountName", "entry_id": "objectGUID", "account": "cn=a", "password": "b", "ca_file": "c"}
    assert read(monkeypatch, ENTRY | changed | GROUPS) == ENTRY | changed | GROUPS


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"name": None},
        {"people": ["ou=people"]},
        {"sever": "ldaps://ldap.north.example"},
        {"server": "ldap.north.example"},
        {"server": "https://ldap.north.example"},
        {"server": "ldaps://"},
        {"server": "ldaps://host:99999"},
        {"server": "ldaps://host:0"},
        {"server": "ldaps://host/ou=people"},
        {"server": "ldaps://reader:secret@host"},
        {"server": "ldaps://[host"},
        {"server": "ldapi:///var/run/slapd"},
        {"login": "uid=*)("},
        {"entry_id": "*"},
        {"account": "cn=reader"},
        {"password": "secret"},
        {"groups": GROUPS["groups"]},
        {"groups_in": "ou=groups"},
        GROUPS | {"groups": {}},
        GROUPS | {"groups": {"storage": {"role": "owner"}}},
        GROUPS | {"groups": ["storage"]},
    ],
    ids=str,
)
def test_invalid_ldap_directories_stop_the_start(monkeypatch, changes) -> None:
    with pytest.raises(ImproperlyConfigured, match="LDAP_DIRECTORY"):
        read(monkeypatch, ENTRY | changes)


@pytest.mark.parametrize("text", ["ldaps://ldap.north.example", "[]", "{}", "7", '"ldap"'])
def test_ldap_settings_that_are_no_object_stop_the_start(monkeypatch, text) -> None:
    with pytest.raises(ImproperlyConfigured, match="LDAP_DIRECTORY"):
        read(monkeypatch, text)


def test_without_its_package_the_line_that_installs_it_is_named(monkeypatch) -> None:
    monkeypatch.setattr(environment, "find_spec", lambda name: None)
    with pytest.raises(ImproperlyConfigured, match=r"pip install -r requirements-sso\.txt"):
        read(monkeypatch, ENTRY)
