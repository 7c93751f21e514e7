"""manage.py backup FILE: database and bundles in one file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.models import MaintenanceRun
from submissions.operations import backup, maintenance

INCOMPLETE = 3


class Command(BaseCommand):
    help = "Write database and bundles, of one moment, to one new file. Status 3: bundles are damaged or missing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The file to write; it must not exist.")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        with maintenance.note_outcome(MaintenanceRun.Job.BACKUP):
            self._back_up(file)

    def _back_up(self, file: Path) -> None:
        try:
            left_out = backup.make_backup(file, self.stderr.write)
        except backup.BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file}: {file.stat().st_size} bytes")
        if left_out:
            self.stderr.write(
                f"{len(left_out)} bundles are damaged or missing, named above; everything else is in the backup."
            )
            sys.exit(INCOMPLETE)
