"""The page of all results of a benchmark as one ratio bar each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlencode

from django.db.models import TextField
from django.db.models.fields.json import KeyTextTransform
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render

from registry.comparison import group_variation
from registry.errors import Problem
from registry.models import Fact, Result
from registry.presentation import words as presentation_words
from registry.query.facts import gaps
from registry.query.facts.axes import find_axis
from registry.query.facts.divisors import PER, UNDIVIDED, scales_with_system
from registry.query.public_record import Row
from registry.query.questions import facets, filters, missing_facts, moving_facts, unknown_values
from registry.query.questions.study_query import COLUMN_METRICS
from registry.query.responses import trust_levels
from registry.query.row_sources import PUBLIC, RowSource
from registry.results.explore import ratios, view_words
from registry.results.explore.ratios import Bar, View
from registry.results.explore.readings import MOST_READ, MetricCount, forbidden_reasons, metrics_of_tool, read_values
from registry.results.explore.selection import BEST, FEW_ROWS, MEDIAN, MOST_ROWS, TOGGLES, Selection, parse_selection
from registry.results.explore.view_words import NumberWords
from registry.web.caching import cached_value, public_page
from registry.web.filter_fields import tidy_address
from registry.web.tray import NAME as KEPT
from registry.web.tray import kept_ids
from validators import catalogue, quantities
from validators.quantities import canonical_name

BAR_WIDTH = 400
TOGGLES_SHOWN = 12
MISSING_SHOWN = 20
BASELINES_OFFERED = 20
USUAL_TOOL = "io500"
TITLES = {"filesystem_type": "File system", "trust": "Trust level", "release": "Release"}


@public_page
@tidy_address
def explore_page(request: HttpRequest) -> HttpResponse:
    """One number of all results of a benchmark. What is refused stands above the form, which stays."""
    return show_exploration(request)


def show_exploration(request: HttpRequest, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of all results of a benchmark, asked of a source. What is kept of it is of the record alone."""
    version = facets.record_version() if source.is_public else ""
    benchmarks = (
        cached_value(f"explore-benchmarks-1:{version}", facets.list_benchmarks)
        if source.is_public
        else facets.list_benchmarks(source)
    )
    context: dict[str, Any] = {"section": "results", "benchmarks": benchmarks, "tray_ids": kept_ids(request.GET)}
    try:
        selection, problem = parse_selection(request.GET, source), None
    except Problem as refused:
        selection, problem = Selection(), refused
    tool = selection.tool or _usual_tool([name for name, _ in benchmarks])
    if not tool:
        return render(request, "results/explore/explore.html", context | {"problem": problem})
    metrics = (
        cached_value(f"explore-metrics-1:{version}:{tool}", lambda: metrics_of_tool(tool))
        if source.is_public
        else metrics_of_tool(tool, source)
    )
    context |= {"tool": tool, "tool_name": catalogue.tool_name(tool)}
    chosen = _find_metric(metrics, selection.metric)
    context["unknown_metric"] = selection.metric if selection.metric and not chosen else ""
    offered = _in_order(metrics, tool)
    chosen = chosen or (offered[0] if offered else None)
    if chosen is None:
        return render(
            request, "results/explore/explore.html", context | {"problem": problem}, status=_status_of(problem)
        )
    try:
        context |= _view_context(request.GET, selection, tool, chosen)
    except Problem as refused:
        problem = problem or refused
    context |= {"problem": problem, "metrics": _metric_choices(offered, tool), "metric": str(chosen.metric)}
    return render(request, "results/explore/explore.html", context, status=_status_of(problem))


def _status_of(problem: Problem | None) -> int:
    return problem.status if problem else 200


def _usual_tool(tools: Sequence[str]) -> str:
    return USUAL_TOOL if USUAL_TOOL in tools else tools[0] if tools else ""


def _find_metric(metrics: Iterable[MetricCount], text: str) -> MetricCount | None:
    """The metric of that name; of one without a statistic the one that most results have."""
    named = [row for row in metrics if str(row.metric) == text or str(row.metric).startswith(f"{text}.")]
    return max(named, key=lambda row: (str(row.metric) == text, row.results), default=None) if text else None


def _in_order(metrics: Iterable[MetricCount], tool: str) -> list[MetricCount]:
    """Scores, then rates, then times and shares, each in the order of the descriptor."""
    patterns = [row["op"] for row in catalogue.descriptor(tool).get("operations", ())]

    def sort_key(row: MetricCount) -> tuple[bool, bool, int, int, str]:
        if row.metric.op in COLUMN_METRICS:
            return (False, False, list(COLUMN_METRICS).index(row.metric.op), 0, "")
        place = next((i for i, text in enumerate(patterns) if fnmatchcase(row.metric.op, text)), len(patterns))
        return (bool(row.metric.quantity), row.unit in UNDIVIDED, place, -row.results, str(row.metric))

    return sorted(metrics, key=sort_key)


def _metric_title(row: MetricCount, tool: str) -> str:
    named = row.metric._asdict() | {"tool": tool, "unit": row.unit}
    if row.metric.stat == "phase":
        named["stat"] = ""
    return presentation_words.capitalize_sentence(presentation_words.number_named(named))


def _metric_choices(metrics: Sequence[MetricCount], tool: str) -> list[Row]:
    """Groups of options, each {"title", "options": [(name, words)]}."""
    groups: dict[str, list[tuple[str, str]]] = {"Scores and rates": [], "Times and shares": []}
    for row in metrics:
        group = "Times and shares" if row.unit in UNDIVIDED else "Scores and rates"
        groups[group].append((str(row.metric), f"{_metric_title(row, tool)} ({row.results:,})"))
    return [{"title": title, "options": options} for title, options in groups.items() if options]


def _view_context(query: QueryDict, selection: Selection, tool: str, chosen: MetricCount) -> Row:
    """All that the page shows of a view. Raises what filters raise."""
    tray_ids = kept_ids(query)
    divided = scales_with_system(chosen.unit, chosen.metric.stat)
    per = selection.per if divided else ""
    selected = Selection(
        *(tool, str(chosen.metric), per, selection.base, selection.kind, selection.toggles, selection.narrowing),
        *(selection.latest, selection.only, selection.rows, selection.source),
    )
    readings, is_cut = read_values(selected, chosen.metric)
    reasons = forbidden_reasons({reading.pk for reading in readings if reading.value is not None}, chosen.metric)
    lower = quantities.lower_is_better(chosen.metric.quantity, chosen.unit)
    view = ratios.build_view(
        readings, selected, tray_ids=tray_ids, forbidden=reasons, divide=bool(per), lower_is_better=lower
    )
    drawn = view.bars[: selected.rows]
    source = selection.source
    names = _read_names(source, [bar.reading.result for bar in drawn] + [row.result for row in _missing_readings(view)])
    unit = _shown_unit(view)
    number = NumberWords(
        _metric_title(chosen, tool), unit, view_words.PER_WORDS.get(per, f"per {per}") if per else "", lower
    )
    address = _Address(selected, tray_ids)
    return {
        "selection": selected,
        "number": number,
        "has_unit": number.full_unit != view_words.NO_UNIT,
        "view": view,
        "rows": _table_rows(drawn, names, number, view),
        "lead": view_words.lead_sentence(view, _first_titles(drawn, names), number),
        "sentences": _more_sentences(view, drawn, chosen, selected),
        "kinds": [(kind or ratios.STANDARD, view_words.kind_word(kind), count) for kind, count in view.kinds],
        "kind": view.kind or ratios.STANDARD,
        "pers": [(name, words) for name, words in view_words.PER_WORDS.items()] if divided else [],
        "undivided": bool(selection.per and not divided),
        "other_per": per if per not in view_words.PER_WORDS else "",
        "toggles": [_toggle_rows(name, view, selected, address) for name in TOGGLES],
        "ticked": sum(map(len, selected.toggles.values())) + selected.latest + selected.only,
        "narrowing": [
            (name, filters.LABELS.get(name, name.removeprefix(filters.PARAMETER)), value)
            for name, values in selected.narrowing.lists()
            for value in values
            if name not in ("client_nodes__gte", "client_nodes__lte")
        ],
        "clients": {end: selected.narrowing.get(f"client_nodes__{end}", "") for end in ("gte", "lte")},
        "baselines": _offer_baselines(view, names, selected),
        "not_drawn": view_words.reason_sentences(view, find_axis(PER[per]).title if per else ""),
        "missing": _missing_rows(view, names, reasons, selected),
        "missing_facts": missing_facts.count_missing(selected.narrowing, source=source).list_rows(),
        "unknown_values": []
        if readings
        else unknown_values.explain_empty(_as_results_query(selected), empty=True, source=source),
        "cut": MOST_READ if is_cut else 0,
        "row_count": len(drawn),
        "more": address.with_rows(MOST_ROWS if selected.rows > FEW_ROWS else 100)
        if len(view.bars) > len(drawn) and selected.rows < MOST_ROWS
        else "",
        "beyond": len(view.bars) - len(drawn),
        "most_rows": MOST_ROWS,
        "fewest": FEW_ROWS,
        "address": address.full_query,
        "api": f"/api/v1/study/?{address.study_query(chosen, per)}",
        "table": f"/results/?{address.table_query}",
        "hidden_kept": [public_id for public_id in tray_ids if public_id not in {bar.reading.result for bar in drawn}],
    }


def _first_titles(drawn: Sequence[Bar], names: Mapping[str, Row]) -> list[str]:
    """What the first two bars are called; with their ids where that is the same."""
    ids = [bar.reading.result for bar in drawn[:2]]
    titles = [view_words.title_of(names[public_id]) for public_id in ids]
    if len(set(titles)) < len(titles):
        titles = [f"{title} ({public_id})" for title, public_id in zip(titles, ids, strict=True)]
    return titles


class _Address:
    """The view as addresses: of this page, of the table of results, and of the API."""

    def __init__(self, selected: Selection, tray_ids: Sequence[str]) -> None:
        defaults = {"per": "", "base": BEST, "kind": "", "latest": False, "only": False, "rows": FEW_ROWS}
        own: dict[str, Any] = {"tool": selected.tool, "metric": selected.metric}
        own |= {name: int(getattr(selected, name)) if name in ("latest", "only", "rows") else getattr(selected, name)
                for name, usual in defaults.items() if getattr(selected, name) != usual}  # fmt: skip
        self._own, self._toggles = own, selected.toggles
        self._narrowing, self._kept = dict(selected.narrowing.lists()), list(tray_ids)

    def _encode_parts(self, *parts: Mapping[str, Any]) -> str:
        return urlencode({name: value for part in parts for name, value in part.items()}, doseq=True, safe="/:,")

    @property
    def full_query(self) -> str:
        return self._encode_parts(self._own, self._toggles, self._narrowing, {KEPT: self._kept})

    def with_rows(self, rows: int) -> str:
        return "?" + self._encode_parts(self._own | {"rows": rows}, self._toggles, self._narrowing, {KEPT: self._kept})

    def with_toggle(self, name: str, values: Sequence[str]) -> str:
        """The view with these values of one toggle; none: all."""
        toggles = {**self._toggles, name: list(values)}
        return "?" + self._encode_parts(self._own, toggles, self._narrowing, {KEPT: self._kept})

    @property
    def table_query(self) -> str:
        return self._encode_parts({"tool": self._own["tool"]}, self._toggles, self._narrowing, {KEPT: self._kept})

    def study_query(self, chosen: MetricCount, per: str) -> str:
        """The same numbers by the API: a study with one place for each result."""
        own = {"metric": str(chosen.metric), "x": "result", "tool": self._own["tool"]} | ({"per": per} if per else {})
        return self._encode_parts(own, self._toggles, self._narrowing)


def _as_results_query(selected: Selection) -> QueryDict:
    query = filters.as_query({"tool": [selected.tool], **selected.toggles})
    filters.put_values(query, dict(selected.narrowing.lists()))
    return query


def _shown_unit(view: View) -> str:
    """The unit that fits the largest value drawn; "" of a score."""
    rows = [{"value": bar.value, "printed_unit": bar.reading.printed_unit} for bar in view.bars]
    return presentation_words.best_unit(rows, view.unit) if rows and view.unit else ""


def _read_names(source: RowSource, public_ids: Sequence[str]) -> dict[str, Row]:
    """By public id `name`, `institution`, `release` and `label` of results. One query."""
    results = source.table_rows(Result).order_by().filter(public_id__in=public_ids)
    label = KeyTextTransform("label", "snapshot", output_field=TextField())
    rows = results.annotate(label=label).values_list(
        "public_id", "system_name", "institution", "release__name", "label"
    )
    return {
        public_id: {
            "name": system or institution or public_id,
            "institution": institution if system else "",
            "release": release or "",
            "label": label or "",
        }
        for public_id, system, institution, release, label in rows
    }


def _table_rows(drawn: Sequence[Bar], names: Mapping[str, Row], number: NumberWords, view: View) -> list[Row]:
    """Rows of the table; `twin` says of one that another result is called the same, so that its id stands beside."""
    ids = {bar.reading.result for bar in drawn}
    titles = Counter(view_words.title_of(names[public_id]) for public_id in ids)
    return [
        _row_words(bar, names, number, view) | {"twin": titles[view_words.title_of(names[bar.reading.result])] > 1}
        for bar in drawn
    ]


def _row_words(bar: Bar, names: Mapping[str, Row], number: NumberWords, view: View) -> Row:
    reading = bar.reading
    longest = max(abs(view.base or 0.0), max(other.value for other in view.bars)) or 1.0
    scale = BAR_WIDTH / longest
    context = {name: value for name, value in reading.context.items() if name != "qualifier"}
    return names[reading.result] | {
        "id": reading.result,
        "ratio": f"{bar.ratio:,.3f}" if bar.ratio is not None else "",
        "value": " ".join(filter(None, [reading.source_qualifier, number.write_value(bar.value)])),
        "bar": round(bar.value * scale, 1),
        "track": round((view.base or 0.0) * scale, 1),
        "family": reading.family,
        "trust": reading.trust,
        "trust_label": trust_levels.join_caveat(
            reading.trust, trust_levels.count_caveat(reading.trust, reading.rules_violated)
        ),
        "conditions": presentation_words.describe_context(context),
        "is_base": view.base is not None and bar.value == view.base,
    }


def _more_sentences(view: View, drawn: Sequence[Bar], chosen: MetricCount, selected: Selection) -> list[str]:
    """The sentences after the first one. One query, for what varies among the bars that are drawn."""
    varies, unknown = _read_variation(drawn, chosen, selected)
    sentences = [
        view_words.count_sentence(view),
        view_words.trust_sentence(view),
        view_words.variation_sentence(varies, unknown),
        view_words.repeat_sentence(view),
    ]
    return [text for text in sentences if text] if view.bars else sentences[:1]


def _read_variation(drawn: Sequence[Bar], chosen: MetricCount, selected: Selection) -> tuple[list[Row], list[Row]]:
    named = chosen.metric._asdict() | {"printed_unit": drawn[0].reading.printed_unit if drawn else ""}
    canonical = canonical_name(selected.tool, named) if chosen.metric.quantity else chosen.metric.op
    used = {"system", "institution", *([PER[selected.per]] if selected.per else [])}
    names = group_variation.facts_beside([moving_facts.kind_of_number(canonical)], [selected.tool], used)
    facts: dict[int, dict[str, str]] = {bar.reading.pk: {} for bar in drawn}
    matching = selected.source.table_rows(Fact).order_by().filter(result__in=facts, name__in=names)
    for pk, name, text in matching.values_list("result", "name", "text"):
        facts[pk][name] = text
    return group_variation.describe_variation(list(facts.values()), names)


def _toggle_rows(name: str, view: View, selected: Selection, address: _Address) -> Row:
    """The values of one toggle: those shown at once, and `more` behind a press; what is ticked is always shown.

    A row has the value, its words, how many results have it, and whether it is ticked.
    """
    names = view.release_names if name == "release" else {}
    ticked = {value.casefold() for value in selected.toggles.get(name, ())}
    known_values = {value.casefold() for value, _ in view.counts[name]}
    rows = [(value, names.get(value, value), count, value.casefold() in ticked) for value, count in view.counts[name]]
    rows += [
        (value, value, 0, True) for value in selected.toggles.get(name, ()) if value.casefold() not in known_values
    ]
    first = [row for place, row in enumerate(rows) if place < TOGGLES_SHOWN or row[3]]
    return {
        "name": name,
        "title": TITLES[name],
        "is_offered": any(count or is_ticked for *_, count, is_ticked in rows),
        "rows": first,
        "more": [row for row in rows if row not in first],
        "all": address.with_toggle(name, []) if ticked else "",
    }


def _offer_baselines(view: View, names: Mapping[str, Row], selected: Selection) -> list[tuple[str, str]]:
    """What ratios may be taken to: the better end, the median, and the first results."""
    ids = list(dict.fromkeys(bar.reading.result for bar in view.bars))[:BASELINES_OFFERED]
    offered = [(BEST, "best shown"), (MEDIAN, "median shown")]
    offered += [(id, view_words.title_of(names[id])) for id in ids if id in names]
    if selected.base not in [value for value, _ in offered]:
        offered.append((selected.base, selected.base))
    return offered


def _missing_readings(view: View) -> list[Any]:
    return [row for reason in ratios.MISSING for row in view.left_out.get(reason, [])[:MISSING_SHOWN]]


def _missing_rows(
    view: View, names: Mapping[str, Row], forbidden: Mapping[str, Sequence[str]], selected: Selection
) -> list[Row]:
    """Results that the view asks for and cannot draw, each with its reason. One query where a divisor lacks."""
    lacking = view.left_out.get(ratios.NO_DIVISOR, [])[:MISSING_SHOWN]
    axis = find_axis(PER[selected.per]).name if selected.per else ""
    codes = gaps.reasons_by_result([row.result for row in lacking], axis, selected.source) if lacking else {}
    rows = []
    for reason in ratios.MISSING:
        for reading in view.left_out.get(reason, [])[:MISSING_SHOWN]:
            words = view_words.REASONS[reason]
            text = {
                ratios.NO_NUMBER: "It has no such number.",
                ratios.NO_DIVISOR: gaps.reason_text(codes[reading.result], axis) if reading.result in codes else "",
                ratios.BOUND: f"Its source says only {reading.source_qualifier} {reading.value:g}."
                if reading.value
                else "",
                ratios.FORBIDDEN: " ".join(forbidden.get(reading.result, [])),
            }.get(reason, words)
            rows.append(names.get(reading.result, {"name": reading.result}) | {"id": reading.result, "why": text})
    return rows
