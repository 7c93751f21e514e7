"""Django's PostgreSQL backend on connections that give up on a server which does not answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.errors import _WaitTimeout

from registry import database


class PatientConnection(psycopg.Connection):
    """Waits for an answer no longer than `patience_s` seconds, where that is set, and is closed then."""

    patience_s: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """Raises OperationalError when the server did not answer in time."""
        if timeout is not None or self.patience_s is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.patience_s)
        except _WaitTimeout as error:
            self.pgconn.finish()  # in the middle of a statement, it is of no use to anybody
            raise psycopg.OperationalError(f"the server did not answer within {self.patience_s:g} s") from error


class DatabaseWrapper(base.DatabaseWrapper):
    # The module psycopg, but for one name.
    Database = SimpleNamespace(**{**vars(psycopg), "connect": PatientConnection.connect})  # type: ignore[assignment]  # it stands for a module

    def init_connection_state(self) -> None:
        super().init_connection_state()
        if database.statement_s:
            self.connection.patience_s = database.statement_s + database.GRACE_S
            with self.connection.cursor() as cursor:
                milliseconds = str(round(database.statement_s * 1000))
                cursor.execute("SELECT set_config('statement_timeout', %s, false)", [milliseconds])

    def is_usable(self) -> bool:
        """Whether the server answers on this connection, soon: it is asked before a kept connection is used again."""
        if self.connection is None:
            return False
        usual = self.connection.patience_s
        self.connection.patience_s = self.settings_dict["OPTIONS"].get("connect_timeout", 3)
        try:
            return super().is_usable()
        finally:
            self.connection.patience_s = usual
