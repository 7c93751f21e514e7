"""manage.py import_mlperf DIR...: read a copy of the published results of MLPerf Storage v3.0 into its rows."""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.loading import mlperf_copies
from registry.loading.catalogue_loader import CatalogueError, import_rows
from registry.loading.mlperf_folders import FolderError, find_workloads

WORDS = {
    mlperf_copies.READ: "with figures, new",
    mlperf_copies.SAME: "as the record has them",
    mlperf_copies.OTHER: "other than the record, which keeps its own",
    mlperf_copies.UNREADABLE: "not read",
    mlperf_copies.ABSENT: "without a folder in the copy",
    mlperf_copies.UNKNOWN: "folders of no row",
}


class Command(BaseCommand):
    help = "Read a copy of github.com/mlcommons/storage_results_v3.0 into its rows; again changes nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = "a folder with closed/ or open/ in it; descriptions of systems may lie in another one"
        parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help=words)
        parser.add_argument("--dry-run", action="store_true", help="say what would change, and change nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        """Read the folders and say what became of each row and of each folder. Raises CommandError."""
        try:
            outcomes = list(mlperf_copies.read_copy(find_workloads(options["folders"])))
            import_rows(outcomes, dry_run=options["dry_run"])
        except (CatalogueError, FolderError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from error
        for outcome in outcomes:
            self.stdout.write(_outcome_line(outcome))
        counts = Counter(outcome.what for outcome in outcomes)
        rows = sum(bool(outcome.public_id) for outcome in outcomes)
        summary = ", ".join(f"{counts[what]} {words}" for what, words in WORDS.items() if counts[what])
        prefix = "would be: " if options["dry_run"] else ""
        self.stdout.write(f"{prefix}{rows} rows of the round: {summary}")


def _outcome_line(outcome: mlperf_copies.RowOutcome) -> str:
    """A row, or a folder of none, with what became of it and why."""
    differing = f"{len(outcome.differences)} figures differ" if outcome.differences else ""
    reasons = "; ".join(filter(None, [outcome.reason.removesuffix("."), differing]))
    words = f"{WORDS[outcome.what]}: {reasons}" if reasons else WORDS[outcome.what]
    return f"{outcome.public_id or 'no row'} ({outcome.folder}): {words}"
