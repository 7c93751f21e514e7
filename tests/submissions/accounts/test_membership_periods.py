"""Periods of memberships: the database keeps them, whoever changes a membership."""

from __future__ import annotations

import pytest
from django.utils import timezone

from registry.models import Site
from submissions.models import Membership, MembershipPeriod

pytestmark = pytest.mark.django_db


def periods(person) -> list[tuple[str, bool, bool]]:
    rows = MembershipPeriod.objects.filter(account=person.account).select_related("institution")
    return [(row.institution.slug, row.began_at is not None, row.ended_at is not None) for row in rows]


def test_a_membership_that_ends_is_kept(cast) -> None:
    Membership.objects.filter(account=cast.charlie.account).delete()
    Membership.objects.create(account=cast.charlie.account, institution=Site.objects.get(slug="north-lab"))
    assert periods(cast.charlie) == [("south-lab", True, True), ("north-lab", True, False)]


def test_moving_a_membership_ends_one_and_begins_one(cast) -> None:
    Membership.objects.filter(account=cast.charlie.account).update(institution=Site.objects.get(slug="west-lab"))
    assert periods(cast.charlie) == [("south-lab", True, True), ("west-lab", True, False)]


def test_another_role_changes_no_period(cast) -> None:
    Membership.objects.filter(account=cast.charlie.account).update(role="admin")
    assert periods(cast.charlie) == [("south-lab", True, False)]


def test_an_account_says_since_when_its_memberships_are_kept(cast) -> None:
    cast.charlie.account.refresh_from_db()
    assert cast.charlie.account.memberships_known_since <= timezone.now()
