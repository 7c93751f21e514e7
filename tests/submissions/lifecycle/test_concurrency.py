"""Two things at once, by threads with connections of their own: one clear outcome each, and nothing lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from registry.models import Release, Result
from submissions.editing import edit as editing_edit
from submissions.models import Account, Check, Notice, Submission
from submissions.notifications import outbox
from submissions.publication import publish as publication_publish
from submissions.review import decisions
from tests.submissions.conftest import somebody_waits, wait_until

AT_ONCE = pytest.mark.django_db(transaction=True)


@contextmanager
def meanwhile(submission: Submission, does: Callable[[], Any]) -> Iterator[Future]:
    """Holds a submission until `does`, in a thread, waits for it; what the block does comes first then."""

    def ask() -> Any:
        try:
            return does()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        Submission.objects.select_for_update().get(pk=submission.pk)
        future = pool.submit(ask)
        wait_until(somebody_waits, 30)
        yield future


def accept(cast, submission: Submission) -> None:
    decisions.decide_run(submission, cast.dana.account, "accept", "Sound.", reproducibility="fully")


def state(submission: Submission) -> str:
    submission.refresh_from_db()
    return submission.state


@AT_ONCE
def test_publishing_during_a_recheck_keeps_the_reviewed_check(cast, release, submitted) -> None:
    submission = submitted()
    reviewed_check = Check.objects.get(submission=submission)
    with meanwhile(submission, lambda: decisions.prepare_for_review(str(submission.pk))) as looking:
        accept(cast, submission)
        publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    looking.result(30)
    assert (state(submission), submission.checks.get()) == ("published", reviewed_check)
    assert Result.objects.get().score == reviewed_check.report["runs"][0]["scores"]["SCORE"]["value"]


@AT_ONCE
def test_answers_changed_during_a_recheck_are_checked_again(cast, submitted) -> None:
    submission = submitted()
    with meanwhile(submission, lambda: decisions.prepare_for_review(str(submission.pk))) as looking:
        editing_edit.save_answers(submission, cast.alice.account, {"usage": "production"})
    looking.result(30)
    assert submission.checks.count() == 1
    decisions.prepare_for_review(str(submission.pk))
    assert submission.checks.count() == 2


@AT_ONCE
def test_concurrent_withdrawing_and_publishing_end_consistently(cast, release, submitted) -> None:
    staying, taken = submitted(), submitted(performance=1.1)
    for submission in (staying, taken):
        accept(cast, submission)
    with meanwhile(taken, lambda: cast.erin.post("releases/sc99/publish/", {"allow_empty": True}).json()) as publishing:
        decisions.withdraw_run(taken, cast.alice.account, "Wrong file.")
    assert (publishing.result(30)["results"], state(taken), state(staying)) == (1, "withdrawn", "published")

    withdraw_path = f"submissions/{staying.pk}/withdraw/"
    with meanwhile(staying, lambda: cast.alice.post(withdraw_path, {"reason": "Wrong too."})) as withdrawing:
        publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
    assert withdrawing.result(30).status_code == 200
    assert (state(staying), Result.objects.get().withdrawn_reason) == ("withdrawn", "Wrong too.")


@AT_ONCE
def test_accepting_during_publication_is_refused(cast, release, submitted) -> None:
    """The reviewer waits for the release and then finds it published: the run is neither lost nor slipped in."""
    submission = submitted()
    decision = {"decision": "accept", "reason": "Sound.", "reproducibility": "fully"}

    def decide() -> Any:
        try:
            return cast.dana.post(f"submissions/{submission.pk}/review/", decision)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            publication_publish.publish_release(release, cast.erin.account, allow_empty=True)
            deciding = pool.submit(decide)
            wait_until(somebody_waits, 30)
        answer = deciding.result(30)
    assert (answer.status_code, answer.json()["code"]) == (409, "release.published")
    assert (state(submission), submission.reviews.count(), Result.objects.count()) == ("submitted", 0, 0)


@AT_ONCE
def test_starting_a_review_during_an_edit_ends_consistently(cast, submitted) -> None:
    """The edit is told; what the reviewer has before them stays."""
    submission = submitted()
    body = {"metadata": {"system": "Fjord"}}
    edit = f"submissions/{submission.pk}/revalidate/"
    with meanwhile(submission, lambda: cast.alice.post(edit, body)) as editing:
        decisions.start_review(submission, cast.dana.account)
    answer = editing.result(30)
    assert (answer.status_code, answer.json()["code"]) == (409, "state.conflict")
    assert (state(submission), submission.metadata) == ("in_review", {})


def test_answers_typed_over_the_deadline_are_shown_again(cast, client, release, submitted) -> None:
    submission = submitted()
    client.force_login(cast.alice.account)
    address = f"/submissions/{submission.pk}/answers/"
    assert client.get(address).status_code == 200
    Release.objects.filter(pk=release.pk).update(deadline=timezone.now() - timedelta(seconds=1))
    answer = client.post(address, {"trust": "We compared two runs by hand & found no difference."})
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "The deadline of SC99 was" in page
    assert "We compared two runs by hand &amp; found no difference." in page
    assert (state(submission), submission.answers) == ("submitted", {})


def test_a_second_decision_is_refused_with_its_reason_kept(cast, client, submitted) -> None:
    submission = submitted()
    accept(cast, submission)
    client.force_login(cast.erin.account)
    reason = "The stripe count is <missing>."
    form = {"decision": "request_changes", "reproducibility": "undefined", "reason": reason}
    answer = client.post(f"/review/{submission.pk}/decide/", form)
    assert answer.status_code == 409
    assert "The stripe count is &lt;missing&gt;." in answer.content.decode()
    assert (state(submission), submission.reviews.count()) == ("accepted", 1)


@AT_ONCE
def test_sending_notices_does_not_block_uploads(cast, checked) -> None:
    """The outbox is read while somebody uploads: accounts and submissions stay free, or the two would deadlock."""
    submission = checked()

    def lock() -> None:
        try:
            with transaction.atomic():
                for rows in (
                    Submission.objects.filter(pk=submission.pk),
                    Account.objects.filter(pk=submission.account_id),
                ):
                    rows.select_for_update(nowait=True, no_key=True).get()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool, transaction.atomic():
        assert Notice.objects.exists()
        outbox._take_notices()
        pool.submit(lock).result(30)
