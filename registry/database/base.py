"""Django's PostgreSQL backend on connections that give up on a server which does not answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg import sql
from psycopg.errors import _WaitTimeout
from psycopg.pq import TransactionStatus

from registry import database
from registry.database import pooling, rights


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
        self._role = ""
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

    _role: str | None = ""
    """The role that this connection speaks with; "" for that of the log-in, None where it is not known."""

    def create_cursor(self, name: str | None = None) -> Any:
        self.take_role()
        return super().create_cursor(name)

    def set_autocommit(self, autocommit: bool, *args: Any, **kwargs: Any) -> None:
        """Take the role before a transaction begins: what is set within one is lost when it is rolled back."""
        if not autocommit and self.connection is not None:
            self.take_role()
        super().set_autocommit(autocommit, *args, **kwargs)

    def take_role(self) -> None:
        """Speak with the role that is wanted now. One statement where it is another than before, else none."""
        role = rights.current_role()
        if role == self._role or self.connection.info.transaction_status == TransactionStatus.INERROR:
            return
        self._role = None
        with self.connection.cursor() as cursor:
            cursor.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role) if role else sql.SQL("NONE")))
        self._role = role

    def _rollback(self) -> None:
        super()._rollback()  # type: ignore[misc]  # the stubs lack it
        self._forget_role()

    def _savepoint_rollback(self, sid: str) -> None:
        super()._savepoint_rollback(sid)  # type: ignore[misc]  # the stubs lack it
        self._forget_role()

    def _forget_role(self) -> None:
        """What was set since the transaction, or the savepoint, began is undone with it."""
        if rights.are_set():
            self._role = None

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
