"""manage.py create_token USERNAME [--role ...] [--institution SLUG]: an account and a token for it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.accounts import ensure_account, new_token
from submissions.models import Account


class Command(BaseCommand):
    help = "Make the account (and institution) if need be, and print a new token for it as the last line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--role", choices=Account.Role.values, help="default: submitter for a new account")
        parser.add_argument("--institution", metavar="SLUG", help="of which the account becomes a member")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            account = ensure_account(options["username"], options["role"], options["institution"])
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stderr.write(f"{account.username}: {account.role}; the token is shown only now:")
        self.stdout.write(new_token(account))
