"""Django's PostgreSQL backend on connections that give up on a server which does not answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg.errors import _WaitTimeout

from registry import database
from registry.database import pooling


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

    _is_pooling_checked = False
    """Whether this process knows that the settings lead to a connection which stays the same."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """Raises TransactionPooling where session locks would not hold; asked once per process."""
        connection = super().get_new_connection(conn_params)
        if not DatabaseWrapper._is_pooling_checked:
            connection.autocommit = True
            try:
                if not pooling.is_direct(connection):
                    pooling.refuse_transaction_pooling(lambda: self._open_patiently(conn_params))
            except BaseException:
                connection.close()
                raise
            DatabaseWrapper._is_pooling_checked = True
        return connection

    def _open_patiently(self, conn_params: dict[str, Any]) -> PatientConnection:
        connection: PatientConnection = super().get_new_connection(conn_params)
        connection.autocommit = True
        connection.patience_s = conn_params.get("connect_timeout", 3)
        return connection

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
