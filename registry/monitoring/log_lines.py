"""Lines of the log: text, or JSON for programs; each names the request or task that it belongs to.

A line never holds a query string, an address or a name of a person: accounts are numbers.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

_context: ContextVar[Mapping[str, Any] | None] = ContextVar("log_context", default=None)
OF_ONE_LINE = ("account", "method", "path", "status", "duration_ms")
FIELDS = ("request", "task", "task_id", *OF_ONE_LINE)
"""What a line may have beside its words, in this order."""


@contextmanager
def log_context(**fields: Any) -> Iterator[None]:
    """Lines that are logged meanwhile, in this thread, have these of FIELDS."""
    token = _context.set({**(_context.get() or {}), **fields})
    try:
        yield
    finally:
        _context.reset(token)


def current_field(name: str) -> Any:
    """One of FIELDS as lines have it now; None outside of requests and tasks."""
    return (_context.get() or {}).get(name)


class AddContext(logging.Filter):
    """Gives each record the fields of the request or task at work."""

    def filter(self, record: logging.LogRecord) -> bool:
        fields = {name: vars(record)[name] for name in OF_ONE_LINE if name in vars(record)}
        record.fields = {**(_context.get() or {}), **fields}
        return True


class WithoutTraceback(logging.Filter):
    """Keeps the line alone: a stranger's wrong `Host` header is no error of ours, and need not fill the disk."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.exc_info = None
        return True


class TextFormatter(logging.Formatter):
    """`2026-11-24 09:00:00,000 INFO name: words request=... duration_ms=12`."""

    def format(self, record: logging.LogRecord) -> str:
        fields = fields_of(record)
        first, line_break, rest = super().format(record).partition("\n")
        words = [first, *(f"{name}={_on_one_line(value)}" for name, value in fields.items())]
        return f"{' '.join(words)}{line_break}{rest}"


def _on_one_line(value: object) -> str:
    """The value as text that can neither end the line nor look like another field."""
    text = str(value)
    return text if text.isprintable() and " " not in text else json.dumps(text)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time` (RFC 3339, UTC), `level`, `logger`, `message`, FIELDS, `traceback`."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **fields_of(record),
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The known fields of a record, in their order."""
    fields: Mapping[str, Any] = getattr(record, "fields", {})
    return {name: fields[name] for name in FIELDS if fields.get(name) is not None}
