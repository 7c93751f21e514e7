"""What the page of a system reads: its results with their facts, lists, nearest limit and changes of performance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Q

from registry.citation import cited_facts
from registry.models import Fact, ListEntry, Result, Step, System
from registry.platforms import ceilings
from registry.presentation import words as presentation_words
from registry.presentation.charts.record_stairs import draw_record_stairs
from registry.query import cursor_pages, gaps, observed_parameters, public_record
from registry.query.public_record import Row
from registry.results import page_lead
from registry.results.run_page import leading, with_tool
from registry.systems import system_words
from registry.timeseries import change_points

MOST_ROWS = 200
STEPS_SHOWN = 5
FEW_PARTS = 4
"""With fewer known parts, what is not known stands open beside them."""
COLUMNS = {**public_record.RESULT, "pk": "pk", "release_name": "release__name", "held_on": "release__held_on"}


def system_context(system: System, before: Mapping[str, str]) -> Row:
    """All that the page shows of a system; `before` is by result the one before it.

    At most fourteen queries, however many results it has.
    """
    results = public_record.current_results(Q(system=system))
    page = cursor_pages.take_page(results, COLUMNS, cursor_pages.NEWEST_IDS, "", MOST_ROWS)
    facts = _facts_by_id([row["pk"] for row in page.rows])
    rows = sorted(
        (
            row | {"started": facts.get(row["id"], {}).get("started", ""), "before": before.get(row["id"], "")}
            for row in page.rows
        ),
        key=lambda row: (str(row["held_on"] or ""), row["score"] or 0.0),
        reverse=True,
    )
    apart = [row for row in rows if row["trust"] != Result.Trust.REPORTED]
    scored = [row for row in apart if row["score"] and row["tool"] == "io500"]
    place, limit = _best_place(max(scored, key=lambda row: row["score"])["id"]) if scored else (None, None)
    reason = next(iter(gaps.reasons_by_result([rows[0]["id"]], system_words.PARTS[0]).values()), "") if rows else ""
    points = system_words.record_points(scored)
    parts = system_words.part_rows(rows, facts, reason)
    steps = (
        Step.objects.filter(system=system, gone_at=None)
        .order_by("-day", "-id")
        .values("op", "quantity", "stat", "better", "day", tool=F("after__tool"))[:STEPS_SHOWN]
    )
    return {
        "figures": system_words.lead_figures(scored, place, limit),
        "count": len(rows),
        "cut": bool(page.cursor),
        "first_release": scored[-1]["release_name"] if scored else "",
        "last_release": scored[0]["release_name"] if scored else "",
        "families": list(
            dict.fromkeys(row["filesystem_family"] or row["filesystem_type"] for row in rows if row["filesystem_type"])
        ),
        "parts": parts,
        "missing_parts": [part["short"] for part in parts if not part["text"]],
        "few_parts": sum(bool(part["text"]) for part in parts) < FEW_PARTS,
        "stairs": draw_record_stairs(points),
        "unknown_scale": sum(not row["client_nodes"] for row in scored),
        "stairs_title": system_words.stairs_title(points, scored),
        "groups": system_words.group_rows(apart, _lists_by_id([row["pk"] for row in rows]), _leading_texts(rows)),
        "changes": system_words.change_table(apart, facts),
        "machines": system_words.machine_rows(rows, facts),
        "steps": [{**step, "name": presentation_words.number_named(step)} for step in steps],
        "alike": system_words.most_alike(apart),
        "fewest": change_points.FEWEST,
    }


def _facts_by_id(result_pks: list[int]) -> dict[str, dict[str, str]]:
    """By public id of a result its facts. One query."""
    facts: dict[str, dict[str, str]] = {}
    for public_id, name, text in (
        Fact.objects.order_by("name").filter(result__in=result_pks).values_list("result__public_id", "name", "text")
    ):
        facts.setdefault(public_id, {})[name] = text
    return facts


def _lists_by_id(result_pks: list[int]) -> dict[str, str]:
    """By public id the first list of its own release that a result stands on. One query."""
    entries = ListEntry.objects.filter(result__in=result_pks, ranked_list__release=F("result__release")).order_by(
        "-ranked_list__position"
    )
    return dict(entries.values_list("result__public_id", "ranked_list__title"))


def _leading_texts(rows: list[Row]) -> dict[str, str]:
    """By public id the leading numbers of results without a score, in words. One query, none without such results."""
    unscored = {row["pk"]: row for row in rows if not row["score"]}
    if not unscored:
        return {}
    texts = {}
    for pk, measurements in public_record.measurements_by_result(unscored).items():
        tool = unscored[pk]["tool"]
        figures = leading(with_tool(measurements, tool), {})
        texts[unscored[pk]["id"]] = "; ".join(
            f"{row['name']} {row['value']} {row['unit']}".strip() for row in figures[:2]
        )
    return texts


def _best_place(public_id: str) -> tuple[Row | None, Row]:
    """Where the result of the highest score stands, and how near it came to a limit. Five queries."""
    result = public_record.find_result(public_id)
    places = cited_facts.frozen_places(result, public_record.list_memberships(result))
    main: Any = cited_facts.main_list(result, places)
    snapshot = observed_parameters.snapshot_of(result)
    efficiencies = ceilings.of_result(
        result, public_record.list_measurements(result), snapshot.document if snapshot else None
    )
    limit = page_lead.nearest_limit(efficiencies, None)
    return main, limit._asdict()
