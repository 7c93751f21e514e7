"""manage.py load_catalogue: list definitions, platforms, the imported history and reported results."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from registry.lists.ranking import DefinitionError
from registry.loading.catalogue_loader import CatalogueError, load_catalogue, load_definitions, lock_catalogue
from registry.loading.derived_results import DerivedError
from registry.loading.reported_results import ReportedError
from registry.site_pages.home import prepare_cards
from registry.site_pages.search.texts import load_texts


class Command(BaseCommand):
    help = "Load texts for search, definitions, platforms, imported and reported results. Unchanged files are not read."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--without-history", action="store_true", help="the public record stays as it is")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load what the options ask for and say what there is. Raises CommandError."""
        with transaction.atomic():
            lock_catalogue()
            load_texts()
        try:
            if options["without_history"]:
                return load_definitions()
            loaded = load_catalogue()
        except (CatalogueError, DefinitionError, DerivedError, ReportedError) as error:
            raise CommandError(str(error)) from error
        prepare_cards()
        if not loaded.changed:
            self.stdout.write("catalogue: unchanged")
            return
        results = f"{loaded.results} results, {loaded.derived} derived, {loaded.reported} reported"
        lists = f"{loaded.lists} lists, {loaded.entries} entries, {loaded.overrides} overrides"
        self.stdout.write(f"catalogue: {results}, {lists}")
