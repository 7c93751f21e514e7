"""What the committee says of a submission."""

from __future__ import annotations

from django.db import models

from registry.models import Release, Result
from submissions.models.accounts import Account
from submissions.models.submissions import Submission


class Review(models.Model):
    """One reviewer's decision on a submission, with the awarded level and the reason."""

    class Decision(models.TextChoices):
        ACCEPT = "accept", "accept"
        REQUEST_CHANGES = "request_changes", "request changes"
        REJECT = "reject", "reject"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="reviews")
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="reviews")
    decision = models.CharField(max_length=16, choices=Decision)
    reproducibility = models.CharField(max_length=12, choices=Result.Reproducibility, default="undefined")
    production = models.BooleanField(default=False)
    reason = models.TextField()
    findings = models.JSONField(
        default=list, blank=True, help_text="What the reason is about: codes of findings and rules, as they were then."
    )
    ties = models.JSONField(
        null=True, blank=True, help_text="Vendors that the reviewer was tied to then; null: made before that was kept."
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-made_at", "-id"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="review_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.decision} by {self.reviewer}"


class Assignment(models.Model):
    """A reviewer who is to decide about a submission; several may be."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="assignments")
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="assignments")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]
        constraints = [models.UniqueConstraint(fields=["submission", "reviewer"], name="assigned_once")]

    def __str__(self) -> str:
        return f"{self.reviewer}"


class Judgement(models.Model):
    """What a reviewer found of one rule that a machine could not settle. The latest of a rule counts, all are kept."""

    class Outcome(models.TextChoices):
        SATISFIED = "satisfied", "satisfied"
        VIOLATED = "violated", "violated"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="judgements")
    rule = models.CharField(max_length=80)
    outcome = models.CharField(max_length=10, choices=Outcome)
    note = models.TextField(blank=True)
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]

    def __str__(self) -> str:
        return f"{self.rule}: {self.outcome}"


class Disposition(models.Model):
    """What a reviewer decided about the findings of one code, and why. The latest of a code counts, all are kept."""

    class Kind(models.TextChoices):
        ACCEPTED_LIMITATION = "accepted_limitation", "accepted limitation"
        CLERICAL = "clerical", "clerical"
        WITHDRAW = "withdraw", "the run has to be withdrawn"
        OPEN = "open", "open again"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="dispositions")
    code = models.CharField(max_length=120, help_text="Of the finding or rule.")
    kind = models.CharField(max_length=20, choices=Kind)
    reason = models.TextField()
    covers = models.JSONField(default=list, help_text="What was said under the code then, each place once.")
    reviewer = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]
        constraints = [models.CheckConstraint(condition=~models.Q(reason=""), name="disposition_has_a_reason")]

    def __str__(self) -> str:
        return f"{self.code}: {self.kind}"


class QuestionConsent(models.Model):
    """That a submitter lets others of one release know of a run and ask about it."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="question_consent")
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    given_by = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    given_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.submission_id} in {self.release_id}"


class Question(models.Model):
    """What another submitter of the release asks about a run, and the answer, which is given once."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="questions")
    asked_from = models.ForeignKey(
        Submission, on_delete=models.CASCADE, related_name="+", help_text="The run of the release by which it is asked."
    )
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    asker = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    text = models.TextField()
    asked_at = models.DateTimeField(auto_now_add=True)
    answer = models.TextField(blank=True)
    answered_by = models.ForeignKey(Account, null=True, on_delete=models.PROTECT, related_name="+")
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["asked_at", "id"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(text=""), name="question_has_a_text"),
            models.CheckConstraint(
                condition=models.Q(answer="", answered_by=None, answered_at=None)
                | ~models.Q(answer="") & models.Q(answered_by__isnull=False, answered_at__isnull=False),
                name="question_answered_whole",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.asker}: {self.text[:40]}"


class Comment(models.Model):
    """A word about a submission: to the committee alone, or between committee and submitter. Answers make a thread."""

    class Audience(models.TextChoices):
        COMMITTEE = "committee", "the committee"
        SUBMITTER = "submitter", "the committee and the submitter"

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(Account, on_delete=models.PROTECT, related_name="+")
    audience = models.CharField(max_length=10, choices=Audience)
    answers = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="answered_by")
    finding = models.CharField(max_length=120, blank=True, help_text="Code of the finding or rule that it is about.")
    text = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["made_at", "id"]
        constraints = [models.CheckConstraint(condition=~models.Q(text=""), name="comment_has_a_text")]

    def __str__(self) -> str:
        return f"{self.author}: {self.text[:40]}"
