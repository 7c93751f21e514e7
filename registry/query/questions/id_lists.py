"""Results that a query names by their ids, with commas between."""

from __future__ import annotations

from django.http import QueryDict

from registry.query.questions.filters import InvalidValue, refuse_unfit

MOST_IDS = 100
"""Results that one address names: some 2,000 of its characters."""
FEWEST_COMPARED, MOST_COMPARED = 2, 20


def compared_ids(query: QueryDict) -> list[str]:
    """`results=A,B,...`: the distinct ids to compare, in the order given. Raises InvalidValue for too few or too many.

    The name may be given several times, as boxes of a form give it.
    """
    ids = _split_ids(query, "results")
    if not FEWEST_COMPARED <= len(ids) <= MOST_COMPARED:
        limits = f"{FEWEST_COMPARED} to {MOST_COMPARED}"
        raise InvalidValue("results", f"{limits} different ids with commas between, not {len(ids)}")
    refuse_unfit("results", ids)
    return ids


def several_ids(query: QueryDict, name: str) -> list[str]:
    """The distinct ids of `NAME=A,B,...`, none where it is empty or missing.

    Raises InvalidValue for too many, and for what can be no id.
    """
    ids = _split_ids(query, name)
    if len(ids) > MOST_IDS:
        raise InvalidValue(name, f"at most {MOST_IDS} ids with commas between, not {len(ids)}")
    refuse_unfit(name, ids)
    return ids


def _split_ids(query: QueryDict, name: str) -> list[str]:
    """The distinct texts between the commas, in the order given."""
    texts = [text.strip() for listed in query.getlist(name) for text in listed.split(",")]
    return list(dict.fromkeys(filter(None, texts)))
