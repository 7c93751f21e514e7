"""manage.py explain_times --reason TEXT [--yes]: say why the times of some records do not fit the log."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.log.overview import LONGEST_REASON, is_reason
from submissions.publication.verification.record_times import RecordTimes


class Command(BaseCommand):
    help = (
        "Record in the public log why the times of some records do not fit, as after a clock was moved."
        " Without --yes, name the records."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--reason", help="what happened to the clock; everybody reads it, so name no person")
        parser.add_argument("--yes", action="store_true", help="record it; nothing can take it back")

    def handle(self, *args: Any, **options: Any) -> None:
        """Record the reason, or name what it would explain. Raises CommandError without a reason that can stand."""
        times = RecordTimes()
        if not options["yes"]:
            sentences = list(times.find_breaks())
            for sentence in sentences:
                self.stdout.write(sentence)
            named = "Look at each, then add --reason and --yes." if sentences else "All times fit."
            self.stdout.write(f"Nothing was recorded. {named}")
            return
        reason = " ".join((options["reason"] or "").split())
        if not is_reason(reason):
            raise CommandError(f"Give --reason in 1 to {LONGEST_REASON} characters that can be printed.")
        count = times.explain_breaks(reason)
        if not count:
            raise CommandError("All times fit. Nothing was recorded.")
        self.stdout.write(f"Recorded the reason for {count} {'record' if count == 1 else 'records'}.")
