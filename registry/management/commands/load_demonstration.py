"""manage.py load_demonstration: the made-up runs of /tour/, which count nowhere."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from registry.loading.demonstration import load_demonstration, remove_demonstration


class Command(BaseCommand):
    help = "Load the demonstration at /tour/, or load it anew. Nothing of it is a result."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--remove", action="store_true", help="take the demonstration out")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["remove"]:
            self.stdout.write(f"demonstration: {remove_demonstration()} runs removed")
            return
        self.stdout.write(f"demonstration: {load_demonstration()} runs")
