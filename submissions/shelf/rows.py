"""Checked runs as rows of a shelf: what publication would copy into the record, before anybody publishes it.

They have the form that is published: texts scrubbed, systems without the names of nodes. Writing them again changes
nothing. What a shelf lacks is found by the time of the last change, so that nothing has to tell it of one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from django.db import transaction
from django.db.models import AutoField, F, Model, Q, QuerySet

from registry.lists import listing
from registry.models import ObservedParameter, PublicSystemSnapshot, Result, Site, System
from registry.query.facts import fact_index, observed_parameters
from registry.query.names import canonical_names
from registry.query.names.text_folding import fold_text
from submissions.checks import questionnaire
from submissions.models import (
    CLOSED,
    SHELVED,
    Check,
    ShelfFact,
    ShelfMeasurement,
    ShelfObservedParameter,
    ShelfResult,
    ShelfRun,
    ShelfSystem,
    ShelfSystemSnapshot,
    State,
    Submission,
    SubmittedSystem,
)
from submissions.publication import publishable
from submissions.publication.publishable import CheckedRun
from submissions.shelf.places import PlacedRun, take_places
from submissions.shelf.sources import shelf_source
from validators.system import facts

log = logging.getLogger(__name__)

TRUST = "checked"
"""How far a run may be trusted that the rules checked, and that nobody reviewed or published."""
AT_ONCE = 20


def shelve_due() -> int:
    """Bring the shelves up to date with what was checked, changed or closed; how many submissions were looked at.

    Workers that do it at once take different ones. One that fails is logged, and holds up no other.
    """
    looked_at = 0
    while looked_at < AT_ONCE:
        with transaction.atomic():
            # Two are read, so that nobody asks for the next one where there is none.
            due = due_submissions().select_related("institution__merged_into").order_by("changed_at")
            rows = list(due.select_for_update(skip_locked=True, of=("self",))[:2])
            if not rows:
                break
            submission = rows[0]
            # Before anything else, so that one that fails is not tried until it is changed. By the database's clock
            # alone: what a worker shelves whose clock is behind would be due for ever.
            Submission.objects.filter(pk=submission.pk).update(shelved_at=F("changed_at"))
            try:
                with transaction.atomic():
                    _shelve_submission(submission)
            except Exception:
                log.exception("%s was not put on the shelf", submission.pk)
        looked_at += 1
        if len(rows) == 1:
            break
    return looked_at


def due_submissions() -> QuerySet[Submission]:
    """What changed since its shelf was brought up to date."""
    due = Submission.objects.filter(Q(shelved_at=None) | Q(shelved_at__lt=F("changed_at")), test=False)
    return due.filter(state__in=(*SHELVED, *CLOSED, State.INVALID))


def _shelve_submission(submission: Submission) -> None:
    """Put the runs of a submission on the shelf, or take them away where they are none of the shelf any more."""
    if submission.state in CLOSED or submission.institution_id is None:
        ShelfRun.objects.filter(submission=submission).delete()
        return
    if submission.state not in SHELVED:
        return
    check = Check.objects.filter(submission=submission).order_by("-made_at", "-id").first()
    if check is not None and (placed_runs := take_places(submission, check)):
        write_rows(placed_runs, submission, check)


def write_rows(placed_runs: Sequence[PlacedRun], submission: Submission, check: Check) -> None:
    """Write all rows of runs of one submission anew: results, measurements, the described system and facts.

    The described system is that of all of them, and is stored once, with the first.
    """
    described = SubmittedSystem.objects.filter(submission=submission).first()
    platform_name = fold_text(submission.metadata.get("platform"))
    platform = publishable.platforms_by_name().get(platform_name) if platform_name else None
    document = publishable.public_document(described)
    alone = len(placed_runs) == 1
    sources = [
        CheckedRun(submission, placed.run, None, document, None, check, described, platform, stands_for_upload=alone)
        for placed in placed_runs
    ]
    questionnaires = questionnaire.required_by_list(listing.newest_definitions(submission.lists))
    system, names = _system_of(sources[0]), canonical_names.read_names()
    results = [
        _make_result(source, placed, questionnaires, system, names)
        for source, placed in zip(sources, placed_runs, strict=True)
    ]
    ShelfResult._default_manager.filter(run__submission=submission).delete()
    _store_rows(ShelfResult, results)
    measurements = map(publishable.result_measurements, results, sources)
    _store_rows(ShelfMeasurement, chain.from_iterable(measurements))
    if described is not None and document is not None:
        first, summary = results[0], facts.summary(document)
        snapshot = PublicSystemSnapshot(result=first, sha256=described.sha256, summary=summary, document=document)
        _store_rows(ShelfSystemSnapshot, [snapshot], submission_id=submission.pk)
        parameters = (ObservedParameter(result=first, **row) for row in observed_parameters.observed_rows(document))
        _store_rows(ShelfObservedParameter, parameters, submission_id=submission.pk)
    numbers = [placed.number for placed in placed_runs]
    fact_index.rebuild_facts(numbers, shelf_source(numbers, with_record=False), ShelfFact)


def _make_result(
    source: CheckedRun, placed: PlacedRun, questionnaires: dict[str, str], system: System, names: canonical_names.Names
) -> Result:
    submission = source.submission
    snapshot = publishable.make_snapshot(source, questionnaires)
    production = submission.metadata.get("production") is True
    candidate = source.candidate(
        None, production, Result.Reproducibility.UNDEFINED, snapshot["answers"].get("state"), lists=[]
    )
    columns = publishable.run_columns(source, system, candidate, names)
    return Result(
        **columns | {"trust": TRUST},
        pk=placed.number,
        public_id=str(placed.id),
        submitted_on=(submission.submitted_at or submission.received_at).date(),
        recorded_at=submission.received_at,
        snapshot=publishable.scrub_document(snapshot),
    )


def _system_of(source: CheckedRun) -> System:
    """The system of the record that it was measured on, or one of the shelf, made where the institution has none."""
    site, name = source.current_site, source.system_name
    recorded = System.objects.filter(Q(site=site) | Q(site__merged_into=site)).select_related(
        "site", "platform", "merged_into__site", "merged_into__platform"
    )
    for system in recorded.order_by("-merged_into_id", "pk"):
        if fold_text(system.name) == fold_text(name):
            return system.merged_into or system
    row = _find_shelf_system(site, name)
    if row is None:
        Site.objects.select_for_update(no_key=True).get(pk=site.pk)  # one worker at a time makes a system of it
        row = _find_shelf_system(site, name)
    if row is None:
        shelved = ShelfSystem._default_manager.filter(site=site).values_list("slug", flat=True)
        slug = canonical_names.system_slug(site.slug, name, {*shelved, *(system.slug for system in recorded)})
        row = ShelfSystem._default_manager.create(site=site, slug=slug, name=name)
    return System(pk=row.pk, slug=row.slug, site=site, name=row.name)


def _find_shelf_system(site: Site, name: str) -> Any:
    """The system of that name that shelves of an institution have; None where it has none."""
    shelved: Iterable[Any] = ShelfSystem._default_manager.filter(site=site)
    return next((row for row in shelved if fold_text(row.name) == fold_text(name)), None)


def _store_rows(table: type[Model], rows: Iterable[Model], **own_columns: Any) -> None:
    """Store rows of the record in the table that stands beside theirs; the database numbers and computes the rest."""
    stored = [field for field in table._meta.concrete_fields if not field.generated]
    columns = {
        field.attname: "id" if field.primary_key else field.attname
        for field in stored
        if not isinstance(field, AutoField) and field.attname not in own_columns
    }
    table._default_manager.bulk_create(
        (table(**own_columns, **{name: getattr(row, column) for name, column in columns.items()}) for row in rows),
        batch_size=2000,
    )
