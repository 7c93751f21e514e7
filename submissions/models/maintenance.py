"""When the jobs of an operator last succeeded and last failed: backups, and proofs that nothing was changed."""

from __future__ import annotations

from django.db import models


class MaintenanceRun(models.Model):
    """The last success and the last failure of one job."""

    class Job(models.TextChoices):
        BACKUP = "backup", "backup"
        VERIFY_HISTORY = "verify_history", "verification of the history"
        VERIFY_RECORD = "verify_record", "verification of the record"

    job = models.CharField(primary_key=True, max_length=20, choices=Job)
    succeeded_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.job}: succeeded {self.succeeded_at}, failed {self.failed_at}"
