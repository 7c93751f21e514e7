"""Whether what the registry shows of a result, a list or a release is what the log has of it, value by value.

A record has its facts under the names of the API, so an answer of the API is held against it name by name.
"""

import re
from collections import namedtuple

NAMES = ("site", "system", "platform")
"""Kinds of names: each stands under its slug."""
BODIES = {kind: kind for kind in ("result", "list", "release", "name_change", "reproduction") + NAMES}
"""The member of a record that has its facts, by the record's type."""
MOST_DIFFERENCES = 20
NOTHING = "nothing"
"""What the log has of a value that stands in no record."""
OPEN = re.compile(r"(?:entries\[[0-9]+\])?\Z")
"""Objects in which an answer may tell more than its record: the whole of it, and the rows of a list."""

Comparison = namedtuple("Comparison", "equal differences unshown")
Comparison.__doc__ = (
    """Values that are equal, (name, logged, shown) of those that differ, and names that are not shown."""
)


def facts_of(record):
    """The facts of a record, or None where it is of another kind."""
    facts = record.get(BODIES.get(record.get("type")))
    return facts if isinstance(facts, dict) else None


def subject_of(record):
    """The address of what a record is of: results/ID, lists/RELEASE/LIST, releases/RELEASE, name-changes/ID.

    Of a mark reproductions/ID, of a name sites/SLUG, systems/SLUG or platforms/SLUG. None for other kinds.
    """
    facts = facts_of(record) or {}
    if record.get("type") == "name_change":
        return "name-changes/%d" % facts["id"] if is_number(facts.get("id")) else None
    slugs = dict.fromkeys(("release",) + NAMES, ["slug"])
    names = dict(slugs, result=["id"], reproduction=["result"], list=["release", "list"]).get(record.get("type"), [])
    parts = [facts.get(name) for name in names]
    return "/".join([record["type"] + "s"] + parts) if parts and all(isinstance(p, str) for p in parts) else None


def compare_facts(facts, answer):
    """Hold the facts of a record against an answer of the API; the Comparison."""
    comparison = Comparison([], [], [])
    try:
        compare_values("", facts, answer, comparison)
    except RecursionError:
        comparison.differences.append(("", "values within values", "more of them than are read"))
    return Comparison(len(comparison.equal), comparison.differences, comparison.unshown)


def compare_values(name, logged, answer, comparison):
    """Add to a Comparison what holds of the value with this name, and of all values in it."""
    if isinstance(logged, dict) and isinstance(answer, dict):
        for key in sorted(logged):
            inner = "%s.%s" % (name, key) if name else key
            if key in answer:
                compare_values(inner, logged[key], answer[key], comparison)
            else:
                comparison.unshown.append(inner)
        if not OPEN.match(name):
            comparison.differences.extend(
                ("%s.%s" % (name, key), NOTHING, answer[key]) for key in sorted(set(answer) - set(logged))
            )
    elif isinstance(logged, list) and isinstance(answer, list) and len(logged) == len(answer):
        for number, (value, other) in enumerate(zip(logged, answer)):
            compare_values("%s[%d]" % (name, number), value, other, comparison)
    elif is_equal(logged, answer):
        comparison.equal.append(name)
    else:
        comparison.differences.append((name, logged, answer))


def is_number(value):
    return isinstance(value, int) and not isinstance(value, bool)


def is_equal(logged, answer):
    """Whether two values are one; integers beyond 2^53 are texts in a record."""
    if isinstance(logged, bool) or isinstance(answer, bool):
        return logged is answer
    if isinstance(logged, str) and isinstance(answer, int):
        return logged == str(answer)
    return logged == answer
