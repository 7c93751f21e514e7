"""manage.py load_demo: one open release `next` with all lists, for trying the registry out."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from submissions.publication import releases


class Command(BaseCommand):
    help = "Make the open release `next` with all lists, once. Needs load_catalogue first."

    def handle(self, *args: Any, **options: Any) -> None:
        release = releases.ensure_demo()
        self.stdout.write(f"{release.slug}: until {release.deadline:%Y-%m-%d}")
