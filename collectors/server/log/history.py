"""Whether the records of one thing follow one another: each names the leaf of the one before it in `previous`.

The registry lists the records of a thing, the newest first. A list that lacks one, has another name for it, or tells
of it otherwise than the record does itself, breaks this chain.
"""

import json
import re
from collections import namedtuple
from functools import lru_cache

LEAF = re.compile(r"[0-9a-f]{64}\Z")
MOST_ROWS = 10000
ACTS = (
    *("called", "changed", "published", "amended", "withdrawn", "named", "identified", "undone", "rechecked", "loaded"),
    *("ranged", "first-recorded", "erased", "removed"),
)
"""Acts of docs/log.md that record something of a thing."""
TO_SECONDS = 19
"""Characters of a time to its second: a record has no more of it."""

RULES = "data/allowed-changes.1.json"
Row = namedtuple("Row", "leaf act recorded_at is_erased")
Row.__doc__ = "What the registry lists of one record."


class HistoryError(ValueError):
    """The list of records is not one that a registry gives; the message says why."""


def read_rows(document):
    """The Rows that a proof lists, None where it lists none. Raises HistoryError for what is no such list."""
    rows = document.get("records") if isinstance(document, dict) else None
    if rows is None:
        return None
    if not isinstance(rows, list) or len(rows) > MOST_ROWS:
        raise HistoryError("`records` is not a list of at most %d records." % MOST_ROWS)
    read = [read_row(row) for row in rows]
    if len({row.leaf for row in read}) != len(read):
        raise HistoryError("`records` names a leaf twice.")
    return read


def read_row(row):
    """One Row. Raises HistoryError where a field is missing or of another kind."""
    if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in ("leaf", "act", "recorded_at")):
        raise HistoryError("`records` has a row without leaf, act and time.")
    if not LEAF.match(row["leaf"]):
        raise HistoryError("`records` has a leaf that is not 32 bytes in hexadecimal digits.")
    return Row(row["leaf"], row["act"], row["recorded_at"], row.get("erased_at") is not None)


def break_of(record, leaf, rows):
    """What does not fit between a record with this leaf, in hex, and the Rows that are listed; None where all fits."""
    places = [number for number, row in enumerate(rows) if row.leaf == leaf]
    if not places:
        return "the registry does not list it among the records of the same thing"
    row, older = rows[places[0]], [row for row in rows[places[0] + 1 :] if not row.is_erased]
    previous = older[0].leaf if older else None
    if record.get("previous") != previous:
        return "it follows %s, and the registry lists %s before it" % (
            name_of(record.get("previous")),
            name_of(previous),
        )
    if record.get("act") != row.act or str(record.get("recorded_at"))[:TO_SECONDS] != row.recorded_at[:TO_SECONDS]:
        return "the registry lists it with another act or time"
    return None


@lru_cache(maxsize=None)
def load_rules():
    """By type and act what a record may change of the one before it; registry/log/allowed_changes.py says how."""
    import pkgutil  # it loads what a kept proof does not need

    return json.loads(pkgutil.get_data("collectors", RULES).decode("utf-8"))


def undue_changes(before, after):
    """What a record changes of the one before it that its act may not change, by name; the act itself, where none may.

    None for an act or a type that is not known here: a later release may have more of them.
    """
    kind, act = after.get("type"), after.get("act")
    rules = load_rules().get(kind)
    if rules is None or act not in ACTS:
        return None
    rule = rules.get(act, rules.get("*"))
    if rule is None:
        return ["act"]
    if not all(isinstance(record.get(kind), dict) for record in (before, after)):
        return [kind]
    old, new = [dict(record[kind], parts=record.get("parts")) for record in (before, after)]
    wrong = [name for name, value in rule.get("without", {}).items() if value in (old.get(name), new.get(name))]
    wrong += [name for name in rule.get("longer", ()) if not is_longer(old.get(name), new.get(name))]
    if "only" in rule:
        old, new = [facts_without(facts, rule["only"]) for facts in (old, new)]
        return wrong + [name for name in sorted(set(old) | set(new)) if not is_same(old, new, name)]
    return wrong + [name for name in rule["never"] if not is_same(old, new, name)]


def is_longer(old, new):
    return isinstance(old, str) and isinstance(new, str) and new.startswith(old) and new != old


def is_same(old, new, name):
    return json.dumps(old.get(name), sort_keys=True) == json.dumps(new.get(name), sort_keys=True)


def facts_without(facts, names):
    """Facts without these members, and rows of `entries` without theirs."""
    inner = {name.partition(".")[2] for name in names if "." in name}
    rest = {name: value for name, value in facts.items() if name not in names}
    if inner and isinstance(facts.get("entries"), list):
        rest["entries"] = [facts_without(row, inner) if isinstance(row, dict) else row for row in facts["entries"]]
    return rest


def name_of(leaf):
    """The beginning of a leaf, as a sentence names it."""
    return "the record %s" % str(leaf)[:12] if leaf else "none"
