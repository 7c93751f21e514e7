"""The runs of an upload on the shelf: which ones come there, and the place that each keeps."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from submissions.models import Check, ShelfRun, Submission
from validators.findings import ERROR


@dataclass(frozen=True)
class PlacedRun:
    """A run of a check with its place: the number of its rows, and its id, which is the submission's if it counts."""

    number: int
    id: uuid.UUID
    run: Mapping[str, Any]


def take_places(submission: Submission, check: Check) -> list[PlacedRun]:
    """Places for the runs of a submission; a run keeps its own, with project, labels and shares, by its path.

    Where one run counts, the place is kept for what counts next. A run that the check has and that leaves the shelf
    keeps its place, without rows. Places of runs that the check does not have any more are given up; without any run
    all stay.
    """
    places = {place.run_path: place for place in ShelfRun.objects.filter(submission=submission).select_for_update()}
    checked_digests = list(map(_digest_run, check.report["runs"]))
    checked_runs = _number_paths(
        check.report, checked_digests, {path: place.run_digest for path, place in places.items()}
    )
    runs, counted_path = _shelved_runs(submission, check.report, checked_runs)
    if not runs:
        return []
    if counted_path is not None and counted_path not in places:
        # The run that counted until now lies elsewhere, is replaced, or was shelved by a version that knew no paths.
        former = next((path for path, place in places.items() if place.run_key is None and path not in runs), None)
        if former is not None:
            places[counted_path] = places.pop(former)
            places[counted_path].run_path = counted_path
            places[counted_path].save()
    ShelfRun.objects.filter(pk__in=[place.pk for path, place in places.items() if path not in checked_runs]).delete()
    keys = {path: None if path == counted_path else uuid.uuid5(submission.pk, path) for path in checked_runs}
    digests = dict(zip(checked_runs, checked_digests, strict=True))
    # The run that counts comes last: another one may have had the id of the submission until now.
    for path in sorted(keys.keys() & places.keys(), key=lambda path: path == counted_path):
        place = places[path]
        if (place.run_key, place.run_digest) != (keys[path], digests[path]):
            place.run_key, place.run_digest = keys[path], digests[path]
            place.save()
    new_places = [
        ShelfRun(submission=submission, run_path=path, run_key=keys[path], run_digest=digests[path])
        for path in runs
        if path not in places
    ]
    places |= {place.run_path: place for place in ShelfRun.objects.bulk_create(new_places)}
    return [PlacedRun(places[path].pk, places[path].run_key or submission.pk, run) for path, run in runs.items()]


def _is_numbered(path: str, file_path: str) -> bool:
    """Whether it is the path of a file, or that with a number."""
    _, mark, number = path.rpartition(" #")
    return path == file_path or (path == f"{file_path}{mark}{number}" and bool(mark) and number.isdecimal())


def _number_paths(
    report: Mapping[str, Any], digests: Sequence[str], known_digests: Mapping[str, str]
) -> dict[str, Mapping[str, Any]]:
    """All runs of a check by their paths, in its order. Several runs of one file are numbered.

    `digests` are those of its runs, in its order; `known_digests` has what the runs with a place measured, by path. One
    that measured the same keeps its number, whatever the order in which a check reports the runs of its file.
    """
    reported = report["runs"]
    paths: dict[int, str] = {}
    taken: set[str] = set()
    paths_by_digest: dict[str, list[str]] = {}
    for path, digest in known_digests.items():
        if digest:
            paths_by_digest.setdefault(digest, []).append(path)
    for index, (run, digest) in enumerate(zip(reported, digests, strict=True)):
        same = paths_by_digest.get(digest, ())
        of_file = [path for path in same if path not in taken and _is_numbered(path, run["path"])]
        kept_path = min(of_file, key=lambda path: (len(path), path), default=None)
        if kept_path is not None:
            paths[index] = kept_path
            taken.add(kept_path)
    for index, run in enumerate(reported):
        if index in paths:
            continue
        path, number = run["path"], 1
        while path in taken:
            number += 1
            path = f"{run['path']} #{number}"
        paths[index] = path
        taken.add(path)
    return {paths[index]: run for index, run in enumerate(reported)}


def _digest_run(run: Mapping[str, Any]) -> str:
    """What tells a run from others of its file: its start and the values that it printed. Empty where it has none.

    Reports of earlier releases tell no start.
    """
    names = ("op", "quantity", "stat", "printed_value")
    values = sorted(json.dumps([row[name] for name in names]) for row in run["measurements"])
    if not values:
        return ""
    return hashlib.sha256(json.dumps([run.get("started"), values]).encode()).hexdigest()


def _shelved_runs(
    submission: Submission, report: Mapping[str, Any], checked_runs: Mapping[str, Mapping[str, Any]]
) -> tuple[dict[str, Mapping[str, Any]], str | None]:
    """Runs for the shelf by their paths, and the path of the one that counts.

    They are the run that the check names, or all runs without an error where it names none; one that was chosen of
    these counts.
    """
    primary, chosen = report["primary"], submission.chosen_primary
    counted = primary if chosen is None else chosen
    runs, counted_path = {}, None
    for index, (path, run) in enumerate(checked_runs.items()):
        is_sound = all(finding["level"] != ERROR for finding in run["findings"])
        if index == counted or (primary is None and is_sound):
            runs[path] = run
        if index == counted:
            counted_path = path
    return runs, counted_path
