"""Derived results: figures that our own readers found in published raw files, from
registry/loading/data/derived/*.json.

One public id is one result. Where an archive says what the list says, the result is derived: its figures are those of
its raw files, and the list's stand beside. Where they disagree, or the archive has no run that counts, the result
stays as the list has it, and what the archive says stands beside. Nothing here reads or writes the database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from registry.lists.official import value_differences
from registry.loading.archive_facts import PREFIX, SEVERAL, SHARE_UNIT
from registry.models import Result
from registry.query import data_files
from validators.measurements import Measurement as Measured

DERIVED = Path(__file__).parent / "data" / "derived"
SCHEMA = "derived-results.schema.json"
SCORE = "SCORE"
MISSING = "missing_measurements"
"""Where a snapshot has what its files do not tell, as a report has it."""
COUNTS = ("client_nodes", "tasks")
HALVES = {"score": "value", "bandwidth_gib_per_s": "bandwidth_gib_per_s", "rate_kiops": "rate_kiops"}
"""Columns of a result, and what its score calls them."""
_CORRECTED = frozenset({"mdtest-easy-write", "mdtest-hard-write", "rate", "score"})
"""What IO500 corrected of SC18 after the runs were submitted: two rates, and what follows from them."""
_MOST_OF_A_RUN = 10
"""Of twelve phases, two halves and a score: so many differences are no correction."""
_KEPT_BESIDE = (
    *("status", "address", "year", "run", "version", "mode", "started", "ended", "left_out"),
    *("release_inferred", "client_nodes", "tasks"),
)

Row = dict[str, Any]


class DerivedError(Exception):
    """A file of derived results breaks its schema, or two archives share an id."""


def read_derived(folder: Path = DERIVED) -> list[Row]:
    """The rows of all archives of a folder, each with what it was `read_by`.

    Raises DerivedError for a malformed file, or an id that is there twice.
    """
    rows: dict[str, Row] = {}
    for name, content in data_files.valid_files(folder, SCHEMA, DerivedError):
        for row in content["archives"]:
            if row["id"] in rows:
                raise DerivedError(f"{name}: {row['id']} is there twice")
            rows[row["id"]] = row | {"read_by": content["read_by"]}
    return list(rows.values())


def is_readable(row: Mapping[str, Any]) -> bool:
    """Whether the archive has one run that counts."""
    return "measurements" in row


def is_derived(row: Mapping[str, Any], differences: list[Row]) -> bool:
    """Whether a result is what its archive says: it has one run that counts, and no figure of a list denies it."""
    return is_readable(row) and not differences


def unlisted_result(row: Row) -> Row:
    """The row of an archive that no list has, in the form of a row of the history: its names and its release."""
    names = {name: row[name] for name in ("id", "submission", "institution", "system", "filesystem_type")}
    return names | {"source": "", "opted_in": False, **({"release": row["release"]} if "release" in row else {})}


def list_differences(listed: Mapping[str, Any], row: Row) -> list[Row]:
    """What the list and the archive give differently by more than the printed digits, in GiB/s, kIOPS and as a count.

    A phase that the list prints as 0 beside a score was not printed. Counts of nodes and tasks are told apart by
    `compare_counts`, since lists print what submitters declare.
    """
    columns = {"bandwidth": "bandwidth_gib_per_s", "rate": "rate_kiops", "score": "score"}
    official = {what: value for what, value in listed.get("phases", {}).items() if value}
    official |= {what: listed[column] for what, column in columns.items() if column in listed}
    archived = {name: value for name, _, value, _ in _phase_rows(row)}
    score = row.get("scores", {}).get(SCORE, {})
    archived |= {what: score[HALVES[column]] for what, column in columns.items() if HALVES[column] in score}
    differences = value_differences(official, archived)
    return [{"what": each.what, "list": each.official, "archive": each.archived} for each in differences]


def compare_counts(listed: Mapping[str, Any], row: Mapping[str, Any]) -> list[Row]:
    """Counts of client nodes and of tasks that list and archive give differently."""
    pairs = {name: (listed.get(name), row.get(name)) for name in COUNTS}
    return [
        {"what": name, "list": declared, "archive": archived}
        for name, (declared, archived) in pairs.items()
        if declared and archived and declared != archived
    ]


def _phase_rows(row: Mapping[str, Any]) -> Iterator[tuple[str, str, float, str]]:
    """Operation, quantity, value and unit of the phases; IO500 prints bandwidth in GiB/s and rates in kIOPS."""
    for op, quantity, stat, value, unit, *_ in row.get("measurements", ()):
        if stat == "phase" and quantity in ("bandwidth", "rate"):
            yield op, quantity, value, unit


def derived_columns(columns: Mapping[str, Any], row: Row, listed: Mapping[str, Any] | None) -> Row:
    """The columns of a result with what its archive adds. `columns` are those of its list, or of `unlisted_result`.

    What the list declares stays; what it is silent about is taken from the archive.
    """
    differences = list_differences(listed, row) if listed else []
    archive = archive_columns(row, listed, differences)
    if not is_derived(row, differences):
        snapshot = columns["snapshot"] | {"archive": archive | _archived_figures(row, differences)}
        return {**columns, "snapshot": snapshot | ({"list": list_columns(listed)} if listed else {})}
    score = row["scores"][SCORE]
    return {
        **columns,
        "trust": Result.Trust.DERIVED,
        "source": f"Raw files published by IO500, submission {row['submission']}",
        "tool_version": columns["tool_version"] or row.get("version", ""),
        "mode": columns["mode"] or row.get("mode", ""),
        **{name: columns[name] or row.get(name) for name in COUNTS},
        **{column: score[name] for column, name in HALVES.items()},
        "parameters": row["parameters"] | columns["parameters"],
        "snapshot": columns["snapshot"]
        | {"archive": archive, "scores": row["scores"], "hashes": row.get("hashes", {})}
        | {"findings": row.get("findings", []), "evidence": full_evidence(row["evidence"])}
        | {"distributions": [full_distribution(values) for values in row.get("distributions", ())]}
        | ({MISSING: list_missing(row)} if "missing_shares" in row else {})
        | ({"list": list_columns(listed)} if listed else {}),
    }


def archive_columns(row: Row, listed: Mapping[str, Any] | None, differences: list[Row]) -> Row:
    """What stands in the snapshot of an archive, its address and where it and the list disagree among it."""
    counts = compare_counts(listed, row) if listed else []
    facts = {name: row[name] for name in (*_KEPT_BESIDE, "read_by") if name in row}
    return facts | {"differences": differences + counts}


def disagreement_reason(row: Mapping[str, Any], differences: list[Row]) -> str:
    """Why an archive and a list disagree, as far as that is known."""
    differing = {difference["what"] for difference in differences}
    if len(differing) >= _MOST_OF_A_RUN:
        return "Nearly every figure differs: the archive holds another run than the list."
    if row.get("release") == "SC18" and differing <= _CORRECTED:
        return (
            "IO500 corrected the metadata write rates of SC18 after they were submitted; the archive has those from "
            "before, the list has the corrected ones."
        )
    return "The archive says other figures than the list; why is not published."


def _archived_figures(row: Row, differences: list[Row]) -> Row:
    """The figures of an archive that are not those of its result, and why they are not."""
    if not is_readable(row):
        several = "Several runs lie in the archive, and none is marked as the one that was submitted."
        messages = [finding["message"] for finding in row.get("findings", ())]
        return {"reason": several if row["status"] == SEVERAL else " ".join(messages)}
    return {
        "reason": disagreement_reason(row, differences),
        "scores": row["scores"],
        "measurements": [figure.as_json() for figure in read_measurements(row)],
        "findings": row.get("findings", []),
        "evidence_in_short": row["evidence"]["in_short"],
    }


def list_columns(listed: Mapping[str, Any]) -> Row:
    """What the list prints of a result, to stand beside its archive."""
    names = ("source", "score", "bandwidth_gib_per_s", "rate_kiops", "client_nodes", "tasks", "phases")
    return {name: listed[name] for name in names if name in listed}


def read_measurements(row: Mapping[str, Any]) -> Iterator[Measured]:
    """The figures of an archive: canonical beside what is printed. Raises UnitError."""
    for op, quantity, stat, value, unit, scored, *context in row["measurements"]:
        yield Measured.printed(op, quantity, stat, value, unit, scored=scored, context=context[0] if context else None)
    for op, quantity, percent in row.get("shares", ()):
        yield Measured.printed(op, quantity, "phase", percent, SHARE_UNIT)


def list_missing(row: Mapping[str, Any]) -> list[Row]:
    """The shares that the files of an archive do not tell, in the form of a report, each with its reason."""
    pairs = ((name.rpartition("."), reason) for reason, names in row["missing_shares"].items() for name in names)
    return [{"op": op, "quantity": quantity, "reason": reason} for (op, _, quantity), reason in pairs]


def full_evidence(evidence: Mapping[str, Any]) -> Row:
    """Evidence in the form that a report of a check has; the lines that were compared are not kept."""
    rows = [
        {"code": PREFIX + kind, "outcome": outcome, "compared": compared}
        | dict(zip(("least", "most"), span, strict=False))
        for outcome in ("agrees", "contradicts")
        for kind, (compared, *span) in evidence[outcome].items()
    ]
    rows += [{"code": PREFIX + kind, "outcome": "absent", "compared": 0} for kind in evidence["absent"]]
    counts = {"agree": len(evidence["agrees"]), "contradict": len(evidence["contradicts"])}
    rest = {name: evidence[name] for name in ("missing", "unconfirmed", "summary_alone", "in_short")}
    return counts | {"absent": len(evidence["absent"]), "of": len(rows), **rest, "kinds": rows}


def full_distribution(values: list[Any]) -> Row:
    """A distribution in the form that a report of a check has, in its canonical unit, without its members."""
    op, quantity, stat, over, unit, count, mean, deviation, *quantiles = values
    named = {"op": op, "quantity": quantity, "stat": stat, "over": over, "context": {}, "unit": unit}
    figures = {"min": quantiles[0], "mean": mean, "max": quantiles[-1], "deviation": deviation}
    return named | {"printed_unit": unit, "count": count} | figures | {"quantiles": quantiles, "members": None}
