"""What publication copies of a submission into the public record: the run that counts, its files, its system, answers.

Everything in here becomes public; texts are scrubbed line by line on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.text import slugify

from registry import facts as asked_by
from registry import listing, naming, snapshots
from registry.models import (
    Measurement,
    ObservedParameter,
    Platform,
    Release,
    Result,
    ResultFile,
    System,
    SystemSnapshot,
)
from registry.ranking import fold
from submissions import derivation, questionnaire
from submissions import models as submitted
from submissions.described import published
from submissions.models import Check, Derivative, Review, Submission
from validators.scrubbing import personal
from validators.system import facts

PREFIX = "hw-"
_BATCH = 500


def copy(release: Release, submissions: list[Submission], now: datetime) -> None:
    """Results, measurements and files of all, in bulk."""
    sources = list(_gathered(submissions))
    asked = questionnaire.asked_by(listing.newest_definitions(release.list_names))
    systems = _systems(sources)
    names = naming.read_names()
    number = _last_number()
    results = [
        _result(source, release, systems[source.system_key], names, f"{PREFIX}{number + place}", now, asked)
        for place, source in enumerate(sources, 1)
    ]
    Result.objects.bulk_create(results, batch_size=_BATCH)
    pairs = list(zip(results, sources, strict=True))
    Measurement.objects.bulk_create(
        (
            Measurement(result=result, position=position, **measured)
            for result, source in pairs
            for position, measured in enumerate(source.run["measurements"], 1)
        ),
        batch_size=2000,
    )
    ResultFile.objects.bulk_create(
        (
            ResultFile(result=result, **file | {"scrubbed": bool(file["scrubbed"])})
            for result, source in pairs
            for file in source.derivative.files
        ),
        batch_size=2000,
    )
    _copy_systems(pairs)
    asked_by.index(result.pk for result, _ in pairs)
    for result, source in pairs:
        source.submission.result = result
    Submission.objects.bulk_update(submissions, ["result"], batch_size=_BATCH)


def _copy_systems(pairs: list[tuple[Result, _Source]]) -> None:
    """The descriptions of systems, without what names a node, and their parameters to be asked for."""
    described = [
        SystemSnapshot(
            result=result,
            sha256=source.system.sha256,
            summary=facts.summary(source.document),
            document=source.document,
        )
        for result, source in pairs
        if source.system
    ]
    SystemSnapshot.objects.bulk_create(described, batch_size=_BATCH)
    ObservedParameter.objects.bulk_create(
        (
            ObservedParameter(result=snapshot.result, **columns)
            for snapshot in described
            for columns in snapshots.observed(snapshot.document)
        ),
        batch_size=2000,
    )


@dataclass(frozen=True, slots=True)
class _Source:
    """One submission with what is copied of it."""

    submission: Submission
    check: Check
    review: Review
    derivative: Derivative
    system: submitted.SystemSnapshot | None
    document: dict[str, Any] | None
    """The description of the system in the form that is published."""

    @property
    def run(self) -> dict[str, Any]:
        report, chosen = self.check.report, self.submission.chosen_primary
        return report["runs"][report["primary"] if chosen is None else chosen]

    @property
    def metadata(self) -> dict[str, Any]:
        return self.submission.metadata

    @property
    def institution(self) -> str:
        """The name as declared where it is a spelling of the submitter's own institution, else that institution's."""
        site, declared = self.submission.institution, " ".join(self.metadata.get("institution", "").split())
        own = {fold(name) for name in (site.slug, site.name, *(site.also_printed_as or []))}
        return declared if fold(declared) in own or slugify(declared) == site.slug else site.name

    @property
    def system_name(self) -> str:
        return " ".join(self.metadata.get("system", "").split())

    @property
    def system_key(self) -> tuple[int, str]:
        return self.submission.institution_id, fold(self.system_name)


def _gathered(submissions: list[Submission]) -> Iterable[_Source]:
    """Each with its latest check, the review that accepted it, its derivative and the description of its system."""
    ids = [submission.pk for submission in submissions]
    checks = _latest(Check.objects.filter(submission__in=ids), Check)
    reviews = _latest(Review.objects.filter(submission__in=ids, decision=Review.Decision.ACCEPT), Review)
    derivatives = {row.submission_id: row for row in Derivative.objects.filter(submission__in=ids)}
    systems = {row.submission_id: row for row in submitted.SystemSnapshot.objects.filter(submission__in=ids)}
    for submission in submissions:
        derivative = derivatives.get(submission.pk) or derivation.ensure(submission)
        system = systems.get(submission.pk)
        document = published(system.document) if system else None
        yield _Source(submission, checks[submission.pk], reviews[submission.pk], derivative, system, document)


def _latest(found: QuerySet, model: type) -> dict[Any, Any]:
    newest = model.objects.filter(submission=OuterRef("submission")).order_by("-made_at", "-id").values("pk")[:1]
    return {row.submission_id: row for row in found.filter(pk=Subquery(newest))}


def _last_number() -> int:
    """The highest number that a result published here ever got; withdrawn ones keep theirs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(substr(public_id, 4)::bigint), 0) FROM registry_result WHERE public_id ~ '^hw-[0-9]+$'"
        )
        return cursor.fetchone()[0]


def _systems(sources: list[_Source]) -> dict[tuple[int, str], System]:
    """The system of each source by site and folded name, made where the site has none of that name."""
    sites = {source.submission.institution_id: source.submission.institution for source in sources}
    known = System.objects.filter(site__in=sites).select_related("platform")
    systems = {(system.site_id, fold(system.name)): system for system in known}
    platforms = {fold(name): row for row in Platform.objects.all() for name in (row.slug, row.name)}
    taken = set(System.objects.values_list("slug", flat=True))
    made = []
    for source in sources:
        if source.system_key not in systems:
            site = sites[source.system_key[0]]
            slug = naming.system_slug(site.slug, source.system_name, taken)
            platform = platforms.get(fold(source.metadata.get("platform")))
            systems[source.system_key] = System(slug=slug, site=site, name=source.system_name, platform=platform)
            made.append(systems[source.system_key])
    System.objects.bulk_create(made)
    return systems


def _result(
    source: _Source,
    release: Release,
    system: System,
    names: naming.Names,
    public_id: str,
    now: datetime,
    asked: dict[str, str],
) -> Result:
    submission, metadata, run = source.submission, source.metadata, source.run
    score = run["scores"].get("SCORE") or {}
    older = submission.revises.result if submission.revises else None
    vendor, filesystem_name = metadata.get("storage_vendor", ""), metadata.get("filesystem_name", "")
    filesystem_type = metadata.get("filesystem_type", "")
    return Result(
        public_id=public_id,
        tool=run["tool"],
        tool_version=run["version"][:80],
        mode=run["mode"][:40],
        trust=Result.Trust.VERIFIED,
        source="Submitted here; the raw output was checked and reviewed.",
        release=release,
        site=submission.institution,
        system=system,
        platform=system.platform,
        institution=source.institution,
        system_name=source.system_name,
        filesystem_type=filesystem_type,
        filesystem_family=names.family(filesystem_type, vendor, filesystem_name)[:80],
        filesystem_name=filesystem_name,
        storage_vendor=vendor,
        vendor=names.vendor(vendor)[:120],
        client_nodes=run["parameters"].get("client_nodes") or metadata.get("client_nodes"),
        tasks=run["parameters"].get("tasks") or metadata.get("tasks"),
        production=source.review.production,
        lists=submission.lists,
        reproducibility=source.review.reproducibility,
        score=score.get("value"),
        bandwidth_gib_per_s=score.get("bandwidth_gib_per_s"),
        rate_kiops=score.get("rate_kiops"),
        submitted_on=older.submitted_on if older else submission.submitted_at.date(),
        published_at=now,
        parameters=shown(run["parameters"]),
        snapshot=shown(_snapshot(source, asked)) | {"scrubbed": source.derivative.report},
        bundle_sha256=submission.sha256,
        public_sha256=source.derivative.sha256,
        revision=older.revision + 1 if older else 1,
        revises=older,
        revision_reason=shown(submission.revision_reason),
    )


def _snapshot(source: _Source, asked: dict[str, str]) -> dict[str, Any]:
    """What a page shows beside the numbers, as it was on release day. Everything in here is public."""
    run, report = source.run, source.check.report
    return {
        "scores": run["scores"],
        "hashes": run["hashes"],
        "findings": report["findings"] + run["findings"],
        "rules": run["rules"],
        "tests": run["tests"],
        "distributions": run.get("distributions", []),
        "parameter_sources": run.get("parameter_sources", {}),
        "described_parameters": run.get("described_parameters", {}),
        "versions": {"validators": source.check.validators_version},
        "answers": questionnaire.published(source.submission, asked, source.document, run),
    }


def shown(value: Any, name: str = "") -> Any:
    """The same document with every text scrubbed like a line of the bundle, as `name=text` where it has a name."""
    if isinstance(value, dict):
        return {key: shown(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [shown(item, name) for item in value]
    if not isinstance(value, str) or not value:
        return value
    before = f"{name}=" if name else ""
    lines = (personal.scrub_line(before + line, personal.Names(), Counter()) for line in value.split("\n"))
    return "\n".join(line.removeprefix(before) for line in lines)
