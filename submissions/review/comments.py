"""Talk about a submission: among the committee, or between committee and submitter, in threads."""

from __future__ import annotations

from django.db.models import QuerySet

from submissions.errors import CommentRefused, Forbidden, StateConflict
from submissions.models import Account, Comment, Submission
from submissions.permissions import is_own, require_review

MOST = 1000
"""Comments of one submission, so that no account fills the table."""


def visible_comments(submission: Submission, account: Account) -> QuerySet[Comment]:
    """What the account may read, oldest first: its institution what is said to it, reviewers without conflict all.

    Raises ConflictOfInterest for a reviewer who may not decide and is not of the institution.
    """
    comments = submission.comments.select_related("author")
    if is_own(account, submission):
        return comments.filter(audience=Comment.Audience.SUBMITTER)
    require_review(account, submission)
    return comments


def add_comment(
    submission: Submission,
    author: Account,
    text: str,
    *,
    audience: str = "",
    answers: int | None = None,
    finding: str = "",
) -> Comment:
    """Add a comment; an answer has the audience of its thread. By default the submitter reads it.

    Raises Forbidden for a submitter who writes to the committee alone, ConflictOfInterest, CommentRefused,
    StateConflict before the run was submitted.
    """
    visible = visible_comments(submission, author)
    if submission.submitted_at is None:
        raise StateConflict("Nobody reviews it yet: submit it first.")
    if not text.strip() or visible.count() >= MOST:
        raise CommentRefused
    parent = visible.filter(pk=answers).first() if answers is not None else None
    if answers is not None and parent is None:
        raise CommentRefused(f"There is no comment {answers} to answer.")
    chosen = parent.audience if parent else audience or Comment.Audience.SUBMITTER
    if audience and audience != chosen:
        raise CommentRefused("An answer has the readers of what it answers.")
    if chosen == Comment.Audience.COMMITTEE and is_own(author, submission):
        raise Forbidden("Only reviewers write to the committee alone.")
    return Comment.objects.create(
        submission=submission, author=author, audience=chosen, answers=parent, finding=finding, text=text.strip()
    )


def group_by_thread(comments: QuerySet[Comment]) -> list[tuple[Comment, list[Comment]]]:
    """Each first word with all answers below it, also those to answers, in the order of time."""
    all_comments = list(comments)
    first: dict[int, Comment] = {}
    below: dict[int, list[Comment]] = {}
    for comment in all_comments:
        root = first.get(comment.answers_id, comment) if comment.answers_id else comment
        first[comment.pk] = root
        below.setdefault(root.pk, [])
        if root is not comment:
            below[root.pk].append(comment)
    return [(comment, below[comment.pk]) for comment in all_comments if first[comment.pk] is comment]
