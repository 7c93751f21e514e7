"""Settings from the environment, read strictly: what is misspelt or missing stops the start.

Every name that may be set is declared in KNOWN with its meaning; docs/operate.md lists the same names and a test
holds the two equal. `NAME_FILE` may name a file that holds the value, for secrets.
"""

from __future__ import annotations

import difflib
import json
import math
import os
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_ssh_private_key
from django.core.exceptions import ImproperlyConfigured

VARIABLES: dict[str, str] = {
    "SECRET_KEY": "Signs sessions; 50 random characters or more. Required.",
    "DEBUG": "Django's debug pages; true or false. Off by default, never on a public host.",
    "ALLOWED_HOSTS": "Host names the site answers to, separated by commas. Required.",
    "INSECURE_LOCAL": "Plain HTTP on this machine: no HTTPS redirect, cookies without Secure. Off by default.",
    "CSRF_TRUSTED_ORIGINS": "Origins (https://host) behind a proxy that forms may come from, separated by commas.",
    "TRUSTED_PROXY": "The site stands behind a proxy that sets X-Forwarded-Proto and X-Forwarded-For. Off by default.",
    "DATABASE_URL": "PostgreSQL, postgresql://user:password@host:5432/name or postgresql:///name?host=/socket/folder.",
    "BROKER_URL": "Redis-protocol broker of Celery, redis://host:6379/0 or redis+socket:///path?virtual_host=0.",
    "CACHE_URL": "Redis-protocol cache, redis://host:6379/1 or unix:///path?db=1.",
    "HIGHWATER_STATE": "Folder for bundles and mail when no other storage is set.",
    "BUNDLE_STORAGE_URL": "Where bundles lie: file:///folder (default STATE/bundles) or s3://bucket/prefix.",
    "EMAIL_URL": "Mail server, smtp://user:password@host:587 or smtps://. Without it mail goes to STATE/mail.",
    "EMAIL_FROM": "Sender of mail.",
    "LOG_KEY": "Private Ed25519 key in PEM that signs the log; without it one that follows from SECRET_KEY.",
    "RECEIPT_KEY": "Private Ed25519 key in PEM that signs receipts; without it one that follows from SECRET_KEY.",
    "SITE_URL": "Public address of the site, https://host; used in mails, machine forms and the served collector.",
    "PUBLIC_ONLY": "Serve only the public record, for hosts on a read replica. Off by default.",
    "READ_REQUIRES_LOGIN": "Only accounts may read: every page, file and call is closed to others. Off by default.",
    "OPERATOR": "Who runs this registry, as /about/ and the foot of every page name it. Default nobody.",
    "CONTACT": "Where people ask for an account and report trouble: a mail address, or https://....",
    "IMPRINT_URL": "Address of the operator's imprint or privacy page, https://...; linked from every page.",
    "METRICS_TOKEN": "Lets a caller from elsewhere read /metrics (Authorization: Bearer); without it, loopback only.",
    "CLIENT_PATIENCE_S": "Seconds for a client to send a head, or to move 4 KiB/s of a body or answer; default 10.",
    "DATABASE_APP_ROLE": "Database role of web and workers, which rewrites no history. Default that of DATABASE_URL.",
    "DATABASE_PUBLIC_ROLE": "Database role that reads the public record alone, for strangers. Default as above.",
    "DATABASE_CONNECT_S": "Seconds to reach the database, at least 2; default 3.",
    "DATABASE_STATEMENT_S": "Seconds that one statement of the web may take, 0 for any; default 30.",
    "CHECK_SECONDS": "So long one check may take before it is stopped; default 60.",
    "CHECK_MEMORY_BYTES": "Address space of the process that reads one bundle, in bytes; default 1 GiB.",
    "KEPT_ANSWERS_BYTES": "Bytes of public answers that each web process keeps in memory, 0 for none; default 32 MiB.",
    "LOG_LEVEL": "DEBUG, INFO, WARNING or ERROR; default INFO.",
    "UPLOAD_BYTES_PER_DAY": "Bytes that one account may store within 24 hours, 0 for any; default 5 GiB.",
    "INSTITUTION_BYTES_PER_DAY": "Bytes that one institution may store within 24 hours, 0 for any; default 50 GiB.",
    "UNCHECKED_PER_ACCOUNT": "Submissions of one account that may wait for their check, 0 for any; default 200.",
    "DRAFT_DAYS": "Days without a change after which a draft expires, at least 15, 0 for never; default 90.",
    "TRIAL_DAYS": "Days without a change after which a test upload expires, at least 15, 0 for never; default 90.",
    "FREE_SPACE_FLOOR_BYTES": "Free bytes below which uploads are refused; default 5 % of the disk, 5 GiB at most.",
    "LOG_FORMAT": "text, or json for programs: one object a line; default text.",
    "SIGNUP_OPEN": "Anybody may make an account, with a mail address that is verified. Off by default.",
    "REQUIRE_SECOND_FACTOR_FOR": "Roles that need a second factor, such as editor,admin. Default none.",
    "LOGIN_PROVIDERS": "Others who sign people in, a JSON array as in docs/accounts.md. Default none.",
    "LDAP_DIRECTORY": "An LDAP directory that signs people in, a JSON object as in docs/accounts.md. Default none.",
    "THROTTLE_UPLOAD": "Uploads per token from elsewhere; default 600/h.",
    "THROTTLE_UPLOAD_LOOPBACK": "Uploads per token from loopback; default 60/s.",
    "THROTTLE_CHECK": "Calls of check/ per token; default 120/h.",
    "THROTTLE_CHECK_LOOPBACK": "Calls of check/ per token from loopback; default 60/s.",
    "THROTTLE_READ": "API reads per address or token; default 600/min.",
    "THROTTLE_READ_LOOPBACK": "API reads from loopback; default 500/s.",
    "THROTTLE_PAGE": "Pages per address; default 600/min.",
    "THROTTLE_PAGE_LOOPBACK": "Pages from loopback; default 500/s.",
    "THROTTLE_PICTURE": "Pictures that are drawn, per address; default 60/min.",
    "THROTTLE_PICTURE_LOOPBACK": "Pictures from loopback; default 500/s.",
    "THROTTLE_LOGIN": "Log-in attempts per address; default 10/min.",
}

_PROVIDERS = {
    "openid_connect": ("id", "name", "server", "client_id", "secret"),
    "orcid": ("client_id", "secret"),
    "github": ("client_id", "secret"),
}
_LDAP_ATTRIBUTES = {"login": "uid", "entry_id": "entryUUID"}
_MEMBER_ROLES = ("submitter", "admin")
_PREFIXES = ("HIGHWATER_", "THROTTLE_")
_OTHERS = {
    # Read by the launcher, the tests and the collector, never by the server.
    "HIGHWATER_SHARED",
    "HIGHWATER_URL",
    "HIGHWATER_TOKEN",
    "HIGHWATER_VENV",
    "HIGHWATER_PYTHON",
    "HIGHWATER_INSECURE",
    "HIGHWATER_CHROMIUM",
}


def refuse_misspelt(environ: Mapping[str, str]) -> None:
    """Raises ImproperlyConfigured for a name that looks like one of ours and is not."""
    valid_names = set(VARIABLES) | {f"{name}_FILE" for name in VARIABLES} | _OTHERS
    for name in sorted(set(environ) - valid_names):
        close = difflib.get_close_matches(name, VARIABLES, n=1, cutoff=0.9)
        if close or name.startswith(_PREFIXES):
            hint = f"; did you mean {close[0]}?" if close else ""
            raise ImproperlyConfigured(f"unknown setting {name}{hint} (docs/operate.md lists all settings)")


def read_text(name: str, default: str | None = None) -> str:
    """The value of NAME, or of the file that NAME_FILE names, or the default.

    Raises LookupError for a variable that VARIABLES does not declare, ImproperlyConfigured where there is no value, or
    the file cannot be read.
    """
    if name not in VARIABLES:
        raise LookupError(f"{name} is not declared in registry/environment.py")
    value = os.environ.get(name)
    file = os.environ.get(f"{name}_FILE")
    if value is None and file:
        try:
            value = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{name}_FILE: {error}") from error
    if value:
        return value
    if default is None:
        raise ImproperlyConfigured(f"{name} is not set. {VARIABLES[name]}")
    return default


ROLES = ("submitter", "reviewer", "editor", "admin")


def read_roles(name: str) -> frozenset[str]:
    """Roles of accounts, separated by commas. Raises ImproperlyConfigured for a word that is none."""
    roles = frozenset(filter(None, read_names(name, "")))
    if wrong := sorted(roles - {*ROLES}):
        raise ImproperlyConfigured(f"{name}: {wrong[0]!r} is no role; they are {', '.join(ROLES)}")
    return roles


def read_boolean(name: str, default: bool = False) -> bool:
    """Read true or false, in any case. Raises ImproperlyConfigured for anything else."""
    value = read_text(name, "true" if default else "false").lower()
    if value not in ("true", "false"):
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}")
    return value == "true"


def read_closed(name: str, *, public_only: bool) -> bool:
    """Whether only accounts may read. Raises ImproperlyConfigured on a host that has no accounts."""
    closed = read_boolean(name)
    if closed and public_only:
        raise ImproperlyConfigured(f"PUBLIC_ONLY has no accounts, so {name} would let nobody read. Leave one out.")
    return closed


def read_names(name: str, default: str | None = None) -> list[str]:
    """Comma-separated words, blanks dropped."""
    return [word.strip() for word in read_text(name, default).split(",") if word.strip()]


def read_origin(name: str) -> str:
    """Read https://host without a slash at its end, or "" where it is not set.

    Raises ImproperlyConfigured for anything else.
    """
    value = read_text(name, "").rstrip("/")
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path or parts.query):
        raise ImproperlyConfigured(f"{name} must look like https://host, not {value!r}")
    return value


def read_line(name: str) -> str:
    """Read a text of one line and at most 200 characters, or "" where it is not set.

    Raises ImproperlyConfigured for anything else.
    """
    value = read_text(name, "").strip()
    if len(value) > 200 or not value.isprintable():
        raise ImproperlyConfigured(f"{name} must be one line of at most 200 characters")
    return value


def web_address(name: str) -> str:
    """Read https://host/path, or "" where it is not set. Raises ImproperlyConfigured for anything else."""
    value = read_line(name)
    refusal = f"{name} must look like https://host/path, not {value!r}"
    try:
        parts = urlsplit(value)
    except ValueError as error:
        raise ImproperlyConfigured(refusal) from error
    if value and (parts.scheme not in ("http", "https") or not parts.hostname or " " in value):
        raise ImproperlyConfigured(refusal)
    return value


def login_providers(name: str) -> dict[str, dict[str, Any]]:
    """Return allauth's SOCIALACCOUNT_PROVIDERS for a JSON array.

    Raises ImproperlyConfigured where an entry is not exactly what its provider takes.
    """
    try:
        entries = json.loads(read_text(name, "[]"))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no JSON: {error}") from error
    if not isinstance(entries, list):
        raise ImproperlyConfigured(f"{name} must be a JSON array")
    providers: dict[str, dict[str, Any]] = {}
    for entry in entries:
        kind = entry.get("provider") if isinstance(entry, dict) else None
        keys = _PROVIDERS.get(kind) if isinstance(kind, str) else None
        if not isinstance(kind, str) or keys is None:
            raise ImproperlyConfigured(f"{name}: `provider` must be one of {', '.join(_PROVIDERS)}")
        groups = _read_groups(name, entry, kind)
        if set(entry) != {"provider", *keys} or not all(isinstance(entry[key], str) and entry[key] for key in keys):
            raise ImproperlyConfigured(f"{name}: {kind} takes exactly the texts {', '.join(keys)}")
        if kind == "openid_connect" and not entry["server"].startswith(("https://", "http://127.0.0.1:")):
            raise ImproperlyConfigured(f"{name}: `server` must begin with https://")
        providers.setdefault(kind, {"APPS": []})["APPS"].append(_sso_application(entry))
        if groups:
            providers[kind]["APPS"][-1]["settings"] |= groups
    return providers


def _read_groups(name: str, entry: dict[str, Any], kind: str) -> dict[str, Any]:
    """Take `groups` and `groups_claim` out of an entry. Raises ImproperlyConfigured for what maps nothing."""
    groups, claim = entry.pop("groups", None), entry.pop("groups_claim", "groups")
    if groups is None:
        return {}
    if kind != "openid_connect":
        raise ImproperlyConfigured(f"{name}: only openid_connect has `groups`")
    if not isinstance(claim, str) or not claim:
        raise ImproperlyConfigured(f"{name}: `groups_claim` is a name")
    _check_groups(name, groups)
    return {"groups": groups, "groups_claim": claim}


def _check_groups(name: str, groups: object) -> None:
    """Raises ImproperlyConfigured unless it maps names of groups to what they grant."""
    if not isinstance(groups, dict) or not groups:
        raise ImproperlyConfigured(f"{name}: `groups` maps names of groups")
    for group, grant in groups.items():
        if not isinstance(grant, dict) or not grant or set(grant) - {"role", "institution", "member"}:
            raise ImproperlyConfigured(f"{name}: group {group!r} takes role, institution, member")
        if grant.get("role", ROLES[0]) not in ROLES:
            raise ImproperlyConfigured(f"{name}: `role` of group {group!r} must be one of {', '.join(ROLES)}")
        if ("member" in grant and "institution" not in grant) or grant.get("member", "admin") not in _MEMBER_ROLES:
            raise ImproperlyConfigured(
                f"{name}: `member` of group {group!r} must be one of {', '.join(_MEMBER_ROLES)}, beside an institution"
            )
        if "institution" in grant and not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", str(grant["institution"])):
            raise ImproperlyConfigured(f"{name}: `institution` of group {group!r} must be a slug such as north-lab")


def _sso_application(entry: dict[str, str]) -> dict[str, Any]:
    application: dict[str, Any] = {"client_id": entry["client_id"], "secret": entry["secret"]}
    if entry["provider"] == "openid_connect":
        application |= {"provider_id": entry["id"], "name": entry["name"], "settings": {"server_url": entry["server"]}}
    return application


def ldap_directory(name: str) -> dict[str, Any]:
    """Read the directory that signs people in, with what is left out filled in; empty where it is not set.

    Raises ImproperlyConfigured for an entry that is not exactly what docs/accounts.md names, and without its package.
    """
    if not (text := read_text(name, "")):
        return {}
    try:
        entry = json.loads(text)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is no JSON: {error}") from error
    if not isinstance(entry, dict):
        raise ImproperlyConfigured(f"{name} must be a JSON object")
    groups = entry.pop("groups", None)
    required, optional = {"name", "server", "people"}, {"login", "entry_id", "account", "password", "ca_file"}
    keys = set(entry) - {"groups_in"}
    if not required <= keys <= required | optional:
        raise ImproperlyConfigured(
            f"{name} takes {_join_sorted(required)}, and may take {_join_sorted(optional)}, groups"
        )
    if not all(isinstance(value, str) and value for value in entry.values()):
        raise ImproperlyConfigured(f"{name}: all but `groups` are texts, and none is empty")
    if ("account" in entry) != ("password" in entry) or ("groups_in" in entry) != (groups is not None):
        raise ImproperlyConfigured(f"{name}: account and password go together, and so do groups and groups_in")
    if groups is not None:
        _check_groups(name, groups)
    _check_ldap_server(name, entry["server"])
    for key in ("login", "entry_id"):
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]*", entry.setdefault(key, _LDAP_ATTRIBUTES[key])):
            raise ImproperlyConfigured(f"{name}: `{key}` is the name of an attribute")
    if find_spec("ldap3") is None:
        raise ImproperlyConfigured(f"{name} needs a package more: pip install -r requirements-sso.txt")
    return entry | {"groups": groups}


def _check_ldap_server(name: str, server: str) -> None:
    """Raises ImproperlyConfigured unless it is ldap:// or ldaps:// with a host, and perhaps a port."""
    try:
        parts = urlsplit(server)
        is_server = parts.scheme in ("ldap", "ldaps") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_server = False
    if not is_server or parts.netloc.count("@") or server != f"{parts.scheme}://{parts.netloc}":
        raise ImproperlyConfigured(f"{name}: `server` must look like ldaps://host or ldap://host:389, not {server!r}")


def _join_sorted(names: set[str]) -> str:
    return ", ".join(sorted(names))


def read_choice(name: str, choices: tuple[str, ...], default: str) -> str:
    """Read one of the choices. Raises ImproperlyConfigured for anything else."""
    value = read_text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    return value


def read_number(name: str, default: int, *, least: int, digits: int = 9) -> int:
    """A whole number of at most so many digits, not below `least`. Raises ImproperlyConfigured for anything else."""
    value = read_text(name, str(default))
    if not (value.isascii() and value.isdecimal() and len(value) <= digits and int(value) >= least):
        raise ImproperlyConfigured(f"{name} must be a whole number of at least {least}, not {value!r}.")
    return int(value)


def read_days(name: str, default: int) -> int:
    """Days after which something expires: 0 for never, or 15 and more, as its owner is told 14 days before.

    Raises ImproperlyConfigured for anything else.
    """
    days = read_number(name, default, least=0, digits=5)
    if 0 < days < 15:
        raise ImproperlyConfigured(f"{name} must be 0 or at least 15, as owners are told 14 days before, not {days}.")
    return days


def read_rate(name: str, default: str) -> str:
    """Read a throttle such as 60/s, 600/h; `s`, `m` (or min), `h`, `d`.

    Raises ImproperlyConfigured for anything else.
    """
    value = read_text(name, default)
    number, _, period = value.partition("/")
    if not number.isdigit() or int(number) < 1 or period not in ("s", "m", "min", "h", "d"):
        raise ImproperlyConfigured(f"{name} must look like 60/s, 600/h or 10/min, not {value!r}")
    return value


def read_seconds(name: str, default: float, least: float = 0.1) -> float:
    """Read a number of seconds. Raises ImproperlyConfigured for less than `least` seconds, or no number."""
    value = read_text(name, str(default))
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not least <= number < math.inf:
        raise ImproperlyConfigured(f"{name} must be a number of seconds from {least:g} on, not {value!r}")
    return number


def ed25519_key(name: str) -> Ed25519PrivateKey | None:
    """Read a private key in PEM, as OpenSSL or ssh-keygen writes it; None where it is not set.

    Raises ImproperlyConfigured for a key of another kind or with a passphrase.
    """
    content = read_text(name, "").encode()
    if not content:
        return None
    load = load_ssh_private_key if b"OPENSSH" in content else load_pem_private_key
    try:
        key = load(content + b"\n", password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise ImproperlyConfigured(f"{name} must be a private key in PEM without a passphrase") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ImproperlyConfigured(f"{name} must be an Ed25519 key: ssh-keygen -t ed25519")
    return key


def read_database(name: str, connect_s: float) -> dict[str, object]:
    """Django's DATABASES entry for a postgresql:// URL; host, port and user may stand in the query as in libpq.

    `connect_s` is the time to connect, in seconds, where the query has no `connect_timeout`. Raises
    ImproperlyConfigured for another scheme.
    """
    parts = urlsplit(read_text(name))
    if parts.scheme not in ("postgresql", "postgres"):
        raise ImproperlyConfigured(f"{name} must begin with postgresql://, not {parts.scheme}://")
    query = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    return {
        "ENGINE": "registry.database",
        "NAME": unquote(parts.path.lstrip("/")) or "highwater",
        "USER": unquote(parts.username or "") or query.pop("user", ""),
        "PASSWORD": unquote(parts.password or "") or query.pop("password", ""),
        "HOST": unquote(parts.hostname or "") or query.pop("host", ""),
        "PORT": str(parts.port or "") or query.pop("port", ""),
        "OPTIONS": {"connect_timeout": math.ceil(connect_s), **query},
    }
