"""A published result is revised: who may, what is reviewed again, and what stays citable."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from registry.models import RankedList, Result
from registry.query.differences.revision_diff import RevisionChange, document_differences
from submissions.checks import processing
from submissions.editing import edit
from submissions.errors import AlreadyRevised
from submissions.models import Submission
from submissions.publication import amendments, releases
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.submissions.cast import COMPLETE, submit_to

REASON = "The vendor was misspelt."
SAID = {"system": "Fjord", "storage_vendor": "Exmaple", "filesystem_type": "Lustre"}
CORRECTED = SAID | {"storage_vendor": "Example"}
AGREED = {"acknowledge_rules": True, "acknowledge_publication": True}


@pytest.fixture
def published(cast, release, checked) -> Submission:
    """Alice's run, published by sc99, whose deadline is past since."""
    submission = checked(
        fields={"metadata": '{"system": "Fjord", "storage_vendor": "Exmaple", "filesystem_type": "Lustre"}'}
    )
    submit_to(release, submission, cast.alice, ("full", "io500"))
    decisions.decide_run(submission, cast.dana.account, "accept", "Complete.", reproducibility="fully")
    publication_publish.publish_release(release, None)
    submission.refresh_from_db()
    release.refresh_from_db()
    release.deadline = submission.submitted_at + timedelta(milliseconds=1)
    release.save()
    return submission


@pytest.fixture
def following(published, release):
    """The next release, open."""
    next_release = releases.create_release("isc00", timezone.now() + timedelta(days=30), name="ISC00")
    type(next_release).objects.filter(pk=next_release.pk).update(held_on=release.held_on + timedelta(days=90))
    next_release.refresh_from_db()
    return next_release


def revise(cast, published: Submission, **fields) -> Submission:
    """A checked revision, by API."""
    answer = cast.alice.post(f"submissions/{published.pk}/revise/", {"reason": REASON} | fields)
    assert answer.status_code == 202, answer.content
    processing.check_submission(answer.json()["id"])
    return Submission.objects.get(pk=answer.json()["id"])


def accept(cast, revision: Submission, release, lists=("full", "io500"), **fields) -> None:
    submit_to(release, revision, cast.alice, lists)
    decisions.prepare_for_review(str(revision.pk))
    decisions.decide_run(revision, cast.dana.account, "accept", "Right.", reproducibility="fully", **fields)


def frozen(release) -> dict[str, str]:
    return dict(RankedList.objects.filter(release=release).values_list("name", "digest"))


def test_a_correction_is_reviewed_and_published_as_a_new_revision(cast, release, published) -> None:
    before = frozen(release)
    revision = revise(cast, published, metadata=CORRECTED)
    assert (revision.state, revision.sha256) == ("checked", published.sha256)
    accept(cast, revision, release)
    publication_publish.publish_due()
    older, newer = Result.objects.order_by("revision")
    assert (newer.storage_vendor, newer.revision, newer.revises, newer.revision_reason) == ("Example", 2, older, REASON)
    assert (newer.score, newer.submitted_on, older.storage_vendor) == (older.score, older.submitted_on, "Exmaple")
    assert frozen(release) == before
    assert RankedList.objects.get(release=release, name="io500").entries.get().result == older


def test_both_pages_show_the_changes(cast, client, release, published) -> None:
    accept(cast, revise(cast, published, metadata=CORRECTED), release)
    publication_publish.publish_due()
    older, newer = Result.objects.order_by("revision")
    result_body = cast.stranger.get(f"/api/v1/results/{newer.public_id}/").json()
    assert result_body["changes"] == [{"field": "storage_vendor", "before": "Exmaple", "after": "Example"}]
    assert (result_body["revises"], result_body["revision_reason"]) == (older.public_id, REASON)
    assert cast.stranger.get(f"/api/v1/results/{older.public_id}/").json()["revised_by"] == newer.public_id
    page = client.get(f"/results/{older.public_id}/").content.decode()
    assert f'<b>Revised</b> by <a href="/results/{newer.public_id}/">' in page
    page = client.get(f"/results/{newer.public_id}/").content.decode()
    assert "Changes (1)" in page
    assert "<s>Exmaple</s>" in page


def test_an_older_result_is_proposed_for_another_list(cast, release, published, following) -> None:
    before = frozen(release)
    revision = revise(cast, published, answers=COMPLETE)
    accept(cast, revision, following, ("full", "production"), production=True)
    publication_publish.publish_release(following, None)
    entry = RankedList.objects.get(release=following, name="production").entries.get()
    assert (entry.result.revision, entry.result.release, entry.new) == (2, following, False)
    assert not RankedList.objects.get(release=following, name="io500").entries.exists()
    assert frozen(release) == before


def test_later_lists_count_the_newest_revision_only(cast, release, published, following) -> None:
    accept(cast, revise(cast, published, metadata=CORRECTED), release)
    publication_publish.publish_due()
    publication_publish.publish_release(following, None)
    assert [
        entry.result.revision for entry in RankedList.objects.get(release=following, name="io500").entries.all()
    ] == [2]


def test_an_amended_list_keeps_the_revision_that_it_was_frozen_with(cast, release, published) -> None:
    accept(cast, revise(cast, published, metadata=CORRECTED), release)
    publication_publish.publish_due()
    ranked = RankedList.objects.get(release=release, name="io500")
    older = ranked.entries.get().result
    amendments.override_result(ranked, cast.erin.account, older.public_id, "score", "Misread.", 1.0)
    entry = RankedList.objects.get(release=release, name="io500").entries.get()
    assert (entry.result, entry.score) == (older, 1.0)


def test_a_correction_keeps_its_lists(cast, release, published) -> None:
    revision = revise(cast, published)
    body = {"release": "sc99", "lists": ["full", "production"]} | AGREED
    refused = cast.alice.post(f"submissions/{revision.pk}/submit/", body)
    assert (refused.status_code, refused.json()["code"]) == (422, "submit.list-not-of-release")


def test_the_reviewer_sees_the_changes(cast, client, release, published) -> None:
    revision = revise(cast, published, metadata=CORRECTED)
    submit_to(release, revision, cast.alice, ("full", "io500"))
    change = {"field": "metadata.storage_vendor", "before": "Exmaple", "after": "Example"}
    assert cast.dana.get(f"submissions/{revision.pk}/").json()["changes"] == [change]
    client.force_login(cast.dana.account)
    assert "<s>Exmaple</s>" in client.get(f"/review/{revision.pk}/").content.decode()


def test_a_correction_is_not_late_for_its_release(cast, release, published) -> None:
    revision = revise(cast, published)
    submit_to(release, revision, cast.alice, ("full", "io500"))
    decisions.prepare_for_review(str(revision.pk))
    rules = {rule["code"]: rule["outcome"] for rule in revision.checks.first().report["runs"][0]["rules"]}
    assert rules["io500.deadline"] == "satisfied"


@pytest.mark.parametrize("state", ["checked", "submitted", "accepted"])
def test_one_revision_is_made_at_a_time(cast, release, published, state) -> None:
    revision = revise(cast, published)
    Submission.objects.filter(pk=revision.pk).update(state=state)
    refused = cast.bob.post(f"submissions/{published.pk}/revise/", {"reason": REASON})
    assert (refused.status_code, refused.json()["code"]) == (409, "revise.already")
    assert str(revision.pk) in refused.json()["detail"]


@pytest.mark.parametrize("state", ["rejected", "withdrawn"])
def test_a_failed_revision_permits_another(cast, published, state) -> None:
    Submission.objects.filter(pk=revise(cast, published).pk).update(state=state)
    assert revise(cast, published).revises == published


def test_only_the_newest_revision_is_revised(cast, release, published) -> None:
    newest = revise(cast, published)
    accept(cast, newest, release)
    publication_publish.publish_due()
    assert cast.alice.post(f"submissions/{published.pk}/revise/", {"reason": REASON}).status_code == 409
    newest.refresh_from_db()
    accept(cast, revise(cast, newest), release)
    publication_publish.publish_due()
    assert list(Result.objects.order_by("id").values_list("revision", flat=True)) == [1, 2, 3]


@pytest.mark.parametrize("sent", [{}, {"reason": "  "}])
def test_a_revision_needs_a_reason(cast, published, sent) -> None:
    assert cast.alice.post(f"submissions/{published.pk}/revise/", sent).status_code == 400
    assert Submission.objects.count() == 1


def test_invalid_requests_begin_no_revision(cast, published) -> None:
    for correction in ({"metadata": {"colour": "blue"}}, {"answers": {"single_point_of_failure": "perhaps"}}):
        refused = cast.alice.post(f"submissions/{published.pk}/revise/", {"reason": REASON} | correction)
        assert refused.status_code == 422
    assert Submission.objects.count() == 1


@pytest.mark.parametrize(
    ("person", "status"), [("bob", 202), ("charlie", 404), ("dana", 403), ("erin", 403), ("fay", 403)]
)
def test_only_permitted_accounts_revise(cast, published, person, status) -> None:
    assert getattr(cast, person).post(f"submissions/{published.pk}/revise/", {"reason": REASON}).status_code == status


def test_a_pending_revision_is_withdrawn_with_its_result(cast, release, published) -> None:
    revision = revise(cast, published)
    accept(cast, revision, release)
    assert cast.alice.post(f"submissions/{published.pk}/withdraw/", {"reason": "Wrong run."}).status_code == 200
    publication_publish.publish_due()
    revision.refresh_from_db()
    assert (revision.state, Result.objects.get().withdrawn_reason) == ("withdrawn", "Wrong run.")


def test_an_older_revision_is_not_withdrawn_alone(cast, release, published) -> None:
    accept(cast, revise(cast, published), release)
    publication_publish.publish_due()
    refused = cast.alice.post(f"submissions/{published.pk}/withdraw/", {"reason": "Wrong run."})
    assert (refused.status_code, refused.json()["code"]) == (409, "revise.already")
    assert not Result.objects.exclude(withdrawn_at=None).exists()


def test_an_unaccepted_revision_is_not_public(cast, client, published, following) -> None:
    revision = revise(cast, published, metadata=SAID | {"platform": "Unheard-of"})
    submit_to(following, revision, cast.alice)
    for address in ("/api/v1/results/", f"/results/{published.result.public_id}/", "/"):
        assert "Unheard-of" not in client.get(address).content.decode()
    assert cast.charlie.get(f"submissions/{revision.pk}/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_requests_create_one_revision(cast, published) -> None:
    def begin(person) -> str:
        try:
            return str(edit.start_revision(published, person.account, REASON).pk)
        except AlreadyRevised:
            return "refused"
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        outcomes = sorted(pool.map(begin, (cast.alice, cast.bob)))
    assert outcomes[1] == "refused"
    assert str(Submission.objects.get(revises=published).pk) == outcomes[0]


# By browser


def test_a_result_is_revised_by_form(cast, client, published) -> None:
    client.force_login(cast.bob.account)
    assert "Start revision" in client.get(f"/submissions/{published.pk}/").content.decode()
    went = client.post(f"/submissions/{published.pk}/revise/", {"reason": REASON})
    revision = Submission.objects.get(revises=published)
    assert went["Location"] == f"/submissions/{revision.pk}/"
    processing.check_submission(revision.pk)
    changed = client.post(
        f"/submissions/{revision.pk}/edit/", CORRECTED | {"client_nodes": "", "production": "unknown"}
    )
    assert changed["Location"] == f"/submissions/{revision.pk}/"
    processing.check_submission(revision.pk)
    page = client.get(f"/submissions/{revision.pk}/").content.decode()
    assert "<s>Exmaple</s>" in page
    assert "SC99, as a correction" in page
    client.post(
        f"/submissions/{revision.pk}/submit/",
        {"release": "sc99", "lists": ["full", "io500"], **dict.fromkeys(AGREED, "on")},
    )
    revision.refresh_from_db()
    assert (revision.state, revision.metadata) == ("submitted", CORRECTED)
    assert "Start revision" not in client.get(f"/submissions/{published.pk}/").content.decode()


def test_a_second_revision_is_refused_on_the_page(cast, client, published) -> None:
    revise(cast, published)
    client.force_login(cast.alice.account)
    refused = client.post(f"/submissions/{published.pk}/revise/", {"reason": REASON})
    assert refused.status_code == 409
    assert "revise.already" in refused.content.decode()


def test_the_form_says_which_field_is_wrong(cast, client, checked) -> None:
    submission = checked()
    client.force_login(cast.alice.account)
    refused = client.post(f"/submissions/{submission.pk}/edit/", {"client_nodes": "many"})
    assert refused.status_code == 422
    assert "Enter a whole number." in refused.content.decode()
    submission.refresh_from_db()
    assert submission.state == "checked"


@pytest.mark.parametrize(("person", "status"), [("alice", 200), ("bob", 200), ("charlie", 404), ("erin", 403)])
def test_only_permitted_accounts_edit(cast, client, checked, person, status) -> None:
    client.force_login(getattr(cast, person).account)
    assert client.get(f"/submissions/{checked().pk}/edit/").status_code == status


# The arithmetic


def test_differing_fields_are_listed_in_order() -> None:
    before, after = {"a": 1, "b": [1], "c": None}, {"b": [1, 2], "c": None, "d": False}
    assert document_differences(before, after) == [
        RevisionChange("a", 1, None),
        RevisionChange("b", [1], [1, 2]),
        RevisionChange("d", None, False),
    ]
