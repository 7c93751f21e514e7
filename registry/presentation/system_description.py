"""The description of a system on a page: sections of rows, written out once in Python and not in template loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.presentation import numbers
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
    """What the template system/description.html shows of a document whose JSON form lies at `address`."""
    if document is None:
        return None
    summary = facts.summary(document)
    drift, subjects = sections.drift(document), sections.subjects(document)
    return {
        "address": address,
        "collector": summary["collector"],
        "profile": PROFILES[summary["redaction_profile"]],
        "captures": [_capture(capture) for capture in document["captures"][:10]],
        "run": _run(document.get("run")),
        "subjects": [_subject(subject) for subject in subjects[:CLASSES_SHOWN]],
        "hidden": max(0, len(subjects) - CLASSES_SHOWN),
        **_shortened([_section(section) for section in sections.of_the_run(document)], "of_the_run"),
        "drift": drift[:ROWS_SHOWN],
        "drift_known": summary["drift"] is not None,
        "failed": len(list(facts.failed_nodes(document))),
    }


def what_differed(found: Sequence[Mapping[str, Any]], names: Sequence[str]) -> dict[str, Any]:
    """What the template system/differing.html shows of configuration.grouped, columns under `names`."""
    groups, left = [], ROWS_SHOWN
    for group in found:
        rows = [_compared_row(row) | {"subject": row["subject"]} for row in group["differences"][:left]]
        left -= len(rows)
        groups += [(group["group"], rows)] if rows else []
    count = sum(len(group["differences"]) for group in found)
    return {
        "names": names,
        "groups": groups,
        "count": count,
        "hidden": count - (ROWS_SHOWN - left),
        "width": len(names) + 2,
    }


def compared(found: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """What the template system/difference.html shows of validators.system.difference, columns under `names`."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for row in found["differences"][:ROWS_SHOWN]:
        title = ", ".join(filter(None, [row["subject"], row["section"]]))
        groups.setdefault(title, []).append(_compared_row(row))
    return {
        "names": names,
        "groups": list(groups.items()),
        "count": len(found["differences"]),
        "hidden": max(0, len(found["differences"]) - ROWS_SHOWN),
        "equal": found["equal"],
        "unknown": found["unknown"],
        "comparable": sum(found["described"]) > 1,
        "undescribed": [name for name, known in zip(names, found["described"], strict=True) if not known],
        "width": len(names) + 2,
    }


def _compared_row(row: Mapping[str, Any]) -> dict[str, Any]:
    cells = [
        {
            "text": numbers.MISSING if values is None else ", ".join(values[:VALUES_SHOWN]),
            "unknown": values is None,
            "differs": differs,
        }
        for values, differs in zip(row["values"], row["differs_from_default"], strict=True)
    ]
    defaults = list(dict.fromkeys(filter(None, row["defaults"])))
    return {"name": row["name"], "parameter": row["parameter"], "cells": cells, "default": " or ".join(defaults)}


def _capture(capture: Mapping[str, Any]) -> str:
    words = {"pre": "before the run", "post": "after it", "static": "once", "imported": "imported"}[capture["phase"]]
    time = facts.moment(capture["started"])
    nodes = capture.get("nodes_reported")
    told = f" on {numbers.pluralize(int(nodes), 'node')}" if nodes is not None else ""
    return f"{words}{told}, {numbers.format_datetime(time) if time else capture['started']}"


def _run(run: Mapping[str, Any] | None) -> str:
    if run is None:
        return ""
    status = run.get("exit_status", "unknown")
    ended = f"ended by signal {run['signal']}" if "signal" in run else f"exit status {status}"
    return f"{run['command']}, {numbers.format_decimal(run['duration_s'], 0)} s, {ended}"


def _subject(subject: sections.Subject) -> dict[str, Any]:
    missing = sections.missing(subject.nodes)
    outliers = sections.outliers(subject.nodes)
    return {
        "name": subject.name,
        "nodes": numbers.pluralize(int(subject.nodes["count"]), "node"),
        "parameters": len(subject.nodes.get("parameters", [])),
        **_shortened([_section(section) for section in subject.sections], "sections"),
        "missing": [{"reason": reason, "count": len(names), "names": names[:NAMES_SHOWN]} for reason, names in missing],
        "missing_count": sum(len(names) for _, names in missing),
        "outliers": outliers[:ROWS_SHOWN],
        "outlying": len({row["member"] for row in outliers}),
    }


def _shortened(written: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The first ROWS_SHOWN rows of all sections under `name`, and how many more there are as `NAME_hidden`."""
    kept, left = [], ROWS_SHOWN
    for section in written:
        rows = section["rows"][:left]
        left -= len(rows)
        kept += [section | {"rows": rows}] if rows else []
    total = sum(len(section["rows"]) for section in written)
    return {name: kept, f"{name}_hidden": total - (ROWS_SHOWN - left)}


def _section(section: sections.Section) -> dict[str, Any]:
    return {"title": section.title, "rows": [_row(row) for row in section.rows]}


def _row(row: sections.Row) -> dict[str, Any]:
    more = len(row.seen) - VALUES_SHOWN
    return {
        "name": row.name,
        "parameter": row.parameter,
        "values": [_value(seen, alone=len(row.seen) == 1) for seen in row.seen[:VALUES_SHOWN]],
        "more": more if more > 0 else 0,
        "instances": numbers.format_int(row.instances) if row.instances > 1 else "",
        "default": row.default,
    }


def _value(seen: sections.Seen, *, alone: bool) -> dict[str, Any]:
    return {"text": seen.text, "differs": seen.differs, "of": "" if alone else numbers.format_int(seen.instances)}
