"""The people of these tests and what they do: how they speak to the API, where their bytes lie, how they submit."""

from __future__ import annotations

import hashlib
import io
import secrets
import tarfile
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.utils import timezone
from psycopg.types.json import Jsonb
from rest_framework.test import APIClient

from registry.models import Release, Site
from submissions.accounts import tokens
from submissions.models import Account, Membership, Submission, Token
from submissions.review import decisions

API = "/api/v1/"


def tar(members: dict[str, bytes]) -> bytes:
    """A compressed tar of these files."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as packed:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    return out.getvalue()


@dataclass
class Person:
    """An account with a token, and how it speaks to the API."""

    account: Account
    client: APIClient = field(default_factory=APIClient)
    token: str = ""
    """Its key; a new one where none is given."""

    def __post_init__(self) -> None:
        if not self.token:
            token, self.token = tokens.create_token(self.account, "tests", Token.Scope.values)
            Token.objects.filter(pk=token.pk).update(last_used_at=timezone.now())  # no request notes a first use
        self.client.credentials(HTTP_AUTHORIZATION=f"Token {self.token}")

    def get(self, path: str) -> Any:
        return self.client.get(API + path)

    def post(self, path: str, document: object = None) -> Any:
        return self.client.post(API + path, document, format="json")

    def put(self, path: str, document: object) -> Any:
        return self.client.put(API + path, document, format="json")

    def patch(self, path: str, document: object) -> Any:
        return self.client.patch(API + path, document, format="json")

    def upload(self, content: bytes, *, name: str = "run.tar.gz", to: str = "submissions/", **fields: Any) -> Any:
        fields = {"sha256": hashlib.sha256(content).hexdigest()} | fields
        sent_fields = {name: value for name, value in fields.items() if value is not None}
        return self.client.post(
            API + to, sent_fields | {"bundle": SimpleUploadedFile(name, content)}, format="multipart"
        )


@dataclass
class Cast:
    alice: Person
    bob: Person
    charlie: Person
    dana: Person
    erin: Person
    fay: Person
    stranger: APIClient = field(default_factory=APIClient)


def unhindered(folder: Path) -> dict[str, Any]:
    """Settings under which bundles are stored in a folder and nobody is throttled."""
    stores = dict(settings.STORAGES)
    for kind in ("received", "public"):
        options = dict(stores[kind]["OPTIONS"], location=str(folder / kind))
        stores[kind] = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": options}
    throttles = dict.fromkeys(settings.THROTTLE_RATES, ("100000/s", "100000/s"))
    return {"STORAGES": stores, "THROTTLE_RATES": throttles}


def leftovers(folder: Path) -> list[Path]:
    """The stored files in it."""
    return [path for path in folder.rglob("*") if path.is_file()]


def make_cast() -> Cast:
    """All of them, in one statement for each table: nearly every test begins with it."""
    north, south, west = Site.objects.bulk_create(
        Site(slug=f"{name.lower()}-lab", name=f"{name} Lab") for name in ("North", "South", "West")
    )
    people = {
        "alice": ("submitter", north),
        "bob": ("submitter", north),
        "charlie": ("submitter", south),
        "dana": ("reviewer", west),
        "erin": ("editor", None),
        "fay": ("admin", None),
    }
    accounts = Account.objects.bulk_create(Account(username=name, role=role) for name, (role, _) in people.items())
    Membership.objects.bulk_create(
        Membership(account=account, institution=site)
        for account, (_, site) in zip(accounts, people.values(), strict=True)
        if site is not None
    )
    keys = make_tokens(accounts)
    return Cast(**{account.username: Person(account, token=key) for account, key in zip(accounts, keys, strict=True)})


def make_tokens(accounts: list[Account]) -> list[str]:
    """A token of each for everything, as tokens.create_token makes it; one that was used before."""
    keys = [f"{tokens.PREFIX}{secrets.token_hex(32)}" for _ in accounts]
    now = timezone.now()
    Token.objects.bulk_create(
        Token(
            account=account,
            digest=tokens._key_digest(key),
            beginning=key[: tokens.BEGINNING],
            name="tests",
            scopes=Token.Scope.values,
            expires_at=now + timedelta(days=tokens.USUAL_DAYS),
            last_used_at=now,
        )
        for account, key in zip(accounts, keys, strict=True)
    )
    return keys


def define(bodies: list[dict[str, Any]]) -> None:
    """Rows of list definitions, in one document: as an array of documents they take seven times as long."""
    select = "SELECT body->>'name', (body->>'version')::integer, body FROM jsonb_array_elements(%s) body"
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO registry_listdefinition (name, version, body) {select}", [Jsonb(bodies)])


def submit_to(release: Release, submission: Submission, person: Person, lists: tuple[str, ...] = ("full",)) -> None:
    """Submit a checked run with all that has to be said, and read it anew."""
    acknowledgements = {"acknowledge_rules": True, "acknowledge_publication": True}
    decisions.submit_run(submission, person.account, release=release.slug, lists=lists, **acknowledgements)
    submission.refresh_from_db()


TOLD = "Weather forecasts, climate models and what students try on it, every day."
COMPLETE = dict.fromkeys(
    ("system_purpose", "availability", "storage_system_software", "runtime_environment", "fault_tolerance_mechanisms",
     "execution", "caching", "data_source", "trust"), TOLD
) | {
    "usage": "production", "software_availability": "open_source", "single_point_of_failure": False,
    "exclusive_cluster_usage": True, "caches_dropped": True, "storage_role": "primary", "persistence_verified": True,
    "reproducibility": "limited",
}  # fmt: skip
"""Everything that a production list asks of a bundle that tells nothing of its system."""
