"""Results that a query names by their ids, with commas between."""

from __future__ import annotations

from django.http import QueryDict

from registry.query.filters import VALUE_LIMIT, InvalidValue

MOST_IDS = 100
"""Results that one address names: some 2,000 of its characters."""


def several_ids(query: QueryDict, name: str) -> list[str]:
    """The distinct ids of `NAME=A,B,...`, none where it is empty or missing.

    Raises InvalidValue for too many, and for what can be no id.
    """
    texts = [text.strip() for listed in query.getlist(name) for text in listed.split(",")]
    ids = list(dict.fromkeys(filter(None, texts)))
    if len(ids) > MOST_IDS:
        raise InvalidValue(name, f"at most {MOST_IDS} ids with commas between, not {len(ids)}")
    if any(len(text) > VALUE_LIMIT or "\0" in text for text in ids):
        raise InvalidValue(name, f"at most {VALUE_LIMIT} characters, and no NUL")
    return ids
