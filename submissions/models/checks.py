"""What workers made of a submission: reports, the description of its system, the scrubbed copy."""

from __future__ import annotations

from django.db import models

from submissions.models.accounts import Account
from submissions.models.submissions import Submission


class CheckTurn(models.Model):
    """When the last check of an account's submissions began: who waited longest is next."""

    account = models.OneToOneField(Account, on_delete=models.CASCADE, primary_key=True, related_name="+")
    began_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"turn of {self.account} at {self.began_at}"


class Check(models.Model):
    """What one check of a submission found: the report of `validators`, with the version that made it."""

    submission = models.ForeignKey(Submission, on_delete=models.CASCADE, related_name="checks")
    version = models.PositiveSmallIntegerField(default=1, help_text="Of the files that were checked.")
    made_at = models.DateTimeField(auto_now_add=True)
    validators_version = models.CharField(max_length=20)
    status = models.CharField(max_length=12)
    errors = models.PositiveIntegerField(default=0)
    warnings = models.PositiveIntegerField(default=0)
    seconds = models.FloatField(help_text="Wall time of the check.")
    tool = models.CharField(max_length=40, default="", help_text="Of the run that counts; empty where none is clear.")
    contradictions = models.PositiveSmallIntegerField(default=0, help_text="Answers that the facts contradict.")
    report = models.JSONField()
    read_files = models.JSONField(
        null=True, default=None, help_text="Paths of what was read; null before that was written down."
    )

    class Meta:
        ordering = ["-made_at", "-id"]
        # The latest check of a submission.
        indexes = [models.Index(fields=["submission", "-made_at"], name="check_latest")]

    def __str__(self) -> str:
        return f"{self.status} {self.made_at:%Y-%m-%d %H:%M}"


class RecheckComparison(models.Model):
    """What a later version of the validators finds otherwise; the check that counts stays until somebody applies it."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="recheck")
    made_at = models.DateTimeField()
    validators_version = models.CharField(max_length=20)
    of_check = models.ForeignKey(
        Check, on_delete=models.CASCADE, related_name="+", help_text="What it was held against."
    )
    lines = models.JSONField(default=list, help_text="What differs, a line each; empty where nothing does.")
    evidence = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        help_text="Evidence of the run that counts, and the findings of what contradicts.",
    )

    class Meta:
        db_table = "submissions_recheck"

    def __str__(self) -> str:
        return f"{len(self.lines)} differences"


class SubmittedSystem(models.Model):
    """The description of the system in the bundle of a submission, as the latest check read it (schema system.1)."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="system_snapshot")
    made_at = models.DateTimeField(auto_now=True)
    sha256 = models.CharField(max_length=64, help_text="Of the document as received.")
    summary = models.JSONField(help_text="The document in short, so that most readers need not load it.")
    document = models.JSONField()

    class Meta:
        db_table = "submissions_systemsnapshot"

    def __str__(self) -> str:
        return f"System of {self.submission_id}"


class ScrubbedCopy(models.Model):
    """The scrubbed copy of a bundle that others may see; the bytes as received stay as they are."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="derivative")
    made_at = models.DateTimeField(auto_now_add=True)
    sha256 = models.CharField(max_length=64, help_text="Of the derivative, in the public storage under this name.")
    size = models.PositiveBigIntegerField()
    files = models.JSONField(default=list, help_text="path, size, sha256 and scrubbed of every file in it.")
    report = models.JSONField(default=dict, help_text="What was removed, by rule, and what was left out.")
    names = models.JSONField(
        default=dict,
        db_default=models.Value({}, models.JSONField()),
        help_text="Private: users and hosts that the files gave away, by kind.",
    )

    class Meta:
        db_table = "submissions_derivative"
        verbose_name_plural = "scrubbed copies"

    def __str__(self) -> str:
        return self.sha256[:12]


class CopyAgreement(models.Model):
    """Files that no benchmark read, and that somebody looked at and let stand in the public copy; of one version."""

    submission = models.OneToOneField(Submission, on_delete=models.CASCADE, related_name="copy_agreement")
    version = models.PositiveSmallIntegerField(help_text="Of the files. Another version has to be looked at again.")
    paths = models.JSONField(default=list)
    account = models.ForeignKey(Account, null=True, on_delete=models.SET_NULL, related_name="+")
    agreed_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{len(self.paths)} files of version {self.version}"
