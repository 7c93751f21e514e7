"""Filters of templates for texts that were written when a run was checked, and are stored as they were."""

from __future__ import annotations

import re

from django import template

from registry.presentation import numbers
from registry.presentation.words import label_fact

register = template.Library()

_DECLARED = re.compile(
    r"(?<![\w./-])(?:filesystem_type|filesystem_name|storage_vendor|client_nodes)(?![\w/-]|\.\w)"
    r"|(?:(?<=: )|(?<=, ))tasks(?=,|\.| are given| \d)"
)
"""Names of what is declared of a run, as sentences of rules have them. `tasks` is a word, too: only in a list."""


@register.filter(name="rule_sentence")
def rule_sentence(text: object) -> str:
    """A stored sentence as pages show it: fields by their labels, numbers with four digits. What is stored stays."""
    labelled = _DECLARED.sub(lambda match: label_fact(match.group()), str(text))
    return numbers.shorten_numbers(labelled)
