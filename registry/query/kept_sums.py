"""How sums over the record may be kept: who asks for one says with what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

Sum = TypeVar("Sum")


class Keep(Protocol):
    """Takes the name of a sum and what makes it, and gives it, be it made now or kept."""

    def __call__(self, name: str, make: Callable[[], Sum], /) -> Sum: ...


def make_anew(name: str, make: Callable[[], Sum], /) -> Sum:
    """Keeps nothing."""
    return make()
