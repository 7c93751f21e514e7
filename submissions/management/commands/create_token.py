"""manage.py create_token USERNAME [--role ...] [--institution SLUG]: an account and a token for it."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from registry.errors import Problem
from submissions.accounts import tokens
from submissions.accounts.provisioning import ensure_account
from submissions.models import Account, Token


class Command(BaseCommand):
    help = "Make the account (and institution) if need be, and print a new token for it as the last line."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the account, its role and institution, and the token's name, scopes and lifetime in days."""
        parser.add_argument("username")
        parser.add_argument("--role", choices=Account.Role.values, help="default: submitter for a new account")
        parser.add_argument("--institution", metavar="SLUG", help="of which the account becomes a member")
        parser.add_argument("--name", default="", help="what the token is for")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Token.Scope.values,
            help="what it may do; may be repeated (default: all)",
        )
        parser.add_argument(
            "--days", type=int, default=tokens.USUAL_DAYS, help="how long it works (default: %(default)s)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            account = ensure_account(options["username"], options["role"], options["institution"])
            scopes = options["scope"] or Token.Scope.values
            token, key = tokens.create_token(account, options["name"], scopes, options["days"])
        except (ValueError, Problem) as error:
            raise CommandError(str(error)) from error
        until = f"{token.expires_at:%Y-%m-%d %H:%M} UTC"
        self.stderr.write(f"{account.username}: {account.role}; the token works until {until} and is shown only now:")
        self.stdout.write(key)
