"""manage.py import_io500 DIR...: read copies of the published IO500 archives into the record, as derived results."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.loading.archive_folders import ArchivePlace, FolderError, find_archives
from registry.loading.archive_rows import archive_row, read_history
from registry.loading.catalogue_loader import ArchiveOutcome, CatalogueError, import_archives


class Command(BaseCommand):
    help = "Read copies of github.com/IO500/submission-data into results of trust derived; again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = "a checkout, or a folder of index.csv and submissions/submission-NUMBER.tar.gz"
        parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help=words)
        parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read the folders and say what became of each archive. Raises CommandError."""
        try:
            places = _distinct_places(options["folders"])
            outcomes = import_archives(list(self._archive_rows(places)), dry_run=options["dry_run"])
        except (CatalogueError, FolderError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        for outcome in outcomes:
            if line := _outcome_line(outcome):
                self.stdout.write(line)
        counts = Counter(_outcome_words(outcome) for outcome in outcomes)
        summary = ", ".join(f"{count} {words}" for words, count in sorted(counts.items()))
        prefix = "would be: " if options["dry_run"] else ""
        self.stdout.write(f"{prefix}{len(outcomes)} archives: {summary}")

    def _archive_rows(self, places: list[ArchivePlace]) -> Iterator[dict[str, Any]]:
        history = read_history()
        for place in places:
            yield archive_row(place, history)


def _distinct_places(folders: list[Path]) -> list[ArchivePlace]:
    """The archives of all folders. Raises FolderError as `find_archives`, and where two hold one number."""
    places: dict[int, ArchivePlace] = {}
    for place in (place for folder in folders for place in find_archives(folder)):
        if place.number in places:
            raise FolderError(f"{place.path} and {places[place.number].path} have one number")
        places[place.number] = place
    return [places[number] for number in sorted(places)]


def _outcome_words(outcome: ArchiveOutcome) -> str:
    if not outcome.trust:
        return "without a result"
    if outcome.trust == "derived":
        recorded_words = "derived before, and kept" if outcome.reason else "derived"
        return "derived, new" if outcome.is_new else recorded_words
    return "beside the list, which says otherwise" if outcome.differences else "beside the list, unreadable"


def _outcome_line(outcome: ArchiveOutcome) -> str:
    """One line for an archive that is not derived, or that the list gives differently; else nothing."""
    source = "record" if outcome.trust == "derived" else "list"
    differing = f"{outcome.differences} values differ from the {source}" if outcome.differences else ""
    reason = outcome.reason.removesuffix(".") if differing else outcome.reason
    return f"{outcome.public_id}: {'; '.join(filter(None, [reason, differing]))}" if outcome.reason else ""
