"""Ask an LDAP directory who somebody is: whether the password of a name is right, and which groups hold it.

Nothing goes over a network in clear: `ldap://` begins with StartTLS, but to this machine itself.
"""

from __future__ import annotations

import ipaddress
import logging
import secrets
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import ldap3
from ldap3.core import exceptions
from ldap3.utils.conv import escape_filter_chars
from ldap3.utils.dn import parse_dn

log = logging.getLogger(__name__)
CONNECT_S, ANSWER_S = 3, 5
NAME_LENGTH = 150
"""Characters of the longest name that an account can have."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose password was right: `entry_id` stays when the name changes."""

    entry_id: str
    name: str
    groups: list[str]


class DirectoryAway(Exception):
    """The directory does not answer, or not as LDAP_DIRECTORY says."""


def find_person(directory: Mapping[str, Any], name: str, password: str) -> Person | None:
    """The person of that name, None where there is none or the password is wrong. Both cost the same operations.

    Raises DirectoryAway where that cannot be known.
    """
    if not password or not name or len(name) > NAME_LENGTH or not _is_unicode(name + password):
        return None  # an empty password would be a bind without a name, which succeeds (RFC 4513, 5.1.2)
    try:
        with _bound_connection(directory, directory.get("account"), directory.get("password")) as connection:
            entry = _find_entry(connection, directory, name)
            nobody = f"{directory['login']}={secrets.token_hex(8)},{directory['people']}"
            if not _is_password(directory, entry["dn"] if entry else nobody, password) or entry is None:
                return None
            entry_id, canonical = _only_value(entry, directory["entry_id"]), _only_value(entry, directory["login"])
            return Person(entry_id, canonical, _list_groups(connection, directory, entry["dn"], canonical))
    except (exceptions.LDAPException, OSError, ValueError) as error:
        log.error("LDAP_DIRECTORY: %s: %s", type(error).__name__, error)
        raise DirectoryAway from error


@contextmanager
def _bound_connection(
    directory: Mapping[str, Any], account: str | None, password: str | None
) -> Iterator[ldap3.Connection]:
    """A connection that is bound. Raises LDAPException."""
    parts = urlsplit(directory["server"])
    tls = ldap3.Tls(validate=ssl.CERT_REQUIRED, ca_certs_file=directory.get("ca_file"), sni=_name_of(parts.hostname))
    server = ldap3.Server(
        parts.hostname,
        port=parts.port or (636 if parts.scheme == "ldaps" else 389),
        use_ssl=parts.scheme == "ldaps",
        tls=tls,
        get_info=ldap3.NONE,
        connect_timeout=CONNECT_S,
    )
    connection = ldap3.Connection(
        server,
        account,
        # As bytes it is sent as it is. Prepared as text (RFC 4013), one of soft hyphens alone would be an empty one.
        password.encode() if password else None,
        authentication=ldap3.SIMPLE if account else ldap3.ANONYMOUS,
        read_only=True,
        auto_referrals=False,
        check_names=False,
        raise_exceptions=True,
        receive_timeout=ANSWER_S,
    )
    try:
        connection.open()
        if parts.scheme == "ldap" and not _is_this_machine(parts.hostname):
            connection.start_tls()
        connection.bind()
        yield connection
    finally:
        connection.unbind()


def _is_unicode(text: str) -> bool:
    """Whether it can be sent: halves of surrogate pairs cannot."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _name_of(host: str | None) -> str | None:
    """The host, None where it is an address: TLS names no addresses."""
    try:
        ipaddress.ip_address(host or "")
    except ValueError:
        return host
    return None


def _is_this_machine(host: str | None) -> bool:
    return host in ("127.0.0.1", "::1")


def _find_entry(connection: ldap3.Connection, directory: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """The only entry whose login attribute is the name.

    A directory compares more loosely than the counter of wrong guesses: it drops soft hyphens, say. So the name must be
    the same but for its case.
    """
    login, entry_id = directory["login"], directory["entry_id"]
    condition = f"({login}={escape_filter_chars(name)})"
    entries = _search_entries(connection, directory["people"], condition, ldap3.SUBTREE, [login, entry_id])
    if len(entries) != 1:
        return None
    values = [_read_text(value) for value in entries[0]["raw_attributes"].get(login, ())]
    return entries[0] if [value.casefold() for value in values] == [name.casefold()] else None


def _is_password(directory: Mapping[str, Any], dn: str, password: str) -> bool:
    """Whether the entry binds with it. Raises LDAPException where the directory cannot say."""
    try:
        with _bound_connection(directory, dn, password):
            return True
    except (exceptions.LDAPBusyResult, exceptions.LDAPUnavailableResult, exceptions.LDAPConfidentialityRequiredResult):
        raise
    except exceptions.LDAPOperationResult:
        return False


def _list_groups(connection: ldap3.Connection, directory: Mapping[str, Any], dn: str, name: str) -> list[str]:
    """`cn` of the groups right under `groups_in` that list the person; another group of the same cn cannot be there."""
    if "groups_in" not in directory:
        return []
    member, login = escape_filter_chars(dn), escape_filter_chars(name)
    condition = f"(|(member={member})(uniqueMember={member})(memberUid={login}))"
    entries = _search_entries(connection, directory["groups_in"], condition, ldap3.LEVEL, ["cn"])
    parts = [parse_dn(entry["dn"])[0] for entry in entries]
    return [value for attribute, value, separator in parts if attribute.lower() == "cn" and separator != "+"]


def _search_entries(
    connection: ldap3.Connection, base: str, condition: str, scope: str, attributes: list[str]
) -> list[Mapping[str, Any]]:
    connection.search(base, condition, scope, attributes=attributes, time_limit=ANSWER_S)
    return [entry for entry in connection.response if entry["type"] == "searchResEntry"]


def _only_value(entry: Mapping[str, Any], attribute: str) -> str:
    """The value of an attribute that has one. Raises ValueError."""
    values = entry["raw_attributes"].get(attribute, ())
    if len(values) != 1:
        raise ValueError(f"{attribute} of {entry['dn']} has {len(values)} values, not one")
    return _read_text(values[0])


def _read_text(value: bytes) -> str:
    """A value as text; in hexadecimal where it is none, as objectGUID of Active Directory."""
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return value.hex()
    return text if text.isprintable() else value.hex()
