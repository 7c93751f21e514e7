"""Releases in the order of their dates, wherever an axis, a filter or a fact of a document holds their names.

"Pre-SC19", as documents call what was measured before a release, stands right before SC19.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from registry.models import Release

RELEASE = "release"
_BEFORE = re.compile(r"pre[- ]", re.IGNORECASE)
_USUAL = re.compile(r"(pre[- ])?i?sc\d\d\b.*", re.IGNORECASE)
"""As the releases of IO500 are called: SC19, ISC20, Pre-SC19."""

Named = tuple[str, str]
"""Slug and name of a release."""


def releases_by_date() -> list[Named]:
    """Slug and name of every release, oldest first. One query."""
    return list(Release.objects.order_by("held_on", "id").values_list("slug", "name"))


def may_hold_releases(name: str, texts: Iterable[str | None]) -> bool:
    """Whether an axis or a fact of this name, with these values, may hold names of releases. No query."""
    if name.partition("@")[0].endswith(RELEASE):
        return True
    known_texts = [text for text in texts if text is not None]
    return bool(known_texts) and all(_USUAL.fullmatch(text) for text in known_texts)


def sort_releases(texts: Iterable[str], releases: Sequence[Named]) -> list[str]:
    """Those of the texts that name one of the releases, oldest first; case does not count. No query."""
    places = {word.casefold(): 2 * place for place, pair in enumerate(releases) for word in reversed(pair)}
    ordered = {text: place for text in texts if (place := _place_of(text, places)) is not None}
    return sorted(ordered, key=lambda text: (ordered[text], text))


def order_values(values_by_name: Iterable[tuple[str, Iterable[str | None]]]) -> list[str]:
    """All values of these axes that name a release, oldest first. One query where an axis may hold such, else none."""
    candidates = {
        text
        for name, texts in ((name, list(texts)) for name, texts in values_by_name)
        if may_hold_releases(name, texts)
        for text in texts
        if text is not None
    }
    return sort_releases(candidates, releases_by_date()) if candidates else []


def _place_of(text: str, places: dict[str, int]) -> int | None:
    """Twice the place of a release; of what came before it, one less."""
    folded = text.casefold()
    if folded in places:
        return places[folded]
    base = places.get(_BEFORE.sub("", folded, count=1)) if _BEFORE.match(folded) else None
    return None if base is None else base - 1
