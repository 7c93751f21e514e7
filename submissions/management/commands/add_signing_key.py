"""manage.py add_signing_key USERNAME FILE: a public SSH key with which an account signs its bundles."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.bundles import signatures
from submissions.errors import BadSigningKey
from submissions.models import Account


class Command(BaseCommand):
    help = "Register the public SSH key in FILE for an account, and print its fingerprint."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("file", type=Path, help="such as id_ed25519.pub")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            account = Account.objects.get(username=options["username"])
            key = signatures.add_key(account, options["file"].read_text(encoding="utf-8", errors="replace"))
        except Account.DoesNotExist as error:
            raise CommandError(f"There is no account {options['username']}.") from error
        except (BadSigningKey, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(key.fingerprint)
