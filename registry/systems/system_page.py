"""What the page of a system reads: its results with their facts, lists, nearest limit and changes of performance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import F, Q

from registry.citation import cited_facts
from registry.models import Fact, Result, Step, System
from registry.platforms import ceilings
from registry.presentation import words as presentation_words
from registry.presentation.charts.record_stairs import draw_record_stairs
from registry.query import public_record
from registry.query.facts import gaps, observed_parameters
from registry.query.public_record import Row
from registry.results import page_lead
from registry.systems import result_groups, system_words
from registry.timeseries import change_points

STEPS_SHOWN = 5


def system_context(system: System, before: Mapping[str, str]) -> Row:
    """All that the page shows of a system; `before` is by result the one before it.

    At most fourteen queries, however many results it has.
    """
    newest, cut = result_groups.take_rows(Q(system=system))
    facts = _facts_by_id([row["pk"] for row in newest])
    rows = result_groups.newest_first([row | {"before": before.get(row["id"], "")} for row in newest])
    places, texts = result_groups.places_by_id(rows), page_lead.leading_texts(rows)
    apart = [row for row in rows if row["trust"] != Result.Trust.REPORTED]
    scored = [row for row in apart if row["score"] and row["tool"] == "io500"]
    place, limit = _best_place(max(scored, key=lambda row: row["score"])["id"]) if scored else (None, None)
    points = system_words.record_points(scored)
    parts = system_words.part_rows(rows, facts)
    missing = system_words.missing_parts(parts)
    reasons = gaps.reasons_by_result([row["id"] for row in rows[:1]], missing[0]) if missing else {}
    steps = (
        Step.objects.filter(system=system, gone_at=None)
        .order_by("-day", "-id")
        .values("op", "quantity", "stat", "better", "day", tool=F("after__tool"))[:STEPS_SHOWN]
    )
    return {
        "figures": system_words.lead_figures(scored, place, limit),
        "count": len(rows),
        "cut": cut,
        "first_release": scored[-1]["release_name"] if scored else "",
        "last_release": scored[0]["release_name"] if scored else "",
        "families": list(
            dict.fromkeys(row["filesystem_family"] or row["filesystem_type"] for row in rows if row["filesystem_type"])
        ),
        "parts": parts,
        "missing_parts": system_words.missing_parts_text(missing, next(iter(reasons.values()), "")),
        "stairs": draw_record_stairs(points),
        "is_scored": bool(scored),
        "unknown_scale": sum(not row["client_nodes"] for row in scored),
        "stairs_title": system_words.stairs_title(points, scored),
        "tables": system_words.group_rows(apart, places, texts),
        "reported_tables": system_words.group_rows(
            [row for row in rows if row["trust"] == Result.Trust.REPORTED], places, texts
        ),
        "changes": system_words.change_table(apart, facts, places),
        "machines": system_words.machine_rows(rows, facts, places),
        "steps": [{**step, "name": presentation_words.number_named(step)} for step in steps],
        "citation": cited_facts.system_citation(system, [row["id"] for row in newest], has_more=cut),
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
