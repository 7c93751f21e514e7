"""manage.py compare_official FOLDER: do archived runs say what the published record says of them?"""

from __future__ import annotations

import re
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q

from registry.lists.official import archived_values, official_values, value_differences
from registry.models import Result
from validators.checks import check

ARCHIVE = re.compile(r"submission-(\d+)\.(tar\.gz|tgz|tar|zip)")


IS_LISTED = Q(trust=Result.Trust.IMPORTED) | Q(snapshot__has_key="list")


class Command(BaseCommand):
    help = "Compare archives called submission-NUMBER.tar.gz with the official values of the imported results."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder")
        archives = {int(match[1]): path for path in folder.iterdir() if (match := ARCHIVE.fullmatch(path.name))}
        results = Result.objects.filter(IS_LISTED, origin_id__in=archives)
        results_by_origin = {int(result.origin_id): result for result in results.prefetch_related("measurements")}
        outcomes: Counter[str] = Counter()
        for number, path in sorted(archives.items()):
            outcomes[
                self._outcome(results_by_origin[number], path)
                if number in results_by_origin
                else "without official values"
            ] += 1
        self.stdout.write(", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())))

    def _outcome(self, result: Result, path: Path) -> str:
        report = check(path, benchmark=result.tool).as_json()
        if report["primary"] is None:
            self.stdout.write(f"{result.public_id}: no single run that counts among {len(report['runs'])}")
            return "without one run that counts"
        deviations = value_differences(official_values(result), archived_values(report["runs"][report["primary"]]))
        for difference in deviations:
            values = f"official {difference.official:g}, archived {difference.archived:g}"
            self.stdout.write(f"{result.public_id}: {difference.what} {values}")
        return "differ" if deviations else "agree"
