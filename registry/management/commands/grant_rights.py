"""manage.py grant_rights: make the roles of the database, and give each its rights."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from registry.database import rights


class Command(BaseCommand):
    help = (
        "Give DATABASE_APP_ROLE and DATABASE_PUBLIC_ROLE their rights; after each migrate, as the owner of the tables."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--print", action="store_true", help="Print the SQL and change nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print or run the statements, and say which roles are not set."""
        if options["print"]:
            with connection.cursor() as cursor:
                for statement in rights.grant_statements():
                    self.stdout.write(f"{statement.as_string(cursor.connection)};")
        else:
            count = rights.grant_all()
            if options["verbosity"]:
                self.stdout.write(f"{count} statements were run.")
        if options["verbosity"]:
            for name in rights.lacking_roles():
                self.stderr.write(f"No role is set for: {name} ({rights.SETTING_OF[name]}).")
