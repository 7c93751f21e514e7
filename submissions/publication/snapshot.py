"""What publication copies of a submission into the public record: the run that counts, its files, its system, answers.

Everything in here becomes public; texts are scrubbed line by line on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import F, Q
from django.utils import timezone

from registry.lists import listing
from registry.log import name_records
from registry.models import (
    Measurement,
    ObservedParameter,
    PublicSystemSnapshot,
    Release,
    Result,
    ResultFile,
    System,
)
from registry.query.facts import fact_index as asked_by
from registry.query.facts import observed_parameters
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text
from registry.timeseries import detected_steps
from submissions import models as submitted
from submissions.bundles import quarantine, scrubbed_copy
from submissions.checks import questionnaire, trust
from submissions.checks.read_account import public_reading
from submissions.models import Check, Review, ScrubbedCopy, Submission
from submissions.publication import anonymizer
from submissions.publication.publishable import (
    CheckedRun,
    anonymizer_of,
    counted_index,
    latest_by_submission,
    make_snapshot,
    platforms_by_name,
    public_document,
    result_measurements,
    run_columns,
    scrub_document,
)
from validators.system import facts

PREFIX = "hw-"
_BATCH = 500


def copy_to_record(release: Release, submissions: list[Submission], now: datetime) -> None:
    """Results, measurements and files of all, in bulk."""
    sources = list(_gather_sources(submissions))
    questionnaires = questionnaire.required_by_list(listing.newest_definitions(release.list_names))
    number = _last_number()
    numbered = {f"{PREFIX}{number + place}": source for place, source in enumerate(sources, 1)}
    systems = _systems_by_key(numbered)
    names = canonical_names.read_names()
    results = [
        _make_result(source, release, systems[source.system_key], names, public_id, now, questionnaires)
        for public_id, source in numbered.items()
    ]
    Result.objects.bulk_create(results, batch_size=_BATCH)
    pairs = list(zip(results, sources, strict=True))
    measurements = (row for result, source in pairs for row in result_measurements(result, source))
    Measurement.objects.bulk_create(measurements, batch_size=2000)
    _copy_files_and_systems(pairs)
    for result, source in pairs:
        source.submission.result = result
    Submission.objects.bulk_update(submissions, ["result"], batch_size=_BATCH)
    detected_steps.mark_due(result.system_id for result in results)


def restore_names(submissions: list[Submission]) -> list[Result]:
    """Give published results the names, texts and files that were withheld; no number of them changes."""
    now, pairs, touched = timezone.now(), [], set[int]()
    for source in _gather_sources(submissions, as_published=True):
        result, release = source.submission.require_result(), source.submission.require_release()
        former = result.system
        questionnaires = questionnaire.required_by_list(listing.newest_definitions(release.list_names))
        system = _systems_by_key({result.public_id: source})[source.system_key]
        named = _make_result(
            source, release, system, canonical_names.read_names(), result.public_id, result.published_at, questionnaires
        )
        named.snapshot["named_on"] = f"{now:%Y-%m-%d}"
        for field in NAMED:
            setattr(result, field, getattr(named, field))
        result.save(update_fields=NAMED)
        touched |= {former.pk, system.pk}
        if not former.results.exists():
            name_records.record_removed([former])
            former.delete()
        pairs.append((result, source))
    _copy_files_and_systems(pairs)
    detected_steps.mark_due(System.objects.filter(pk__in=touched).values_list("pk", flat=True))
    return [result for result, _ in pairs]


def derive_rows(submission: Submission, report: Mapping[str, Any]) -> tuple[Result, list[Measurement]]:
    """Result and measurements of a published submission as another report gives them; nothing is stored."""
    (published,) = _gather_sources([submission], as_published=True)
    check = Check(report=report, validators_version=published.check.validators_version)
    source = replace(published, check=check, checked_run=report["runs"][counted_index(submission, report)])
    result = submission.require_result()
    derived = _make_result(
        source,
        submission.require_release(),
        result.system,
        canonical_names.read_names(),
        result.public_id,
        result.published_at,
        questionnaire.required_by_list(listing.newest_definitions(submission.require_release().list_names)),
    )
    return derived, list(result_measurements(derived, source))


NAMED = (
    *("site", "system", "platform", "institution", "system_name", "filesystem_type", "filesystem_family"),
    *("filesystem_name", "storage_vendor", "vendor", "parameters", "snapshot", "public_sha256", "revision_reason"),
    "bundle_sha256",
)
"""What publication without a name withholds of a result."""


def _copy_files_and_systems(pairs: list[tuple[Result, _AcceptedRun]]) -> None:
    """Files, described systems and the index of facts of new results, or of such as got their names."""
    ResultFile.objects.bulk_create(
        (
            ResultFile(result=result, **file | {"scrubbed": bool(file["scrubbed"])})
            for result, source in pairs
            if not source.anonymous
            for file in source.derivative.files
        ),
        batch_size=2000,
    )
    _copy_systems(pairs)
    asked_by.rebuild_facts(result.pk for result, _ in pairs)


def _copy_systems(pairs: list[tuple[Result, _AcceptedRun]]) -> None:
    """The descriptions of systems, without what names a node, and their parameters to be asked for."""
    described = [
        PublicSystemSnapshot(
            result=result,
            sha256=source.system.sha256,
            summary=facts.summary(source.document),
            document=source.document,
        )
        for result, source in pairs
        if source.system and source.document is not None and not source.anonymous
    ]
    PublicSystemSnapshot.objects.bulk_create(described, batch_size=_BATCH)
    ObservedParameter.objects.bulk_create(
        (
            ObservedParameter(result=snapshot.result, **columns)
            for snapshot in described
            for columns in observed_parameters.observed_rows(snapshot.document)
        ),
        batch_size=2000,
    )


@dataclass(frozen=True)
class _AcceptedRun(CheckedRun):
    """One submission with what is copied of it."""

    derivative: ScrubbedCopy
    review: Review
    copy_withheld_at: datetime | None = None


def _gather_sources(submissions: list[Submission], *, as_published: bool = False) -> Iterable[_AcceptedRun]:
    """Each with its latest check, the review that accepted it, its derivative and the description of its system.

    `as_published`: of published ones, with the check that they were published with.
    """
    ids = [submission.pk for submission in submissions]
    eligible_checks = Check.objects.filter(submission__in=ids)
    if as_published:
        eligible_checks = eligible_checks.filter(made_at__lte=F("submission__result__published_at"))
    checks = latest_by_submission(eligible_checks)
    reviews = latest_by_submission(Review.objects.filter(submission__in=ids, decision=Review.Decision.ACCEPT))
    derivatives = {row.submission_id: row for row in ScrubbedCopy.objects.filter(submission__in=ids)}
    systems = {row.submission_id: row for row in submitted.SubmittedSystem.objects.filter(submission__in=ids)}
    platforms, quarantined = platforms_by_name(), quarantine.quarantined_among(ids)
    for submission in submissions:
        derivative = derivatives.get(submission.pk) or scrubbed_copy.ensure_scrubbed_copy(submission)
        system = systems.get(submission.pk)
        platform = platforms.get(fold_text(submission.metadata.get("platform")))
        check, accepted = checks[submission.pk], reviews[submission.pk]
        withheld_at = quarantine.copy_withheld_at(submission) if submission.pk in quarantined else None
        yield _AcceptedRun(
            submission,
            check.report["runs"][counted_index(submission, check.report)],
            derivative,
            public_document(system),
            anonymizer_of(submission),
            check,
            system,
            platform,
            accepted,
            withheld_at,
        )


def _last_number() -> int:
    """The highest number that a result published here ever got; withdrawn ones keep theirs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(substr(public_id, 4)::bigint), 0) FROM registry_result WHERE public_id ~ '^hw-[0-9]+$'"
        )
        return int(cursor.fetchone()[0])


def _systems_by_key(numbered: Mapping[str, _AcceptedRun]) -> dict[tuple[int, str, bool], System]:
    """The system of each source, by public id, at its site and by folded name, made where the site has none of it.

    A system of no platform gets the first that is declared.
    """
    sites = {source.current_site.pk: source.current_site for source in numbered.values()}
    recorded = System.objects.filter(Q(site__in=sites) | Q(site__merged_into__in=sites))
    systems = {
        (system.site.merged_into_id or system.site_id, fold_text(system.name), False): system.merged_into or system
        for system in recorded.select_related("platform", "site", "merged_into__platform").order_by(
            "merged_into_id", "-pk"
        )
    }
    if any(source.anonymous for source in numbered.values()):
        systems |= _anonymous_systems(source.submission.require_institution().pk for source in numbered.values())
    taken = set(System.objects.values_list("slug", flat=True))
    created, placed = list[System](), list[System]()
    for public_id, source in numbered.items():
        if source.system_key not in systems:
            site = anonymizer.public_site() if source.anonymous else sites[source.system_key[0]]
            name = f"System of {public_id}" if source.anonymous else source.system_name
            slug = canonical_names.system_slug(site.slug, name, taken)
            systems[source.system_key] = System(slug=slug, site=site, name=name)
            created.append(systems[source.system_key])
        system = systems[source.system_key]
        if source.platform and not system.platform:
            system.platform = source.platform
            if system.pk:
                placed.append(system)
    System.objects.bulk_create(created)
    System.objects.bulk_update(placed, ["platform"])
    return systems


def _anonymous_systems(sites: Iterable[int]) -> dict[tuple[int, str, bool], System]:
    """Systems of these institutions whose results were published anonymously: each stays one and the same."""
    submissions = Submission.objects.filter(institution__in=sites, result__site__slug=anonymizer.SLUG)
    rows = submissions.select_related("institution", "result__system__platform", "result__system__site")
    return {
        (
            row.institution_id,
            fold_text(" ".join(row.metadata.get("system", "").split())),
            True,
        ): row.require_result().system
        for row in rows
        if row.institution_id is not None
    }


def _make_result(
    source: _AcceptedRun,
    release: Release,
    system: System,
    names: canonical_names.Names,
    public_id: str,
    published_at: datetime | None,
    questionnaires: dict[str, str],
) -> Result:
    submission, snapshot = source.submission, make_snapshot(source, questionnaires)
    candidate = source.candidate(
        release.slug, source.review.production, source.review.reproducibility, snapshot["answers"].get("state")
    )
    older = submission.revises.result if submission.revises else None
    return Result(
        public_id=public_id,
        **run_columns(source, system, candidate, names),
        source=trust.source_of(candidate.trust),
        release=release,
        submitted_on=older.submitted_on if older else submission.require_submitted_at().date(),
        published_at=published_at,
        snapshot=(
            scrub_document(snapshot, names=source.names) | _copy_fields(source) | trust.reason_of(candidate.trust)
        ),
        bundle_sha256="" if source.anonymous else submission.sha256,
        public_sha256="" if source.anonymous else source.derivative.sha256,
        copy_withheld_at=source.copy_withheld_at,
        revision=older.revision + 1 if older else 1,
        revises=older,
        revision_reason=anonymizer.WITHHELD
        if older and source.anonymous
        else scrub_document(submission.revision_reason),
    )


def _copy_fields(source: _AcceptedRun) -> dict[str, Any]:
    """What was scrubbed from the files, and what was read of them; of an anonymous result that they are withheld."""
    if source.anonymous:
        return {"anonymous": True}
    read = public_reading(source.check.report, source.run, source.derivative, source.names)
    return {"scrubbed": source.derivative.report, **read}
