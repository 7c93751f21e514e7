"""manage.py append_log: append to the transparency log what waits, as the scheduler does each minute."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.log.appending import LogForked, append_waiting


class Command(BaseCommand):
    help = (
        "Append to the transparency log what waits, as the scheduler does each minute, and say how many entries it has."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        """Append and sign. Raises CommandError where files and database contradict each other."""
        try:
            done = append_waiting()
        except LogForked as error:
            raise CommandError(str(error)) from error
        if done is None:
            self.stdout.write("another process is appending")
            return
        self.stdout.write(f"{done.appended} entries appended, {done.size} in all; {done.recorded} recorded by looking")
