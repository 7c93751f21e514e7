"""What a registry may answer instead of what was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """The registry refused: `code` never changes, `hint` says what to do, `status` is that of HTTP.

    `errors` says what is wrong by field; `retry_after_s` when to come again, in seconds, where the registry says so.
    """

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after_s: float | None = None) -> None:
        self.status = status
        texts = {name: text for name, text in problem.items() if isinstance(text, str)}
        errors = problem.get("errors")
        self.code: str = texts.get("code", "")
        self.hint: str = texts.get("hint", "")
        self.errors: dict[str, Any] = dict(errors) if isinstance(errors, Mapping) else {}
        self.retry_after_s = retry_after_s
        title, detail = texts.get("title", ""), texts.get("detail", "")
        why = title if detail in ("", title) else f"{title}: {detail}"
        parts = [f"{why.rstrip('.')}." if why else f"HTTP {status}", self.hint, f"({self.code})" if self.code else ""]
        super().__init__(" ".join(text for text in parts if text))


class Unreachable(Exception):
    """No registry answered at this address."""


class UnknownValue(UserWarning):
    """A filter has a value that no result has; the warning names the nearest that some result has."""
