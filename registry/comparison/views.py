"""Results side by side: their numbers with ratios to the first, and what else differed."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from registry.comparison import choice, load
from registry.comparison.answer import LETTERS, PHASE_STATISTICS, condition_texts, write_answer
from registry.comparison.ratio_chart import AssumedInterval, Ratio, draw_profiles
from registry.comparison.spreads import NO_MEAN
from registry.comparison.uncertainty import ASSUMED, REPEATS, Interval, is_tie
from registry.errors import Problem
from registry.presentation import numbers as presentation_numbers
from registry.presentation import words as presentation_words
from registry.presentation.system_description import what_differed
from registry.query import demonstration, public_record
from registry.query.differences.alike import Likeness
from registry.query.public_record import Row
from registry.query.questions import id_lists, study_query
from registry.query.row_sources import PUBLIC, RowSource
from registry.query.values import qualified_values
from registry.web.caching import public_page
from validators.distributions import is_repeat
from validators.quantities import label_statistic
from validators.units import from_canonical

SHOWN_UNITS = {"B/s": "GiB/s", "ops/s": "kIOPS", "s": "s", "": ""}
ROWS_SHOWN = 200
MOST_PROFILES = 4
LETTERS_OF_IDS = 2000
"""What the form takes: twenty ids of any length, and no more than an address may have."""


@public_page
def comparison_page(request: HttpRequest) -> HttpResponse:
    """Two to twenty results. With fewer, or with what can't be compared, the page helps to choose them.

    `pick` finds results by words; `with` leads from one result to a partner of choice.PARTNERS.
    """
    return show_comparison(request)


def show_comparison(request: HttpRequest, source: RowSource = PUBLIC) -> HttpResponse:
    """The page of a comparison, asked of a source."""
    ids_text = ",".join(filter(None, request.GET.getlist("results")))
    offered = {
        "section": "compare",
        "pers": presentation_words.divisor_choices(),
        "ids_text": ids_text,
        "most_letters": LETTERS_OF_IDS,
    }
    try:
        ids = id_lists.several_ids(request.GET, "results")
        per = study_query.parse_divisor(request.GET)
        offered |= _choice_context(request.GET.get("pick", "").strip(), ids, per, source)
        if not ids:
            examples = choice.example_pair() if source is PUBLIC else []
            return render(request, "comparison/compare.html", offered | {"examples": examples})
        if len(ids) == 1 and not demonstration.are_demonstrations(ids):
            return _one_result(request, ids[0], offered, source)
        ids, assume = id_lists.compared_ids(request.GET), study_query.parse_assumption(request.GET)
        comparison = load.comparison_document(ids, per, assume, source)
    except Problem as problem:
        return render(request, "comparison/compare.html", offered | {"problem": problem}, status=problem.status)
    headings = [
        heading | {"letter": letter}
        for letter, heading in zip(LETTERS, with_titles(comparison["results"]), strict=False)
    ]
    rows = _main_rows(comparison["measurements"])
    figures = [(_phase_row if row["stat"] in PHASE_STATISTICS else _figure_row)(row, per) for row in rows[:ROWS_SHOWN]]
    titles = [heading["title"] for heading in headings]
    matches = _match_rows(ids, titles, comparison["matched"])
    context = offered | {
        "title": _page_title(headings),
        "chosen": choice.chosen_rows(ids, titles),
        "ids_text": ",".join(ids),
        "per": per,
        "address": f"/api/v1/compare/?{_comparison_query(ids, per, assume)}",
        "swapped": f"?{_comparison_query(ids[::-1], per, assume)}",
        "assume": assume,
        "assumption": f"?{_comparison_query(ids, per, '' if assume else study_query.PRIOR)}",
        "assumptions": comparison["assumptions"],
        "headings": headings,
        "notice": demonstration.NOTICE if demonstration.are_demonstrations(ids) else "",
        "divisors": _divisor_rows(comparison),
        "answer": write_answer(headings, comparison, rows, per),
        "notes": comparison["notes"],
        "comparable": comparison["comparable"],
        "matches": matches if len(ids) > 2 else [],
        "keys": _lead_keys(rows, per, comparison["matched"][1]) if comparison["comparable"] and len(ids) == 2 else [],
        "figures": figures,
        "groups": _group_figures(figures),
        "more": len(rows) - len(figures),
        "profiles": _profile_rows(headings, rows),
        "ranged": any(interval for row in rows[:ROWS_SHOWN] for interval in row["intervals"]),
        "bases": [
            basis for basis in (REPEATS, ASSUMED) if any(basis in row["interval_basis"] for row in rows[:ROWS_SHOWN])
        ],
        "unrepeated": any(map(_is_unrepeated, rows[:ROWS_SHOWN])),
        "rounded": any(cell["rounding"] for row in figures for cell in (row["first"], *row["others"])),
        "system": what_differed(comparison["configuration"], titles),
        "equal": comparison["equal"] + comparison["system"]["equal"],
        "undescribed": [
            public_id
            for public_id, is_described in zip(ids, comparison["system"]["described"], strict=True)
            if not is_described
        ],
    }
    context["is_pair"] = len(ids) == 2
    context["is_split"] = context["is_pair"] and all(row["stat"] in PHASE_STATISTICS for row in rows)
    context["columns"] = _count_columns(len(ids), comparable=comparison["comparable"], ranged=bool(context["ranged"]))
    return render(request, "comparison/compare.html", context)


def _count_columns(results: int, *, comparable: bool, ranged: bool) -> int:
    """Of the table: operation and the first number; of each other its number, and its ratio with a range."""
    return 2 + (results - 1) * (1 + comparable * (1 + ranged))


def _page_title(headings: Sequence[Row]) -> str:
    """What is compared: a pair by its titles, the system only once where both have it; of more, how many."""
    if len(headings) != 2:
        return f"{len(headings)} results side by side"
    first, second = (heading["title"] for heading in headings)
    shared_start = f"{headings[0]['system']}, "
    if headings[0]["system"] and first.startswith(shared_start):
        second = second.removeprefix(shared_start)
    return f"{first} and {second}"


def _group_figures(figures: Sequence[Row]) -> list[Row]:
    """Rates and scores before times, as a large ratio of a time is no gain; last what each repeat of a run measured."""
    summaries = [row for row in figures if not row["is_repeat"]]
    groups = [
        {"title": "Scores and rates", "rows": [row for row in summaries if not row["is_time"]]},
        {"title": "Times: less is faster", "rows": [row for row in summaries if row["is_time"]]},
        {"title": "Each repeat", "rows": [row for row in figures if row["is_repeat"]]},
    ]
    return [group for group in groups if group["rows"]]


def _choice_context(pick: str, ids: Sequence[str], per: str, source: RowSource) -> Row:
    """What the form for choosing has: the words looked for and what they find. One query at most."""
    room = choice.room_left(ids)
    picks = choice.find_by_words(pick, ids, source) if pick and room else []
    return {
        "pick": pick,
        "picks": picks,
        "group": ",".join([*ids, *(row["id"] for row in picks)]) if 1 < len(picks) <= room else "",
        "room": room,
        "per": per,
        "most_picked": choice.MOST_PICKED,
        "public": source is PUBLIC,
    }


def _one_result(request: HttpRequest, public_id: str, offered: Row, source: RowSource) -> HttpResponse:
    """The page with one result and what to compare it with, or the way to its partner. Raises NotOnRecord."""
    partner_name, result = request.GET.get("with", ""), public_record.find_result(public_id, source)
    partner = choice.find_partner(result, partner_name, source) if partner_name in choice.PARTNERS else None
    if partner is not None:
        return redirect(f"{request.path}?{urlencode({'results': f'{public_id},{partner.public_id}'}, safe=',')}")
    title = result.system_name or result.institution or public_id
    context = offered | {
        "chosen": choice.chosen_rows([public_id], [title]),
        "partners": choice.suggest_partners(public_id, source),
        "without_partner": choice.PARTNERS.get(partner_name, ""),
    }
    return render(request, "comparison/compare.html", context)


def _match_rows(ids: Sequence[str], titles: Sequence[str], matched: Sequence[Row | None]) -> list[Row]:
    """For each other result whether it ran like the first one, and what differs or is not known."""
    return [
        {"id": public_id, "title": title, "alike": match["outcome"] == Likeness.ALIKE}
        | {part: condition_texts(match[part]) for part in ("differs", "unknown")}
        for public_id, title, match in zip(ids, titles, matched, strict=True)
        if match
    ]


def with_titles(headings: Sequence[Row]) -> list[Row]:
    """Results with the `title` of their columns: the system, the release or label where they differ, else the id.

    A column without a system has the institution, or its id.
    """
    names = [heading["system"] or heading["institution"] or heading["id"] for heading in headings]
    for field in ("release_name", "label", "id"):
        if len(set(names)) == len(names):
            break
        if len({heading[field] for heading in headings}) > 1:
            names = [
                f"{name}, {heading[field]}" if heading[field] else name
                for name, heading in zip(names, headings, strict=True)
            ]
    return [heading | {"title": name} for heading, name in zip(headings, names, strict=True)]


def _main_rows(measurements: Sequence[Row]) -> list[Row]:
    """Scores and phases; of a tool without phases everything, each repeat after what was made of them."""
    phases = [row for row in measurements if row["stat"] in PHASE_STATISTICS and row["unit"] in SHOWN_UNITS]
    if any(row["stat"] for row in phases):
        return phases
    return sorted(measurements, key=lambda row: is_repeat(row["context"], row["stat"]))


def _comparison_query(ids: Sequence[str], per: str, assume: str = "") -> str:
    chosen = {name: value for name, value in {"per": per, "assume": assume}.items() if value}
    return urlencode({"results": ",".join(ids)} | chosen, safe=",")


def _divisor_rows(comparison: Row) -> list[Row]:
    """How many each result had of what numbers are divided by, and what says so."""
    if not comparison["per"]:
        return []
    return [
        {
            "id": heading["id"],
            "value": presentation_numbers.MISSING
            if divisor["value"] is None
            else presentation_numbers.format_printed(divisor["value"]),
            "source": divisor["source"],
        }
        for heading, divisor in zip(comparison["results"], comparison["per"]["divisors"], strict=True)
    ]


def _score_row(row: Row, per: str) -> Row:
    """A score as it leads the page: the ratio in large, both numbers below."""
    name, unit, values = presentation_words.label_phase(row["op"]), SHOWN_UNITS[row["unit"]], row["values"]
    numbers = [
        presentation_numbers.format_significant(from_canonical(value, unit) if unit else value, 4)
        for value in values
        if value is not None
    ]
    ratio = row["ratios"][1]
    return {
        "name": f"{presentation_words.capitalize_sentence(name)} {_divisor_text(row, per)}".strip(),
        "ratio": f"\N{MULTIPLICATION SIGN} {presentation_numbers.format_times(ratio)}"
        if ratio is not None
        else presentation_numbers.MISSING,
        "numbers": f"{' → '.join(numbers)} {unit}".strip() if len(numbers) == 2 else "not known of both",
        "tie": _is_tie(row["intervals"][1], row["interval_basis"][1]),
        "unrepeated": ratio is not None and row["interval_basis"][1] != REPEATS,
    }


def _lead_keys(rows: Sequence[Row], per: str, match: Row | None) -> list[Row]:
    """The scores of a pair; where its numbers of client nodes differ those too, and the bandwidth per client node."""
    scores = [row for row in rows if not row["stat"]]
    keys = [_score_row(row, per) for row in scores]
    counts = next((fact["values"] for fact in (match or {}).get("differs", ()) if fact["name"] == "client_nodes"), ())
    bandwidth = next((row for row in scores if row["unit"] == "B/s" and row["ratios"][1] is not None), None)
    if per or bandwidth is None or not counts or not all(counts):
        return keys
    first, second = (int(count) for count in counts)
    nodes = {
        "name": "Client nodes",
        "ratio": f"\N{MULTIPLICATION SIGN} {presentation_numbers.format_times(second / first)}",
        "numbers": f"{presentation_numbers.format_int(first)} → {presentation_numbers.format_int(second)}",
    }
    shares = [value / count for value, count in zip(bandwidth["values"], (first, second), strict=True)]
    divided = bandwidth | {"values": shares, "ratios": [None, shares[1] / shares[0]], "divided": True}
    return [*keys, nodes, _score_row(divided, "client_node")]


def _divisor_text(row: Row, per: str) -> str:
    return f"per {per.replace('_', ' ')}" if row["divided"] else ""


def _phase_row(row: Row, per: str) -> Row:
    unit = SHOWN_UNITS[row["unit"]]
    texts = [
        presentation_numbers.MISSING
        if value is None
        else (
            presentation_numbers.format_significant(number, 4)
            if row["divided"]
            else presentation_numbers.format_decimal(number)
        )
        for value in row["values"]
        for number in (from_canonical(value, unit) if unit and value is not None else value,)
    ]
    return _format_row(
        presentation_words.label_phase(row["op"]),
        presentation_words.label_quantity(row) if row["quantity"] else "",
        f"{unit or 'no unit'} {_divisor_text(row, per)}",
        texts,
        row,
        unit,
    )


def _figure_row(row: Row, per: str) -> Row:
    """A row of a tool without phases: its unit fits the largest value, and what tells it from others is written out."""
    value_units = zip(row["values"], row["printed_units"], strict=True)
    known_values = [
        {"value": value, "printed_unit": printed_unit} for value, printed_unit in value_units if value is not None
    ]
    unit = presentation_words.best_unit(known_values, row["unit"])
    texts = [
        presentation_numbers.MISSING if value is None else presentation_words.format_in_unit(value, unit)
        for value in row["values"]
    ]
    words = (
        presentation_words.label_quantity(row),
        "" if is_repeat(row["context"], row["stat"]) else label_statistic(row["stat"]),
        presentation_words.describe_context(row["context"]),
    )
    name = presentation_words.label_phase(row["op"])
    return _format_row(name, " ".join(filter(None, words)), f"{unit} {_divisor_text(row, per)}", texts, row, unit)


def _format_rounding(rounding: tuple[float | None, float | None], unit: str, text: str) -> str:
    """Half of what printed digits leave open, in a unit; empty where that is not known, or less than `text` shows."""
    low, high = rounding
    if low is None or high is None:
        return ""
    half = from_canonical((high - low) / 2, unit) if unit else (high - low) / 2
    shown_places = len(text.partition(".")[2])
    if half < 0.4 * 10.0**-shown_places:
        return ""
    return f"\N{PLUS-MINUS SIGN}{presentation_numbers.format_significant(half)}"


def _format_row(name: str, quantity: str, unit: str, texts: Sequence[str], row: Row, shown_unit: str) -> Row:
    """A row of the table; the first result has no ratio, a number that means something else a dash for one."""
    roundings = zip(row["rounding_low"], row["rounding_high"], strict=True)
    cells = [
        {
            "value": qualified_values.in_words(qualifier, text),
            "rounding": _format_rounding(rounding, shown_unit, text),
            "ratio": _format_times(ratio, bound, differs),
            "range": presentation_numbers.EN_DASH.join(map(presentation_numbers.format_significant, interval[:2]))
            if interval
            else "",
            "tie": _is_tie(interval, basis),
            "assumed": basis == ASSUMED,
            "unrepeated": ratio is not None and interval is None and row["stat"] not in NO_MEAN,
        }
        for text, rounding, qualifier, ratio, bound, interval, basis, differs in zip(
            texts,
            roundings,
            row["qualifiers"],
            row["ratios"],
            row["ratio_qualifiers"],
            row["intervals"],
            row["interval_basis"],
            row["differs"],
            strict=True,
        )
    ]
    return {
        "name": name,
        "quantity": quantity,
        "unit": unit.strip(),
        "is_time": row["unit"] == "s",
        "is_repeat": is_repeat(row["context"], row["stat"]),
        "first": cells[0],
        "others": cells[1:],
    }


def _format_times(ratio: float | None, bound: str, differs: str) -> str:
    if ratio is not None:
        return qualified_values.in_words(bound, presentation_numbers.format_times(ratio, 3))
    return "not known" if bound else presentation_numbers.MISSING if differs else ""


def _is_unrepeated(row: Row) -> bool:
    """Whether some ratio of a row has no interval, so that nobody can tell whether it is more than chance."""
    beside_the_first = zip(row["ratios"][1:], row["intervals"][1:], strict=True)
    unknown = any(ratio is not None and interval is None for ratio, interval in beside_the_first)
    return unknown and row["stat"] not in NO_MEAN


def _is_tie(interval: Sequence[float] | None, basis: str | None) -> bool:
    """Whether repeats can't tell two numbers apart; what is assumed says nothing of these two."""
    return interval is not None and basis == REPEATS and is_tie((interval[0], interval[1]))


def _profile_rows(headings: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """A picture of the ratios of each of the first results, all on one axis."""
    columns = [_chart_ratios(rows, place) for place in range(1, len(headings))][:MOST_PROFILES]
    drawn = draw_profiles(columns)
    return [
        {
            "heading": heading,
            "pictures": pictures,
            "ranged": any(interval and not isinstance(interval, AssumedInterval) for _, _, interval in column),
            "assumed": any(isinstance(interval, AssumedInterval) for _, _, interval in column),
            "unrepeated": any(interval is None for _, _, interval in column),
        }
        for heading, pictures, column in zip(headings[1:], drawn, columns, strict=False)
    ]


def _chart_ratios(rows: Sequence[Row], place: int) -> list[Ratio]:
    """The rows that have a ratio above zero, named so that they are told apart.

    How long a phase took is left to the table: it ends at its stonewall. So are shares of it, and how far others vary.
    """
    drawn = [
        row
        for row in rows
        if _is_drawn(row, place)
        and row["stat"] not in NO_MEAN
        and not is_repeat(row["context"], row["stat"])
        and not (row["stat"] == "phase" and row["unit"] in ("s", "%"))
    ]
    return [
        (name, row["ratios"][place], _chart_interval(row, place))
        for name, row in zip(_row_names(drawn), drawn, strict=True)
    ]


def _chart_interval(row: Row, place: int) -> Interval | None:
    interval: Interval | None = row["intervals"][place]
    return AssumedInterval(*interval) if interval and row["interval_basis"][place] == ASSUMED else interval


def _is_drawn(row: Row, place: int) -> bool:
    """Whether a picture may have the ratio: a dot for a bound would say that so much was measured."""
    return bool(row["ratios"][place]) and row["ratio_qualifiers"][place] in ("", qualified_values.ABOUT)


def _row_names(rows: Sequence[Row]) -> list[str]:
    """The operation of each row, with statistic, quantity or both where others have the same one."""
    names: list[str] = []
    for has_quantity, has_statistic in ((False, False), (False, True), (True, False), (True, True)):
        names = [
            " ".join(
                filter(
                    None,
                    [
                        presentation_words.label_phase(row["op"]),
                        presentation_words.label_quantity(row) if has_quantity else None,
                        label_statistic(row["stat"]) if has_statistic else None,
                    ],
                )
            )
            for row in rows
        ]
        if len(set(names)) == len(names):
            break
    return names
