"""The finding of a study in one sentence: how far its values spread, or why that cannot be told."""

from __future__ import annotations

from typing import Any

from registry.presentation import numbers
from registry.presentation.words import label_place, shown_unit
from registry.query.public_record import Row
from registry.query.values import qualified_values
from registry.studies import table

DIGITS, MOST_RATIOS = 4, 4
TIMES = "\N{MULTIPLICATION SIGN}"
FACTOR = "x"
"""The unit of a number of times."""
MIXED = "study.mixed-quantities"
CANNOT = "It cannot be told which is higher: "
CAUSE = " Other facts differ as well, so the cause cannot be told."


def finding_sentence(answer: dict[str, Any]) -> str:
    """Return the written finding of a study document, else the spread of its values; empty for a document without rows.

    Values have the unit of the document. A ratio stands only where the lowest value is above zero. Where a row is a
    bound, pools unlike measurements or may do so, the sentence gives this as the reason why nothing is told.
    """
    if answer.get("finding"):
        return str(answer["finding"])
    rows = [row for row in answer["rows"] if row["value"] is not None]
    if not answer["rows"] or (not answer["unit"] and any(row["unit"] for row in rows)):
        return ""
    if matched := _matched_sentence(answer):
        return matched
    reason = _obstacle_text(answer, rows)
    return f"{CANNOT}{reason}." if reason else _spread_sentence(answer, rows)


def _matched_sentence(answer: dict[str, Any]) -> str:
    """The ratios of matched pairs to the first place of the x axis; empty where there are none or too many to say."""
    if not answer.get("matched"):
        return ""
    first = answer["rows"][0][answer["x"]]
    ratios: dict[str, list[float]] = {}
    for pair in answer["matched"]:
        if pair["axis"] == answer["x"] and pair["first"] == first and pair["ratio"] and not pair["qualifier"]:
            ratios.setdefault(str(pair["other"]), []).append(pair["ratio"])
    others = {row[answer["x"]] for row in answer["rows"]} - {first}
    if not ratios or len(ratios) > MOST_RATIOS or len(ratios) < len(others):
        return ""
    phrases = [f"{other} gives {TIMES} {_ratio_text(values)}" for other, values in ratios.items()]
    return f"Against {_named_place(answer, str(first))}, in matched pairs: {'; '.join(phrases)}."


def _named_place(answer: dict[str, Any], place: str) -> str:
    """A place of the x axis; a number with what it counts, as it says nothing by itself."""
    title = next(axis["title"] for axis in answer["axes"] if axis["name"] == answer["x"])
    return f"{title} {place}" if place.replace(".", "", 1).isdigit() else place


def _ratio_text(values: list[float]) -> str:
    ends = dict.fromkeys(f"{end:.2f}" for end in (min(values), max(values)))
    return " to ".join(ends)


def _obstacle_text(answer: dict[str, Any], rows: list[Row]) -> str:
    bases = {row.get("value_basis") for row in answer["rows"]}
    if any(note["code"] == MIXED for note in answer.get("coded_notes", ())):
        return "the rows hold quantities of several kinds"
    if table.UNLIKE in bases:
        return "a row holds measurements that differ in more than the question asks for"
    if table.UNKNOWN_MEDIAN in bases:
        return "a row holds measurements that are not known to be alike"
    if any(row.get("qualifier") not in (None, "", qualified_values.ABOUT) for row in rows):
        return "a value is a bound and not a number"
    return "fewer than two places have a value" if len(rows) < 2 else ""


def _spread_sentence(answer: dict[str, Any], rows: list[Row]) -> str:
    lowest, highest = (choose(rows, key=lambda row: row["value"]) for choose in (min, max))
    unit = table.in_words(shown_unit(answer["unit"]), answer["per"] if answer.get("per") else "")
    if lowest["value"] == highest["value"]:
        return f"All {len(rows)} values are equal: {_quantity_text(highest, unit)}."
    ratio = highest["value"] / lowest["value"] if lowest["value"] > 0 else None
    roughly = f"{qualified_values.ABOUT} " if lowest.get("qualifier") or highest.get("qualifier") else ""
    times = f", {roughly}{TIMES} {numbers.format_significant(ratio, 3)} the lowest" if ratio else ""
    return (
        f"Highest is {_quantity_text(highest, unit)}{_place_text(answer, highest)}{times}; "
        f"lowest is {_quantity_text(lowest, unit)}{_place_text(answer, lowest)}."
        f"{CAUSE if answer.get('unbalanced') else ''}"
    )


def _quantity_text(row: Row, unit: str) -> str:
    number = numbers.format_significant(row["value"], DIGITS)
    text = f"{TIMES} {number}" if unit == FACTOR else f"{number}\N{NO-BREAK SPACE}{unit}".rstrip()
    return qualified_values.in_words(row.get("qualifier") or "", text)


def _place_text(answer: dict[str, Any], row: Row) -> str:
    """ " (Lustre)": the places of a row on its axes; of an unknown one the axis, and an empty one is left out."""
    axes = [axis for axis in answer["axes"] if row[axis["name"]] != ""]
    places = [(axis, row[axis["name"]]) for axis in axes]
    words = [
        f"{axis.get('title') or axis['name']} not known" if place is None else label_place(axis["name"], str(place))
        for axis, place in places
    ]
    return f" ({', '.join(words)})" if words else ""
