"""manage.py load_catalogue: list definitions, platforms and the imported history, from data files."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.catalogue import CatalogueError, load_catalogue
from registry.ranking import DefinitionError


class Command(BaseCommand):
    help = "Load list definitions, platforms and the imported history. Does nothing when the files are unchanged."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            loaded = load_catalogue()
        except (CatalogueError, DefinitionError) as error:
            raise CommandError(str(error)) from error
        if not loaded.changed:
            self.stdout.write("catalogue: unchanged")
            return
        counts = f"{loaded.results} results, {loaded.lists} lists, {loaded.entries} entries"
        self.stdout.write(f"catalogue: {counts}, {loaded.overrides} overrides")
