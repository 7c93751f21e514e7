"""The answer of a comparison in words: like for like or not, the largest difference, what else differed."""

from __future__ import annotations

import math
from collections.abc import Sequence

from registry.comparison.spreads import NO_MEAN
from registry.comparison.uncertainty import REPEATS, is_tie
from registry.presentation import numbers as presentation_numbers
from registry.presentation import words as presentation_words
from registry.query.differences.alike import Likeness
from registry.query.public_record import Row
from registry.query.values import qualified_values
from validators.distributions import is_repeat

PHASE_STATISTICS = ("phase", "")
"""Statistics of phases, whose names say what is measured, and of scores, which have none."""
RATE_UNITS = ("B/s", "ops/s")
LETTERS = "ABCDEFGHIJKLMNOPQRST"
"""A column each: a comparison has twenty results at most."""
MOST_CONDITIONS = 4


def write_answer(headings: Sequence[Row], comparison: Row, rows: Sequence[Row], per: str = "") -> dict[str, str]:
    """`verdict` is one sentence, `conditions` says what else differed and is empty where nothing is known to differ.

    `headings` and `comparison` are as of load.comparison_document; `rows` are the measurements that the page shows.
    """
    if not comparison["comparable"]:
        return {"verdict": f"Not comparable: {comparison['notes'][0]['message']}", "conditions": ""}
    matched = [match for match in comparison["matched"] if match]
    verdict = f"{_systems_text(headings)}, {_likeness_text(matched)}: {_difference_text(rows, per)}"
    return {"verdict": verdict, "conditions": _conditions_text(matched) if len(matched) == 1 else ""}


def _systems_text(headings: Sequence[Row]) -> str:
    """Whether the results name one system; two results without a name may be of one or of two."""
    names = {(heading["system"], heading["institution"]) for heading in headings}
    if not all(heading["system"] for heading in headings):
        return "Not known whether it is one system"
    return "Same system by name" if len(names) == 1 else "Different systems"


def _likeness_text(matched: Sequence[Row]) -> str:
    alike = sum(match["outcome"] == Likeness.ALIKE for match in matched)
    if len(matched) > 1:
        return f"{alike or 'none'} of {len(matched)} like for like with A"
    outcomes = {match["outcome"] for match in matched}
    if Likeness.DIFFERENT in outcomes:
        return "not like for like"
    return "not known to be like for like" if Likeness.UNKNOWN in outcomes else "like for like as far as is known"


def _difference_text(rows: Sequence[Row], per: str) -> str:
    """The rate whose ratio to A lies furthest from 1, with its letter; ties by repeats are no differences.

    How far repeats vary is no rate, and one repeat is none of the run.

    Of ratios that round to the same distance a repeated one is named, and of these a bandwidth.
    """
    ratios = [
        (abs(math.log(ratio)), LETTERS[place], row, place)
        for row in rows
        if row["unit"] in RATE_UNITS
        and row["stat"] not in NO_MEAN
        and not is_repeat(row.get("context", {}), row["stat"])
        for place, ratio in enumerate(row["ratios"])
        if place and ratio and row["ratio_qualifiers"][place] in ("", qualified_values.ABOUT)
    ]
    if not ratios:
        return "no rate has a ratio."
    differences = [item for item in ratios if not _is_tie(item[2], item[3])]
    if not differences:
        return "repeats show no difference in any rate."
    _, letter, row, place = max(
        differences,
        key=lambda item: (round(item[0], 2), item[2]["interval_basis"][item[3]] == REPEATS, item[2]["unit"] == "B/s"),
    )
    times = presentation_numbers.format_times(row["ratios"][place])
    name = presentation_words.label_phase(row["op"])
    if row["quantity"] not in ("bandwidth", "rate") or row["stat"] not in PHASE_STATISTICS:
        name = f"{name} {presentation_words.label_quantity(row)}"
    divided = f" per {per.replace('_', ' ')}" if per and row["divided"] else ""
    repeated = "" if row["interval_basis"][place] == REPEATS else ", not repeated"
    return f"{name}{divided} differs most, {letter} / A \N{MULTIPLICATION SIGN} {times}{repeated}."


def _is_tie(row: Row, place: int) -> bool:
    interval = row["intervals"][place]
    return bool(interval) and row["interval_basis"][place] == REPEATS and is_tie((interval[0], interval[1]))


def condition_texts(facts: Sequence[Row]) -> list[str]:
    """What runs say of each condition, as presentation.words.describe_conditions."""
    return presentation_words.describe_conditions((fact["name"], fact["values"]) for fact in facts)


def _conditions_text(matched: Sequence[Row]) -> str:
    """The first conditions that differ or are not known, A before B, and how many more there are."""
    sentences = []
    for part, lead in (("differs", "Also differed"), ("unknown", "Not known of both")):
        texts = condition_texts(matched[0][part])
        if texts:
            more = len(texts) - MOST_CONDITIONS
            ending = f", and {more} more" if more > 0 else ""
            sentences.append(f"{lead}: {', '.join(texts[:MOST_CONDITIONS])}{ending}.")
    return " ".join(sentences)
