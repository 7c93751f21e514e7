"""Bundles that hold a private key or a live token: refused for good, and their bytes deleted wherever they came from.

The row of the submission, its check and its history stay: they tell what happened, and hold nothing of the secret.
"""

from __future__ import annotations

import re
from typing import Any

from django.db import transaction

from submissions.models import RefusedBundle
from submissions.storage import key_of, received, remove
from validators import secrets
from validators.findings import ERROR, Finding
from validators.measurements import Report

REASON = "Refused: it holds a private key or a live token. Its bytes were deleted."


def is_refused(*sha256s: str) -> bool:
    """Whether one of them was refused."""
    return RefusedBundle.objects.filter(sha256__in=sha256s).exists()


def holders(report: dict[str, Any], files: list[dict[str, Any]]) -> set[str]:
    """The sha256 of the files with the secret: one beside the bundle by its name, else the bundle."""
    bundle, *beside = files
    by_name = {file["name"]: file["sha256"] for file in beside}
    found = (finding["where"] for finding in report["findings"] if finding["code"] == secrets.CODE)
    return {by_name.get(re.split("[/:]", where, maxsplit=1)[0], bundle["sha256"]) for where in found}


def holds_secret(report: dict[str, Any]) -> bool:
    """Whether a check found what must not be kept."""
    return any(finding["code"] == secrets.CODE for finding in report["findings"])


def refuse(sha256: str) -> None:
    """Remember the bundle, and delete its bytes once that is on disk."""
    RefusedBundle.objects.get_or_create(sha256=sha256)
    transaction.on_commit(lambda: remove(key_of(sha256)))


def report() -> Report:
    """What a check says of bytes that are no longer here."""
    message = "These bytes were refused before: there is a private key or a live token in them."
    hint = "Revoke what was sent: it left your site. Then pack with the collector, which takes such things out."
    return Report(findings=[Finding(secrets.CODE, ERROR, message, hint)])


def delete_what_is_left() -> int:
    """Delete refused bytes that a killed worker or a simultaneous upload left behind; how many there were."""
    keys = [key_of(sha256) for sha256 in RefusedBundle.objects.values_list("sha256", flat=True)]
    left = [key for key in keys if received().exists(key)]
    for key in left:
        remove(key)
    return len(left)
