"""manage.py verify_history: prove that no row of the history was changed or deleted past the database's refusal."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.lifecycle import audit_chain
from submissions.models import MaintenanceRun
from submissions.operations import maintenance


class Command(BaseCommand):
    help = "Check the hash of every row of the history of submissions; status 1 names what does not fit."

    def handle(self, *args: Any, **options: Any) -> None:
        with maintenance.note_outcome(MaintenanceRun.Job.VERIFY_HISTORY):
            self._verify()

    def _verify(self) -> None:
        breaks = list(audit_chain.find_breaks())
        for sentence in breaks:
            self.stdout.write(sentence)
        if breaks:
            raise CommandError(f"The history is not whole: {len(breaks)} submissions do not fit.")
        rows, submissions = audit_chain.count_rows()
        self.stdout.write(f"The history is whole: {rows} rows of {submissions} submissions.")
