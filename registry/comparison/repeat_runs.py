"""Other runs of the configuration in one archive: what is taken along of them beside the one that counts.

Plain values in, plain values out. Only numbers: paths, names and files of the other runs stay private.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from registry.comparison import spreads
from validators.distributions import MOST_MEMBERS, is_repeat
from validators.runs.run_groups import REPEATS

Row = Mapping[str, Any]
COLUMNS = {"score": "value", "bandwidth_gib_per_s": "bandwidth_gib_per_s", "rate_kiops": "rate_kiops"}
"""Columns of a result, by what a report calls them in its scores."""


def repeat_group(report: Row, index: int) -> Row:
    """The runs of the configuration of one, itself too, with their `distributions`; both empty where it stands alone.

    Runs are in the order of their time where they tell it, else in that of the archive. Of a report from before
    `missing_settings` nothing is taken: its repeats may have settings that nobody knows.
    """
    groups = (group for group in report.get("groups", []) if group["kind"] == REPEATS and index in group["runs"])
    own_group = next((group for group in groups if group.get("missing_settings") == []), None)
    if own_group is None or len(own_group["runs"]) > MOST_MEMBERS:
        return {"runs": [], "distributions": []}
    return {"runs": [report["runs"][run] for run in own_group["runs"]], "distributions": own_group["distributions"]}


def repeated_values(same: Sequence[Row]) -> dict[spreads.Key, list[float]]:
    """The values of each measurement that all these runs have, canonical."""
    by_run = [
        {
            spreads.measurement_key(row): row["value"]
            for row in run["measurements"]
            if not is_repeat(row["context"], row["stat"])
        }
        for run in same
    ]
    shared = [place for place in by_run[0] if all(place in run_values for run_values in by_run)] if by_run else []
    return {place: [run_values[place] for run_values in by_run] for place in shared}


def repeated_scores(same: Sequence[Row]) -> dict[str, list[float]]:
    """The columns of a result that all these runs have a score for."""
    scores_by_run = [run["scores"].get("SCORE") or {} for run in same]
    values = {
        column: [scores.get(name) for scores in scores_by_run] for column, name in COLUMNS.items() if scores_by_run
    }
    return {
        column: present
        for column, several in values.items()
        if len(present := [value for value in several if value is not None]) == len(several)
    }
