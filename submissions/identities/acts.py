"""Merging and splitting as acts of editors: who may, what is locked, and what has to be found anew afterwards.

What stays where it is: submissions, memberships and invitations keep the institution that they are of, so nobody sees
more than before. Only conflicts of interest reach over all institutions that are one now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.db import transaction

from registry.identity import merging, splitting
from registry.identity.errors import SplitRefused
from registry.identity.merging import Decision, Kind, Moved
from registry.loading import catalogue_loader
from registry.log import name_records, recording
from registry.models import IdentityChange
from registry.query.names.canonical_names import plain_text
from registry.timeseries import detected_steps
from submissions.models import Account
from submissions.permissions import require_role
from submissions.publication import amendments


def merge_identities(
    account: Account, kind: str, former: str, into: str, reason: str, source: str = ""
) -> IdentityChange:
    """Make `former` a former name of `into`. Raises Forbidden, NotOnRecord and what `merging.merge_names` refuses."""
    decision = _decide_as(account, reason, source)
    return _carry_out(lambda: merging.merge_names(kind, former, into, decision))


def split_identity(
    account: Account,
    kind: str,
    slug: str,
    moving: Sequence[str],
    reason: str,
    *,
    into: str = "",
    name: str = "",
    source: str = "",
) -> IdentityChange:
    """Move results off a system, or systems off an institution, to the slug `into` or to a new one called `name`.

    Raises Forbidden below editor, SplitRefused unless it says one place to go, and what `registry.identity.splitting`
    raises for what is named.
    """
    decision = _decide_as(account, reason, source)
    if bool(into) == bool(name):
        raise SplitRefused("Name either where they go, or how the new one is called.")
    divide = {Kind.SYSTEM: splitting.split_system, Kind.SITE: splitting.split_site}.get(Kind(kind))
    if divide is None:
        raise SplitRefused("Platforms are not split: each result says its own.")
    return _carry_out(lambda: divide(slug, moving, decision, into=into, name=name))


def undo_act(account: Account, act_id: int, reason: str) -> IdentityChange:
    """Take an act back. Raises Forbidden below editor, and what `merging.undo_change` raises for the act."""
    decision = _decide_as(account, reason)
    return _carry_out(lambda: merging.undo_change(act_id, decision), recording.UNDONE)


def _decide_as(account: Account, reason: str, source: str = "") -> Decision:
    require_role(account, Account.Role.EDITOR)
    decision = Decision(plain_text(reason), account.username, plain_text(source))
    merging.require_reason(decision)
    return decision


@transaction.atomic
def _carry_out(act: Callable[[], Moved], recorded_as: str = recording.IDENTIFIED) -> IdentityChange:
    """No release is published and no catalogue loaded meanwhile; the steps of the systems are found anew."""
    amendments.lock_publication()
    catalogue_loader.lock_catalogue()
    moved = act()
    detected_steps.mark_due(moved.systems)
    recording.record_results(merging.moved_results(moved.change), recording.IDENTIFIED)
    recording.record_name_changes([moved.change, *moved.change.parts.all()], recorded_as)
    name_records.record_names(name_records.names_of_change(moved.change), recording.IDENTIFIED)
    return moved.change
