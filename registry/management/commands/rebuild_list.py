"""manage.py rebuild_list RELEASE LIST [--check]: make a list anew, or compare it with what its definition makes."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.lists.listing import ListError, check_list, freeze_list
from registry.lists.ranking import DefinitionError, Differences
from registry.models import RankedList, Release


class Command(BaseCommand):
    help = "Rebuild a list of a release run here; --check changes nothing and fails when a stored list differs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("release", help="slug of the release, in any case")
        parser.add_argument("list", help="name of the list: io500, ten, ...")
        parser.add_argument("--check", action="store_true", help="compare only; exit status 1 when the list differs")

    def handle(self, *args: Any, **options: Any) -> None:
        release = Release.objects.filter(slug__iexact=options["release"]).first()
        if release is None:
            raise CommandError(f"there is no release {options['release']}")
        try:
            if options["check"]:
                self._check(release, options["list"])
            else:
                ranked_list = freeze_list(release, options["list"])
                self.stdout.write(f"{release.slug} {ranked_list.name}: {ranked_list.entries.count()} entries")
        except (ListError, DefinitionError) as error:
            raise CommandError(str(error)) from error

    def _check(self, release: Release, name: str) -> None:
        ranked_list = RankedList.objects.filter(release=release, name=name).first()
        if ranked_list is None:
            raise CommandError(f"{release.slug} has no list {name}")
        differences = check_list(ranked_list)
        if differences is None:
            self.stdout.write(f"{release.slug} {name}: not evaluated, its pool of candidates is not known")
        elif differences:
            raise CommandError(f"{release.slug} {name} differs: " + "; ".join(_difference_sentences(differences)))
        else:
            overrides = release.overrides.filter(list_name=name).count()
            entries = ranked_list.entries.count()
            self.stdout.write(f"{release.slug} {name}: as defined, {entries} entries, {overrides} overrides")


def _difference_sentences(differences: Differences) -> Iterator[str]:
    if differences.missing:
        yield "listed but not by definition " + ", ".join(differences.missing)
    if differences.surplus:
        yield "by definition but not listed " + ", ".join(differences.surplus)
    for entry, stored, computed in differences.scores:
        yield f"{entry} has the score {stored:g}, computed {computed:g}"
    for entry, stored_rank, computed_rank in differences.ranks:
        yield f"{entry} has the rank {stored_rank}, computed {computed_rank}"
