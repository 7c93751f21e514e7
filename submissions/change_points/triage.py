"""Say what became of a step in the numbers of a system: the state and the note that everybody reads.

Steps of anonymous systems are left alone: a note is a text that may tell who ran it
(docs/decisions/0018-an-anonymous-result-has-no-files.md).
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import QueryDict

from registry.models import Step
from registry.query import cursor_pages
from registry.query.names import canonical_names
from registry.query.questions import filters
from submissions.errors import ConflictOfInterest, Forbidden, NoStep, StepChanged, StepRefused
from submissions.models import Account, StepComment
from submissions.permissions import conflict_about, has_role, own_and_merged_sites
from submissions.publication import anonymizer, publishable

STATE_MEANINGS = {
    Step.State.INVESTIGATING: "Somebody looks for the cause.",
    Step.State.EXPLAINED: "The cause is known, and the note names it.",
    Step.State.ACCEPTED: "The new level is what to expect from now on.",
    Step.State.FALSE_ALARM: "The system did not change; the measurement did, or it was chance.",
}
"""What may be said of a step."""
NOTE_LIMIT = 500
FILTERS: dict[str, filters.Condition] = {
    "state": lambda value: Q(state=filters.parse_choice(Step.State.values, value)),
    "system": lambda value: Q(system__slug=value.lower()) | Q(system__former__slug=value.lower()),
}


def visible_change_points(account: Account) -> QuerySet[Step]:
    """Standing steps of systems of the account's institutions; for reviewers and above of all. Newest first."""
    change_points = Step.objects.filter(gone_at=None).exclude(system__site__slug=anonymizer.SLUG)
    change_points = change_points.select_related("system__site", "before", "after").order_by("-id")
    if has_role(account, Account.Role.REVIEWER):
        return change_points
    return change_points.filter(system__site__in=own_and_merged_sites(account).values("pk"))


def list_change_points(account: Account, query: QueryDict, size: int) -> tuple[list[Step], str | None]:
    """The steps that it may judge and that meet FILTERS, so many, and the cursor of the page after them.

    Raises UnknownParameter, InvalidValue and BadCursor.
    """
    filters.refuse_unknown(query, (*FILTERS, "cursor"))
    steps = visible_change_points(account).filter(filters.parse_conditions(query, FILTERS))
    page = cursor_pages.take_objects(steps, cursor_pages.NEWEST_IDS, query.get("cursor", ""), size)
    return page.rows, page.cursor


def get_change_point(account: Account, step_id: int) -> Step:
    """One that the account may say something of. Raises NoStep where there is none, Forbidden for everybody else."""
    if not Step.objects.filter(pk=step_id, gone_at=None).exists():
        raise NoStep
    step = visible_change_points(account).filter(pk=step_id).first()
    if step is None:
        raise Forbidden(
            "Only members of its institution and reviewers set its state; nobody does for an anonymous system."
        )
    return step


def state_history(step: Step) -> QuerySet[StepComment]:
    """Every change of its state and note with its author, newest first."""
    return StepComment.objects.filter(step=step).select_related("account")


def set_state(step: Step, account: Account, state: str, note: str, version: int) -> None:
    """Set state and note of a step that `judged_by` gave and that the account read in this version.

    Of two who read the same version one is told. Raises ConflictOfInterest where the account may not judge the step,
    StepRefused for an unknown state or a note that is missing or too long, StepChanged where it read another version.
    """
    if why := conflict_about(account, step):
        raise ConflictOfInterest(why)
    note = publishable.scrub_document(canonical_names.plain_text(note))
    _require_sound(state, note)
    with transaction.atomic():
        read = Step.objects.filter(pk=step.pk, version=version, gone_at=None)
        if step.version != version or not read.update(state=state, note=note, version=F("version") + 1):
            raise StepChanged
        StepComment.objects.create(step=step, account=account, from_state=step.state, state=state, note=note)


def _require_sound(state: str, note: str) -> None:
    if state not in STATE_MEANINGS:
        raise StepRefused(f"The state is one of {', '.join(STATE_MEANINGS)}.")
    if len(note) > NOTE_LIMIT:
        raise StepRefused(f"The note has {len(note)} characters; the limit is {NOTE_LIMIT}.")
    if not note and state != Step.State.INVESTIGATING:
        raise StepRefused("Give the reason in the note.")
