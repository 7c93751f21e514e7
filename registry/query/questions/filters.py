"""Filters: from the names of a query string to conditions on results and on list entries.

A filter given twice means either value; an empty one is as if not given. What can't be understood is refused with a
code, never guessed. Texts match in any case.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.contrib.postgres.search import SearchQuery
from django.db.models import Q
from django.http import QueryDict

from registry.errors import Problem
from registry.models import Fact, ListEntry, Measurement, ObservedParameter, Platform, Result, Site, System
from registry.models.snapshots import text_of
from registry.query.facts import known_names
from registry.query.facts.axes import find_axis
from registry.query.public_record import releases_called
from registry.query.questions import named_subjects
from registry.query.responses import reproduced_words
from registry.query.row_sources import PUBLIC, RowSource

Condition = Callable[..., Q]

PARAMETER = "p."
ROLE_SEPARATOR = "@"
KEY_SEPARATOR = "/"
VALUE_LIMIT = 200  # characters; the longest printed text of the record has 120
VALUES_LIMIT = 20  # of one filter
LARGEST = 2**31 - 1


class UnknownParameter(Problem):
    code = "query.unknown-parameter"
    title = "Some names of the query are not known"


class InvalidValue(Problem):
    code = "query.invalid-value"
    title = "Some values of the query are not valid"
    hint = "Correct the values that are named, and ask again."

    def __init__(self, name: str, why: str) -> None:
        super().__init__(f"{name}: {why}.", errors={name: [why]})


def refuse_unknown(query: QueryDict, known_names: Iterable[str], prefixes: tuple[str, ...] = ()) -> None:
    """Raises UnknownParameter for names that an address does not take, with the known and the nearest ones."""
    known_names = sorted(known_names)
    unknown = [name for name in query if name not in known_names and not name.startswith(prefixes or ("\0",))]
    if unknown:
        accepted_names = known_names + [f"{prefix}NAME" for prefix in prefixes]
        errors = {name[:VALUE_LIMIT]: [_suggest_name(name, known_names)] for name in unknown[:VALUES_LIMIT]}
        raise UnknownParameter(
            f"Known are: {', '.join(accepted_names)}.", hint=_suggest_name(unknown[0], known_names), errors=errors
        )


def _suggest_name(name: str, known_names: list[str]) -> str:
    close = difflib.get_close_matches(name[:VALUE_LIMIT].lower(), known_names, n=1, cutoff=0.5)
    return f"Did you mean {close[0]}?" if close else "It is not known here."


def parse_conditions(query: QueryDict, table: Mapping[str, Condition]) -> Q:
    """All filters of a table that the query gives, together. Raises InvalidValue."""
    met = Q()
    for name, condition in table.items():
        if values := values_of(query, name):
            met &= any_of(name, condition, values)
    return met


def any_of(name: str, condition: Condition, values: Iterable[str]) -> Q:
    """Return the condition that any of the values meets. Raises InvalidValue for a value that the condition refuses."""
    try:
        if condition in _BATCH_CONDITIONS:
            return condition(*values)
        return reduce(or_, [condition(value) for value in values])
    except ValueError as error:
        raise InvalidValue(name, str(error)) from error


def values_of(query: QueryDict, name: str) -> list[str]:
    """The values of one name, without empty ones. Raises InvalidValue for what no filter takes."""
    values = [value.strip() for value in query.getlist(name) if value.strip()]
    if len(values) > VALUES_LIMIT:
        raise InvalidValue(name, f"at most {VALUES_LIMIT} values")
    refuse_unfit(name, values)
    return values


def refuse_unfit(name: str, values: Iterable[str]) -> None:
    """Raises InvalidValue for a value that is too long, or has a NUL."""
    if any(len(value) > VALUE_LIMIT or "\0" in value for value in values):
        raise InvalidValue(name, f"at most {VALUE_LIMIT} characters, and no NUL")


def other_values(query: QueryDict, names: Container[str]) -> dict[str, list[str]]:
    """As `given`, of every other name than these and `format`; `as_query` is the way back. Raises InvalidValue."""
    return {
        name: values for name in query if name not in names and name != "format" and (values := values_of(query, name))
    }


def as_query(by_name: Mapping[str, list[str]]) -> QueryDict:
    """Values by name as a query string that may be added to."""
    query = QueryDict(mutable=True)
    put_values(query, by_name)
    return query


def put_values(query: QueryDict, by_name: Mapping[str, list[str]]) -> None:
    """Write values by name into a query string."""
    for name, values in by_name.items():
        query.setlist(name, values)


def without_names(query: QueryDict, names: Iterable[str]) -> QueryDict:
    """A copy of a query without some names, whether it has them or not."""
    query_dict = query.copy()
    for name in names:
        query_dict.pop(name, None)
    return query_dict


def without_empty(query: QueryDict) -> QueryDict:
    """What a form sent, without the fields that were left empty."""
    return without_names(query, [name for name, values in query.lists() if not any(values)])


# What values mean; ValueError says why one is wrong


def whole_number(value: str) -> int:
    """Read a whole number from 0 to LARGEST. Raises ValueError for anything else."""
    if not re.fullmatch(r"[0-9]{1,10}", value) or int(value) > LARGEST:
        raise ValueError(f"a whole number from 0 to {LARGEST}")
    return int(value)


def whole_id(name: str, value: str) -> UUID:
    """The id in a query. Raises InvalidValue for what is no id."""
    try:
        return UUID(value)
    except ValueError as error:
        raise InvalidValue(name, "the id of a submission") from error


def parse_choice(choices: Iterable[str], value: str) -> str:
    """Return the choice that the value names in any case. Raises ValueError where there is none."""
    names = list(choices)
    if value.lower() not in names:
        raise ValueError(f"one of {', '.join(names)}")
    return value.lower()


def parse_bool(value: str) -> bool:
    return parse_choice(("true", "false"), value) == "true"


def parameter_condition(name: str, value: str) -> Q:
    """Results with that parameter, of the run or of its system, or with that fact: as text, number or truth value.

    Of a system one target or node that has the value is enough, by the name of an axis too; NAME/KEY is one entry of a
    parameter that is a map.
    """
    candidates = typed_candidates(value)
    texts = set(map(text_of, candidates))
    of_runs = reduce(or_, [Q(parameters__contains={name: candidate}) for candidate in candidates])
    sources = [name, *(source for source in find_axis(name).reads if ROLE_SEPARATOR in source)]
    observed = ObservedParameter.objects.order_by().filter(text__in=texts)
    of_systems = [observed.filter(_observed_condition(source)).values("result_id") for source in sources]
    by_axis = Fact.objects.order_by().filter(name=name, text__in=texts).values("result_id")
    # A union of look-ups, each by its own index: with OR the whole table would be read.
    return Q(id__in=Result.objects.order_by().filter(of_runs).values("id").union(*of_systems, by_axis))


def _observed_condition(source: str) -> Q:
    """What a parameter of a system is read by: NAME, NAME/KEY or NAME/KEY@ROLE."""
    name, _, role = source.partition(ROLE_SEPARATOR)
    bare, _, key = name.partition(KEY_SEPARATOR)
    return Q(parameter=bare, **({"key": key} if key else {}), **({"role": role} if role else {}))


def typed_candidates(value: str) -> list[Any]:
    """What a text of a query may mean as JSON: the text, and the truth value or number that it is.

    A fraction that ends in 0 is none: Lustre 2.10 is not 2.1.
    """
    scalar = None if _VERSION.fullmatch(value) else _parse_scalar(value)
    return [value] if scalar is None else [value, scalar]


_VERSION = re.compile(r"\d+\.\d*[1-9]\d*0")


def _parse_scalar(value: str) -> bool | int | float | None:
    """The truth value or finite number that a text is, else None."""
    try:
        scalar = json.loads(value)
    except (ValueError, RecursionError):
        return None
    finite = isinstance(scalar, bool | int) or (isinstance(scalar, float) and math.isfinite(scalar))
    return scalar if finite else None


def _text_condition(*columns: str) -> Condition:
    """In one of the columns, in any case; each has an index on its upper case (registry/models)."""
    return lambda value: reduce(or_, [Q(**{f"{column}__iexact": value}) for column in columns])


def _of_clients(compared: str = "", of: str = "") -> Condition:
    """By the client nodes that the source prints; where it prints none, by those that its archive has."""

    def meets_clients(value: str) -> Q:
        number = whole_number(value)
        as_printed = Q(**{f"client_nodes{compared}": number})
        counted = {f"{of}snapshot__measured_client_nodes{compared}": number}
        return as_printed | Q(client_nodes=None, **counted)

    return meets_clients


def _choice_condition(column: str, choices: Iterable[str]) -> Condition:
    return lambda value: Q(**{column: parse_choice(choices, value)})


def _truth_condition(column: str) -> Condition:
    return lambda value: Q(**{column: parse_bool(value)})


def _search_condition(column: str) -> Condition:
    return lambda value: Q(**{column: SearchQuery(value, config="simple", search_type="websearch")})


def _of_entries(column: str, model: named_subjects.Model, *columns: str) -> Condition:
    """Entries of which a column is the value, or whose result stands under it now, by a former name too."""
    by_text = _text_condition(*columns)
    return lambda value: by_text(value) | Q(**{f"{column}__in": named_subjects.current_ids(model, [value])})


def _with_measurement(value: str) -> Q:
    """Results with a number of that operation, OP, or of one of its quantities, OP/QUANTITY."""
    op, _, quantity = value.partition(KEY_SEPARATOR)
    measurements = Measurement.objects.order_by().filter(op=op)
    return Q(id__in=(measurements.filter(quantity=quantity) if quantity else measurements).values("result_id"))


def _first_in(*values: str) -> Q:
    """Results that first appeared in one of these releases."""
    return Q(release__in=releases_called(values).order_by().values("id"))


def _on_list(*values: str) -> Q:
    return _standing_on((), values)


@dataclass(frozen=True, slots=True)
class Filter:
    """One name of a query. Everything that says what a filter is reads it here: conditions, refusal of unknown names,
    OpenAPI, fields of pages, docs/api.md.

    `of_results` and `of_entries` make its condition; None where it doesn't apply.
    """

    name: str
    kind: type
    description: str
    label: str
    of_results: Condition | None = None
    of_entries: Condition | None = None
    has_field: bool = False
    placeholder: str = "any"
    choices: tuple[str, ...] = ()
    """The values that there are, where others are refused."""


_LEVELS = Result.Reproducibility.values
FILTERS = (
    Filter(
        *("q", str, 'Words in the names; "quoted phrases", -without and or work.', "Search"),
        of_results=_search_condition("search"),
        of_entries=_search_condition("result__search"),
        has_field=True,
        placeholder="system, site",
    ),
    Filter(
        *("tool", str, "Name of the benchmark, for example io500.", "Benchmark"),
        of_results=lambda value: Q(tool=value.lower()),
        has_field=True,
    ),
    Filter(
        *("measured", str, "Operation, or OPERATION/QUANTITY, that was measured: write/bandwidth.", "Metric"),
        of_results=_with_measurement,
        has_field=True,
    ),
    Filter(
        *("institution", str, "Slug, name or a printed spelling of an institution, in any case.", "Institution"),
        of_results=named_subjects.of_institution,
        of_entries=_of_entries("result__site", Site, "institution", "result__site__slug", "result__site__name"),
    ),
    Filter(
        *("system", str, "Slug or name of a system, in any case.", "System"),
        of_results=named_subjects.of_system,
        of_entries=_of_entries("result__system", System, "system_name", "result__system__slug"),
    ),
    Filter(
        *("platform", str, "Slug or name of a platform, in any case.", "Platform"),
        of_results=named_subjects.of_platform,
        of_entries=_of_entries("result__platform", Platform, "result__platform__slug", "result__platform__name"),
    ),
    Filter(
        *("vendor", str, "Vendor as printed or in its canonical spelling, in any case.", "Vendor"),
        of_results=_text_condition("vendor", "storage_vendor"),
        of_entries=_text_condition("result__vendor", "result__storage_vendor"),
    ),
    Filter(
        *("filesystem_type", str, "File system as printed or its family, in any case.", "File system"),
        of_results=_text_condition("filesystem_type", "filesystem_family"),
        of_entries=_text_condition("filesystem_type", "result__filesystem_family"),
        has_field=True,
    ),
    Filter(
        "release",
        str,
        "Slug of a release in any case; `SC18*` is SC18-recomputed.",
        "Release",
        of_results=_first_in,
        has_field=True,
    ),
    Filter(
        "list",
        str,
        "Name of a list: full, historical, io500, ten, production, ten-production, scc.",
        "List",
        of_results=_on_list,
        has_field=True,
    ),
    Filter(
        *("trust", str, "verified, derived, imported or reported.", "Trust"),
        of_results=_choice_condition("trust", Result.Trust.values),
        has_field=True,
        choices=tuple(Result.Trust.values),
    ),
    Filter(
        *("reproducibility", str, "undefined, limited, proprietary or fully.", "Reproducibility"),
        of_results=_choice_condition("reproducibility", _LEVELS),
        of_entries=_choice_condition("result__reproducibility", _LEVELS),
        choices=tuple(_LEVELS),
    ),
    Filter(*reproduced_words.FILTER, has_field=True, choices=reproduced_words.WORDS),
    Filter(
        *(
            "client_nodes",
            int,
            "Exactly that many client nodes, as printed; where none are printed, as its archive counts them.",
            "Client nodes",
        ),
        of_results=_of_clients(),
        of_entries=_of_clients(of="result__"),
    ),
    Filter(
        *(
            "client_nodes__gte",
            int,
            "At least that many client nodes, as printed or as its archive counts them.",
            "Client nodes, at least",
        ),
        of_results=_of_clients("__gte"),
        of_entries=_of_clients("__gte", of="result__"),
        has_field=True,
    ),
    Filter(
        *(
            "client_nodes__lte",
            int,
            "At most that many client nodes, as printed or as its archive counts them.",
            "Client nodes, at most",
        ),
        of_results=_of_clients("__lte"),
        of_entries=_of_clients("__lte", of="result__"),
        has_field=True,
    ),
    Filter(
        *("new", bool, "Entered with this release, or carried over.", "New"),
        of_entries=_truth_condition("new"),
    ),
)
"""Every filter of results and of entries of a list, in the order of their fields."""
LABELS: Mapping[str, str] = {row.name: row.label for row in FILTERS}
RESULT_FILTERS: Mapping[str, Condition] = {row.name: row.of_results for row in FILTERS if row.of_results}
ENTRY_FILTERS: Mapping[str, Condition] = {row.name: row.of_entries for row in FILTERS if row.of_entries}
RESULT_NAMES = tuple(RESULT_FILTERS)
_BATCH_CONDITIONS: Container[Condition] = (named_subjects.of_system, named_subjects.of_platform, _first_in, _on_list)
"""Conditions that take all values at once: with OR between the look-ups all results would be read for them."""


def result_conditions(query: QueryDict, source: RowSource = PUBLIC) -> Q:
    """What results/ was asked for: RESULT_FILTERS and p.NAME; a list and a release together.

    Raises InvalidValue, and UnknownParameter for a p.NAME that nobody knows.
    """
    _refuse_unknown_parameters(query, source)
    releases, lists = values_of(query, "release"), values_of(query, "list")
    if releases and lists:
        together = _standing_on(releases, lists)
        met = together & parse_conditions(without_names(query, ("release", "list")), RESULT_FILTERS)
    else:
        met = parse_conditions(query, RESULT_FILTERS)
    for name in query:
        if name.startswith(PARAMETER) and (values := values_of(query, name)):
            met &= any_of(name, partial(parameter_condition, _parameter_name(name)), values)
    return met


def _refuse_unknown_parameters(query: QueryDict, source: RowSource) -> None:
    """Raises UnknownParameter, with the nearest names, for a p.NAME of no result and of none of our tables."""
    names = [_parameter_name(name) for name in query if name.startswith(PARAMETER) and values_of(query, name)]
    if names and (hints := known_names.parameter_hints(PARAMETER, names, source)):
        first, hint = next(iter(hints.items()))
        errors = {name[:VALUE_LIMIT]: [text] for name, text in hints.items()}
        raise UnknownParameter(f"No result has {first}.", hint=hint, errors=errors)


def _parameter_name(name: str) -> str:
    bare = name.removeprefix(PARAMETER)
    if not bare or len(bare) > VALUE_LIMIT or "\0" in bare:
        raise InvalidValue(name[:VALUE_LIMIT], "p.NAME needs the name of a parameter")
    return bare


def _standing_on(releases: Sequence[str], lists: Iterable[str]) -> Q:
    """Results that stand on a list of such a name, of these releases or, without any, of whichever."""
    entries = ListEntry.objects.order_by().filter(ranked_list__name__in=[name.lower() for name in lists])
    if releases:
        entries = entries.filter(ranked_list__release__in=releases_called(releases).order_by().values("id"))
    return Q(id__in=entries.values("result_id"))
