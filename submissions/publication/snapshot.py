"""What publication copies of a submission into the public record: the run that counts, its files, its system, answers.

Everything in here becomes public; texts are scrubbed line by line on the way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils import timezone
from django.utils.text import slugify

from registry.comparison.spreads import key
from registry.lists import listing
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
from registry.query import canonical_names, observed_parameters
from registry.query import fact_index as asked_by
from registry.query.text_folding import fold_text
from registry.timeseries import detected_steps
from submissions import models as submitted
from submissions.bundles import quarantine, scrubbed_copy
from submissions.checks import questionnaire
from submissions.models import Check, Derivative, Review, Submission
from submissions.publication import anonymizer, repeat_runs
from submissions.publication.public_system import make_public_system
from validators.scrubbing import personal
from validators.system import facts

PREFIX = "hw-"
_BATCH = 500


def copy_to_record(release: Release, submissions: list[Submission], now: datetime) -> None:
    """Results, measurements and files of all, in bulk."""
    sources = list(_gathered(submissions))
    asked = questionnaire.required_by_list(listing.newest_definitions(release.list_names))
    number = _last_number()
    numbered = {f"{PREFIX}{number + place}": source for place, source in enumerate(sources, 1)}
    systems = _systems(numbered)
    names = canonical_names.read_names()
    results = [
        _result(source, release, systems[source.system_key], names, public_id, now, asked)
        for public_id, source in numbered.items()
    ]
    Result.objects.bulk_create(results, batch_size=_BATCH)
    pairs = list(zip(results, sources, strict=True))
    measured = (row for result, source in pairs for row in _measurements(result, source))
    Measurement.objects.bulk_create(measured, batch_size=2000)
    _copy_beside(pairs)
    for result, source in pairs:
        source.submission.result = result
    Submission.objects.bulk_update(submissions, ["result"], batch_size=_BATCH)
    detected_steps.mark_due(result.system_id for result in results)


def restore_names(submissions: list[Submission]) -> list[Result]:
    """Give published results the names, texts and files that were withheld; no number of them changes."""
    now, pairs, touched = timezone.now(), [], set[int]()
    for source in _gathered(submissions, as_published=True):
        result, release = source.submission.result, source.submission.release
        former = result.system
        asked = questionnaire.required_by_list(listing.newest_definitions(release.list_names))
        system = _systems({result.public_id: source})[source.system_key]
        named = _result(
            source, release, system, canonical_names.read_names(), result.public_id, result.published_at, asked
        )
        named.snapshot["named_on"] = f"{now:%Y-%m-%d}"
        for field in NAMED:
            setattr(result, field, getattr(named, field))
        result.save(update_fields=NAMED)
        touched |= {former.pk, system.pk}
        if not former.results.exists():
            former.delete()
        pairs.append((result, source))
    _copy_beside(pairs)
    detected_steps.mark_due(System.objects.filter(pk__in=touched).values_list("pk", flat=True))
    return [result for result, _ in pairs]


NAMED = (
    *("site", "system", "platform", "institution", "system_name", "filesystem_type", "filesystem_family"),
    *("filesystem_name", "storage_vendor", "vendor", "parameters", "snapshot", "public_sha256", "revision_reason"),
)
"""What publication without a name withholds of a result."""


def _measurements(result: Result, source: _Source) -> Iterable[Measurement]:
    again = repeat_runs.repeated_values(source.same_runs)
    for position, row in enumerate(source.run["measurements"], 1):
        yield Measurement(result=result, position=position, repeats=again.get(key(row)) if again else None, **row)


def _copy_beside(pairs: list[tuple[Result, _Source]]) -> None:
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
        if source.system and not source.anonymous
    ]
    SystemSnapshot.objects.bulk_create(described, batch_size=_BATCH)
    ObservedParameter.objects.bulk_create(
        (
            ObservedParameter(result=snapshot.result, **columns)
            for snapshot in described
            for columns in observed_parameters.observed_rows(snapshot.document)
        ),
        batch_size=2000,
    )


@dataclass(frozen=True)
class _Source:
    """One submission with what is copied of it."""

    submission: Submission
    check: Check
    review: Review
    derivative: Derivative
    system: submitted.SystemSnapshot | None
    document: dict[str, Any] | None
    """The description of the system in the form that is published."""
    without: anonymizer.Nameless | None
    """Takes the names out of what is published anonymously."""
    platform: Platform | None
    """The one that was declared, where the record knows it."""
    copy_withheld_at: datetime | None = None

    @property
    def anonymous(self) -> bool:
        return self.without is not None

    @cached_property
    def run(self) -> dict[str, Any]:
        run = self.check.report["runs"][self._index]
        return self.without.run(run) if self.without else run

    @cached_property
    def same_runs(self) -> Sequence[Mapping[str, Any]]:
        """The runs of the configuration in the archive, with this one; only numbers of them are published."""
        return self._group["runs"]

    @property
    def distributions(self) -> list[dict[str, Any]]:
        """Those of the run, and those of its numbers over the runs of its configuration."""
        over_runs = self._group["distributions"]
        told = self.without.document(over_runs) if self.without else over_runs
        return [*self.run.get("distributions", []), *told]

    @cached_property
    def _group(self) -> Mapping[str, Any]:
        return repeat_runs.repeat_group(self.check.report, self._index)

    @property
    def _index(self) -> int:
        chosen = self.submission.chosen_primary
        return self.check.report["primary"] if chosen is None else chosen

    @property
    def findings(self) -> list[dict[str, Any]]:
        """Of the archive as a whole."""
        found = self.check.report["findings"]
        return self.without.document(found) if self.without else found

    @property
    def metadata(self) -> dict[str, Any]:
        declared = self.submission.metadata
        return self.without.metadata(declared) if self.without else declared

    @property
    def institution(self) -> str:
        """The name as declared where it is a spelling of the submitter's own institution, else that institution's."""
        if self.anonymous:
            return anonymizer.INSTITUTION
        site, declared = self.submission.institution, " ".join(self.metadata.get("institution", "").split())
        own = {fold_text(name) for name in (site.slug, site.name, *(site.also_printed_as or []))}
        return declared if fold_text(declared) in own or slugify(declared) == site.slug else site.name

    @property
    def system_name(self) -> str:
        """As declared, which of an anonymous one stays private."""
        return " ".join(self.submission.metadata.get("system", "").split())

    @property
    def system_key(self) -> tuple[int, str, bool]:
        """A system is another one where it is published anonymously."""
        return self.submission.institution_id, fold_text(self.system_name), self.anonymous


def _gathered(submissions: list[Submission], *, as_published: bool = False) -> Iterable[_Source]:
    """Each with its latest check, the review that accepted it, its derivative and the description of its system.

    `as_published`: of published ones, with the check that they were published with.
    """
    ids = [submission.pk for submission in submissions]
    made = Check.objects.filter(submission__in=ids)
    if as_published:
        made = made.filter(made_at__lte=F("submission__result__published_at"))
    checks = _latest(made)
    reviews = _latest(Review.objects.filter(submission__in=ids, decision=Review.Decision.ACCEPT))
    derivatives = {row.submission_id: row for row in Derivative.objects.filter(submission__in=ids)}
    systems = {row.submission_id: row for row in submitted.SystemSnapshot.objects.filter(submission__in=ids)}
    platforms, quarantined = _platforms(), quarantine.quarantined_among(ids)
    for submission in submissions:
        derivative = derivatives.get(submission.pk) or scrubbed_copy.ensure_scrubbed_copy(submission)
        system = systems.get(submission.pk)
        document = make_public_system(system.document) if system else None
        without = anonymizer.anonymizer_for(submission) if anonymizer.is_anonymous(submission) else None
        platform = platforms.get(fold_text(submission.metadata.get("platform")))
        check, accepted = checks[submission.pk], reviews[submission.pk]
        withheld_at = quarantine.copy_withheld_at(submission) if submission.pk in quarantined else None
        yield _Source(submission, check, accepted, derivative, system, document, without, platform, withheld_at)


def _platforms() -> dict[str, Platform]:
    """The platforms of the record by all that people call them, folded."""
    known = {row.slug: row for row in Platform.objects.all()}
    also = {name: known[slug] for name, slug in canonical_names.read_names().platforms.items() if slug in known}
    return also | {fold_text(name): row for row in known.values() for name in (row.slug, row.name)}


def _latest(found: QuerySet) -> dict[Any, Any]:
    newest = found.filter(submission=OuterRef("submission")).order_by("-made_at", "-id").values("pk")[:1]
    return {row.submission_id: row for row in found.filter(pk=Subquery(newest))}


def _last_number() -> int:
    """The highest number that a result published here ever got; withdrawn ones keep theirs."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(max(substr(public_id, 4)::bigint), 0) FROM registry_result WHERE public_id ~ '^hw-[0-9]+$'"
        )
        return cursor.fetchone()[0]


def _systems(numbered: Mapping[str, _Source]) -> dict[tuple[int, str, bool], System]:
    """The system of each source, by public id, at its site and by folded name, made where the site has none of it.

    A system of no platform gets the first that is declared.
    """
    sites = {source.submission.institution_id: source.submission.institution for source in numbered.values()}
    known = System.objects.filter(site__in=sites).select_related("platform")
    systems = {(system.site_id, fold_text(system.name), False): system for system in known}
    if any(source.anonymous for source in numbered.values()):
        systems |= _anonymous_systems(sites)
    taken = set(System.objects.values_list("slug", flat=True))
    made, placed = list[System](), list[System]()
    for public_id, source in numbered.items():
        if source.system_key not in systems:
            site = anonymizer.public_site() if source.anonymous else sites[source.system_key[0]]
            name = f"System of {public_id}" if source.anonymous else source.system_name
            slug = canonical_names.system_slug(site.slug, name, taken)
            systems[source.system_key] = System(slug=slug, site=site, name=name)
            made.append(systems[source.system_key])
        system = systems[source.system_key]
        if source.platform and not system.platform:
            system.platform = source.platform
            if system.pk:
                placed.append(system)
    System.objects.bulk_create(made)
    System.objects.bulk_update(placed, ["platform"])
    return systems


def _anonymous_systems(sites: Iterable[int]) -> dict[tuple[int, str, bool], System]:
    """Systems of these institutions whose results were published anonymously: each stays one and the same."""
    submissions = Submission.objects.filter(institution__in=sites, result__site__slug=anonymizer.SLUG)
    rows = submissions.select_related("result__system__platform", "result__system__site")
    return {
        (row.institution_id, fold_text(" ".join(row.metadata.get("system", "").split())), True): row.result.system
        for row in rows
    }


def _result(
    source: _Source,
    release: Release,
    system: System,
    names: canonical_names.Names,
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
        site=system.site,
        system=system,
        platform=source.platform or system.platform,
        institution=source.institution,
        system_name=system.name if source.anonymous else source.system_name,
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
        repeated_scores=repeat_runs.repeated_scores(source.same_runs),
        submitted_on=older.submitted_on if older else submission.submitted_at.date(),
        published_at=now,
        parameters=scrub_document(run["parameters"]),
        snapshot=scrub_document(_snapshot(source, asked)) | _of_the_copy(source),
        bundle_sha256=submission.sha256,
        public_sha256="" if source.anonymous else source.derivative.sha256,
        copy_withheld_at=source.copy_withheld_at,
        revision=older.revision + 1 if older else 1,
        revises=older,
        revision_reason=anonymizer.WITHHELD
        if older and source.anonymous
        else scrub_document(submission.revision_reason),
    )


def _snapshot(source: _Source, asked: dict[str, str]) -> dict[str, Any]:
    """What a page shows beside the numbers, as it was on release day. Everything in here is public."""
    run = source.run
    answers = questionnaire.public_answers(source.submission, asked, source.document, run)
    if source.anonymous and answers:
        answers["rows"] = []
    return {
        "scores": run["scores"],
        "hashes": run["hashes"],
        "findings": source.findings + run["findings"],
        "rules": run["rules"],
        "tests": run["tests"],
        "distributions": source.distributions,
        "parameter_sources": run.get("parameter_sources", {}),
        "described_parameters": run.get("described_parameters", {}),
        "versions": {"validators": source.check.validators_version},
        "answers": answers,
    }


def _of_the_copy(source: _Source) -> dict[str, Any]:
    """What was scrubbed from the files; of an anonymous result that they are withheld."""
    return {"anonymous": True} if source.anonymous else {"scrubbed": source.derivative.report}


def scrub_document(value: Any, name: str = "") -> Any:
    """The same document with every text scrubbed like a line of the bundle, as `name=text` where it has a name."""
    if isinstance(value, dict):
        return {key: scrub_document(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [scrub_document(item, name) for item in value]
    if not isinstance(value, str) or not value:
        return value
    before = f"{name}=" if name else ""
    lines = (personal.scrub_line(before + line, personal.Names(), Counter()) for line in value.split("\n"))
    return "\n".join(line.removeprefix(before) for line in lines)
