"""What the page of a study says beside its numbers: what differs, what is not known, and matched ratios."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from registry.presentation import numbers
from registry.query.public_record import Row
from registry.query.questions.moving_facts import fact_title
from registry.query.values import qualified_values

RATIO_DIGITS = 3
VALUE_DIGITS = 4
MOST_PAIRS = 30
MOST_VALUES = 3
DIRECTIONS = {"true": "yes", "false": "no"}


def balance_context(answer: Row) -> dict[str, Any] | None:
    """Texts for templates/studies/balance.html; None where there is nothing to say."""
    pairs = [_pair_text(answer, pair) for pair in answer["matched"]]
    context = {
        "matched": [pair for pair in pairs if pair["strata"]][:MOST_PAIRS],
        "unmatched": [pair for pair in pairs if not pair["strata"]][:MOST_PAIRS],
        "pairs": len(pairs),
        "unbalanced": [_unbalanced_text(answer, fact) for fact in answer["unbalanced"]],
        "unknown": [f"{fact['title']} ({_count_text(fact['measurements'])})" for fact in answer["unknown"]],
        "splits": answer["splits"],
        "unlike": any(row.get("value_basis") == "unlike" for row in answer["rows"]),
        "unit": answer["unit"],
    }
    says = ("matched", "unmatched", "unbalanced", "unknown", "unlike")
    return context if any(context[name] for name in says) else None


def varying_text(row: Row) -> str:
    """What differs inside a row and moves its number: "direct I/O: yes (3), no (2)"."""
    facts = [fact for fact in row.get("varies") or () if fact["moves"]]
    return "; ".join(f"{fact['title']}: {_values_text(fact)}" for fact in facts)


def _values_text(fact: Row) -> str:
    texts = [f"{_value_text(value['value'])} ({value['count']:,})" for value in fact["values"][:MOST_VALUES]]
    more = fact.get("distinct", len(texts)) - len(texts)
    return ", ".join([*texts, f"{more:,} more"] if more > 0 else texts)


def _value_text(value: Any) -> str:
    return numbers.MISSING if value is None else DIRECTIONS.get(str(value), str(value))


def _count_text(count: int) -> str:
    return f"{count:,} measurement{'' if count == 1 else 's'}"


def _unbalanced_text(answer: Row, fact: Row) -> Row:
    rows = [
        {
            "place": _place_text(answer, answer["rows"][mix["row"]]),
            "values": _values_text(mix) or numbers.MISSING,
            "unknown": mix["unknown"],
        }
        for mix in fact["rows"]
    ]
    return {"title": fact["title"], "rows": rows, "left_out": fact["rows_left_out"]}


def _place_text(answer: Row, row: Row) -> str:
    values = [row[axis["name"]] for axis in answer["axes"]]
    return ", ".join(_value_text(value) for value in values if value != "")


def _pair_text(answer: Row, pair: Row) -> Row:
    names = [name for name, value in pair["at"].items() if value not in (None, "")]
    varying = {name for other in answer["matched"] for name in names if other["at"].get(name) != pair["at"][name]}
    return {
        "axis": fact_title(pair["axis"]),
        "first": _value_text(pair["first"]),
        "other": _value_text(pair["other"]),
        "at": ", ".join(_value_text(pair["at"][name]) for name in names if name in varying),
        "ratio": _ratio_text(pair["ratio"], pair["qualifier"]),
        "n_strata": pair["n_strata"],
        "not_comparable": pair["not_comparable"],
        "strata": [_stratum_text(answer, stratum) for stratum in pair["strata"]],
        "nearest": "; ".join(
            f"{fact['title']}: {_known_text(fact['first'])} / {_known_text(fact['other'])}" for fact in pair["nearest"]
        ),
    }


def _known_text(value: str | None) -> str:
    return "not known" if value is None else _value_text(value)


def _stratum_text(answer: Row, stratum: Row) -> Row:
    unit = answer["unit"]
    values = [
        qualified_values.in_words(qualifier or "", _number_text(value, unit))
        for value, qualifier in zip(stratum["values"], stratum["qualifiers"], strict=True)
    ]
    return {
        "values": values,
        "ratio": _ratio_text(stratum["ratio"], stratum["qualifier"]),
        "equal": ", ".join(f"{fact_title(name)} {_value_text(text)}" for name, text in stratum["equal"].items()),
        "unknown": _list_titles(stratum["unknown"]),
        "differs": "; ".join(
            f"{fact['title']}: {', '.join(fact['first'])} / {', '.join(fact['other'])}" for fact in stratum["differs"]
        ),
        "results": stratum["results"],
    }


def _list_titles(names: Sequence[str]) -> str:
    return ", ".join(map(fact_title, names))


def _number_text(value: float | None, unit: str) -> str:
    return numbers.MISSING if value is None else f"{numbers.format_significant(value, VALUE_DIGITS)} {unit}".strip()


def _ratio_text(ratio: float | None, qualifier: str | None) -> str:
    if ratio is None:
        return "not known"
    return qualified_values.in_words(qualifier or "", numbers.format_significant(ratio, RATIO_DIGITS))
