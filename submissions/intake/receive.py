"""Take what is sent: bytes are hashed, and on disk before the row is committed; then comes the task, with the id only.

The same bytes of the same account are one submission, however often and from however many clients they come, until
it was rejected or withdrawn: then they are a new one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models.functions import Now

from registry.models import ListDefinition, Release, Result, Site
from registry.query import public_record
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text
from submissions.bundles import quarantine, signatures
from submissions.bundles.storage import CHUNK, Incoming
from submissions.errors import (
    BadMetadata,
    BadSha256,
    BadSignature,
    EmptyBundle,
    NoBundle,
    NoSha256,
    OriginalNotCurrent,
    StateConflict,
    UnknownList,
    UnknownOriginal,
    UnknownRelease,
    WrongSha256,
)
from submissions.lifecycle import expiry, private_records, quotas, states, task_queue
from submissions.models import CLOSED, Account, Event, PrivateRecord, Signature, State, Submission
from submissions.web.strict_json import object_without_repeats
from validators import schema

METADATA_LIMIT_BYTES = 256 * 1024
METADATA_FIELDS = tuple(schema.schemas()[schema.METADATA]["properties"])
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Declared:
    """What is said beside the bundle, already checked: see `declared`."""

    release: Release | None = None
    lists: list[str] = field(default_factory=list)
    metadata: dict[str, Any] = field(default_factory=dict)
    reproduces: Result | None = None


def receive_bundle(
    account: Account,
    bundle: UploadedFile[Any] | Incoming | None,
    sha256: str,
    declared: Declared,
    *,
    test: bool = False,
    signature: str = "",
) -> tuple[Submission, bool]:
    """The submission of these bytes, and whether it is new. `sha256` "" stands for a form that can't compute it.

    `signature` is the detached one of the bundle, or "". The first that comes with these bytes counts. Raises
    BadSignature where it is none, IntakeRefused for what can't be taken, Unavailable where storage can't; nothing is
    kept then.
    """
    if signature and not signatures.is_signature(signature):
        raise BadSignature
    with open_upload(bundle, sha256) as incoming, quarantine.storing_bytes(account, incoming.sha256):
        institution = institution_of(account, declared.metadata)
        return _register_submission(account, institution, incoming, declared, test, signature)


@contextmanager
def open_upload(sent: UploadedFile[Any] | Incoming | None, sha256: str) -> Iterator[Incoming]:
    """What was sent, whole and not stored yet; forgotten afterwards unless it was.

    Raises IntakeRefused where nothing was sent, it is empty, or its digest is another.
    """
    if sent is None:
        raise NoBundle
    incoming = sent if isinstance(sent, Incoming) else _drain_bundle(sent)
    try:
        if not incoming.size:
            raise EmptyBundle
        require_matching(incoming, sha256)
        yield incoming
    finally:
        incoming.close()


def create_draft(account: Account, declared: Declared, *, test: bool = False) -> Submission:
    """A draft without a file: what is said and answered now, the files later."""
    with transaction.atomic():
        draft = Submission.objects.create(
            account=account,
            institution=institution_of(account, declared.metadata),
            state=State.DRAFT,
            test=test,
            size=0,
            metadata=declared.metadata,
            release=declared.release,
            lists=declared.lists,
            reproduces=declared.reproduces,
        )
        event = Event.objects.create(submission=draft, actor=account, to_state=State.DRAFT)
        private_records.record_rows((PrivateRecord.Kind.EVENT, [event]))
    return draft


def parse_declared(
    release: str = "",
    lists: Iterable[str] = (),
    metadata: str | Mapping[str, Any] | None = None,
    reproduces: str = "",
) -> Declared:
    """Read what is said beside a bundle. Raises IntakeRefused, RepeatedField."""
    declared_release = known_release(release) if release else None
    return Declared(
        declared_release,
        known_lists(lists, declared_release),
        read_metadata(metadata),
        known_original(reproduces) if reproduces else None,
    )


def known_original(public_id: str) -> Result:
    """The published result that a run is to reproduce.

    Raises UnknownOriginal where none has the id, which says the same of unpublished and erased ones, and
    OriginalNotCurrent of one that was withdrawn or revised.
    """
    try:
        original = public_record.find_result(public_id.strip())
    except (public_record.NotOnRecord, public_record.ErasedFromRecord) as error:
        raise UnknownOriginal(f"There is no published result {public_id[:60]!r}.") from error
    if original.withdrawn_at:
        raise OriginalNotCurrent(f"{original.public_id} was withdrawn.")
    if revised_by := getattr(original, "revised_by", None):
        raise OriginalNotCurrent(f"{original.public_id} was revised by {revised_by.public_id}.")
    return original


def known_release(slug: str) -> Release:
    """Return the release that a submission names. Raises UnknownRelease where there is none."""
    try:
        return public_record.find_release(slug)
    except public_record.NotOnRecord as error:
        hint = f"{error.hint} {UnknownRelease.hint}" if error.nearest else UnknownRelease.hint
        raise UnknownRelease(f"There is no release {slug[:60]!r}.", hint=hint) from error


def known_lists(names: Iterable[str], release: Release | None) -> list[str]:
    """List names in lower case, each once, all made by the release; without a release, all that are defined.

    Raises UnknownList where one of them is not among these.
    """
    requested = list(dict.fromkeys(name.strip().lower() for name in names if name.strip()))
    if not requested:
        return []
    available = release.list_names if release else ListDefinition.objects.order_by().values_list("name", flat=True)
    unknown = [name for name in requested if name not in set(available)]
    if unknown:
        where = f" of {release.name}" if release else ""
        raise UnknownList(
            f"There is no list {unknown[0][:60]!r}{where}.", hint=f"Known: {', '.join(sorted({*available}))}."
        )
    return requested


def read_metadata(metadata: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """The metadata as an object that the schema allows.

    Raises BadMetadata, with every error by field, for anything else.
    """
    if isinstance(metadata, str):
        metadata = _parse_json(metadata)
    if not metadata:
        return {}
    errors: dict[str, list[str]] = {}
    cleaned = {
        name: canonical_names.plain_text(value) if _is_name(name, value) else value for name, value in metadata.items()
    }
    for name in [name for name in cleaned if name not in METADATA_FIELDS][:20]:
        near = public_record.nearest_names(name[:80], METADATA_FIELDS, 1)
        errors[name[:80]] = [f"Did you mean {near[0]}?" if near else f"Known are {', '.join(METADATA_FIELDS)}."]
    for error in schema.errors(cleaned, schema.METADATA)[:20]:
        if error.validator == "additionalProperties" and not error.absolute_path:
            continue  # named above, each by itself
        errors.setdefault(".".join(map(str, error.absolute_path)) or "metadata", []).append(schema.sentence(error))
    if not is_storable(metadata):
        errors["metadata"] = ["A text holds NUL or half a surrogate pair, or it is too long."]
    if errors:
        name, (why, *_) = next(iter(errors.items()))
        raise BadMetadata(
            why if name in (*METADATA_FIELDS, "metadata") else f"There is no field {name}. {why}", errors=errors
        )
    return cleaned


def _is_name(field: str, value: object) -> bool:
    """Everything that is text but the note, which may have lines."""
    return isinstance(value, str) and field != "note"


def institution_of(account: Account, metadata: Mapping[str, Any]) -> Site | None:
    """The account's institution that the metadata names, its only one if it has just one, else None."""
    sites = list(Site.objects.filter(memberships__account=account).select_related("merged_into"))
    named = fold_text(metadata.get("institution"))
    matching = [
        site for site in sites if named in {fold_text(name) for name in (site.slug, site.name, *_site_spellings(site))}
    ]
    if len({site.merged_into_id or site.pk for site in matching}) == 1:
        return min(matching, key=lambda site: (site.merged_into_id is not None, site.pk))
    return sites[0] if len(sites) == 1 else None


def _site_spellings(site: Site) -> list[str]:
    """Other names, also those of what it was merged into."""
    now = site.merged_into
    return [*(site.also_printed_as or []), *((now.slug, now.name, *(now.also_printed_as or [])) if now else ())]


def _parse_json(text: str) -> dict[str, Any]:
    if len(text) > METADATA_LIMIT_BYTES:
        raise BadMetadata(f"The metadata is longer than {METADATA_LIMIT_BYTES} characters.")
    if not text.strip():
        return {}
    try:
        parsed = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=object_without_repeats)
    except (ValueError, RecursionError) as error:
        raise BadMetadata("The metadata is not JSON.", errors={"metadata": [str(error)[:300]]}) from error
    if not isinstance(parsed, dict):
        raise BadMetadata("The metadata is not a JSON object.", errors={"metadata": ["It must begin with {."]})
    return parsed


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON value")


def is_storable(document: object, limit_bytes: int = METADATA_LIMIT_BYTES) -> bool:
    """Whether PostgreSQL would take it: no NUL, no half of a surrogate pair, of moderate size."""
    try:
        text = json.dumps(document, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return len(text) <= limit_bytes and b"\\u0000" not in text


def _drain_bundle(bundle: UploadedFile[Any]) -> Incoming:
    incoming = Incoming(bundle.name or "")
    try:
        for chunk in bundle.chunks(CHUNK):
            incoming.write(chunk)
    except BaseException:
        incoming.close()
        raise
    return incoming


def require_matching(incoming: Incoming, sha256: str) -> None:
    """Raises BadSha256 for what is no digest, WrongSha256 for that of other bytes; an empty `sha256` claims nothing."""
    claimed = sha256.strip().lower()
    if claimed and not _SHA256.fullmatch(claimed):
        raise BadSha256
    if claimed and claimed != incoming.sha256:
        raise WrongSha256(f"{incoming.size} bytes came, with sha256 {incoming.sha256}.")


def require_sha256(text: str | None) -> str:
    """What a program must send. Raises NoSha256 where it is missing, BadSha256 where it is none."""
    if not text or not text.strip():
        raise NoSha256
    if not _SHA256.fullmatch(text.strip().lower()):
        raise BadSha256
    return text.strip().lower()


def _register_submission(
    account: Account, institution: Site | None, incoming: Incoming, declared: Declared, test: bool, signature: str
) -> tuple[Submission, bool]:
    """INSERT .. ON CONFLICT DO NOTHING: of twenty that arrive at once, one makes the row and all get its id.

    The bytes are stored once nothing stands against them; sending them again uses nothing up. Inside a transaction.
    """
    submission = Submission(
        account=account,
        institution=institution,
        test=test,
        filename=file_name(incoming.name),
        sha256=incoming.sha256,
        size=incoming.size,
        metadata=declared.metadata,
        release=declared.release,
        lists=declared.lists,
        reproduces=declared.reproduces,
        queued_at=Now(),
    )
    same = Submission.objects.filter(account=account, sha256=incoming.sha256, test=test, revises=None)
    Submission.objects.bulk_create([submission], ignore_conflicts=True)
    # Locked, so that none is closed meanwhile.
    rows = list(same.select_for_update().order_by("received_at", "id"))
    stored = next((row for row in rows if row.state not in CLOSED), None)
    if stored is None:
        raise StateConflict("The submission of these bytes was closed meanwhile; send them again.")
    created = stored.pk == submission.pk
    if created:
        quotas.use_bytes(account, institution, incoming.size, new=stored)
    incoming.keep()
    if signature:
        Signature.objects.get_or_create(submission=stored, defaults={"text": signature})
    if created:
        again = _former_reasons([row for row in rows if row != stored])
        event = Event(submission=stored, actor=account, to_state=State.RECEIVED, reason=again)
        states.write_history([event], [(PrivateRecord.Kind.RECEIPT, [stored])])
        task_queue.enqueue_after_commit("process", stored.pk)
    else:
        expiry.renew_time(stored)
    return stored, created


def _former_reasons(closed: list[Submission]) -> str:
    """What the history says of bytes that came before, of the last time."""
    return f"A new try: submission {closed[-1].pk} of the same bytes was {closed[-1].state}." if closed else ""


def file_name(sent: str) -> str:
    """A file name that is safe to store and show: its last part, printable, at most 200 characters."""
    last = re.split(r"[/\\]", sent)[-1]
    printable = "".join(letter if letter.isprintable() else "_" for letter in last).strip(" .")
    return printable[:200] or "bundle"
