"""manage.py scrub_storage: read and hash every stored byte."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.query.stored_bytes import StorageAway
from submissions.damage import scrub, stored_faults


class Command(BaseCommand):
    help = "Read and hash all stored bytes that a row names; status 1 names those that are damaged or missing."

    def handle(self, *args: Any, **options: Any) -> None:
        """Read all, name what is wrong now, and say how much was whole."""
        try:
            run = scrub.read_everything(self.stderr.write)
        except StorageAway as away:
            raise CommandError("The storage does not answer: not everything was read. Try again.") from away
        if run is None:
            raise CommandError("The scheduler is reading just now. Try again in a minute.")
        for row in stored_faults.open_faults().values():
            self.stdout.write(
                f"{row.fault.upper()}: {row.kind} {row.sha256}, as seen on {row.found_at:%Y-%m-%d %H:%M} UTC"
            )
        if run.damaged or run.missing:
            raise CommandError(
                f"{run.damaged} files are damaged and {run.missing} missing; {run.objects_read} are whole."
            )
        self.stdout.write(f"All {run.objects_read} stored files are whole: {run.bytes_read} bytes.")
