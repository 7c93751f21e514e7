"""What becomes of findings: who decides it, what a disposition covers, and what is open of a release."""

from __future__ import annotations

import copy
import functools
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from registry.lists.definitions import title_of
from submissions.models import Account, Disposition, Submission, Tie
from submissions.publication import publish
from tests.html import page_source
from tests.submissions.cast import Person
from tests.submissions.conftest import somebody_waits, wait_until
from tests.submissions.review.test_review_pages import call, code, page_of

CODE = "io500.made-for-this-test"
SHORT = {"code": CODE, "level": "error", "message": "It is short.", "hint": "", "where": "a.txt:3",
         "expected": "", "actual": ""}  # fmt: skip


def add_findings(submission: Submission, *findings: dict[str, Any]) -> Submission:
    """The submission with a newer check that has these findings beside what the last one had."""
    check = submission.checks.order_by("-made_at", "-id").first()
    assert check is not None
    report = copy.deepcopy(check.report)
    report["findings"] = [row for row in report["findings"] if row["code"] != CODE] + list(findings)
    check.pk, check.report = None, report
    check.save()
    return submission


@pytest.fixture
def short(submitted) -> Submission:
    return add_findings(submitted(), SHORT)


def dispose_finding(
    person: Person, submission: Submission, kind: str = "accepted_limitation", reason: str = "Old firmware."
):
    return call(person, submission, "dispositions", code=CODE, kind=kind, reason=reason)


def point(person: Person, submission: Submission) -> dict[str, Any]:
    rows = person.get(f"submissions/{submission.pk}/dispositions/").json()["points"]
    return next(row for row in rows if row["code"] == CODE)


def test_a_finding_is_open_until_a_reviewer_disposes_of_it(cast, short) -> None:
    assert point(cast.dana, short) == {
        "code": CODE, "level": "error", "messages": ["a.txt:3: It is short."], "open": True, "disposition": None,
    }  # fmt: skip
    assert dispose_finding(cast.dana, short).status_code == 200
    answer = point(cast.alice, short)
    assert (answer["open"], answer["disposition"]["kind"]) == (False, "accepted_limitation")
    assert (answer["disposition"]["reason"], answer["disposition"]["reviewer"]) == ("Old firmware.", "dana")


def test_the_submitter_reads_it_in_the_history(cast, short) -> None:
    dispose_finding(cast.dana, short, "clerical", "A typing error.")
    rows = cast.alice.get(f"submissions/{short.pk}/history/").json()["results"]
    assert rows[-1]["reason"] == f"{CODE}: clerical. A typing error."
    assert f"{CODE}: clerical" in page_source(page_of(cast.alice).get(f"/submissions/{short.pk}/"))


def test_the_page_of_the_submission_says_what_becomes_of_each_finding(cast, short) -> None:
    address = f"/submissions/{short.pk}/"
    first = page_source(page_of(cast.alice).get(address)).partition('id="points"')[2]
    assert "It is short." in first and "Decide<span" not in first
    dispose_finding(cast.dana, short, "accepted_limitation", "Old firmware.")
    page = page_source(page_of(cast.bob).get(address))
    assert "Old firmware." in page.partition('id="points"')[2].partition("</section>")[0]
    assert "asks you to withdraw this run.</b>" not in page
    dispose_finding(cast.dana, short, "withdraw", "Another machine ran beside it.")
    page = page_source(page_of(cast.alice).get(address))
    assert re.search(r"asks you to withdraw this run\.</b>\s*Another machine ran beside it\.", page)
    dispose_finding(cast.dana, short, "open", "It did not.")
    assert "asks you to withdraw this run.</b>" not in page_source(page_of(cast.alice).get(address))


@pytest.mark.parametrize("finding", [SHORT | {"where": "b.txt:9"}, SHORT | {"message": "It is much shorter."}])
def test_findings_that_a_later_check_changes_are_open_again(cast, short, finding) -> None:
    dispose_finding(cast.dana, short)
    assert point(cast.dana, add_findings(short, SHORT))["open"] is False
    assert point(cast.dana, add_findings(short, SHORT, finding))["open"] is True


def test_the_latest_disposition_counts_and_all_are_kept(cast, short) -> None:
    for kind in ("accepted_limitation", "open"):
        dispose_finding(cast.dana, short, kind)
    assert point(cast.dana, short)["open"] is True
    assert [row.kind for row in Disposition.objects.all()] == ["accepted_limitation", "open"]


@pytest.mark.parametrize(
    ("name", "status", "problem"),
    [
        ("alice", 403, "permission.denied"),
        ("bob", 403, "permission.denied"),
        ("charlie", 404, "submission.not-found"),
    ],
)
def test_accounts_that_may_not_review_cannot_dispose_of_findings(cast, short, name, status, problem) -> None:
    assert code(dispose_finding(getattr(cast, name), short)) == (status, problem)
    assert not Disposition.objects.exists()


def test_a_reviewer_who_is_tied_to_the_vendor_neither_disposes_nor_sees_points(cast, short, release) -> None:
    Submission.objects.filter(pk=short.pk).update(metadata=short.metadata | {"storage_vendor": "Tidewater"})
    gil = Person(Account.objects.create(username="gil", role="reviewer"))
    Tie.objects.create(account=gil.account, vendor="Tidewater")
    assert code(dispose_finding(gil, short)) == (403, "review.conflict-of-interest")
    assert gil.get(f"submissions/{short.pk}/dispositions/").status_code == 403
    document = gil.get(f"releases/{release.slug}/open-points/").json()
    assert (document["submissions"], document["closed_to_account"]) == ([], 1)
    assert CODE not in page_source(page_of(gil).get(f"/releases/{release.slug}/open-points/"))


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"code": "io500.no-such"}, (422, "review.unknown-finding")),
        ({"reason": " \t"}, (400, "request.invalid")),
        ({"kind": "forgotten"}, (400, "request.invalid")),
        ({"code": "x" * 121}, (400, "request.invalid")),
        ({"note": "a field too many"}, (400, "request.unknown-field")),
    ],
)
def test_dispositions_that_say_nothing_are_refused(cast, short, fields, answer) -> None:
    body = {"code": CODE, "kind": "clerical", "reason": "A typing error."} | fields
    assert code(call(cast.dana, short, "dispositions", **body)) == answer
    assert not Disposition.objects.exists()


def test_a_run_that_has_to_be_withdrawn_is_not_accepted(cast, short) -> None:
    dispose_finding(cast.dana, short, "withdraw", "The clock went backwards.")
    accept = {"decision": "accept", "reason": "Sound.", "reproducibility": "limited"}
    refused = call(cast.dana, short, "review", **accept)
    assert code(refused) == (409, "review.withdrawal-asked")
    assert refused.json()["detail"] == f"{CODE}: The clock went backwards."
    dispose_finding(cast.dana, short, "clerical", "The clock was right.")
    assert call(cast.dana, short, "review", **accept).status_code == 200
    assert code(dispose_finding(cast.dana, short)) == (409, "state.conflict")


ACCEPT = {"decision": "accept", "reason": "Sound.", "reproducibility": "limited"}


def test_a_withdrawal_is_asked_while_its_finding_is_there(cast, short) -> None:
    """A later version without the finding: nobody could dispose of it any more."""
    dispose_finding(cast.dana, short, "withdraw", "The clock went backwards.")
    add_findings(short, SHORT | {"message": "It is much shorter."})
    assert code(call(cast.dana, short, "review", **ACCEPT)) == (409, "review.withdrawal-asked")
    add_findings(short)
    assert code(dispose_finding(cast.dana, short)) == (422, "review.unknown-finding")
    assert call(cast.dana, short, "review", **ACCEPT).status_code == 200


def wait_for_other(act: Callable[[], Any], meanwhile: Callable[[], object], submission: Submission) -> Any:
    """The answer to an act that has to wait, while another one is carried out on the same submission."""

    def act_alone() -> Any:
        try:
            return act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            Submission.objects.select_for_update().get(pk=submission.pk)
            future = pool.submit(act_alone)
            wait_until(somebody_waits, 20)
            meanwhile()
        return future.result(30)


@pytest.mark.django_db(transaction=True)
def test_a_run_is_not_disposed_of_while_it_is_accepted(cast, short) -> None:
    accept = functools.partial(Submission.objects.filter(pk=short.pk).update, state="accepted")
    answer = wait_for_other(lambda: dispose_finding(cast.dana, short, "withdraw"), accept, short)
    assert code(answer) == (409, "state.conflict")
    assert not Disposition.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_run_is_not_accepted_while_its_withdrawal_is_asked(cast, short) -> None:
    def ask_for_withdrawal() -> None:
        fields = {"code": CODE, "kind": "withdraw", "reason": "The clock.", "reviewer": cast.dana.account}
        Disposition.objects.create(submission=short, **fields)

    answer = wait_for_other(lambda: call(cast.dana, short, "review", **ACCEPT), ask_for_withdrawal, short)
    assert code(answer) == (409, "review.withdrawal-asked")


@pytest.mark.parametrize("state", ["accepted", "withdrawn", "rejected", "changes_requested", "received", "invalid"])
def test_findings_are_disposed_of_during_a_review_alone(cast, short, state) -> None:
    Submission.objects.filter(pk=short.pk).update(state=state)
    assert code(dispose_finding(cast.dana, short)) == (409, "state.conflict")
    assert not Disposition.objects.exists()


def test_a_reason_is_text_everywhere(cast, short, release) -> None:
    reason = "<img src=x onerror=alert(1)>{{ secret }}\r\nBcc: all@example.org\x1b[31m\u202e"
    assert dispose_finding(cast.dana, short, "open", reason).status_code == 200
    for person, address in (
        (cast.alice, f"/submissions/{short.pk}/"),
        (cast.dana, f"/review/{short.pk}/"),
        (cast.dana, f"/releases/{release.slug}/open-points/"),
    ):
        page = page_source(page_of(person).get(address))
        assert "<img src=x" not in page, address
    assert "&lt;img src=x" in page_source(page_of(cast.alice).get(f"/submissions/{short.pk}/"))


def test_the_page_of_a_review_disposes_and_keeps_what_was_typed(cast, short) -> None:
    client = page_of(cast.dana)
    fields = {"code": CODE, "kind": "clerical"}
    refused = client.post(f"/review/{short.pk}/dispose/", fields | {"reason": ""})
    assert refused.status_code == 422 and "Decide<span" in page_source(refused)
    assert client.post(f"/review/{short.pk}/dispose/", fields | {"reason": "Typing <error>."}).status_code == 302
    page = page_source(client.get(f"/review/{short.pk}/"))
    assert "Typing &lt;error&gt;." in page and "<b>clerical</b>" in page


def test_a_release_shows_all_that_is_open(cast, short, release) -> None:
    document = cast.dana.get(f"releases/{release.slug}/open-points/").json()
    (row,) = document["submissions"]
    assert (row["id"], document["closed_to_account"]) == (str(short.pk), 0)
    assert CODE in [point_row["code"] for point_row in row["points"]]
    assert document["open"] == len(row["points"])
    page = page_source(page_of(cast.dana).get(f"/releases/{release.slug}/open-points/"))
    assert CODE in page and "It is short." in page
    dispose_finding(cast.dana, short)
    assert CODE not in page_source(page_of(cast.dana).get(f"/releases/{release.slug}/open-points/"))


@pytest.mark.parametrize("name", ["alice", "charlie"])
def test_open_points_are_for_reviewers(cast, short, release, name) -> None:
    person = getattr(cast, name)
    assert person.get(f"releases/{release.slug}/open-points/").status_code == 403
    assert page_of(person).get(f"/releases/{release.slug}/open-points/").status_code == 404


def test_the_page_that_publishes_says_which_runs_do_not_rank_and_why(cast, submitted, release) -> None:
    submission = submitted(lists=("full", "ten"))
    accept = {"decision": "accept", "reason": "Sound.", "reproducibility": "undefined"}
    assert call(cast.dana, submission, "review", **accept).status_code == 200
    unranked = {name: why for pk, name, why in publish.foretell_publication(release).unranked if pk == submission.pk}
    page = page_source(page_of(cast.erin).get(f"/releases/{release.slug}/publish/"))
    assert unranked.keys() & set(submission.lists)
    for name in unranked.keys() & set(submission.lists):
        assert f'<span class="no">not on {title_of(name)}</span>: {unranked[name]}' in page.replace("&#x27;", "'")
