"""manage.py account_data USERNAME [--erase]: what the registry holds of an account; its erasure."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.core.serializers.json import DjangoJSONEncoder

from submissions.accounts import personal_data
from submissions.errors import LastAdmin
from submissions.models import Account


class Command(BaseCommand):
    help = "Print everything that the registry holds of an account as JSON; with --erase, take the person out for good."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--erase", action="store_true", help="leave a pseudonym, which is printed")

    def handle(self, *args: Any, **options: Any) -> None:
        account = Account.objects.filter(username=options["username"]).first()
        if account is None:
            raise CommandError(f"There is no account {options['username']!r}.")
        if not options["erase"]:
            rows_by_kind = personal_data.export_account(account)
            self.stdout.write(json.dumps(rows_by_kind, cls=DjangoJSONEncoder, indent=1, ensure_ascii=False))
            return
        try:
            self.stdout.write(personal_data.erase_account(account))
        except LastAdmin as error:
            raise CommandError(f"{error} {error.hint}") from error
