"""manage.py revalidate: what today's rules and parsers find in all history, before anything changes; then --apply."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from submissions.checks import revalidation
from submissions.publication import later_evidence

POLL_S = 0.5


class Command(BaseCommand):
    help = "Check all history again on workers and report what would change; nothing changes without --apply."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--all", action="store_true", help="also what today's version has checked already")
        parser.add_argument("--apply", action="store_true", help="give what is not decided yet its new check")
        parser.add_argument("--wait", type=float, default=3600.0, help="seconds for the workers (3600)")

    def handle(self, *args: Any, **options: Any) -> None:
        begun = timezone.now()
        outdated = revalidation.outdated_submissions(options["all"])
        count = outdated.count()
        sent = revalidation.enqueue_rechecks(outdated)
        if len(sent) < count:
            raise CommandError(f"The broker took {len(sent)} of {count} tasks. Nothing was changed; try again.")
        deadline = time.monotonic() + options["wait"]
        while revalidation.count_compared(sent, begun) < count and time.monotonic() < deadline:
            time.sleep(POLL_S)
        done = revalidation.count_compared(sent, begun)
        changed = list(revalidation.list_differences(sent))
        for difference in changed:
            self._write(difference)
        decided = sum(difference.decided for difference in changed)
        self.stdout.write(f"{done} of {count} checked again: {len(changed)} differ, {decided} of them decided already.")
        if done < count:
            raise CommandError("Not all were checked in that time. Nothing was changed; look at the workers.")
        if options["apply"]:
            applied = sum(
                revalidation.apply_recheck(difference.submission) for difference in changed if not difference.decided
            )
            self.stdout.write(f"{applied} get a new check. What is decided changes by a revision only.")
            marked = later_evidence.mark_results(row.submission.pk for row in changed if row.decided)
            if marked:
                self.stdout.write(f"{marked} published say what later rules found in their files, with the day.")
        elif changed:
            self.stdout.write("Nothing was changed. --apply gives those that are not decided a new check.")

    def _write(self, difference: revalidation.RecheckDifference) -> None:
        submission = difference.submission
        public = f", {submission.result.public_id}" if submission.result else ""
        stays = "; stays as it is" if difference.decided else ""
        self.stdout.write(f"{submission.pk} ({submission.get_state_display()}{public}{stays})")
        for line in difference.lines:
            self.stdout.write(f"    {line}")
