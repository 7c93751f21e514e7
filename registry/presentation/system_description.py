"""The description of a system on a page: sections of rows, written out once in Python and not in template loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from registry.presentation import numbers
from registry.presentation.words import capitalize_sentence, format_fact, label_fact
from validators.system import facts, sections

ROWS_SHOWN = 600
"""Of one class of nodes; a full client has some 200 parameters."""
CLASSES_SHOWN = 40
VALUES_SHOWN = 6
NAMES_SHOWN = 300
PROFILES = {
    "default": "names and addresses replaced at the site",
    "strict": "kept to the least at the site",
    "full-consent": "published in full by the site",
}


def system_context(document: Mapping[str, Any] | None, address: str) -> dict[str, Any] | None:
    """What the template presentation/description.html shows of a document whose JSON form lies at `address`."""
    if document is None:
        return None
    summary = facts.summary(document)
    drift, subjects = sections.drift(document), sections.subjects(document)
    return {
        "address": address,
        "collector": summary["collector"],
        "profile": PROFILES[summary["redaction_profile"]],
        "captures": [_capture_text(capture) for capture in document["captures"][:10]],
        "run": _run(document.get("run")),
        "subjects": [_subject_context(subject) for subject in subjects[:CLASSES_SHOWN]],
        "hidden": max(0, len(subjects) - CLASSES_SHOWN),
        **_shorten_sections([_section_context(section) for section in sections.of_the_run(document)], "of_the_run"),
        "drift": drift[:ROWS_SHOWN],
        "drift_known": summary["drift"] is not None,
        "failed": len(list(facts.failed_nodes(document))),
    }


def what_differed(difference_groups: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """What the template presentation/system_differences.html shows of configuration.grouped, columns under `names`."""
    groups, rows_left, count = [], ROWS_SHOWN, 0
    for group in difference_groups:
        rows = _drop_repeated(_compared_row(row, names) | {"subject": row["subject"]} for row in group["differences"])
        count += len(rows)
        rows = rows[:rows_left]
        rows_left -= len(rows)
        groups += [(group["group"], rows)] if rows else []
    return {
        "names": names,
        "groups": groups,
        "count": count,
        "hidden": count - (ROWS_SHOWN - rows_left),
        "width": len(names) + 2,
    }


def _drop_repeated(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without those that say once more what another says: a run and its options both tell the processes.

    What one of the two does not know of a result, the other says.
    """
    different: list[dict[str, Any]] = []
    for row in rows:
        place = next((place for place, other in enumerate(different) if _says_the_same(row, other)), None)
        if place is None:
            different.append(row)
        else:
            pairs = zip(row["cells"], different[place]["cells"], strict=True)
            known_cells = [cell if other["unknown"] else other for cell, other in pairs]
            different[place] = different[place] | {"cells": known_cells}
    return different


def _says_the_same(row: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two rows have one name and contradict each other in no cell, with one known of both at least."""
    if any(row[name] != other[name] for name in row if name != "cells"):
        return False
    pairs = list(zip(row["cells"], other["cells"], strict=True))
    known_pairs = [(cell, same) for cell, same in pairs if not cell["unknown"] and not same["unknown"]]
    return bool(known_pairs) and all(cell == same for cell, same in known_pairs)


def difference_context(difference: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """What the template presentation/difference.html shows of validators.system.difference, columns under `names`."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in difference["differences"][:ROWS_SHOWN]:
        title = ", ".join(filter(None, [row["subject"], row["section"]]))
        groups.setdefault(title, []).append(_compared_row(row, names))
    return {
        "names": names,
        "groups": list(groups.items()),
        "count": len(difference["differences"]),
        "hidden": max(0, len(difference["differences"]) - ROWS_SHOWN),
        "equal": difference["equal"],
        "unknown": difference["unknown"],
        "comparable": sum(difference["described"]) > 1,
        "undescribed": [
            name for name, is_described in zip(names, difference["described"], strict=True) if not is_described
        ],
        "width": len(names) + 2,
    }


def _compared_row(row: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    cells = [
        {
            "name": name,
            "text": numbers.MISSING if values is None else _fact_text(row, values),
            "unknown": values is None,
            "differs": differs,
        }
        for name, values, differs in zip(names, row["values"], row["differs_from_default"], strict=True)
    ]
    defaults = dict.fromkeys(_fact_text(row, [default]) for default in row["defaults"] if default)
    name = row["name"] if row["parameter"] else capitalize_sentence(label_fact(row["name"]))
    return {"name": name, "parameter": row["parameter"], "cells": cells, "default": " or ".join(defaults)}


def _fact_text(row: Mapping[str, Any], values: Sequence[str]) -> str:
    """The values of a run in groups of digits; those of a parameter as its file has them, to be written into it."""
    first_values = values[:VALUES_SHOWN]
    return ", ".join(first_values if row["parameter"] else (format_fact(row["name"], value) for value in first_values))


def _capture_text(capture: Mapping[str, Any]) -> str:
    words = {"pre": "before the run", "post": "after it", "static": "once", "imported": "imported"}[capture["phase"]]
    time = facts.moment(capture["started"])
    nodes = capture.get("nodes_reported")
    node_words = f" on {numbers.pluralize(int(nodes), 'node')}" if nodes is not None else ""
    return f"{words}{node_words}, {numbers.format_datetime(time) if time else capture['started']}"


def _run(run: Mapping[str, Any] | None) -> str:
    if run is None:
        return ""
    status = run.get("exit_status", "unknown")
    ended = f"ended by signal {run['signal']}" if "signal" in run else f"exit status {status}"
    return f"{run['command']}, {numbers.format_decimal(run['duration_s'], 0)} s, {ended}"


def _subject_context(subject: sections.Subject) -> dict[str, Any]:
    missing = sections.missing(subject.nodes)
    outliers = sections.outliers(subject.nodes)
    return {
        "name": subject.name,
        "nodes": numbers.pluralize(int(subject.nodes["count"]), "node"),
        "parameters": len(subject.nodes.get("parameters", [])),
        **_shorten_sections([_section_context(section) for section in subject.sections], "sections"),
        "missing": [{"reason": reason, "count": len(names), "names": names[:NAMES_SHOWN]} for reason, names in missing],
        "missing_count": sum(len(names) for _, names in missing),
        "outliers": outliers[:ROWS_SHOWN],
        "outlying": len({row["member"] for row in outliers}),
    }


def _shorten_sections(written: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The first ROWS_SHOWN rows of all sections under `name`, and how many more there are as `NAME_hidden`."""
    short_sections, rows_left = [], ROWS_SHOWN
    for section in written:
        rows = section["rows"][:rows_left]
        rows_left -= len(rows)
        short_sections += [section | {"rows": rows}] if rows else []
    total = sum(len(section["rows"]) for section in written)
    return {name: short_sections, f"{name}_hidden": total - (ROWS_SHOWN - rows_left)}


def _section_context(section: sections.Section) -> dict[str, Any]:
    return {"title": section.title, "rows": [_row_context(row) for row in section.rows]}


def _row_context(row: sections.Row) -> dict[str, Any]:
    more = len(row.seen) - VALUES_SHOWN
    return {
        "name": row.name,
        "parameter": row.parameter,
        "values": [_value_context(seen_value, alone=len(row.seen) == 1) for seen_value in row.seen[:VALUES_SHOWN]],
        "more": more if more > 0 else 0,
        "instances": numbers.format_int(row.instances) if row.instances > 1 else "",
        "default": row.default,
    }


def _value_context(seen_value: sections.ObservedValue, *, alone: bool) -> dict[str, Any]:
    return {
        "text": seen_value.text,
        "differs": seen_value.differs,
        "of": "" if alone else numbers.format_int(seen_value.instances),
    }
