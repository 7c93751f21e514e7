"""The rows of a ranked list as HTML, with the columns that a reader chose as `columns=NAME,NAME`.

They are made in Python: a list has hundreds, and is what most readers ask for.
A template takes 9 ms for the 257 rows of the longest published list, half of the whole page; this takes 1 ms.
Every text that comes from outside goes through `escape`, in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

from django.http import QueryDict
from django.utils.safestring import SafeString, mark_safe

from registry.lists.rank_ranges import AssumedRanks
from registry.presentation import numbers
from registry.presentation.charts import scales
from registry.presentation.reproduction_words import mark_titles
from registry.query.public_record import nearest_names
from registry.query.questions.filters import InvalidValue, values_of
from registry.query.responses.trust_levels import count_caveat

ROW = (
    '<tr role="row"><td role="cell" class="rank n">{rank}</td>{range}{assumed}'
    '<th role="rowheader" scope="row" class="lead">{tick}{name}{marks}</th>'
    "{institution}{filesystem}{clients}"
    '<td role="cell" class="n key"><b>{score}</b></td>'
    '<td role="cell" class="wide">{dot}</td>'
    "{figures}{entered}</tr>\n"
)
INSTITUTION = '<td role="cell" class="all">{}</td>'
FILESYSTEM = '<td role="cell">{}</td>'
CLIENTS = '<td role="cell" class="n" data-l="clients">{}</td>'
ENTERED = '<td role="cell" class="wide">{}</td>'
FIGURE = '<td role="cell" class="n" data-l="{}">{}</td>'
ASSUMED = '<td role="cell" class="range" data-l="assumed"><small>{}</small></td>'
RANGE = '<td role="cell" class="range"><small>{}</small></td>'
TICK = '<input type="checkbox" name="results" value="{id}" aria-label="{id}, to compare"> '
NAMED = '<a href="/results/{id}/">{system}</a>'
PARAMETER_LIMIT = 40
ERASED = "<i>erased on request</i> <small>{day}</small>"
UNNAMED = numbers.MISSING + ' <small>unnamed</small> <a href="/results/{id}/">result {id}</a>'
ERASED_AT = "result__erasure__erased_at"
ARCHIVED = '<sup title="not on the list; from the published archive of the run">†</sup>'
"""The mark of a count that the list does not print."""
MARK_LINK = '#reproduced">'
"""How the link of a mark of reproduction ends."""
DOT = (
    '<svg width="104" height="14" viewBox="0 0 104 14" class="ch dot" aria-hidden="true">'
    '<path class="g" d="{ruler}"/><circle class="a" cx="{x}" cy="7" r="3.5"/></svg>'
)
COLUMNS = "columns"
"""The name of the choice in the address. Rank, system and what the list ranks stay: a row without them says nothing."""
ALWAYS = "score"
"""Also sent by the form, so that a form with nothing ticked differs from one that was never opened."""


class Column(NamedTuple):
    """A column that can be left out: its name in the address and its words."""

    name: str
    title: str


_FIRST = (
    Column("institution", "Institution"),
    Column("filesystem_type", "File system"),
    Column("client_nodes", "Client nodes"),
)
_HALVES = (Column("bandwidth_gib_per_s", "Bandwidth"), Column("rate_kiops", "Metadata"))
_LAST = (Column("entered", "Entered"),)


def offered_columns(parameters: Sequence[Mapping[str, str]], *, ranks_measurement: bool) -> list[Column]:
    """The columns of a list that can be left out, in their order; `parameters` as in its definition."""
    of_runs = [Column(row["parameter"], row["title"]) for row in parameters]
    return [*_FIRST, *(of_runs if ranks_measurement else _HALVES), *_LAST]


def chosen_columns(query: QueryDict, offered: Iterable[Column]) -> frozenset[str]:
    """The names of the columns to show: all, where the query names none. Raises InvalidValue for an unknown name."""
    names = [column.name for column in offered]
    asked_names = [name.strip() for text in values_of(query, COLUMNS) for name in text.split(",") if name.strip()]
    for name in asked_names:
        if name not in (*names, ALWAYS):
            nearest = nearest_names(name, names, 1)
            suggestion = f"did you mean {nearest[0]}? " if nearest else ""
            raise InvalidValue(COLUMNS, f"{name} is no column of this list; {suggestion}known are {', '.join(names)}")
    return frozenset(asked_names) & frozenset(names) if asked_names else frozenset(names)


def written_choice(chosen: frozenset[str], offered: Sequence[Column]) -> str:
    """The one way to write a choice in an address: names in the order of the list; empty where all are shown."""
    if len(chosen) == len(offered):
        return ""
    return ",".join(column.name for column in offered if column.name in chosen) or ALWAYS


def table_rows(
    entries: Iterable[dict[str, Any]],
    axis: scales.LogAxis | None,
    *,
    ranges: bool,
    parameters: Sequence[dict[str, str]] = (),
    ranks_measurement: bool = False,
    assumed: AssumedRanks | None = None,
    shown_columns: frozenset[str],
) -> SafeString:
    """The rows of these entries (columns as views.COLUMNS), with the ranges of ranks where the list has some.

    `shown_columns` are names of columns; what they do not name is left out.
    With assumed ranks where a reader asked for them.

    A list that ranks a measurement shows these parameters of each run, instead of the halves of a score.
    """
    ruler = axis.ruler() if axis else ""
    figures = partial(_parameters_html, parameters) if ranks_measurement else partial(_halves_html, shown_columns)
    rows = (_row_html(entry, axis, ruler, ranges, figures, assumed, shown_columns) for entry in entries)
    return mark_safe("".join(rows))  # noqa: S308


def _halves_html(shown_columns: frozenset[str], entry: dict[str, Any]) -> str:
    halves = (("GiB/s", "bandwidth_gib_per_s"), ("kIOPS", "rate_kiops"))
    return "".join(
        FIGURE.format(unit, numbers.format_decimal(entry[name]) or numbers.MISSING)
        for unit, name in halves
        if name in shown_columns
    )


def _parameters_html(columns: Sequence[dict[str, str]], entry: dict[str, Any]) -> str:
    of_run = entry["result__parameters"]
    cells = [(column["title"], column.get("unit", ""), of_run.get(column["parameter"])) for column in columns]
    return "".join(
        FIGURE.format(escape(f"{title} {unit}".strip()), _format_value(value)) for title, unit, value in cells
    )


def _format_value(value: Any) -> str:
    if value is None:
        return numbers.MISSING
    return escape(numbers.format_decimal(value) if isinstance(value, float) else str(value)[:PARAMETER_LIMIT])


def _row_html(
    entry: dict[str, Any],
    axis: scales.LogAxis | None,
    ruler: str,
    ranges: bool,
    figures: Callable[[dict[str, Any]], str],
    assumed: AssumedRanks | None,
    shown_columns: frozenset[str],
) -> str:
    return ROW.format(
        rank=entry["rank"],
        range=RANGE.format(numbers.format_rank_range(entry["low"], entry["high"])) if ranges else "",
        assumed=ASSUMED.format(_assumed_text(entry, assumed)) if assumed and assumed.ranges else "",
        tick="" if entry[ERASED_AT] else TICK.format(id=escape(entry["result__public_id"])),
        name=_name_html(entry),
        marks=_marks_html(entry),
        institution=_text_cell(INSTITUTION, entry, "institution", shown_columns),
        filesystem=_text_cell(FILESYSTEM, entry, "filesystem_type", shown_columns),
        clients=CLIENTS.format(_clients_html(entry)) if "client_nodes" in shown_columns else "",
        score=numbers.format_decimal(entry["score"]),
        dot=DOT.format(ruler=ruler, x=axis.at(entry["score"])) if axis and entry["score"] > 0 else "",
        figures=figures(entry),
        entered=ENTERED.format(escape(entry["result__release__name"])) if "entered" in shown_columns else "",
    )


def _text_cell(cell: str, entry: dict[str, Any], name: str, shown_columns: frozenset[str]) -> str:
    return cell.format(escape(entry[name]) or numbers.MISSING) if name in shown_columns else ""


def _assumed_text(entry: dict[str, Any], assumed: AssumedRanks) -> str:
    low, high = assumed.of_result(entry["result__public_id"])
    return numbers.MISSING if low is None or high is None else numbers.format_rank_range(low, high)


def _clients_html(entry: dict[str, Any]) -> str:
    """Client nodes as the list has them; where it has none, marked, as the result has them today."""
    if entry["client_nodes"] is None and entry["result__client_nodes"] is not None:
        return f"{numbers.format_int(entry['result__client_nodes'])}{ARCHIVED}"
    return numbers.format_int(entry["client_nodes"]) or numbers.MISSING


def _name_html(entry: dict[str, Any]) -> str:
    if entry[ERASED_AT]:
        return ERASED.format(day=f"{entry[ERASED_AT]:%Y-%m-%d}")
    pattern = NAMED if entry["system_name"] else UNNAMED
    system = escape(entry["system_name"]).replace("_", "_<wbr>")  # names of MLPerf Storage have 60 characters, no space
    return pattern.format(id=escape(entry["result__public_id"]), system=system)


def _marks_html(entry: dict[str, Any]) -> str:
    marks = ' <span class="tag">new</span>' if entry["new"] else ""
    for words in mark_titles(entry["reproduced"]):
        marks += f' <a class="tag" href="/results/{escape(entry["result__public_id"])}/{MARK_LINK}{words}</a>'
    if entry["result__withdrawn_at"] is not None and not entry[ERASED_AT]:
        marks += ' <span class="tag">withdrawn since</span>'
    if caveat := count_caveat(entry["ranked_list__trust"], entry["result__rules_violated"]):
        marks += f' <span class="tag no">{caveat}</span>'
    return f"{marks} <small>{escape(entry['note'])}</small>" if entry["note"] else marks
