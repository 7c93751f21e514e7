"""manage.py backup FILE: database and bundles in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from submissions import backup


class Command(BaseCommand):
    help = "Write database and bundles, consistent with each other, to one new file with mode 0600."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="The file to write; it must not exist.")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            backup.make(file, self.stderr.write)
        except backup.BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{file}: {file.stat().st_size} bytes")
