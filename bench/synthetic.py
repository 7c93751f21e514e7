"""A record of any size for benchmarks: constructed results, measurements and lists, written by COPY.

Nothing of it is real; it lives in the database of STATE/bench only.
"""

from __future__ import annotations

import datetime as dt
import itertools
import json
import math
import random
from collections.abc import Iterable, Iterator

from django.db import connection, transaction
from django.utils import timezone

from bench.figures import note
from registry.models import ListEntry, Measurement, Platform, RankedList, Release, Result, Site, System
from registry.query.facts import fact_index

PHASES = [
    *(
        (op, "bandwidth", "B/s", "GiB/s")
        for op in ("ior-easy-write", "ior-hard-write", "ior-easy-read", "ior-hard-read")
    ),
    *(
        (op, "rate", "ops/s", "kIOPS")
        for op in (
            "mdtest-easy-write",
            "mdtest-hard-write",
            "find",
            "mdtest-easy-stat",
            "mdtest-hard-stat",
            "mdtest-easy-delete",
            "mdtest-hard-read",
            "mdtest-hard-delete",
        )
    ),
]
# As many as large runs have: the twelve phases of a run, then what else of them is printed.
STATS = ("phase", "max", "min", "mean")
FEWEST, MOST = 12, 40
FACTOR = {"GiB/s": 2**30, "kIOPS": 1000}
FAMILIES = ["Lustre", "DAOS", "BeeGFS", "IBM Storage Scale", "WekaFS", "CephFS"]
LIST_NAME = "full"
PLATFORMS = 8
"""Generations of one line, each the successor of the one before; as many systems are of each."""


def record(size: int) -> str:
    """Make the record hold `size` results, all on one frozen list; returns the slug of its release. Kept."""
    slug = f"bench-{size}"
    if Result.objects.filter(release__slug=slug).count() == size:
        return slug
    note(f"making {size} results")
    with transaction.atomic():
        empty()
        release = Release.objects.create(
            slug=slug, name=slug, imported=True, held_on=dt.date(2026, 1, 1), list_names=[LIST_NAME]
        )
        sites = Site.objects.bulk_create(
            Site(slug=f"{slug}-site-{number}", name=f"Bench site {number}") for number in range(max(1, size // 100))
        )
        platforms = _platforms(slug)
        systems = System.objects.bulk_create(
            System(
                slug=f"{slug}-{number}",
                site=sites[number % len(sites)],
                platform=platforms[number % len(platforms)],
                name=f"System {number}",
            )
            for number in range(max(1, size // 3))
        )
        first = _next_id(Result)
        chosen = random.Random(size)
        scores = sorted((math.exp(chosen.uniform(0, 9)) for _ in range(size)), reverse=True)
        _copy(Result, _results(first, scores, release, systems, chosen))
        _copy(Measurement, _measurements(first, scores, chosen))
        ranked = RankedList.objects.create(
            release=release, name=LIST_NAME, title="Full", trust=Result.Trust.REPORTED, complete=True
        )
        fact_index.rebuild_facts(range(first, first + size))
        _copy(ListEntry, _entries(first, scores, ranked, systems))
        RankedList.objects.filter(pk=ranked.pk).update(frozen_at=timezone.now(), digest=slug)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return slug


def empty() -> None:
    """Take everything out of the record."""
    with connection.cursor() as cursor:
        models = (ListEntry, RankedList, Measurement, Result, System, Platform, Site)
        tables = ", ".join(model._meta.db_table for model in models)
        cursor.execute(f"TRUNCATE {tables} CASCADE")
    Release.objects.all().delete()


def _platforms(slug: str) -> list[Platform]:
    platforms: list[Platform] = []
    for number in range(PLATFORMS):
        predecessor = platforms[-1] if platforms else None
        platforms.append(
            Platform.objects.create(
                slug=f"{slug}-generation-{number}", name=f"Generation {number}", vendor="Bench", predecessor=predecessor
            )
        )
    return platforms


def _results(first: int, scores: list[float], release, systems, chosen) -> Iterator[dict]:
    for number, score in enumerate(scores):
        system = systems[number % len(systems)]
        yield {
            "id": first + number,
            "public_id": f"bench-{number}",
            "tool": "io500",
            "trust": "reported",
            "release_id": release.pk,
            "site_id": system.site.pk,
            "system_id": system.pk,
            "platform_id": system.platform_id,
            "institution": system.site.name,
            "system_name": system.name,
            "filesystem_type": FAMILIES[number % len(FAMILIES)],
            "filesystem_family": FAMILIES[number % len(FAMILIES)],
            "client_nodes": 10 + number % 90,
            "tasks": 160,
            "opted_in": True,
            "lists": "[]",
            "reproducibility": "undefined",
            "score": score,
            "bandwidth_gib_per_s": score / 3,
            "rate_kiops": score * 3,
            "parameters": json.dumps({"client_nodes": 10 + number % 90, "api": chosen.choice(["POSIX", "DFS"])}),
            "snapshot": "{}",
            "repeated_scores": "{}",
            "later_evidence": "{}",
            "revision": 1,
        }


def _measurements(first: int, scores: list[float], chosen) -> Iterator[dict]:
    for number, score in enumerate(scores):
        rows = itertools.product(STATS, PHASES)
        count = FEWEST + number % (MOST - FEWEST + 1)
        for position, (stat, (op, quantity, unit, printed_unit)) in enumerate(itertools.islice(rows, count)):
            printed_value = score * chosen.uniform(0.5, 2)
            yield {
                "result_id": first + number,
                "position": position,
                "op": op,
                "quantity": quantity,
                "stat": stat,
                "value": printed_value * FACTOR[printed_unit],
                "unit": unit,
                "printed_value": printed_value,
                "printed_unit": printed_unit,
                "scored": True,
                "context": "{}",
            }


def _entries(first: int, scores: list[float], ranked, systems) -> Iterator[dict]:
    for number, score in enumerate(scores):
        rank = number + 1
        yield {
            "ranked_list_id": ranked.pk,
            "result_id": first + number,
            "position": rank,
            "rank": rank,
            "rank_low": rank,
            "rank_high": rank,
            "score": score,
            "bandwidth_gib_per_s": score / 3,
            "rate_kiops": score * 3,
            "new": number % 4 == 0,
            "institution": systems[number % len(systems)].site.name,
            "system_name": systems[number % len(systems)].name,
            "filesystem_type": FAMILIES[number % len(FAMILIES)],
            "client_nodes": 10 + number % 90,
        }


def _next_id(model) -> int:
    return (model.objects.order_by("-id").values_list("id", flat=True).first() or 0) + 1


def _copy(model, rows: Iterable[dict]) -> None:
    """Write rows by COPY; text columns that a row leaves out are empty, others null."""
    left_out = {"search", "recorded_at"} | ({"id"} if model is not Result else set())
    columns = [field for field in model._meta.concrete_fields if not (field.generated or field.column in left_out)]
    names = ", ".join(f'"{field.column}"' for field in columns)
    blank = {field.column: "" for field in columns if field.empty_strings_allowed and not field.null}
    with connection.cursor() as cursor, cursor.copy(f"COPY {model._meta.db_table} ({names}) FROM STDIN") as copy:
        for row in rows:
            copy.write_row([row.get(field.column, blank.get(field.column)) for field in columns])
    if model is Result:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), max(id)) FROM registry_result", [model._meta.db_table]
            )
