"""A view in words: its one sentence, what varies among its bars, and why results are not drawn. No query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from registry.presentation import numbers
from registry.presentation import words as presentation_words
from registry.query.public_record import Row
from registry.query.questions import moving_facts
from registry.results.explore import ratios
from registry.results.explore.ratios import View
from validators.units import UNITS

PER_WORDS = {"": "in total", "client": "per client node", "server": "per server", "process": "per process"}
"""What a reader may choose; the other divisors of PER work in the address."""
VALUES_NAMED = 3
FACTS_NAMED = 3
REASONS = {
    ratios.NO_NUMBER: "without such a number",
    ratios.NO_DIVISOR: "without a stated number of {divisor}, so nothing is divided",
    ratios.BOUND: "known only as a bound, which has no place in an order",
    ratios.FORBIDDEN: "not to be compared, as the source states",
    ratios.OTHER_UNIT: "in another unit",
    ratios.OTHER_KIND: "of another kind of run",
    ratios.UNTICKED: "of file systems, trust levels or releases that are not ticked",
    ratios.EARLIER: "of an earlier release of the same system",
    ratios.NOT_KEPT: "not selected to compare",
}

NO_UNIT = "no unit"


@dataclass(frozen=True, slots=True)
class NumberWords:
    """How the number of a view is written: in which unit, divided by what, and which end is the better one."""

    title: str
    unit: str
    per: str
    lower_is_better: bool

    @property
    def full_unit(self) -> str:
        """ "GiB/s per client node"; "no unit" of a score that nothing divides."""
        unit_text = presentation_words.shown_unit(self.unit)
        return f"{unit_text} {self.per}".strip() or NO_UNIT

    def write_value(self, value: float) -> str:
        """A canonical value in the unit, without it: two decimals, or three digits below 1."""
        scaled = value / UNITS[self.unit].factor if self.unit in UNITS else value
        return numbers.format_decimal(scaled) if abs(scaled) >= 1 else numbers.format_significant(scaled)


def lead_sentence(view: View, names: Sequence[str], number: NumberWords) -> str:
    """What the view shows first: its better end and how far the next lies. `names` are those of the first two bars."""
    if not view.bars:
        return "Nothing can be drawn."
    unit = "" if number.full_unit == NO_UNIT else number.full_unit
    best = f"{names[0]}: {number.write_value(view.bars[0].value)} {unit}".strip()
    if len(view.bars) == 1:
        return f"{best}. No other result is drawn."
    first, second = view.bars[0].value, view.bars[1].value
    low, high = sorted((first, second))
    if low == high:
        return f"{best}, as the next, {names[1]}."
    if not low:
        return f"{best}. The next is {names[1]}."
    times = numbers.format_times(high / low)
    if number.lower_is_better:
        return f"{best}. The next, {names[1]}, has {times} times as much; less is better."
    return f"{best}, {times} times the next, {names[1]}."


def count_sentence(view: View) -> str:
    """How many of the results with the number are drawn."""
    result_count = len({bar.reading.result for bar in view.bars})
    several = len(view.bars) - result_count
    values = f" ({len(view.bars)} values, as some ran under several conditions)" if several else ""
    verb = "is" if result_count == 1 else "are"
    return f"{result_count:,} of {numbers.pluralize(view.results, 'result')} with this number {verb} drawn{values}."


def trust_sentence(view: View) -> str:
    """Levels of trust are never mixed in silence."""
    if len(view.trust) < 2:
        return ""
    return f"Trust levels are mixed: {', '.join(f'{count:,} {level}' for level, count in view.trust.items())}."


def repeat_sentence(view: View) -> str:
    """Whether differences may be chance."""
    if not view.bars:
        return ""
    if not view.repeated:
        return "No run was repeated, so no bar has an interval: small differences may be chance."
    return f"{view.repeated:,} of {len(view.bars):,} were repeated; the others have no interval."


def variation_sentence(varies: Sequence[Row], unknown: Sequence[Row]) -> str:
    """What differs among the bars beside the systems, and what is not known of all of them."""
    parts = []
    if varies:
        named = "; ".join(_varying_text(row) for row in varies[:FACTS_NAMED])
        more = f"; and {len(varies) - FACTS_NAMED} more" if len(varies) > FACTS_NAMED else ""
        parts.append(f"Differs among these rows: {named}{more}.")
    if unknown:
        titles = ", ".join(moving_facts.fact_title(row["name"]) for row in unknown[:FACTS_NAMED])
        parts.append(f"Not known of all: {titles}.")
    return " ".join(parts)


def _varying_text(row: Row) -> str:
    texts = [value["value"] for value in row["values"]]
    title = moving_facts.fact_title(row["name"])
    figures = [_read_figure(text) for text in texts]
    usable_figures = [figure for figure in figures if figure is not None]
    if len(usable_figures) == len(texts) and not row["more"]:
        span = f"{numbers.format_printed(min(usable_figures))} to {numbers.format_printed(max(usable_figures))}"
    else:
        others = len(texts) - VALUES_NAMED + row["more"]
        span = ", ".join(texts[:VALUES_NAMED]) + (f" and {others} more" if others > 0 else "")
    lacking = f"; not known of {row['unknown']}" if row["unknown"] else ""
    return f"{title} ({span}{lacking})"


def _read_figure(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def reason_sentences(view: View, divisor_title: str) -> list[Row]:
    """What is not drawn: {"reason", "results", "text"}, first what is missing, then what the reader left out."""
    order = [*ratios.MISSING, ratios.UNTICKED, ratios.EARLIER, ratios.NOT_KEPT, ratios.OTHER_KIND]
    return [
        {
            "reason": reason,
            "results": len({reading.result for reading in view.left_out[reason]}),
            "text": REASONS[reason].format(divisor=divisor_title),
        }
        for reason in order
        if reason in view.left_out
    ]


def kind_word(kind: str) -> str:
    """How a kind of run is called."""
    return kind.replace("_", " ") or ratios.STANDARD


def title_of(row: Mapping[str, str]) -> str:
    """A result of a view by its system and release."""
    return ", ".join(filter(None, [row["name"], row["release"]]))
