"""Who reproduces whom: chains, circles, people with two institutions, accounts of one, and runs of one's own."""

from __future__ import annotations

import pytest

from registry.models import Reproduction, Result
from submissions.models import Membership, MembershipPeriod, Submission
from submissions.reproduction import judging
from tests.submissions.cast import Cast
from tests.submissions.reproduction.conftest import Publish, read_marks
from tests.submissions.reproduction.test_counting import kinds, person_at

pytestmark = pytest.mark.django_db

SIMILAR = ((101, 100, 102), (100, 100, 104), (100, 102, 101), (99, 100, 102))
"""Rates of other runs that agree with the first."""


def sites(cast: Cast, *results: Result) -> list[int]:
    """How many institutions reproduced each."""
    return [read_marks(cast, result)["sites"] for result in results]


def test_in_a_chain_each_result_has_the_institution_that_named_it(cast: Cast, publish: Publish) -> None:
    first = publish(cast.alice)
    second = publish(cast.charlie, SIMILAR[0], reproduces=first.public_id)
    third = publish(person_at("east-lab"), SIMILAR[1], reproduces=second.public_id)
    assert sites(cast, first, second, third) == [1, 1, 0]
    assert [mark["result"] for mark in read_marks(cast, first)["marks"]] == [second.public_id]


def test_a_chain_that_returns_to_the_first_institution_counts_there(cast: Cast, publish: Publish) -> None:
    """The second result is of another institution than the first and the third."""
    first = publish(cast.alice)
    second = publish(cast.charlie, SIMILAR[0], reproduces=first.public_id)
    third = publish(cast.bob, SIMILAR[1], reproduces=second.public_id)
    assert sites(cast, first, second, third) == [1, 1, 0]
    assert kinds(cast, second) == ["reproduced"]


def test_a_chain_within_one_institution_is_repeated_and_then_reproduced(cast: Cast, publish: Publish) -> None:
    first = publish(cast.alice)
    second = publish(cast.bob, SIMILAR[0], reproduces=first.public_id)
    publish(cast.charlie, SIMILAR[1], reproduces=second.public_id)
    assert (kinds(cast, first), kinds(cast, second)) == (["repeated"], ["reproduced"])
    assert sites(cast, first, second) == [0, 1]


def test_in_a_circle_of_two_each_counts_for_the_other(cast: Cast, publish: Publish) -> None:
    first = publish(cast.alice)
    second = publish(cast.charlie, SIMILAR[0], reproduces=first.public_id)
    # No address sets this: a result can name only what was published before it.
    Submission.objects.filter(result=first).update(reproduces=second)
    assert judging.judge_due() == 1
    assert sites(cast, first, second) == [1, 1]
    assert {(mark.result_id, mark.original_id) for mark in Reproduction.objects.all()} == {
        (second.pk, first.pk),
        (first.pk, second.pk),
    }
    assert judging.judge_due() == 0


def test_two_accounts_of_one_institution_count_once(cast: Cast, publish: Publish) -> None:
    first = publish(cast.alice)
    publish(cast.charlie, SIMILAR[0], reproduces=first.public_id)
    publish(person_at("south-lab"), SIMILAR[1], reproduces=first.public_id)
    marks = read_marks(cast, first)["marks"]
    assert sites(cast, first) == [1]
    assert [(mark["kind"], mark["counted"]) for mark in marks] == [("reproduced", True), ("reproduced", True)]


def test_one_person_who_reproduces_for_two_institutions_counts_once(cast: Cast, publish: Publish) -> None:
    hugo = person_at("south-lab", "east-lab")
    first = publish(cast.alice)
    publish(hugo, SIMILAR[0], reproduces=first.public_id, institution="South Lab")
    publish(hugo, SIMILAR[1], reproduces=first.public_id, institution="East-Lab")
    assert sites(cast, first) == [1]
    assert [(mark["institution"], mark["counted"]) for mark in read_marks(cast, first)["marks"]] == [
        ("South Lab", True),
        ("East-Lab", False),
    ]


def test_one_person_of_both_institutions_only_repeats(cast: Cast, publish: Publish) -> None:
    hugo = person_at("north-lab", "east-lab")
    first = publish(hugo, institution="North Lab")
    publish(hugo, SIMILAR[0], reproduces=first.public_id, institution="East-Lab")
    assert (kinds(cast, first), sites(cast, first)) == (["repeated"], [0])


def test_a_member_of_both_who_leaves_after_the_first_run_came_here_is_remembered(cast: Cast, publish: Publish) -> None:
    hugo = person_at("north-lab", "east-lab")
    first = publish(cast.alice)
    hugo.account.memberships.filter(institution__slug="north-lab").delete()
    publish(hugo, SIMILAR[0], reproduces=first.public_id)
    assert (kinds(cast, first), sites(cast, first)) == (["repeated"], [0])


def test_a_move_to_another_institution_is_no_common_membership(cast: Cast, publish: Publish) -> None:
    hugo = person_at("north-lab")
    first = publish(hugo)
    hugo.account.memberships.all().delete()
    MembershipPeriod.objects.filter(account=hugo.account, ended_at=None).update(ended_at=first.published_at)
    east = person_at("east-lab", name="gil").account.memberships.get().institution
    Membership.objects.create(account=hugo.account, institution=east)
    publish(hugo, SIMILAR[0], reproduces=first.public_id)
    assert (kinds(cast, first), sites(cast, first)) == (["reproduced"], [1])


def test_a_run_of_ones_own_again_is_repeated(cast: Cast, publish: Publish) -> None:
    first = publish(cast.alice)
    second = publish(cast.alice, SIMILAR[0], reproduces=first.public_id)
    publish(cast.alice, SIMILAR[1], reproduces=second.public_id)
    assert (kinds(cast, first), kinds(cast, second), sites(cast, first, second)) == (["repeated"], ["repeated"], [0, 0])


def test_ones_own_reproduction_run_again_adds_no_institution(cast: Cast, publish: Publish) -> None:
    """Charlie reproduces Alice's run, then his own: of the first only his institution counts, once."""
    first = publish(cast.alice)
    second = publish(cast.charlie, SIMILAR[0], reproduces=first.public_id)
    third = publish(cast.charlie, SIMILAR[1], reproduces=second.public_id)
    publish(cast.charlie, SIMILAR[2], reproduces=first.public_id)
    assert sites(cast, first, second, third) == [1, 0, 0]
    assert kinds(cast, second) == ["repeated"]
