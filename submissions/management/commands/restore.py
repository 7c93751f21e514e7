"""manage.py restore FILE: database and bundles as a backup has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions.operations import backup


class Command(BaseCommand):
    help = "Restore a backup into a new database; everything is verified before anything is changed."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="A file that `backup` wrote.")
        parser.add_argument("--yes", action="store_true", help="Delete what the database holds.")

    def handle(self, *args: Any, file: Path, yes: bool, **options: Any) -> None:
        try:
            backup.restore_backup(file, self.stderr.write, replace=yes)
        except backup.BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("restored; everybody signs in again, tokens are those of the backup")
