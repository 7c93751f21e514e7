"""What differs between two observations, and which differences are meant.

Only what was there before is held against what is there now: more fields, more rows of a catalogue and more
operations of the API are fine. What changed on purpose stands in tests/deep/intended.py, a line each with its reason.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from tests.deep.observation import GROWING, Observation

NOTHING = "(nothing)"
NEW_ROW = "(a new row)"
KEYS = (("id",), ("slug",), ("result",), ("code",), ("name",), ("username",), ("release", "list"), ("rule",))
"""By the first of these that all rows of a collection have, a row of before is looked for among those of now."""
NAMES = ("release", "list", "result", "id", "slug", "position", "op", "quantity", "stat")
"""Columns that say what a row of an export is of; its other columns may have changed."""
COMPOSED = (*NAMES, "run", "test", "context", "unit")
"""What a measurement is of, all together: rows that no single key names are looked for by those of these they have."""
SHOWN = 300
"""Characters of a value in a line."""


@dataclass(frozen=True)
class Difference:
    """One value of one document: `field` is its path in dots, rows by their key or place."""

    document: str
    field: str
    before: Any
    now: Any

    def __str__(self) -> str:
        return f"{self.document} : {self.field}: {shortened(self.before)} -> {shortened(self.now)}"

    @property
    def kind(self) -> str:
        """What a line of the table of meant differences could say: who asked, ids and places are left open."""
        who, space, path = self.document.partition(" ")
        collection, slash, rest = path.partition("/")
        rest = re.sub(r"^[^/?]+", "*", rest)
        document = f"{who if who == 'anybody' else '*'} {collection}{slash}{rest}" if space else who
        return f"{document} : {'.'.join('*' if re.search(r'[0-9]', part) else part for part in self.field.split('.'))}"


@dataclass(frozen=True)
class Intended:
    """A difference that is meant: patterns of document and field (`*` is anything), the reason, and what must hold."""

    document: str
    field: str
    reason: str
    holds: Callable[[Any, Any], bool] = lambda before, now: True

    def covers(self, difference: Difference) -> bool:
        return (
            fnmatchcase(difference.document, self.document)
            and fnmatchcase(difference.field, self.field)
            and self.holds(difference.before, difference.now)
        )


def difference_of(before: Observation, now: Observation) -> list[Difference]:
    """All that an observation says otherwise than an earlier one."""
    differences = list(documents(before.documents, now.documents))
    for name in ("downloads", "pages", "commands"):
        differences += compared(name, "", getattr(before, name), getattr(now, name), grows=False)
    tables = {name: in_one_order(table, now.tables.get(name, {})) for name, table in before.tables.items()}
    for name, (old, new) in tables.items():
        differences += compared(f"export {name}", "", old, new, grows=False)
    return differences


def in_one_order(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tables of both with their rows in one order, as no file promises any: by the columns that both have.

    Columns that name a row come first and those with fractions last, so that a changed number moves its row among those
    of the same name alone.
    """
    old, new = dict(before), dict(now)
    for name in old.keys() & new.keys():
        rows = [old[name], new[name]]
        if not all(isinstance(row_list, list) and row_list for row_list in rows):
            continue
        columns = rows[0][0].keys() & rows[1][0].keys()
        fractions = {
            column for row_list in rows for row in row_list for column in columns if isinstance(row[column], float)
        }
        names = [column for column in NAMES if column in columns]
        order = [*names, *sorted(columns - fractions - set(names)), *sorted(fractions)]
        old[name], new[name] = (
            sorted(row_list, key=lambda row: [str(row[column]) for column in order]) for row_list in rows
        )
    return old, new


def documents(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Difference]:
    for name, document in before.items():
        _, _, path = name.partition(" ")
        if path == "openapi.json":
            document, later = operations(document), operations(now.get(name, {}))
        else:
            later = now.get(name, NOTHING)
        yield from compared(name, "", document, later, grows=path.partition("/")[0].partition(" ")[0] in GROWING)


def operations(document: Mapping[str, Any]) -> dict[str, Any]:
    """Of a description of the API what programs hold on to: addresses, methods, names of parameters."""
    paths = document.get("answer", {}).get("paths", {})
    return {
        path: {
            method: {parameter["name"]: True for parameter in operation.get("parameters", [])}
            for method, operation in methods.items()
            if isinstance(operation, Mapping)
        }
        for path, methods in paths.items()
    }


def compared(document: str, field: str, before: Any, now: Any, *, grows: bool) -> Iterator[Difference]:
    """Differences of two values. Rows that only now has are differences, too, unless their collection `grows`."""
    if isinstance(before, Mapping) and isinstance(now, Mapping):
        for name, value in before.items():
            yield from compared(document, joined(field, name), value, now.get(name, NOTHING), grows=grows)
    elif isinstance(before, list) and isinstance(now, list):
        yield from compared_rows(document, field, before, now, grows=grows)
    elif type(before) is not type(now) or before != now:
        yield Difference(document, field, before, now)


def compared_rows(document: str, field: str, before: list[Any], now: list[Any], *, grows: bool) -> Iterator[Difference]:
    key = next((key for key in KEYS if is_key(key, before) and is_key(key, now)), ()) or composed(before, now)
    if before and key:
        old, new = ({named(row, key): row for row in rows} for rows in (before, now))
        yield from compared(document, field, old, new, grows=grows)
        order = [name for name in new if name in old]
        if order != [name for name in old if name in new]:
            yield Difference(document, joined(field, "(order)"), list(old), order)
        added = [name for name in new if name not in old]
    else:
        for place, row in enumerate(before):
            yield from compared(
                document, joined(field, str(place)), row, now[place] if place < len(now) else NOTHING, grows=grows
            )
        added = [str(place) for place in range(len(before), len(now))]
    if not grows:
        for name in added:
            yield Difference(document, joined(field, name), NOTHING, NEW_ROW)


def is_key(key: tuple[str, ...], rows: list[Any]) -> bool:
    if not all(isinstance(row, Mapping) and isinstance(row.get(key[0]), str | int) for row in rows):
        return False
    return len({named(row, key) for row in rows}) == len(rows)


def composed(before: list[Any], now: list[Any]) -> tuple[str, ...]:
    """The columns that together name the rows of measurements; none where they don't."""
    if not (before and now and isinstance(before[0], Mapping) and "quantity" in before[0] and "op" in before[0]):
        return ()
    key = tuple(column for column in ("op", *COMPOSED) if column in before[0] and column in now[0])
    return key if is_key(key, before) and is_key(key, now) else ()


def named(row: Mapping[str, Any], key: tuple[str, ...]) -> str:
    return " ".join(
        json.dumps(row.get(column), sort_keys=True) if column == "context" else str(row.get(column)) for column in key
    )


def joined(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name


def shortened(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def judged(differences: list[Difference], intended: tuple[Intended, ...]) -> tuple[list[Difference], str]:
    """The differences that nobody means, and a text: reasons of those meant, of the others an example of each kind."""
    counts: Counter[Intended] = Counter()
    unmeant: list[Difference] = []
    for difference in differences:
        covering = next((line for line in intended if line.covers(difference)), None)
        if covering is None:
            unmeant.append(difference)
        else:
            counts[covering] += 1
    lines = [f"{len(differences)} differences, of which {len(unmeant)} nobody means"]
    lines += [f"  {counts[line]:6} {line.document} : {line.field}: {line.reason}" for line in intended if counts[line]]
    lines += [f"  unused: {line.document} : {line.field}: {line.reason}" for line in intended if not counts[line]]
    kinds: dict[str, list[Difference]] = {}
    for difference in unmeant:
        kinds.setdefault(difference.kind, []).append(difference)
    lines += [f"  NOT MEANT {len(same)} x {kind}\n      {same[0]}" for kind, same in kinds.items()]
    return unmeant, "\n".join(lines)
