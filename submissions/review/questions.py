"""What submitters of a release ask each other about their runs before it is published.

Until then everything of a run is private. So nobody is asked who did not agree: a consent opens the names of
institution and system and the lists to the other submitters of that release, and nothing else. An answer says the rest.
"""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from registry.models import Release
from submissions.errors import AnsweredAlready, NotFound, QuestionRefused, TooManyQuestions
from submissions.lifecycle import states
from submissions.models import Account, Question, QuestionConsent, State, Submission
from submissions.permissions import is_own, own_and_merged_sites, require_own, require_review, visible_submission
from submissions.web.formatting import name_of

WAITING = (*states.UNDER_REVIEW, State.CHANGES_REQUESTED, State.ACCEPTED)
MOST_UNANSWERED, MOST_IN_RELEASE = 3, 50
"""Of one institution: about one run without an answer, and in all about the runs of a release."""


def set_consent(submission: Submission, account: Account, *, is_open: bool) -> None:
    """Let other submitters of its release ask about a run, or end that; questions that were asked stay.

    Raises NotYours; QuestionRefused for a run that waits for no publication, and one that is to have no name.
    """
    require_own(account, submission)
    if not is_open:
        if QuestionConsent.objects.filter(submission=submission).delete()[0]:
            states.note_event(submission, account, "Closed to questions of other submitters.")
        return
    release = submission.release
    if release is None or release.published_at or submission.state not in WAITING or submission.test:
        raise QuestionRefused("It waits for no publication.")
    if _is_nameless(submission):
        raise QuestionRefused("It was asked to be published without a name, which a question would need.")
    with transaction.atomic():
        before = QuestionConsent.objects.filter(submission=submission, release=release).exists()
        QuestionConsent.objects.update_or_create(
            submission=submission, defaults={"release": release, "given_by": account}
        )
        if not before:
            states.note_event(submission, account, f"Open to questions of other submitters of {release.slug}.")


def is_open(submission: Submission) -> bool:
    """Whether other submitters of its release may ask about it now."""
    return _filter_open(Submission.objects.filter(pk=submission.pk)).exists()


def own_entry(account: Account, release: Release) -> Submission | None:
    """A run by which the account is a submitter of that release; None where it has none there."""
    own = Q(account=account) | Q(institution__in=own_and_merged_sites(account).values("pk"))
    entries = Submission.objects.filter(own, release=release, state__in=WAITING, test=False)
    return entries.order_by("submitted_at", "id").first()


def open_runs(account: Account, release: Release) -> QuerySet[Submission]:
    """Runs of others in a release about which the account may ask; none for who has no run in it."""
    if own_entry(account, release) is None:
        return Submission.objects.none()
    others = _filter_open(Submission.objects.filter(release=release))
    sites = own_and_merged_sites(account).values("pk")
    return others.exclude(account=account).exclude(institution__in=sites).order_by("submitted_at", "id")


def _filter_open(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    named = Q(anonymity=None) | Q(anonymity__granted=False)
    consented = submissions.filter(named, question_consent__release=F("release"), release__published_at=None)
    return consented.filter(state__in=WAITING, test=False).select_related("institution", "release")


def _is_nameless(submission: Submission) -> bool:
    anonymity = getattr(submission, "anonymity", None)
    return anonymity is not None and anonymity.granted is not False


def ask_question(submission_id: UUID, account: Account, text: str) -> Question:
    """Ask about a run of another; its submitter gets a letter, and it is an open point of the release.

    Raises NotFound for a run that the account neither sees nor may ask about, QuestionRefused for one that it only
    sees, TooManyQuestions.
    """
    with transaction.atomic():
        Account.objects.lock_account(account.pk)
        submission = _filter_open(Submission.objects.filter(pk=submission_id)).first()
        release = submission.release if submission else None
        entry = own_entry(account, release) if release else None
        if submission is None or release is None or entry is None or _is_of(account, submission):
            visible_submission(account, submission_id)
            raise QuestionRefused
        _require_few(entry, submission, account)
        question = Question.objects.create(
            submission=submission, asked_from=entry, release=release, asker=account, text=text.strip()
        )
        states.note_event(submission, account, "Another submitter of the release asks a question.", notify=True)
    return question


def _is_of(account: Account, submission: Submission) -> bool:
    institution = submission.institution
    is_own_site = institution is not None and own_and_merged_sites(account).filter(pk=institution.pk).exists()
    return submission.account_id == account.pk or is_own_site


def _require_few(entry: Submission, submission: Submission, account: Account) -> None:
    of_institution = Q(asker=account)
    if entry.institution_id:
        of_institution |= Q(asked_from__institution=entry.institution_id)
    earlier = Question.objects.filter(of_institution)
    if earlier.filter(submission=submission, answered_at=None).count() >= MOST_UNANSWERED:
        raise TooManyQuestions(f"{MOST_UNANSWERED} about this run wait for an answer.")
    if earlier.filter(release=entry.release_id).count() >= MOST_IN_RELEASE:
        raise TooManyQuestions(f"At most {MOST_IN_RELEASE} about the runs of one release.")


def questions_about(submission: Submission, account: Account) -> QuerySet[Question]:
    """What was asked about a run, the oldest first: for its institution, and reviewers without conflict.

    Raises Forbidden or ConflictOfInterest for everybody else.
    """
    if not is_own(account, submission):
        require_review(account, submission)
    return submission.questions.select_related("asker", "answered_by", "release", "asked_from")


def require_part(account: Account, release: Release) -> None:
    """Raises NotFound for who is no submitter of a release and asked nothing there."""
    if own_entry(account, release) is None and not own_questions(account, release).exists():
        raise NotFound


def own_questions(account: Account, release: Release) -> QuerySet[Question]:
    """What the account and its institutions asked about runs of a release, the oldest first."""
    sites = own_and_merged_sites(account).values("pk")
    questions = Question.objects.filter(Q(asker=account) | Q(asked_from__institution__in=sites))
    joined = ("submission__institution", "asker", "answered_by")
    return questions.filter(release=release).select_related(*joined)


def answer_question(submission: Submission, account: Account, number: int, text: str) -> Question:
    """Answer a question once; who asked it gets a letter. Its institution answers, or a reviewer without conflict.

    Raises Forbidden, ConflictOfInterest, NotFound for a question that the run has not, AnsweredAlready.
    """
    questions = questions_about(submission, account)
    question = questions.filter(pk=number).first()
    if question is None:
        raise NotFound
    with transaction.atomic():
        answer = {"answer": text.strip(), "answered_by": account, "answered_at": timezone.now()}
        if not Question.objects.filter(pk=number, answered_at=None).update(**answer):
            raise AnsweredAlready
        states.note_event(submission, account, "A question of another submitter is answered.")
        letter = f"Your question about {name_of(submission)} is answered: /releases/{question.release.slug}/questions/"
        states.note_event(question.asked_from, account, letter, notify=True)
    question.refresh_from_db()
    return question
