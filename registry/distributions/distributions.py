"""What lies under the numbers of a result, ready to be read: slow members, chances, histograms, ageing.

Members are ranks, targets and what else stands side by side; a series is what was repeated in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import accumulate
from operator import mul
from typing import Any

from django.http import QueryDict

from registry.distributions import stragglers
from registry.query.public_record import Row
from registry.query.questions import filters
from registry.query.values.formulas import LARGEST_CHOICE
from validators.quantities import lower_is_better
from validators.units import UNITS

Distribution = Mapping[str, Any]

SIDE_BY_SIDE = ("targets", "drives", "ranks", "jobs", "groups")
IN_ORDER = ("iterations", "runs")
RATES = ("B/s", "ops/s")
NAMED = ("op", "quantity", "stat", "over", "context", "unit", "printed_unit", "count")
MOST_SLOW = 100
MOST_COUNTS = 20
"""Stripe counts of one question."""


def component_distributions(distributions: Sequence[Distribution], share: float) -> list[Row]:
    """Each distribution of things side by side whose members are known one by one."""
    return [
        _component_row(distribution, share)
        for distribution in distributions
        if distribution["over"] in SIDE_BY_SIDE and distribution["members"]
    ]


def _component_row(distribution: Distribution, share: float) -> Row:
    lower = lower_is_better(distribution["quantity"], distribution["unit"])
    values = [value for value in distribution["members"] if value is not None]
    slow = stragglers.find_slow(distribution["members"], share, lower_is_better=lower)
    counts = stragglers.stripe_counts(distribution["count"]) if distribution["over"] == "targets" else []
    return _identity_of(distribution) | {
        "best": distribution["min"] if lower else distribution["max"],
        "share": share,
        "slow_count": len(slow),
        "slow": [asdict(member) for member in slow[:MOST_SLOW]],
        "silent": [number for number, value in enumerate(distribution["members"]) if value is None],
        "histogram": [asdict(part) for part in stragglers.build_histogram(values)],
        "meeting": [
            {
                "stripes": stripes,
                "percent": 100 * stragglers.meeting_probability(distribution["count"], len(slow), stripes),
            }
            for stripes in counts
        ],
    }


_SECONDS = {"slowest_second": 1, "fastest_second": 2}
"""Where the tests of a survey have the figure of a target that a statistic is of."""


def with_all_targets(distributions: Sequence[Distribution], tests: Sequence[Mapping[str, Any]]) -> list[Distribution]:
    """The distributions; those of targets too many to keep one by one have the members that the tests of the run say.

    A target without samples is None. Members are in the unit of their distribution, in the order of the targets.
    """
    return [
        dict(distribution) | {"members": distribution["members"] or _members_in_tests(distribution, tests)}
        for distribution in distributions
    ]


def _members_in_tests(distribution: Distribution, tests: Sequence[Mapping[str, Any]]) -> list[float | None] | None:
    place = _SECONDS.get(distribution["stat"])
    if distribution["over"] != "targets" or place is None or distribution["printed_unit"] not in UNITS:
        return None
    own = [test for test in tests if all(test.get(name) == value for name, value in distribution["context"].items())]
    targets = own[0].get("targets", {}).get(distribution["op"], []) if len(own) == 1 else []
    factor = UNITS[distribution["printed_unit"]].factor
    members = [target[place] * factor if target[0] > 0 else None for target in targets]
    return members if sum(member is not None for member in members) == distribution["count"] else None


def ageing_series(distributions: Sequence[Distribution]) -> list[Row]:
    """Each distribution of a rate that was repeated in order often enough to show whether it ages.

    `written_bytes` are those up to the end of each repeat, since the first began; None where volumes are not known.
    """
    rows = []
    for distribution in distributions:
        if distribution["over"] not in IN_ORDER or distribution["unit"] not in RATES or not distribution["members"]:
            continue
        percents = stragglers.relative_to_first(
            distribution["members"], lower_is_better=lower_is_better(distribution["quantity"], distribution["unit"])
        )
        if percents:
            volumes = _repeat_volumes(distribution, distributions)
            rows.append(
                _identity_of(distribution)
                | {"percents": percents, "aged_from": stragglers.aged_from(percents)}
                | {"written_bytes": list(accumulate(volumes)) if volumes else None}
            )
    return rows


def _repeat_volumes(distribution: Distribution, run_distributions: Sequence[Distribution]) -> list[float]:
    """How many bytes each repeat wrote: by what the tool says, or by bandwidth times time; empty where neither tells.

    The volumes of all parts of a run are added, but bandwidth and time belong to a series of their own.
    """
    alike = [
        other
        for other in run_distributions
        if other["op"] == "write"
        and other["members"]
        and (other["over"], other["count"]) == (distribution["over"], distribution["count"])
    ]
    volumes = [other["members"] for other in alike if (other["quantity"], other["stat"]) == ("volume", "total")]
    if volumes:
        return [sum(parts) for parts in zip(*volumes, strict=True)]
    single = {
        other["quantity"]: other["members"]
        for other in alike
        if other["stat"] == "iteration" and other["context"] == distribution["context"]
    }
    return list(map(mul, single.get("bandwidth", ()), single.get("time", ())))


def _identity_of(distribution: Distribution) -> Row:
    return {name: distribution[name] for name in NAMED}


def parse_slow_share(query: QueryDict) -> float:
    """Of the best, in %, at which and below which a member is slow. Raises InvalidValue."""
    texts = filters.values_of(query, "share")
    return _parse_number(texts[0], "share", 100.0) if texts else stragglers.SHARE


def hit_probabilities(query: QueryDict) -> Row:
    """`members`, `slow` and `stripes` of a query, and for each stripe count the chance of meeting a slow member.

    Without `stripes` those that people ask for. Raises UnknownParameter and InvalidValue for a name or value that the
    query may not have.
    """
    filters.refuse_unknown(query, ("members", "slow", "stripes", "format"))
    count = _parse_count(query, "members", 1, LARGEST_CHOICE)
    slow = _parse_count(query, "slow", 0, count)
    texts = [part for text in filters.values_of(query, "stripes") for part in text.split(",") if part.strip()]
    if len(texts) > MOST_COUNTS:
        raise filters.InvalidValue("stripes", f"at most {MOST_COUNTS} counts")
    stripe_counts = [int(_parse_number(text, "stripes", count)) for text in texts] or stragglers.stripe_counts(count)
    rows = [
        {"stripes": stripe_count, "percent": 100 * stragglers.meeting_probability(count, slow, stripe_count)}
        for stripe_count in stripe_counts
    ]
    return {"members": count, "slow": slow, "next": None, "results": rows}


def _parse_count(query: QueryDict, name: str, fewest: int, most: int) -> int:
    try:
        value = filters.whole_number(next(iter(filters.values_of(query, name)), ""))
    except ValueError:
        value = -1
    if not fewest <= value <= most:
        raise filters.InvalidValue(name, f"a whole number from {fewest} to {most:,}")
    return value


def _parse_number(text: str, name: str, most: float) -> float:
    """Above zero and up to `most`; a whole number where `most` is one."""
    try:
        value = int(text) if isinstance(most, int) else float(text)
    except ValueError:
        value = 0
    if not 0 < value <= most:
        kind = "a whole number" if isinstance(most, int) else "a number"
        raise filters.InvalidValue(name, f"{kind} above zero and up to {most:,}")
    return value
