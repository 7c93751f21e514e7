"""Values of a query that no result has, such as filesystem_type=Lustr, with the nearest that some result has.

It is asked where an answer is empty, or where one of several values may be wrong. The question stays valid: the answer
is as empty as before, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from django.db.models import Q, Value
from django.http import QueryDict

from registry.models import ListEntry, Measurement, RankedList, Release, Result
from registry.query.public_record import current_results, nearest_names
from registry.query.questions import filters
from registry.query.row_sources import PUBLIC, RowSource
from validators import catalogue

CODE = "query.unknown-value"
FACT_NAMES = {
    "tool": "tool",
    "institution": "institution",
    "system": "system",
    "platform": "platform",
    "vendor": "vendor",
    "filesystem_type": "filesystem",
}
"""Filters whose values are texts of the record, and the fact that has them."""
WORDS = (*FACT_NAMES, "measured", "release", "list")
"""Filters of which a value may be a slip. Numbers and words to search for may be any; other values are refused."""
_OF_ENTRIES = {
    "institution": ("institution", "result__site__name", "result__site__slug"),
    "system": ("system_name", "result__system__slug"),
    "platform": ("result__platform__name", "result__platform__slug"),
    "vendor": ("result__vendor", "result__storage_vendor"),
    "filesystem_type": ("filesystem_type", "result__filesystem_family"),
}
"""Filters of entries whose values may be slips, and the columns that have them."""
ROLES = ("client", "oss", "mds", "system")
MOST_VALUES = 40
"""Values that are looked up."""
MOST_TEXTS = 500
"""Distinct values that are read from each start: from the first one, and from the first sign of what was sought."""

Row = dict[str, Any]
Pair = tuple[str, str]

# Each step is one probe of fact_by_value, however many results have a value.
_TEXTS = """
    WITH RECURSIVE texts AS (
        SELECT s.name, 1 AS number, (
            SELECT f.text FROM registry_fact f WHERE f.name = s.name AND f.text >= s.start ORDER BY f.text LIMIT 1
        ) AS text FROM unnest(%s::text[], %s::text[]) AS s (name, start)
        UNION ALL
        SELECT t.name, t.number + 1, (
            SELECT f.text FROM registry_fact f WHERE f.name = t.name AND f.text > t.text ORDER BY f.text LIMIT 1
        ) FROM texts t WHERE t.text IS NOT NULL AND t.number < %s
    )
    SELECT DISTINCT name, text FROM texts WHERE text IS NOT NULL
"""

# The same of rows that no index on texts has: all are read once, and not once for each text.
_VALUES_IN_ONE_READ = """
    SELECT DISTINCT name, text FROM (
        SELECT s.name, f.text, dense_rank() OVER (PARTITION BY s.name, s.start ORDER BY f.text) AS number
        FROM unnest(%s::text[], %s::text[]) AS s (name, start)
        JOIN registry_fact f ON f.name = s.name AND f.text >= s.start
    ) texts WHERE number <= %s
"""


def explain_empty(query: QueryDict, *, empty: bool, source: RowSource = PUBLIC) -> list[Row]:
    """Values of the query that no result has: `{"code", "name", "value", "nearest", "message"}`, in its order.

    Looked for where the answer is empty, or a filter has several values; at most five queries, each by an index.
    Raises InvalidValue.
    """
    values_by_name = {name: values for name in query if _may_slip(name) and (values := filters.values_of(query, name))}
    if not (empty or any(len(values) > 1 for values in values_by_name.values())):
        return []
    pairs = [(name, value) for name, values in values_by_name.items() for value in values][:MOST_VALUES]
    missing = _list_missing(pairs, source)
    candidates = _read_candidates(missing, source)
    return [_unknown_row(name, value, candidates.get(name, ())) for name, value in missing]


def list_unknown_ids(ids: Sequence[str], source: RowSource = PUBLIC) -> list[Row]:
    """As `explain_empty`, of ids of which no result counts today. One query where some are asked for."""
    if not ids:
        return []
    current = set(current_results(Q(public_id__in=ids), source).order_by().values_list("public_id", flat=True))
    rows = [{"code": CODE, "name": "ids", "value": public_id, "nearest": []} for public_id in ids]
    return [
        row | {"message": f"No result that counts today has the id {row['value']}."}
        for row in rows
        if row["value"] not in current
    ]


def explain_empty_list(ranked_list: RankedList, query: QueryDict, *, empty: bool) -> list[Row]:
    """As `explain_empty`, of the entries of one list: its values follow from its entries alone. One query."""
    pairs = [(name, value) for name in query if name in _OF_ENTRIES for value in filters.values_of(query, name)]
    if not (empty and pairs):
        return []
    names = list(dict.fromkeys(name for name, _ in pairs))
    columns = [column for name in names for column in _OF_ENTRIES[name]]
    texts: dict[str, set[str]] = {column: set() for column in columns}
    for values in ListEntry.objects.order_by().filter(ranked_list=ranked_list).values_list(*columns):
        for column, text in zip(columns, values, strict=True):
            texts[column] |= {text} if text else set()
    rows = []
    for name, value in pairs[:MOST_VALUES]:
        candidates = set().union(*(texts[column] for column in _OF_ENTRIES[name]))
        if value.casefold() not in map(str.casefold, candidates):
            near = nearest_names(value, sorted(candidates))
            message = f"No entry of this list has {name}={value}."
            rows.append({"code": CODE, "name": name, "value": value, "nearest": near, "message": message})
    return rows


def in_words(row: Mapping[str, Any]) -> str:
    """What is said of an unknown value beside its field: nearest values, or that nothing is like it."""
    near = f" Nearest: {', '.join(row['nearest'])}." if row["nearest"] else ""
    return f"No result has {row['value']}.{near}"


def _may_slip(name: str) -> bool:
    return name in WORDS or name.startswith(filters.PARAMETER)


def _unknown_row(name: str, value: str, candidates: Iterable[str]) -> Row:
    row = {"code": CODE, "name": name, "value": value}
    is_benchmark = name == "tool" and catalogue.find(value.lower()) is not None
    near = [] if is_benchmark else [text for text in nearest_names(value, candidates) if text != value]
    return row | {"nearest": near, "message": f"No result has {name}={value}."}


def _list_missing(pairs: Sequence[Pair], source: RowSource) -> list[Pair]:
    """The pairs of filter and value that no result meets. One query: a look-up for each, by the filter's own index."""
    if not pairs:
        return []
    results = source.table_rows(Result).order_by()
    lookups = [
        results.filter(_condition_of(name, value)).annotate(place=Value(place)).values("place")[:1]
        for place, (name, value) in enumerate(pairs)
    ]
    first, *others = lookups
    met = {row["place"] for row in (first.union(*others, all=True) if others else first)}
    return [pair for place, pair in enumerate(pairs) if place not in met]


def _condition_of(name: str, value: str) -> Q:
    if name.startswith(filters.PARAMETER):
        condition: Any = partial(filters.parameter_condition, name.removeprefix(filters.PARAMETER))
    else:
        condition = filters.RESULT_FILTERS[name]
    return filters.any_of(name, condition, [value])


def _read_candidates(missing: Sequence[Pair], source: RowSource) -> dict[str, list[str]]:
    """By filter the values that some result has, for those filters that miss one."""
    names = dict.fromkeys(name for name, _ in missing)
    candidates = _read_texts([pair for pair in missing if _fact_names(pair[0])], source)
    if "measured" in names:
        candidates["measured"] = _list_measured(source)
    if "release" in names:
        candidates["release"] = list(Release.objects.order_by("-held_on").values_list("slug", flat=True)[:MOST_TEXTS])
    if "list" in names:
        candidates["list"] = list(RankedList.objects.order_by("name").values_list("name", flat=True).distinct())
    return candidates


def _fact_names(name: str) -> list[str]:
    """Names of the facts that have the values of a filter."""
    if name in FACT_NAMES:
        return [FACT_NAMES[name]]
    bare = name.removeprefix(filters.PARAMETER)
    return [] if bare == name else [bare, *(f"{bare}{filters.ROLE_SEPARATOR}{role}" for role in ROLES)]


def _read_texts(missing: Sequence[Pair], source: RowSource) -> dict[str, list[str]]:
    """By filter the distinct texts of its facts, those near what was sought first. One query."""
    starts = {
        (name, fact, start)
        for name, value in missing
        for fact in _fact_names(name)
        for start in ("", value[0].upper(), value[0].lower())
    }
    if not starts:
        return {}
    filters_by_fact: dict[str, set[str]] = {}
    for name, fact, _ in starts:
        filters_by_fact.setdefault(fact, set()).add(name)
    probes = sorted({(fact, start) for _, fact, start in starts})
    texts: dict[str, list[str]] = {}
    starts_of_facts = [[fact for fact, _ in probes], [start for _, start in probes], MOST_TEXTS]
    for fact, text in source.fetch_rows(_TEXTS if source.is_public else _VALUES_IN_ONE_READ, starts_of_facts):
        for name in filters_by_fact[fact]:
            texts.setdefault(name, []).append(text)
    return texts


def _list_measured(source: RowSource) -> list[str]:
    pairs = source.distinct_rows(Measurement, ("op", "quantity"))
    return [
        *dict.fromkeys(op for op, _ in pairs),
        *(f"{op}{filters.KEY_SEPARATOR}{quantity}" for op, quantity in pairs),
    ]
