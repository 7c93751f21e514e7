"""Text as it is compared: without case, accents and surplus space."""

from __future__ import annotations


def fold_text(text: object) -> str:
    """How printed names are compared: without regard to case and spacing."""
    return " ".join(str(text or "").split()).casefold()
