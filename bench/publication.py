"""Publishing a release of 500 accepted submissions; and pages and calls of the record before and after it."""

from __future__ import annotations

import copy
import hashlib
import io
import time
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.utils import timezone

from bench.archives import archives
from bench.figures import figure, skipped
from bench.lists import measure
from bench.site import forget_submissions, token
from bench.synthetic import LIST_NAME, empty, record
from registry.loading.catalogue_loader import load_definitions
from registry.models import Release, Site
from submissions.bundles import scrubbing
from submissions.lifecycle.states import write_history as write_history
from submissions.models import Account, Check, Event, Review, ScrubbedCopy, State, Submission
from submissions.publication import publish as publication_publish
from submissions.publication import releases
from validators import VERSION
from validators.checks import check

ARCHIVE = "submission-783.tar.gz"
"""A real run with the raw output of every phase, on ten client nodes."""
SLUG = "bench-release"


def run(size: int, before: int) -> None:
    """Publish `size` submissions into a record of `before` results."""
    path = next((path for path in archives() if path.name == ARCHIVE), None)
    if path is None:
        skipped("publication", "no shared data")
        return
    forget_submissions()
    if Release.objects.filter(slug=SLUG).exists():
        empty()
    slug = record(before)
    load_definitions()
    token()
    release = releases.create_release(SLUG, timezone.now() + timedelta(days=1))
    _accepted(release, path, size)
    readers = {"list page": f"/lists/{slug}/{LIST_NAME}/", "results API": "/api/v1/results/", "home": "/"}
    for name, address in readers.items():
        measure(f"{name} before", address, before, "publication")
    begun = time.perf_counter()
    publication_publish.publish_release(release, None)
    figure("publication", "publish", time.perf_counter() - begun, "s", submissions=size, results=before)
    for name, address in (readers | {"new list page": f"/lists/{SLUG}/full/"}).items():
        measure(f"{name} after", address, before + size, "publication")


def _accepted(release: Release, path: Path, size: int) -> None:
    """So many submissions of one real run, each with a score and a system of its own."""
    account, site = Account.objects.get(username="bench"), Site.objects.get(slug="bench")
    now = timezone.now()
    rows = Submission.objects.bulk_create(
        Submission(
            account=account, institution=site, state=State.ACCEPTED, filename=path.name,
            sha256=hashlib.sha256(f"{number}".encode()).hexdigest(), size=path.stat().st_size, release=release,
            metadata={"system": f"System {number}", "filesystem_type": "Lustre"}, lists=["full", "io500", "ten"],
            submitted_at=now, checked_at=now,
        )
        for number in range(size)
    )  # fmt: skip
    report, scrubbed = check(path).as_json(), _scrubbed(path)
    Check.objects.bulk_create(
        Check(
            submission=row, validators_version=VERSION, status=report["status"], seconds=0, tool="io500",
            report=_scored(report, 1 + number / size),
        )
        for number, row in enumerate(rows)
    )  # fmt: skip
    ScrubbedCopy.objects.bulk_create(ScrubbedCopy(submission=row, **scrubbed) for row in rows)
    Review.objects.bulk_create(
        Review(submission=row, reviewer=account, decision="accept", reproducibility="fully", reason="Bench.")
        for row in rows
    )
    write_history([Event(submission=row, to_state=State.ACCEPTED, reason="Bench.") for row in rows])


def _scored(report: dict[str, Any], factor: float) -> dict[str, Any]:
    changed = copy.deepcopy(report)
    changed["runs"][changed["primary"]]["scores"]["SCORE"]["value"] *= factor
    return changed


def _scrubbed(path: Path) -> dict[str, Any]:
    out = io.BytesIO()
    derivative = scrubbing.derive_copy(path, out, name=path.name)
    return {"sha256": derivative.sha256, "size": derivative.size, "files": [asdict(file) for file in derivative.files]}
