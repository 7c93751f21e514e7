"""Questions of other submitters: who asks about which run, what a consent shows, and who answers."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import timezone

from registry.models import Release, Site
from submissions.models import Account, Anonymity, Delivery, Membership, Question, State, Submission, Tie
from submissions.notifications import outbox
from submissions.review import questions
from tests.html import page_source
from tests.submissions.cast import Person
from tests.submissions.review.test_review_pages import call, code, page_of

TEXT = "Was the cache dropped between write and read?"


@pytest.fixture
def hers(cast, submitted) -> Submission:
    """Alice's run in the release, which is open to questions."""
    submission = submitted()
    assert set_consent(cast.alice, submission).status_code == 200
    return submission


@pytest.fixture
def his(cast, submitted) -> Submission:
    """Charlie's run in the same release."""
    return submitted(cast.charlie, performance=2.0)


def set_consent(person: Person, submission: Submission, *, is_open: bool = True) -> Any:
    return person.put(f"submissions/{submission.pk}/questions/consent/", {"open": is_open})


def ask(person: Person, submission: Submission, text: str = TEXT) -> Any:
    return call(person, submission, "questions", text=text)


def read_questions(person: Person, submission: Submission) -> list[dict[str, Any]]:
    return person.get(f"submissions/{submission.pk}/questions/").json()["questions"]


def release_questions(person: Person, release: Release) -> Any:
    return person.get(f"releases/{release.slug}/questions/")


def test_another_submitter_asks_and_the_institution_answers(cast, release, hers, his) -> None:
    number = ask(cast.charlie, hers).json()["id"]
    assert [(row["text"], row["asker"], row["answer"]) for row in read_questions(cast.bob, hers)] == [
        (TEXT, "charlie", "")
    ]
    answer = cast.bob.post(f"submissions/{hers.pk}/questions/{number}/answer/", {"text": "Yes, on all nodes."})
    assert answer.status_code == 200
    (row,) = release_questions(cast.charlie, release).json()["questions"]
    assert (row["answer"], row["answered_by"]) == ("Yes, on all nodes.", "bob")


def test_a_consent_shows_three_words_and_no_more(cast, release, hers, his) -> None:
    document = release_questions(cast.charlie, release).json()
    assert document["runs"] == [
        {"id": str(hers.pk), "institution": hers.institution.name, "system": hers.metadata.get("system", ""),
         "lists": hers.lists}
    ]  # fmt: skip
    for path in ("", "findings/", "files/", "history/", "comments/", "system/", "questions/"):
        assert cast.charlie.get(f"submissions/{hers.pk}/{path}").status_code == 404, path
    ask(cast.charlie, hers)
    assert cast.charlie.get(f"submissions/{hers.pk}/").status_code == 404


def test_without_a_consent_a_run_is_as_none(cast, release, submitted, his) -> None:
    closed = submitted()
    missing = "00000000-0000-4000-8000-000000000000"
    assert release_questions(cast.charlie, release).json()["runs"] == []
    for_closed = ask(cast.charlie, closed)
    for_missing = cast.charlie.post(f"submissions/{missing}/questions/", {"text": TEXT})
    assert for_closed.status_code == for_missing.status_code == 404
    assert for_closed.content.replace(str(closed.pk).encode(), b"") == for_missing.content.replace(
        missing.encode(), b""
    )


def test_a_consent_that_ends_shows_nothing_more(cast, release, hers, his) -> None:
    ask(cast.charlie, hers)
    assert set_consent(cast.bob, hers, is_open=False).json()["open"] is False
    assert release_questions(cast.charlie, release).json()["runs"] == []
    assert ask(cast.charlie, hers).status_code == 404
    assert len(read_questions(cast.alice, hers)) == 1, "what was asked stays"


def test_an_account_without_a_run_in_the_release_gets_404(cast, release, hers) -> None:
    for person in (cast.charlie, cast.dana, cast.fay):
        assert release_questions(person, release).status_code == 404
        assert page_of(person).get(f"/releases/{release.slug}/questions/").status_code == 404
    assert ask(cast.charlie, hers).status_code == 404
    assert code(ask(cast.dana, hers)) == (409, "review.question-refused")
    assert cast.stranger.get(f"/api/v1/releases/{release.slug}/questions/").status_code == 401


def test_a_checked_run_makes_no_submitter_of_a_release(cast, release, hers, checked) -> None:
    checked(cast.charlie, performance=2.0)
    assert ask(cast.charlie, hers).status_code == 404


def test_a_withdrawn_run_makes_none_either(cast, release, hers, his) -> None:
    call(cast.charlie, his, "withdraw", reason="Wrong file.")
    assert ask(cast.charlie, hers).status_code == 404


def test_a_consent_is_of_one_release(cast, release, hers, his) -> None:
    other = Release.objects.create(
        slug="isc99", name="ISC99", held_on=release.held_on, deadline=release.deadline, list_names=["full"]
    )
    Submission.objects.filter(pk__in=[hers.pk, his.pk]).update(release=other)
    assert release_questions(cast.charlie, other).json()["runs"] == []
    assert ask(cast.charlie, hers).status_code == 404


def test_a_question_about_an_own_run_is_refused(cast, hers) -> None:
    for person in (cast.alice, cast.bob):
        assert code(ask(person, hers)) == (409, "review.question-refused")


def test_only_the_institution_consents(cast, hers, his) -> None:
    assert set_consent(cast.charlie, hers).status_code == 404
    assert code(set_consent(cast.dana, hers)) == (403, "permission.not-yours")


def test_a_run_that_waits_for_no_publication_is_not_opened(cast, checked) -> None:
    assert code(set_consent(cast.alice, checked())) == (409, "review.question-refused")


def test_a_run_without_a_name_is_not_opened_and_closes(cast, release, hers, his) -> None:
    Anonymity.objects.create(submission=hers, reason="A customer's machine.")
    assert release_questions(cast.charlie, release).json()["runs"] == []
    assert ask(cast.charlie, hers).status_code == 404
    assert code(set_consent(cast.alice, hers)) == (409, "review.question-refused")
    Anonymity.objects.update(granted=False, decision="It is known.")
    assert len(release_questions(cast.charlie, release).json()["runs"]) == 1


def test_after_publication_nobody_asks_and_answers_are_still_read(cast, release, hers, his) -> None:
    ask(cast.charlie, hers)
    Release.objects.filter(pk=release.pk).update(published_at=timezone.now())
    assert ask(cast.charlie, hers).status_code == 404
    document = release_questions(cast.charlie, release).json()
    assert document["runs"] == [] and len(document["questions"]) == 1


def test_questions_are_few(cast, hers, his) -> None:
    for _ in range(questions.MOST_UNANSWERED):
        assert ask(cast.charlie, hers).status_code == 201
    answer = ask(cast.charlie, hers)
    assert code(answer) == (429, "quota.questions") and answer["Retry-After"]
    colleague = Person(Account.objects.create(username="hugo"))
    Membership.objects.create(account=colleague.account, institution=Site.objects.get(slug="south-lab"))
    assert ask(colleague, hers).status_code == 429, "a colleague has no more"
    first = Question.objects.first()
    assert first
    cast.alice.post(f"submissions/{hers.pk}/questions/{first.pk}/answer/", {"text": "Yes."})
    assert ask(cast.charlie, hers).status_code == 201


@pytest.mark.parametrize("text", ["", "   ", "a\0b", "x" * 4001])
def test_a_question_without_words_is_refused(cast, hers, his, text) -> None:
    assert ask(cast.charlie, hers, text).status_code in (400, 422)
    assert not Question.objects.exists()


def test_an_answer_is_given_once(cast, hers, his) -> None:
    number = ask(cast.charlie, hers).json()["id"]
    address = f"submissions/{hers.pk}/questions/{number}/answer/"
    assert cast.charlie.post(address, {"text": "Mine."}).status_code == 404
    assert cast.dana.post(address, {"text": "They were asked."}).status_code == 200
    assert code(cast.alice.post(address, {"text": "No."})) == (409, "review.answered-already")
    assert cast.alice.post(f"submissions/{his.pk}/questions/{number}/answer/", {"text": "No."}).status_code == 404
    assert cast.dana.post(f"submissions/{his.pk}/questions/{number}/answer/", {"text": "No."}).status_code == 404


def test_a_reviewer_with_a_conflict_reads_no_question(cast, hers, his) -> None:
    ask(cast.charlie, hers)
    Tie.objects.create(account=cast.dana.account, vendor="DDN")
    Submission.objects.filter(pk=hers.pk).update(metadata=hers.metadata | {"storage_vendor": "DDN"})
    assert cast.dana.get(f"submissions/{hers.pk}/questions/").status_code == 403


def test_an_unanswered_question_is_an_open_point(cast, release, hers, his) -> None:
    number = ask(cast.charlie, hers).json()["id"]

    def points() -> list[str]:
        document = cast.dana.get(f"releases/{release.slug}/open-points/").json()
        return [text for row in document["submissions"] for point in row["points"]
                if point["level"] == "question" for text in point["messages"]]  # fmt: skip

    assert points() == [TEXT]
    assert TEXT in page_source(page_of(cast.dana).get(f"/releases/{release.slug}/open-points/"))
    cast.alice.post(f"submissions/{hers.pk}/questions/{number}/answer/", {"text": "Yes."})
    assert points() == []


def test_letters_name_questions_and_answers_and_nothing_of_the_run(cast, release, hers, his) -> None:
    for person in (cast.alice, cast.charlie):
        Account.objects.filter(pk=person.account.pk).update(email=f"{person.account.username}@lab.example")
    outbox.send_due()
    Delivery.objects.all().delete()
    number = ask(cast.charlie, hers).json()["id"]
    outbox.send_due()
    assert [row.account for row in Delivery.objects.all()] == [cast.alice.account]
    Delivery.objects.all().delete()
    cast.alice.post(f"submissions/{hers.pk}/questions/{number}/answer/", {"text": "Yes."})
    outbox.send_due()
    (letter,) = Delivery.objects.all()
    assert letter.account == cast.charlie.account and letter.event
    assert letter.event.submission_id == his.pk and str(hers.pk) not in letter.event.reason


def test_pages_ask_and_answer(cast, release, hers, his) -> None:
    asking, answering, reviewing = page_of(cast.charlie), page_of(cast.alice), page_of(cast.dana)
    page = page_source(asking.get(f"/releases/{release.slug}/questions/"))
    assert hers.institution.name in page
    assert f"/releases/{release.slug}/questions/" in page_source(asking.get(f"/submissions/{his.pk}/"))
    sent = asking.post(f"/releases/{release.slug}/questions/ask/", {"run": str(hers.pk), "text": TEXT})
    assert sent.status_code == 302
    number = Question.objects.get().pk
    assert TEXT in page_source(reviewing.get(f"/review/{hers.pk}/"))
    assert TEXT in page_source(answering.get(f"/submissions/{hers.pk}/"))
    refused = answering.post(f"/submissions/{hers.pk}/questions/", {"number": number, "text": ""})
    assert refused.status_code == 422 and "needs attention" in page_source(refused)
    assert answering.post(f"/submissions/{hers.pk}/questions/", {"number": number, "text": "Yes."}).status_code == 302
    again = reviewing.post(f"/review/{hers.pk}/questions/", {"number": number, "text": "No."})
    assert again.status_code == 409 and "review.answered-already" in page_source(again)
    assert "Yes." in page_source(asking.get(f"/releases/{release.slug}/questions/"))


def test_the_page_of_a_run_opens_and_closes_it(cast, hers, his) -> None:
    client = page_of(cast.bob)
    address = f"/submissions/{hers.pk}/questions/consent/"
    assert "Close to questions" in page_source(client.get(f"/submissions/{hers.pk}/"))
    assert client.post(address, {"open": "no"}).status_code == 302
    assert ">Open to questions<" in page_source(client.get(f"/submissions/{hers.pk}/"))
    assert client.post(address, {"open": "yes"}).status_code == 302
    assert page_of(cast.charlie).post(address, {"open": "no"}).status_code == 404
    assert questions.is_open(hers)


def test_a_refused_question_stays_in_its_form(cast, release, hers, his) -> None:
    client = page_of(cast.charlie)
    for _ in range(questions.MOST_UNANSWERED):
        ask(cast.charlie, hers)
    answer = client.post(f"/releases/{release.slug}/questions/ask/", {"run": str(hers.pk), "text": "One more?"})
    assert answer.status_code == 429 and "One more?" in page_source(answer) and "quota.questions" in page_source(answer)


def test_a_run_that_is_edited_is_closed_meanwhile(cast, release, hers, his) -> None:
    Submission.objects.filter(pk=hers.pk).update(state=State.RECEIVED)
    assert release_questions(cast.charlie, release).json()["runs"] == []
    assert ask(cast.charlie, hers).status_code == 404


def test_words_of_questions_and_answers_are_text_everywhere(cast, release, hers, his) -> None:
    text = "<script>alert(1)</script>{{ secret }}\r\nBcc: all@example.org"
    number = ask(cast.charlie, hers, text).json()["id"]
    answer = cast.alice.post(f"submissions/{hers.pk}/questions/{number}/answer/", {"text": text})
    assert answer.status_code == 200
    for person, address in (
        (cast.charlie, f"/releases/{release.slug}/questions/"),
        (cast.alice, f"/submissions/{hers.pk}/"),
        (cast.dana, f"/review/{hers.pk}/"),
    ):
        page = page_source(page_of(person).get(address))
        assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)" in page, address


def test_a_stranger_finds_neither_questions_nor_consent(cast, release, hers, his) -> None:
    number = ask(cast.charlie, hers).json()["id"]
    stranger = Person(Account.objects.create(username="iris"))
    answers = (
        stranger.get(f"submissions/{hers.pk}/questions/"),
        ask(stranger, hers),
        stranger.post(f"submissions/{hers.pk}/questions/{number}/answer/", {"text": "Yes."}),
        set_consent(stranger, hers, is_open=False),
        release_questions(stranger, release),
    )
    assert [answer.status_code for answer in answers] == [404] * 5
    assert questions.is_open(hers)


@pytest.mark.parametrize("state", ["withdrawn", "rejected"])
def test_a_run_that_waits_no_more_is_asked_nothing(cast, release, hers, his, state) -> None:
    ask(cast.charlie, hers)
    Submission.objects.filter(pk=hers.pk).update(state=state)
    assert ask(cast.charlie, hers).status_code == 404
    assert code(set_consent(cast.alice, hers)) == (409, "review.question-refused")
    assert len(release_questions(cast.charlie, release).json()["questions"]) == 1
