"""How numbers, sizes and dates are written on pages: one form for each, made once in Python and not in template loops.

Comma groups thousands; missing is an empty text here, and the page says `—` with its reason.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta, timezone

NO_BREAK = "\u00a0"
EN_DASH = "\u2013"
MISSING = "\u2014"
LEAST_GROUPED, MOST_DIGITS = 4, 18
"""Digits of a whole number that commas group; one with more is a name."""
LEAST_PLAIN, MOST_PLAIN = 1e-6, 1e15
"""From the one to below the other a number has no exponent."""
ANYWHERE_ON_EARTH = timezone(timedelta(hours=-12), "AoE")


def format_decimal(value: float | None, places: int = 2) -> str:
    """12345.678 -> "12,345.68"; 1e20 -> "1e+20"; None -> ""."""
    if value is None:
        return ""
    return f"{value:,.{places}f}" if abs(value) < MOST_PLAIN else f"{value:.{LEAST_GROUPED}g}"


def format_times(value: float | None, places: int = 2) -> str:
    """How many times as much: 1.234 -> "1.23"; a small part keeps three digits, 0.0006174 -> "0.000617"; None -> ""."""
    return format_significant(value) if value is not None and value < 0.1 else format_decimal(value, places)


def group_digits(text: str) -> str:
    """A number of four digits or more, with its unit: "148161.7 TiB" -> "148,161.7 TiB"; any other text as it is."""
    number, space, unit = text.partition(" ")
    digits, point, part = number.partition(".")
    is_number = digits.isascii() and digits.isdecimal() and (part.isdecimal() or not point)
    if not is_number or not LEAST_GROUPED <= len(digits) <= MOST_DIGITS or digits.startswith("0"):
        return text
    return f"{int(digits):,d}{point}{part}{space}{unit}"


def format_int(value: int | None) -> str:
    """12345 -> "12,345"; None -> ""."""
    return "" if value is None else f"{value:,d}"


def format_significant(value: float | None, digits: int = 3) -> str:
    """A number that is only compared by eye: 36850.37 -> "36,850", 1.2345 -> "1.23", 0.01234 -> "0.0123"."""
    if value is None:
        return ""
    if value == 0:
        return "0"
    if not 1 <= abs(value) < MOST_PLAIN:
        return f"{value:.{digits}g}"
    before_the_point = len(f"{abs(value):.0f}")
    return f"{value:,.{max(0, digits - before_the_point)}f}"


def format_digits(value: float, digits: int = 5) -> str:
    """So many significant digits, and all before the point: 1217062 -> "1,217,062", 0.5 -> "0.5", 1e20 -> "1e+20"."""
    if value and not LEAST_PLAIN <= abs(value) < MOST_PLAIN:
        return f"{value:.{digits}g}"
    places = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:,.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def format_printed(value: float) -> str:
    """A number with every digit that a source prints: 1217062.0 -> "1,217,062", 88.4 -> "88.4"."""
    return f"{value:,.12g}"


def shorten_numbers(text: str) -> str:
    """A sentence whose long decimals have four digits: "it is 30.492837465." -> "it is 30.49.".

    A number stays as it is where four digits would make it another number of the same sentence.
    """
    words = text.split(" ")
    return " ".join(_shorten_number(word, words) for word in words)


def _shorten_number(word: str, others: list[str]) -> str:
    """One word: a number with more than four decimals, in brackets or before a full stop, with four digits."""
    core = word.lstrip("(").rstrip(".,;:)")
    before_point, _, decimals = core.partition(".")
    are_digits = core.isascii() and before_point.isdecimal() and decimals.isdecimal()
    if len(decimals) <= LEAST_GROUPED or not are_digits:
        return word
    short = format_significant(float(core), LEAST_GROUPED)
    is_another = float(short.replace(",", "")) in _other_numbers(core, others)
    return word if is_another else word.replace(core, short)


def _other_numbers(core: str, words: list[str]) -> set[float]:
    """The numbers of a sentence, apart from one of them."""
    texts = {word.lstrip("(").rstrip(".,;:)") for word in words} - {core}
    return {float(text) for text in texts if text.isascii() and text.replace(".", "", 1).isdecimal()}


def format_rank_range(low: int, high: int) -> str:
    """A range of ranks, empty where it is one rank: (7, 8) -> "7" to "8"."""
    return "" if low == high else f"{low}{EN_DASH}{high}"


def pluralize(number: int, singular: str, many: str = "") -> str:
    """(1, "entry", "entries") -> "1 entry"."""
    return f"{number:,d}{NO_BREAK}{singular if number == 1 else many or singular + 's'}"


def format_bytes(count: int) -> str:
    """Bytes in decimal units, as file managers show them: 20400 -> "20.4 kB"."""
    if count < 1000:
        return f"{count}{NO_BREAK}B"
    value, unit = count / 1000, "kB"
    for larger in ("MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:,.1f}{NO_BREAK}{unit}"


def format_datetime(time: datetime) -> str:
    """ "2026-11-20 14:02 UTC"."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def format_deadline(time: datetime, now: datetime) -> str:
    """ "2027-04-30 23:59 AoE, in 161 days"; a deadline at the last minute of a day anywhere on earth is said so."""
    anywhere = time.astimezone(ANYWHERE_ON_EARTH)
    at_day_end = (anywhere.hour, anywhere.minute) == (23, 59)
    written = f"{anywhere:%Y-%m-%d %H:%M} AoE" if at_day_end else format_datetime(time)
    return f"{written}, {format_distance(time, now)}"


def format_distance(time: datetime, now: datetime) -> str:
    """ "in 161 days", "in 5 hours", "2 minutes ago"."""
    seconds = (time - now).total_seconds()
    span = abs(seconds)
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if span >= 2 * length or unit == "minute":
            count = int(span // length)
            break
    words = pluralize(count, unit)
    return f"in {words}" if seconds >= 0 else f"{words} ago"
