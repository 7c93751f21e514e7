"""Filters of templates for sentences that are stored as they were written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from django import template

from registry.presentation import numbers
from registry.presentation.words import label_fact

register = template.Library()

_DECLARED = re.compile(
    r"(?<![\w./-])(?:filesystem_type|filesystem_name|storage_vendor|client_nodes)(?![\w/-]|\.\w)"
    r"|(?:(?<=: )|(?<=, ))tasks(?=,|\.| are given| \d)"
)
"""Names of what is declared of a run, as sentences of rules have them. `tasks` is a word, too: only in a list."""
_CELLS = ("institution", "filesystem_type", "release_name", "clients")
_NUMBERS = ("score", "bandwidth", "rate")
"""What a row of a table of results has in cells of their own, unless one says all that was measured."""
_BYTES = re.compile(r"(?<![\w.,/:-])\d{4,18}(?= B\b)")
_SPACE_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")


@register.filter(name="group_bytes")
def group_bytes(text: object) -> str:
    """A text with its counts of bytes in groups of digits: "109951162777600 B" is "109,951,162,777,600 B"."""
    return _BYTES.sub(lambda match: f"{int(match.group()):,d}", str(text))


@register.filter(name="are_dashed")
def are_dashed(rows: Iterable[Mapping[str, object]]) -> bool:
    """Whether a cell of a table of results shows that a value is missing."""
    missing = ("", None, numbers.MISSING)
    return any(row[name] in missing for row in rows for name in (_CELLS if row["measured"] else _CELLS + _NUMBERS))


@register.filter(name="keep_percent")
def keep_percent(text: object) -> str:
    """A sentence whose lines never end between a number and its "%"."""
    return _SPACE_BEFORE_PERCENT.sub("\N{NO-BREAK SPACE}", str(text))


@register.filter(name="rule_sentence")
def rule_sentence(text: object) -> str:
    """A stored sentence as pages show it: fields by their labels, numbers with four digits. What is stored stays."""
    labelled = _DECLARED.sub(lambda match: label_fact(match.group()), str(text))
    return numbers.shorten_numbers(labelled)
