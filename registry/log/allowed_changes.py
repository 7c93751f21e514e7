"""What an act may change: somebody who writes to the tables can add a record, and its own act betrays it."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from registry.log.canonical_form import canonical_text
from registry.query.public_record import Row

FILE = Path(__file__).parent / "data" / "allowed-changes.1.json"
"""The collector carries it by a link in `collectors/data/`."""
MAY_CHANGE: dict[str, dict[str, dict[str, Any]]] = json.loads(FILE.read_text(encoding="utf-8"))
"""By type and act, of a record that follows another one, what it may change of it.

`only` names all that it may change, `never` what it may not; `parts` are those of the record, `entries.X` members of
rows. `longer` may only get more at its end, and neither record may be as `without` says. Other acts follow none.
"""


def undue_changes(before: Row, after: Row) -> list[str]:
    """What a record changes of the one before it that its act may not change, by name; the act itself, where none may.

    Records of other types than those in MAY_CHANGE follow none.
    """
    kind, act = after["type"], after["act"]
    rules = MAY_CHANGE.get(kind, {})
    rule = rules.get(act, rules.get("*"))
    if rule is None or before["type"] != kind:
        return ["act"]
    if not all(isinstance(record.get(kind), dict) for record in (before, after)):
        return [kind]
    old, new = ({**record[kind], "parts": record.get("parts")} for record in (before, after))
    wrong = [name for name, value in rule.get("without", {}).items() if value in (old.get(name), new.get(name))]
    wrong += [name for name in rule.get("longer", ()) if not _is_longer(old.get(name), new.get(name))]
    if "only" in rule:
        old, new = (_facts_without(facts, rule["only"]) for facts in (old, new))
        return wrong + [name for name in sorted({*old, *new}) if not _is_same(old, new, name)]
    return wrong + [name for name in rule["never"] if not _is_same(old, new, name)]


def _is_longer(old: Any, new: Any) -> bool:
    return isinstance(old, str) and isinstance(new, str) and new.startswith(old) and new != old


def _is_same(old: Row, new: Row, name: str) -> bool:
    try:
        return canonical_text(old.get(name)) == canonical_text(new.get(name))
    except ValueError:  # a number or half of a character that no record has
        return False


def _facts_without(facts: Row, names: Collection[str]) -> Row:
    """Facts without these members, and rows of `entries` without theirs."""
    inner = {name.partition(".")[2] for name in names if "." in name}
    rest = {name: value for name, value in facts.items() if name not in names}
    if inner and isinstance(facts.get("entries"), list):
        rest["entries"] = [_facts_without(row, inner) if isinstance(row, dict) else row for row in facts["entries"]]
    return rest
