"""Release day: copy every accepted submission into the public record, then freeze the ranked lists, all or nothing.

A published release never changes: publishing again changes nothing. Of two editors at once one does it, and both see
the same outcome.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection, transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.text import slugify

from registry import facts as asked_by
from registry import listing, naming, snapshots
from registry.models import (
    Measurement,
    ObservedParameter,
    Override,
    Platform,
    RankedList,
    Release,
    Result,
    ResultFile,
    System,
    SystemSnapshot,
)
from registry.ranking import DefinitionError, fold
from submissions import derivation, questionnaire, states
from submissions import models as submitted
from submissions.described import published
from submissions.errors import Forbidden, OverrideRefused, ReleaseInvalid
from submissions.models import Account, Check, Derivative, Review, State, Submission
from submissions.permissions import has_role
from validators.scrubbing import personal
from validators.system import facts

log = logging.getLogger(__name__)

LOCK = 0x68777075  # "hwpu": releases take turns, as they share the numbers of results
PREFIX = "hw-"
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Published:
    """What a published release holds; `embargoed` accepted ones wait for their time."""

    release: str
    published_at: datetime
    results: int
    lists: list[dict[str, Any]]
    embargoed: int


def publish(release: Release, editor: Account | None) -> Published:
    """Publish a release; None as editor is the scheduler. Raises Forbidden, ReleaseInvalid."""
    if editor is not None and not has_role(editor, Account.Role.EDITOR):
        raise Forbidden
    if release.imported:
        raise ReleaseInvalid(f"{release.name} is a copy of published lists; it is not published here.")
    for submission in _accepted(release=release, derivative=None):
        derivation.ensure(submission)  # outside the transaction: it may take seconds
    with transaction.atomic():
        _take_turns()
        release = Release.objects.select_for_update().get(pk=release.pk)
        if release.published_at is None:
            _publish(release, editor, timezone.now())
        elif added := _add_results(release, editor, timezone.now()):
            _enter(release, added)
    return _outcome(release)


def checklist(release: Release) -> list[tuple[bool, str]]:
    """What an editor has to see to before publishing: whether it is done, and the sentence that says so."""
    found = Submission.objects.filter(release=release, test=False)
    waiting = found.filter(state__in=states.UNDER_REVIEW).count()
    sent_back = found.filter(state=State.CHANGES_REQUESTED).count()
    accepted = _accepted(release=release)
    unready = accepted.filter(derivative=None).count()
    return [
        (release.deadline is not None and release.deadline < timezone.now(), "The deadline is over."),
        (not waiting, f"Every submission is decided; {waiting} wait for reviewers."),
        (not sent_back, f"No changes are awaited; {sent_back} were asked for."),
        (accepted.exists(), "At least one submission is accepted."),
        (not unready, f"Every accepted run has its scrubbed copy; {unready} lack it and get it when publishing."),
    ]


@contextmanager
def rehearsed(release: Release) -> Iterator[dict[str, UUID]]:
    """The record as publishing would make it, for as long as the block lasts; then everything is taken back.

    Gives the submission of each result that is not published yet, by the result's id, which is provisional.
    """
    with transaction.atomic():
        _take_turns()
        release = Release.objects.select_for_update().get(pk=release.pk)
        if release.published_at is None and not release.imported:
            _add_results(release, None, timezone.now())
        told = Submission.objects.filter(release=release, result__isnull=False).values_list("result__public_id", "pk")
        yield {} if release.published_at else dict(told)
        transaction.set_rollback(True)


def publish_due() -> None:
    """Publish what the calendar says, for the scheduler; a failure is loud and tried again."""
    called = Q(published_at=None, publishes__lte=timezone.now())
    embargo_over = Q(published_at__isnull=False, pk__in=_accepted().values("release"))
    for release in Release.objects.filter(called | embargo_over, imported=False).order_by("publishes"):
        try:
            publish(release, None)
        except Exception:
            log.exception("Publishing %s failed", release.slug)


def override(
    ranked_list: RankedList, editor: Account, result_id: str, action: str, reason: str, score: float | None = None
) -> tuple[Override, RankedList]:
    """Decide about one result of one list, with a reason; a frozen list is amended by exactly that decision.

    Raises Forbidden, OverrideRefused; the list is as before then.
    """
    if not has_role(editor, Account.Role.EDITOR):
        raise Forbidden
    result = Result.objects.filter(public_id=result_id).first()
    release = ranked_list.release
    if result is None or release.imported:
        raise OverrideRefused(f"There is no result {result_id[:60]!r}." if result is None else "The list is a copy.")
    if result.trust == Result.Trust.REPORTED:
        raise OverrideRefused("What is only reported stands on no list.")
    if not reason.strip() or (action == Override.Action.SCORE) != (score is not None):
        raise OverrideRefused("It needs a reason, and a score exactly when the action is `score`.")
    with transaction.atomic():
        _take_turns()
        ranked_list.refresh_from_db()
        decision, _ = Override.objects.update_or_create(
            release=release,
            list_name=ranked_list.name,
            result=result,
            defaults={
                "action": action,
                "score": score,
                "reason": reason.strip(),
                "decided_by": editor.username,
                "decided_at": timezone.now(),
            },
        )
        return decision, _amend(ranked_list, f"{result.public_id}: {reason.strip()}")


def _enter(release: Release, added: list[Result]) -> None:
    """Put what an embargo kept back onto the frozen lists that it belongs to: of its release and of those after it."""
    until, ids = max(result.published_at for result in added), {result.public_id for result in added}
    frozen = RankedList.objects.filter(release__imported=False, release__held_on__gte=release.held_on)
    frozen = frozen.exclude(frozen_at=None).select_related("release", "definition")
    for ranked_list in frozen.order_by("release__held_on", "release_id", "position"):
        before = ranked_list.entered_until
        RankedList.objects.filter(pk=ranked_list.pk).update(entered_until=until)
        if entering := listing.entering(ranked_list, ids):
            _amend(ranked_list, f"{', '.join(entering)}: the embargo ended.", until)
        else:
            RankedList.objects.filter(pk=ranked_list.pk).update(entered_until=before)


def _amend(ranked_list: RankedList, reason: str, until: datetime | None = None) -> RankedList:
    """Make a list anew; the trigger on a frozen one lets only a transaction through that names its reason.

    `until` moves the time until which results may have been published; without it that stays as it is.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('highwater.amend', %s, true)", [reason])
    was_frozen = ranked_list.frozen_at is not None
    if was_frozen:
        day = f"{timezone.now():%Y-%m-%d}"
        note = "\n".join(filter(None, [ranked_list.note, f"Amended on {day}: {reason}"]))
        until = until or ranked_list.entered_until
        RankedList.objects.filter(pk=ranked_list.pk).update(frozen_at=None, note=note, entered_until=until)
    try:
        definition = ranked_list.definition if was_frozen else None
        return listing.build(ranked_list.release, ranked_list.name, freeze=was_frozen, definition=definition)
    except (listing.ListError, DefinitionError) as error:
        raise OverrideRefused(str(error)) from error
    finally:
        if not connection.needs_rollback:
            with connection.cursor() as cursor:
                cursor.execute("SELECT set_config('highwater.amend', '', true)")


# One release, inside its transaction


def _take_turns() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])


def _accepted(**narrower: Any) -> QuerySet[Submission]:
    """Accepted ones whose embargo, if any, is over, in the order in which they were submitted."""
    found = Submission.objects.filter(state=State.ACCEPTED, test=False, **narrower)
    return found.exclude(embargo_until__gt=timezone.now()).order_by("submitted_at", "id")


def _publish(release: Release, editor: Account | None, now: datetime) -> None:
    _add_results(release, editor, now)
    release.published_at = now
    release.save(update_fields=["published_at"])
    for name in release.list_names:
        listing.build(release, name, freeze=True)


def _add_results(release: Release, editor: Account | None, now: datetime) -> list[Result]:
    """Copy what is accepted, also after the publication: what was under an embargo is returned, revisions are not."""
    accepted = _accepted(release=release).select_for_update(of=("self",))
    submissions = list(accepted.select_related("institution", "account", "revises__result"))
    if submissions:
        _copy(release, submissions, now)
        states.move_all(
            [submission.pk for submission in submissions], State.ACCEPTED, State.PUBLISHED, editor, f"{release.name}."
        )
    return [submission.result for submission in submissions if submission.revises_id is None]


def _copy(release: Release, submissions: list[Submission], now: datetime) -> None:
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
        parameters=_shown(run["parameters"]),
        snapshot=_shown(_snapshot(source, asked)) | {"scrubbed": source.derivative.report},
        bundle_sha256=submission.sha256,
        public_sha256=source.derivative.sha256,
        revision=older.revision + 1 if older else 1,
        revises=older,
        revision_reason=_shown(submission.revision_reason),
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


def _shown(value: Any, name: str = "") -> Any:
    """The same document with every text scrubbed like a line of the bundle, as `name=text` where it has a name."""
    if isinstance(value, dict):
        return {key: _shown(item, key) for key, item in value.items()}
    if isinstance(value, list):
        return [_shown(item, name) for item in value]
    if not isinstance(value, str) or not value:
        return value
    before = f"{name}=" if name else ""
    lines = (personal.scrub_line(before + line, personal.Names(), Counter()) for line in value.split("\n"))
    return "\n".join(line.removeprefix(before) for line in lines)


def _outcome(release: Release) -> Published:
    lists = RankedList.objects.filter(release=release).order_by("position", "name")
    waiting = Submission.objects.filter(release=release, state=State.ACCEPTED, embargo_until__gt=timezone.now())
    return Published(
        release.slug,
        release.published_at,
        Result.objects.filter(release=release).count(),
        [{"name": one.name, "entries": one.entries.count(), "digest": one.digest} for one in lists],
        waiting.count(),
    )
