"""manage.py revoke_token USERNAME [BEGINNING ...]: the account's tokens, and which of them to take back."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from submissions.accounts import tokens
from submissions.errors import NoToken
from submissions.models import Account, Token


class Command(BaseCommand):
    help = "Revoke the tokens of an account that begin like that; without any, list the account's tokens."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        parser.add_argument("beginning", nargs="*", help="the characters that the list shows, hw_ and twelve more")

    def handle(self, *args: Any, **options: Any) -> None:
        account = Account.objects.filter(username=options["username"]).first()
        if account is None:
            raise CommandError(f"There is no account {options['username']!r}.")
        for beginning in options["beginning"]:
            try:
                tokens.revoke_token(account, beginning)
            except NoToken as error:
                raise CommandError(f"{account.username} has no token that begins with {beginning!r}.") from error
        for token in tokens.list_tokens(account):
            self.stdout.write(_token_line(token))


def _token_line(token: Token) -> str:
    until = f"until {token.expires_at:%Y-%m-%d}" if token.expires_at else "without end"
    used = f"used {token.last_used_at:%Y-%m-%d %H:%M} UTC" if token.last_used_at else "never used"
    return f"{token.beginning}  {','.join(token.scopes)}  {until}  {used}  {token.name}".rstrip()
