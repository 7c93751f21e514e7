"""What publication copies of a submission into the public record: the run that counts, its files, its system, answers.

Everything in here becomes public; texts are scrubbed line by line on the way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.text import slugify

from registry.comparison import repeat_runs
from registry.comparison.spreads import measurement_key
from registry.lists import listing
from registry.models import (
    Measurement,
    ObservedParameter,
    Platform,
    PublicSystemSnapshot,
    Release,
    Result,
    ResultFile,
    Site,
    System,
)
from registry.query import canonical_names, observed_parameters
from registry.query import fact_index as asked_by
from registry.query.text_folding import fold_text
from registry.timeseries import detected_steps
from submissions import models as submitted
from submissions.bundles import quarantine, scrubbed_copy
from submissions.checks import questionnaire, trust
from submissions.checks.read_account import public_reading
from submissions.models import Check, Review, ScrubbedCopy, Submission
from submissions.publication import anonymizer
from submissions.publication.publishable import Publishable, anonymizer_of, public_document, scrub_document
from validators.system import facts, filesystems

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
    measurements = (row for result, source in pairs for row in _result_measurements(result, source))
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
            former.delete()
        pairs.append((result, source))
    _copy_files_and_systems(pairs)
    detected_steps.mark_due(System.objects.filter(pk__in=touched).values_list("pk", flat=True))
    return [result for result, _ in pairs]


def derive_rows(submission: Submission, report: Mapping[str, Any]) -> tuple[Result, list[Measurement]]:
    """Result and measurements of a published submission as another report gives them; nothing is stored."""
    (published,) = _gather_sources([submission], as_published=True)
    check = Check(report=report, validators_version=published.check.validators_version)
    source = replace(published, check=check, checked_run=report["runs"][_counted_index(submission, report)])
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
    return derived, list(_result_measurements(derived, source))


NAMED = (
    *("site", "system", "platform", "institution", "system_name", "filesystem_type", "filesystem_family"),
    *("filesystem_name", "storage_vendor", "vendor", "parameters", "snapshot", "public_sha256", "revision_reason"),
    "bundle_sha256",
)
"""What publication without a name withholds of a result."""


def _result_measurements(result: Result, source: _AcceptedRun) -> Iterable[Measurement]:
    again = repeat_runs.repeated_values(source.same_runs)
    for position, row in enumerate(source.run["measurements"], 1):
        yield Measurement(
            result=result, position=position, repeats=again.get(measurement_key(row)) if again else None, **row
        )


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
class _AcceptedRun(Publishable):
    """One submission with what is copied of it."""

    derivative: ScrubbedCopy
    check: Check
    review: Review
    system: submitted.SubmittedSystem | None
    platform: Platform | None
    """The one that was declared, where the record knows it."""
    copy_withheld_at: datetime | None = None

    @cached_property
    def same_runs(self) -> Sequence[Mapping[str, Any]]:
        """The runs of the configuration in the archive, with this one; only numbers of them are published."""
        runs: Sequence[Mapping[str, Any]] = self._group["runs"]
        return runs

    @property
    def distributions(self) -> list[dict[str, Any]]:
        """Those of the run, and those of its numbers over the runs of its configuration."""
        over_runs = self._group["distributions"]
        shared = self.without.document(over_runs) if self.without else over_runs
        return [*self.run.get("distributions", []), *shared]

    @cached_property
    def _group(self) -> Mapping[str, Any]:
        return repeat_runs.repeat_group(self.check.report, _counted_index(self.submission, self.check.report))

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Of the archive as a whole."""
        archive_findings: list[dict[str, Any]] = self.check.report["findings"]
        return self.without.document(archive_findings) if self.without else archive_findings

    @property
    def institution(self) -> str:
        """The name as declared where it is a spelling of the submitter's own institution, else that institution's."""
        if self.anonymous:
            return anonymizer.INSTITUTION
        site, declared = self.current_site, " ".join(self.metadata.get("institution", "").split())
        own = {fold_text(name) for name in (site.slug, site.name, *(site.also_printed_as or []))}
        return declared if fold_text(declared) in own or slugify(declared) == site.slug else site.name

    @property
    def current_site(self) -> Site:
        """The institution that it is published under: that of the submission, or what that was merged into."""
        institution = self.submission.require_institution()
        return institution.merged_into or institution

    @property
    def system_name(self) -> str:
        """As declared, which of an anonymous one stays private."""
        return " ".join(self.submission.metadata.get("system", "").split())

    @property
    def system_key(self) -> tuple[int, str, bool]:
        """A system is another one where it is published anonymously; then no merging of names tells what it is."""
        site = self.submission.require_institution() if self.anonymous else self.current_site
        return site.pk, fold_text(self.system_name), self.anonymous


def _counted_index(submission: Submission, report: Mapping[str, Any]) -> int:
    """Of the run that counts; one that the report lacks is an error further on, and no other run takes its place."""
    index: int = report["primary"] if submission.chosen_primary is None else submission.chosen_primary
    return index


def _gather_sources(submissions: list[Submission], *, as_published: bool = False) -> Iterable[_AcceptedRun]:
    """Each with its latest check, the review that accepted it, its derivative and the description of its system.

    `as_published`: of published ones, with the check that they were published with.
    """
    ids = [submission.pk for submission in submissions]
    eligible_checks = Check.objects.filter(submission__in=ids)
    if as_published:
        eligible_checks = eligible_checks.filter(made_at__lte=F("submission__result__published_at"))
    checks = _latest_by_submission(eligible_checks)
    reviews = _latest_by_submission(Review.objects.filter(submission__in=ids, decision=Review.Decision.ACCEPT))
    derivatives = {row.submission_id: row for row in ScrubbedCopy.objects.filter(submission__in=ids)}
    systems = {row.submission_id: row for row in submitted.SubmittedSystem.objects.filter(submission__in=ids)}
    platforms, quarantined = _platforms_by_name(), quarantine.quarantined_among(ids)
    for submission in submissions:
        derivative = derivatives.get(submission.pk) or scrubbed_copy.ensure_scrubbed_copy(submission)
        system = systems.get(submission.pk)
        platform = platforms.get(fold_text(submission.metadata.get("platform")))
        check, accepted = checks[submission.pk], reviews[submission.pk]
        withheld_at = quarantine.copy_withheld_at(submission) if submission.pk in quarantined else None
        yield _AcceptedRun(
            submission,
            check.report["runs"][_counted_index(submission, check.report)],
            derivative,
            public_document(system),
            anonymizer_of(submission),
            check,
            accepted,
            system,
            platform,
            withheld_at,
        )


def _platforms_by_name() -> dict[str, Platform]:
    """The platforms of the record by all that people call them, folded."""
    rows = list(Platform.objects.select_related("merged_into"))
    platforms_by_slug = {row.slug: row.merged_into or row for row in rows}
    also = {
        name: platforms_by_slug[slug]
        for name, slug in canonical_names.read_names().platforms.items()
        if slug in platforms_by_slug
    }
    return also | {fold_text(name): platforms_by_slug[row.slug] for row in rows for name in (row.slug, row.name)}


def _latest_by_submission(rows: QuerySet[Any]) -> dict[Any, Any]:
    newest = rows.filter(submission=OuterRef("submission")).order_by("-made_at", "-id").values("pk")[:1]
    return {row.submission_id: row for row in rows.filter(pk=Subquery(newest))}


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
    submission, metadata, run = source.submission, source.metadata, source.run
    snapshot = _make_snapshot(source, questionnaires)
    candidate = source.candidate(
        release.slug, source.review.production, source.review.reproducibility, snapshot["answers"].get("state")
    )
    older = submission.revises.result if submission.revises else None
    vendor, filesystem_name = metadata.get("storage_vendor", ""), metadata.get("filesystem_name", "")
    filesystem_type = metadata.get("filesystem_type", "")
    return Result(
        public_id=public_id,
        tool=run["tool"],
        tool_version=candidate.tool_version,
        mode=run["mode"][:40],
        trust=candidate.trust,
        source=trust.source_of(candidate.trust),
        release=release,
        site=system.site,
        system=system,
        platform=source.platform or system.platform,
        institution=source.institution,
        system_name=system.name if source.anonymous else source.system_name,
        filesystem_type=filesystem_type,
        filesystem_family=_filesystem_family(names, filesystem_type, vendor, filesystem_name, run)[:80],
        filesystem_name=filesystem_name,
        storage_vendor=vendor,
        vendor=names.vendor(vendor)[:120],
        client_nodes=candidate.client_nodes,
        ten_node=candidate.ten_node,
        opted_in=candidate.opted_in,
        tasks=source.count_of("tasks"),
        production=candidate.production,
        lists=candidate.lists,
        reproducibility=candidate.reproducibility,
        **candidate.scores,
        repeated_scores=repeat_runs.repeated_scores(source.same_runs),
        submitted_on=older.submitted_on if older else submission.require_submitted_at().date(),
        published_at=published_at,
        parameters=candidate.parameters,
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


def _filesystem_family(
    names: canonical_names.Names, declared: str, vendor: str, name: str, run: Mapping[str, Any]
) -> str:
    """Of a declared name that nobody knows, the file system that the described system has, if it has one."""
    family = names.family(declared, vendor, name)
    described = run.get("described_parameters", {}).get("filesystem_type")
    if filesystems.named_by(family) is None and isinstance(described, str):
        mounted = filesystems.of_type(described)
        return names.family(mounted.name) if mounted else family
    return family


def _make_snapshot(source: _AcceptedRun, questionnaires: dict[str, str]) -> dict[str, Any]:
    """What a page shows beside the numbers, as it was on release day. Everything in here is public."""
    run = source.run
    answers = questionnaire.public_answers(source.submission, questionnaires, source.document, run)
    if source.anonymous and answers:
        answers["rows"] = []
    return {
        "scores": run["scores"],
        "hashes": run["hashes"],
        "findings": source.findings + run["findings"],
        "rules": run["rules"],
        **{name: run[name] for name in ("evidence", "missing_measurements") if name in run},
        "tests": run["tests"],
        "distributions": source.distributions,
        "parameter_sources": run.get("parameter_sources", {}),
        "described_parameters": run.get("described_parameters", {}),
        "versions": {"validators": source.check.validators_version},
        "answers": answers,
    }


def _copy_fields(source: _AcceptedRun) -> dict[str, Any]:
    """What was scrubbed from the files, and what was read of them; of an anonymous result that they are withheld."""
    if source.anonymous:
        return {"anonymous": True}
    read = public_reading(source.check.report, source.run, source.derivative, source.names)
    return {"scrubbed": source.derivative.report, **read}
