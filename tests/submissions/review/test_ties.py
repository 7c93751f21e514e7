"""A reviewer's ties to vendors: nobody clears the own ones, they are kept, and count for releases open meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from submissions.accounts import ties
from submissions.models import Membership, Review, Tie
from submissions.review import decisions

pytestmark = pytest.mark.django_db
REJECT = {"decision": "reject", "reproducibility": "undefined", "reason": "No."}


@pytest.fixture
def rival(submitted):
    """A run on the storage of Maker, ready for a decision."""
    submission = submitted()
    submission.metadata |= {"storage_vendor": "Maker"}
    submission.save()
    decisions.prepare_for_review(str(submission.pk))
    return submission


def tie_of(person) -> Tie:
    return Tie.objects.get(account=person.account)


def test_a_reviewer_with_an_ended_own_tie_cannot_review_a_rival(cast, rival, client) -> None:
    ties.declare_ties(cast.dana.account, ["maker"])
    assert cast.dana.post(f"submissions/{rival.pk}/review/", REJECT).status_code == 403
    client.force_login(cast.dana.account)
    client.post("/account/vendors/", {"vendors": ""})
    client.post("/account/vendors/", {"vendors": "Other"})
    assert client.post(f"/review/ties/{Tie.objects.earliest('id').pk}/end/", {"reason": "x"}).status_code == 404
    by_api = cast.dana.post(f"ties/{Tie.objects.earliest('id').pk}/end/", {"reason": "x"})
    assert by_api.status_code == 403
    refused = cast.dana.post(f"submissions/{rival.pk}/review/", REJECT)
    assert (refused.status_code, refused.json()["code"]) == (403, "review.conflict-of-interest")


def test_an_ended_tie_counts_for_releases_open_meanwhile(cast, rival, release) -> None:
    ties.declare_ties(cast.dana.account, ["Maker"])
    answer = cast.erin.post(f"ties/{tie_of(cast.dana).pk}/end/", {"reason": "Left the company."})
    assert (answer.status_code, answer.json()["ended_by"]) == (200, "erin")
    assert cast.dana.post(f"submissions/{rival.pk}/review/", REJECT).status_code == 403
    type(release).objects.filter(pk=release.pk).update(opens=timezone.now() + timedelta(minutes=1))
    assert cast.dana.post(f"submissions/{rival.pk}/review/", REJECT).status_code == 200


def test_an_editor_ends_no_tie_of_their_own(cast, client) -> None:
    ties.declare_ties(cast.erin.account, ["Maker"])
    refused = cast.erin.post(f"ties/{tie_of(cast.erin).pk}/end/", {"reason": "x"})
    assert (refused.status_code, refused.json()["code"]) == (403, "review.conflict-of-interest")
    client.force_login(cast.erin.account)
    page = client.post(f"/review/ties/{tie_of(cast.erin).pk}/end/", {"reason": "x"})
    assert page.status_code == 403 and "Only another editor can end it." in page.content.decode()
    assert tie_of(cast.erin).ended_at is None


@pytest.mark.parametrize("reason", ["", "   "])
def test_a_tie_ends_with_a_reason(cast, client, reason) -> None:
    ties.declare_ties(cast.dana.account, ["Maker"])
    client.force_login(cast.erin.account)
    assert client.post(f"/review/ties/{tie_of(cast.dana).pk}/end/", {"reason": reason}).status_code == 422
    client.post(f"/review/ties/{tie_of(cast.dana).pk}/end/", {"reason": "Left it."})
    page = client.get("/review/ties/").content.decode()
    assert "Left it." in page and "No open ties." in page
    again = cast.erin.post(f"ties/{tie_of(cast.dana).pk}/end/", {"reason": "x"})
    assert (again.status_code, again.json()["code"]) == (404, "account.no-tie")


@pytest.mark.parametrize(
    "change", [{"vendor": "Other"}, {"ended_at": None, "ended_by": None, "reason": ""}, {"reason": "Rewritten."}]
)
def test_the_database_keeps_ties(cast, change) -> None:
    ties.declare_ties(cast.dana.account, ["Maker"])
    ties.end_tie(tie_of(cast.dana).pk, cast.erin.account, "Left it.")
    for act in (lambda: Tie.objects.update(**change), lambda: Tie.objects.all().delete()):
        with pytest.raises(DatabaseError, match="append-only"), transaction.atomic():
            act()


def test_a_decision_keeps_the_ties_of_its_time(cast, rival, client) -> None:
    ties.declare_ties(cast.dana.account, ["Elsewhere"])
    assert cast.dana.post(f"submissions/{rival.pk}/review/", REJECT).status_code == 200
    ties.end_tie(tie_of(cast.dana).pk, cast.erin.account, "Left it.")
    assert Review.objects.get().ties == ["Elsewhere"]
    client.force_login(cast.erin.account)
    assert "Vendor ties at that time: Elsewhere." in client.get(f"/review/{rival.pk}/").content.decode()


def test_ties_are_visible_to_permitted_accounts(cast) -> None:
    ties.declare_ties(cast.dana.account, ["Maker"])
    assert cast.dana.post("ties/", {"vendor": "Maker"}).status_code == 201, "again is no harm"
    assert [row["vendor"] for row in cast.dana.get("ties/").json()["results"]] == ["Maker"]
    assert [row["account"] for row in cast.erin.get("ties/").json()["results"]] == ["dana"]
    assert cast.alice.get("ties/").json()["results"] == []


def leave_by_page(person, institution, client) -> None:
    client.force_login(person.account)
    path = f"/account/institutions/{institution.slug}/remove/"
    assert client.post(path, {"account": person.account.username}).status_code == 302


def leave_by_api(person, institution, client) -> None:
    path = f"institutions/{institution.slug}/members/{person.account.username}/"
    assert person.client.delete(f"/api/v1/{path}").status_code == 204


@pytest.mark.parametrize("leave", [leave_by_page, leave_by_api])
def test_a_reviewer_does_not_leave_an_institution_and_judge_it(cast, rival, client, leave) -> None:
    membership = Membership.objects.create(
        account=cast.dana.account, institution=rival.institution, role=Membership.Role.ADMIN
    )
    Membership.objects.filter(account=cast.alice.account).update(role=Membership.Role.ADMIN)
    assert cast.dana.post(f"submissions/{rival.pk}/review/", REJECT).status_code == 403
    leave(cast.dana, rival.institution, client)
    assert not Membership.objects.filter(pk=membership.pk).exists()
    refused = cast.dana.post(f"submissions/{rival.pk}/review/", REJECT)
    assert (refused.status_code, refused.json()["code"]) == (403, "review.conflict-of-interest")
    assert (tie_of(cast.dana).vendor, tie_of(cast.dana).ended_at) == (rival.institution.name, None)


def test_no_membership_ends_in_the_admin(cast, client) -> None:
    client.force_login(cast.fay.account)
    page = client.get(f"/admin/submissions/account/{cast.dana.account.pk}/change/").content.decode()
    assert "West Lab" in page or "west-lab" in page
    assert "memberships-0-DELETE" not in page and 'name="memberships-0-institution"' not in page


@pytest.mark.django_db(transaction=True)
def test_ties_that_are_ended_at_once_leave_no_stale_copy(cast) -> None:
    """The open ties are read while the account is locked, so that neither end is lost from the copy."""
    ties.declare_ties(cast.dana.account, ["Maker", "Other"])
    first, second = Tie.objects.filter(account=cast.dana.account).order_by("id")

    def end_second() -> None:
        try:
            ties.end_tie(second.pk, cast.erin.account, "Left the company.")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            ties.end_tie(first.pk, cast.erin.account, "Left the company.")
            ended = pool.submit(end_second)
            while not ended.done() and not waits_for_us():
                pass
        ended.result()
    cast.dana.account.refresh_from_db()
    assert cast.dana.account.vendors == []


def waits_for_us() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
        )
        return bool(cursor.fetchone()[0])
