"""manage.py create_release SLUG --deadline T: a call for submissions."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.errors import Problem
from submissions.publication import releases


def parse_moment(text: str) -> datetime:
    """Read a time given on the command line. Raises ArgumentTypeError for what is none."""
    try:
        return releases.read_time(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from error


class Command(BaseCommand):
    help = "Make a release. Times: RFC 3339 with an offset, or `2027-04-30 AoE`, the end of that day anywhere on earth."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument(
            "--deadline", type=parse_moment, required=True, metavar="T", help="last moment for submitting"
        )
        parser.add_argument("--name", default="", help="default: the slug")
        parser.add_argument("--opens", type=parse_moment, metavar="T", help="default: now")
        parser.add_argument(
            "--publishes", type=parse_moment, metavar="T", help="published by the scheduler at that time"
        )
        parser.add_argument("--list", action="append", default=[], dest="lists", help="may be repeated; default: all")
        parser.add_argument("--benchmark-version", action="append", default=[], dest="benchmark_versions")

    def handle(self, *args: Any, **options: Any) -> None:
        names = ("name", "opens", "publishes", "benchmark_versions", "lists")
        try:
            release = releases.create_release(
                options["slug"], options["deadline"], **{name: options[name] for name in names}
            )
        except Problem as problem:
            raise CommandError(" ".join(filter(None, [problem.detail, problem.hint]))) from problem
        self.stdout.write(
            f"{release.slug}: until {release.deadline:%Y-%m-%dT%H:%M:%SZ}; {', '.join(release.list_names)}"
        )
