"""What Python 3.9 and 3.10 lack of what the rules use. The registry's own Python has it all, and never imports this.

A site checks offline with the Python that it has, and that of RHEL 9 is 3.9. The alternative, rules written for 3.9,
would cost slots in fifty classes and the check that two lists are as long, on every server (decision 32).
"""

from __future__ import annotations

import builtins
import dataclasses
import datetime
import itertools
from collections.abc import Iterable, Iterator
from typing import Any

_END = object()
_plain_dataclass, _plain_zip = dataclasses.dataclass, builtins.zip


def install() -> None:
    """Put what is missing in its place, in this process; it is there for every module that is imported later."""
    missing: list[tuple[Any, str, Any]] = [
        (builtins, "zip", _zip),
        (dataclasses, "dataclass", _dataclass),
        (itertools, "pairwise", _pairwise),
        (datetime, "UTC", datetime.timezone.utc),
    ]
    for module, name, replacement in missing:
        setattr(module, name, replacement)


def _dataclass(cls: Any = None, *, slots: bool = False, **options: Any) -> Any:
    """dataclasses.dataclass, whose classes have no slots: they are larger, and the same otherwise."""
    return _plain_dataclass(cls, **options)


def _zip(*iterables: Iterable[Any], strict: bool = False) -> Iterator[tuple[Any, ...]]:
    return _strict_zip(iterables) if strict else _plain_zip(*iterables)


def _strict_zip(iterables: tuple[Iterable[Any], ...]) -> Iterator[tuple[Any, ...]]:
    for row in itertools.zip_longest(*iterables, fillvalue=_END):
        if any(value is _END for value in row):
            raise ValueError("zip() arguments are not of the same length")
        yield row


def _pairwise(values: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    ones, others = itertools.tee(values)
    next(others, None)
    return _plain_zip(ones, others)
