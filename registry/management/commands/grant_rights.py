"""manage.py grant_rights: make the roles of the database, and give each its rights."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connection

from registry.database import rights


class Command(BaseCommand):
    help = (
        "Give DATABASE_APP_ROLE and DATABASE_PUBLIC_ROLE their rights; after each migrate, as the owner of the tables."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--print", action="store_true", help="Print the SQL and change nothing.")
        parser.add_argument(
            "--login", metavar="NAME", help="Make this log-in of web and workers, too, which owns nothing; no password."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print or run the statements, and say which roles are not set. Raises CommandError for a log-in of no use."""
        statements = rights.grant_statements()
        if options["login"]:
            _require_free(options["login"])
            statements += rights.login_statements(options["login"])
        if options["print"]:
            with connection.cursor() as cursor:
                for statement in statements:
                    self.stdout.write(f"{statement.as_string(cursor.connection)};")
        else:
            rights.run_all(statements)
            if options["verbosity"]:
                self.stdout.write(f"{len(statements)} statements were run.")
        if options["verbosity"]:
            for name in rights.lacking_roles():
                self.stderr.write(f"No role is set for: {name} ({rights.SETTING_OF[name]}).")


def _require_free(login: str) -> None:
    """Raises CommandError where a log-in of this name has nothing to take its rights from, or has too many."""
    if lacking := rights.lacking_roles():
        raise CommandError(f"A log-in takes its rights from both roles. Not set: {', '.join(lacking)}.")
    if login in (settings.DATABASE_APP_ROLE, settings.DATABASE_PUBLIC_ROLE):
        raise CommandError(f"{login} is one of the roles. Name a log-in beside them.")
    if rights.owns_tables(login):
        raise CommandError(f"{login} owns tables, or may become who owns them. Name a log-in that owns nothing.")
